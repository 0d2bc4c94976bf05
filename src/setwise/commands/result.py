"""The files that results go to: refused before the work if they could not be written, and written whole."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from setwise.errors import InputError
from setwise.io import check_destination, write_whole


def check_output(output: Path, suffixes: Sequence[str], *inputs: Path | None) -> None:
    """Refuse a file that could not be written, before hours are spent on what it should hold."""
    if output.suffix not in suffixes:
        raise InputError(f"output '{output}' must end in {' or '.join(suffixes)}.")
    check_destination(output)
    for given in inputs:
        if given is not None and os.path.exists(output) and os.path.exists(given) and os.path.samefile(output, given):
            raise InputError(f"output '{output}' is an input too; give another name.")


def write_csv(output: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table; plain floats are written so that they read back to the same bits."""
    with write_whole(output) as temporary, temporary.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(header)
        writer.writerows(rows)
