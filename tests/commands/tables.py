"""What commands wrote."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np


def table(path: Path) -> dict[str, list[str]]:
    """The columns of a CSV by their names, in order."""
    with path.open() as opened:
        header, *rows = list(csv.reader(opened))
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def numbers(path: Path, *columns: str) -> np.ndarray:
    """Columns as numbers, a row a set."""
    found = table(path)
    return np.array([found[name] for name in columns], dtype=float).T
