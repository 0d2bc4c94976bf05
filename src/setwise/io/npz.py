"""Sets in .npz: our own layout, which keeps everything a SampleSets holds, and a plain dict of arrays.

Layout, version 1. `setwise` is the text "sets 1"; `points` (N, d) and `offsets` (T+1) as in SampleSets; `ids` (T), text
or int64; `feature_names` (d), text, only where there are some; `by`, the name of the sets' column in a table.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.errors import InputError
from setwise.io.atomic import write_whole
from setwise.sets import SampleSets

_MARK = "setwise"
_LAYOUT, _VERSION = "sets", 1


def read_npz(path: Path) -> SampleSets:
    """Sets from our own layout, or one set for each array of a plain .npz, under the array's name."""
    arrays = _load(path)
    if "setwise.DivergenceTable" in str(arrays.get("header")):
        raise InputError(f"'{path}' holds a saved DivergenceTable, not sets; give the file the sets are in.")
    if _MARK not in arrays or arrays[_MARK].ndim:
        return SampleSets(list(arrays.values()), ids=list(arrays))
    layout, _, version = str(arrays[_MARK]).partition(" ")
    if layout != _LAYOUT:
        raise InputError(f"'{path}' holds a setwise {layout}, not sets; give the file the sets are in.")
    if not version.isdigit() or int(version) > _VERSION:
        raise InputError(f"'{path}' has layout version {version}; this setwise reads up to {_VERSION}. Update setwise.")
    try:
        return SampleSets.from_flat(
            arrays["points"],
            arrays["offsets"],
            arrays["ids"].tolist(),
            arrays["feature_names"].tolist() if "feature_names" in arrays else None,
            str(arrays["by"]),
        )
    except KeyError as error:
        raise InputError(f"'{path}' lacks {error}, which setwise's layout needs; write the file again.") from error


def write_npz(sets: SampleSets, path: Path) -> None:
    sets.column_names()  # what a table could not hold, a file must not either
    content: dict[str, Any] = {
        _MARK: np.array(f"{_LAYOUT} {_VERSION}"),
        "points": sets.points,
        "offsets": sets.offsets,
        "ids": np.array(sets.ids),
        "by": np.array(sets.by),
    }
    if sets.feature_names:
        content["feature_names"] = np.array(sets.feature_names)
    with write_whole(path) as temporary:
        np.savez(temporary, **content)


def _load(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as stream:  # numpy leaves a file it cannot read open
            archive = np.load(stream, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise InputError(f"'{path}' is a single array, not an .npz archive; save it with numpy.savez.")
            arrays = {name: _member(path, archive, name) for name in archive.files}
    except InputError:
        raise
    except (ValueError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"'{path}' is not a readable .npz archive: {_reason(path, error)}.") from error
    if not arrays:
        raise InputError(f"'{path}' is an .npz archive without arrays; it needs one (n, d) array a set.")
    return arrays


def _member(path: Path, archive: np.lib.npyio.NpzFile, name: str) -> NDArray[Any]:
    try:
        array: NDArray[Any] = archive[name]
    except ValueError as error:
        raise InputError(
            f"'{path}': array {name!r} holds Python objects or is damaged; save each set as its own "
            "array: numpy.savez(path, **{id: array})."
        ) from error
    return array


def _reason(path: Path, error: Exception) -> str:
    with path.open("rb") as opened:
        start = opened.read(64)
    if not start:
        return "it is empty"
    if not start.startswith(b"PK"):
        return "it is something else under that name (a text table needs .csv)"
    return f"it is damaged or cut short ({str(error).splitlines()[0] if str(error) else type(error).__name__})"
