"""A folder of .npy files, a file a set."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from setwise.errors import InputError
from setwise.sets import SampleSets


def read_folder(path: Path) -> SampleSets:
    """One set a file, under the file's name without .npy, in natural order: cell_2 before cell_10."""
    files = sorted(
        (file for file in path.iterdir() if file.suffix.lower() == ".npy" and file.name[0] != "."), key=_natural
    )
    if not files:
        raise InputError(f"'{path}' has no .npy files; a folder needs one .npy of shape (n, d) a set.")
    arrays = []
    for file in files:
        try:
            with file.open("rb") as stream:
                arrays.append(np.lib.format.read_array(stream, allow_pickle=False))
        except (ValueError, EOFError) as error:
            raise InputError(
                f"'{file}' is no whole .npy array of numbers (it holds objects, is cut short, or is something else); "
                "save it with numpy.save as (n, d) floats."
            ) from error
        except OSError as error:
            raise InputError(f"cannot read '{file}': {error.strerror or error}.") from error
    return SampleSets(arrays, ids=[file.stem for file in files])


def _natural(file: Path) -> list[tuple[int, str]]:
    parts = re.split(r"([0-9]+)", file.stem)
    return [(int(part), part) if part.isdecimal() else (0, part) for part in parts]
