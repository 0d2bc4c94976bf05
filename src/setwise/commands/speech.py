"""What a command says to the person at the terminal: warnings as plain lines, small matrices, spans of time."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from setwise.errors import SetwiseWarning
from setwise.refusals import listed
from setwise.sets import SampleSets

NAMED = 12  # columns
WIDE = 10_000  # columns: a number cut off to fit a narrow window would be a wrong number


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Say the warnings of the block on stderr, without file names, after the block has succeeded.

    Each is said once, and of those of a kind, which differ in their counts from fold to fold, the first. When the block
    fails, the one line that tells why is all that is said.
    """
    with warnings.catch_warnings(record=True) as caught:
        yield
    said: dict[object, list[str]] = {}
    for warning in caught:
        text = " ".join(str(warning.message).split())
        kind = warning.category if issubclass(warning.category, SetwiseWarning) else text
        texts = said.setdefault(kind, [])
        if text not in texts:
            texts.append(text)
    for texts in said.values():
        more = f" (and {len(texts) - 1:,} more of this kind)" if len(texts) > 1 else ""
        print(f"warning: {texts[0]}{more}", file=sys.stderr)


def print_matrix(title: str, matrix: NDArray[np.float64], rows: Sequence[str], columns: Sequence[str]) -> None:
    """Print a labelled matrix; ids are shown as they are, however much they look like markup."""
    cells = [[f"{value:.4g}" for value in row] for row in matrix]
    print_table(title, ["", *columns], [[name, *row] for name, row in zip(rows, cells, strict=True)])


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text under a header, the first column to the left and the others to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for position, name in enumerate(header):
        table.add_column(Text(name), justify="right" if position else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    print(title)
    Console(width=WIDE).print(table)


def count(number: int, noun: str) -> str:
    """`1 set`, `2,000 sets`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def in_numbers(sets: SampleSets) -> str:
    """`3 sets, 90 points, 2 dimensions`."""
    return f"{count(len(sets), 'set')}, {count(len(sets.points), 'point')}, {count(sets.dim, 'dimension')}"


def on_coordinates(sets: SampleSets) -> str:
    """`3 sets, 90 points, 2 dimensions: x, y`: which columns were taken for coordinates is never a secret."""
    names = sets.feature_names
    return in_numbers(sets) + (f": {listed(names, NAMED)}" if names else "")


def ordinal(number: int) -> str:
    """`1st`, `22nd`, `13th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
