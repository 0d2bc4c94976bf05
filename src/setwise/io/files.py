"""One entry for every kind of file: the suffix says which."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from setwise.errors import InputError
from setwise.io.folder import read_folder
from setwise.io.npz import read_npz, write_npz
from setwise.io.tables import header_of, read_csv, read_parquet, write_csv, write_parquet
from setwise.refusals import asked_columns
from setwise.sets import SampleSets

_TABLES = {".csv": read_csv, ".parquet": read_parquet}
_WRITERS = {".npz": write_npz, ".csv": write_csv, ".parquet": write_parquet}


def read_sets(
    path: str | os.PathLike[str],
    by: str | None = None,
    columns: Iterable[str] | None = None,
    *,
    exclude: Iterable[str] = (),
) -> SampleSets:
    """Read sets from a file or folder.

    Parameters
    ----------
    path : .npz (what `write_sets` writes, or one array a set), .csv or .parquet (a long table, a row a point), or a
        folder of .npy files (one a set)
    by : for a table, the column that says which set a row belongs to
    columns : for a table, the features; left out, every numeric column but `by` and those in `exclude`
    exclude : columns of a table that are no features, such as a label; those it does not have make no difference
    """
    source, asked = _as_path(path), asked_columns(columns)
    excluded = asked_columns(exclude) or []
    try:
        if source.is_dir():
            _refuse_table_options(source, by, asked)
            return read_folder(source)
        if not source.exists():
            raise InputError(f"there is no file or folder '{source}'.")
        suffix = source.suffix.lower()
        if suffix in _TABLES:
            return _TABLES[suffix](source, by, asked, excluded)
        if suffix == ".npz":
            _refuse_table_options(source, by, asked)
            return read_npz(source)
    except OSError as error:
        raise InputError(f"cannot read '{source}': {error.strerror or str(error).splitlines()[0]}.") from error
    raise InputError(_unknown("read", source, [".npz", *_TABLES]) + " Or give a folder of .npy files.")


def columns_of(path: str | os.PathLike[str]) -> list[str] | None:
    """The names of a table's columns; None where `path` is no table, or not there."""
    source = _as_path(path)
    if source.suffix.lower() not in _TABLES or not source.is_file():
        return None
    try:
        return header_of(source)
    except OSError as error:
        raise InputError(f"cannot read '{source}': {error.strerror or error}.") from error


def write_sets(sets: SampleSets, path: str | os.PathLike[str]) -> None:
    """Write sets to .npz (keeps everything), .csv or .parquet (a long table); the file is either whole or absent."""
    target = _as_path(path)
    if target.suffix not in _WRITERS:
        raise InputError(_unknown("write", target, list(_WRITERS)))
    _WRITERS[target.suffix](sets, target)


def _as_path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path is {path!r}; give the name of a file or folder.")
    return Path(path)


def _refuse_table_options(source: Path, by: str | None, columns: Sequence[str] | None) -> None:
    if by is not None or columns is not None:
        raise InputError(f"'{source}' is not a table: by and columns are for .csv and .parquet. Leave them out.")


def _unknown(verb: str, path: Path, known: Sequence[str]) -> str:
    ending = f"the ending {path.suffix!r}" if path.suffix else "no ending"
    return f"cannot {verb} '{path}': it has {ending}; sets are kept in {', '.join(known)}."
