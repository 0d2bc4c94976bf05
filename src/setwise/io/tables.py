"""Long tables, a row a point: .csv, with nothing but the standard library, and .parquet, through pyarrow."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.errors import InputError
from setwise.io.atomic import write_whole
from setwise.refusals import check_columns, choose_columns, listed, missing_ids
from setwise.sets import SampleSets

_ROWS = 65_536  # read at a time, so that the text of a table is never in memory whole
_MISSING = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}


def read_csv(path: Path, by: str | None, columns: Sequence[str] | None) -> SampleSets:
    """A comma-separated table with a header. Ids that are all plain integers come back as integers."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as opened:
            rows = csv.reader(opened, strict=True)
            header = [name.strip() for name in next(rows, [])]
            _check_header(path, header)
            asked = [columns] if isinstance(columns, str) else columns
            name_of_key = _needs_by(path, by, header)
            check_columns(header, [name_of_key, *(asked or ())])
            key = header.index(name_of_key)
            wanted = [j for j, name in enumerate(header) if j != key and (asked is None or name in asked)]
            keys, values = _read_rows(path, rows, header, key, wanted)
    except UnicodeDecodeError as error:
        raise InputError(f"'{path}' is not text in UTF-8 ({error.reason}); save it as UTF-8 CSV.") from error
    except csv.Error as error:
        raise InputError(f"'{path}' is not a comma-separated table: {error}.") from error
    if not keys:
        raise InputError(f"'{path}' has a header but no rows; it needs a row a point.")
    # A column without a name is the row index that pandas writes: never a feature unless asked for.
    numeric = [header[j] for j in values if asked is not None or header[j]]
    chosen = choose_columns(header, numeric, name_of_key, asked)
    if n_missing := sum(name in _MISSING for name in keys):
        raise InputError(missing_ids(n_missing, len(keys), name_of_key))
    return SampleSets.from_columns(
        _as_integers(keys), {name: values[header.index(name)] for name in chosen}, name_of_key
    )


def write_csv(sets: SampleSets, path: Path) -> None:
    header = [sets.by, *sets.column_names()]
    with write_whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(header)
        for name, points in zip(sets.ids, sets, strict=True):
            writer.writerows([name, *row] for row in points.tolist())


def read_parquet(path: Path, by: str | None, columns: Sequence[str] | None) -> SampleSets:
    pyarrow, parquet = _pyarrow(path)
    try:
        schema = parquet.read_schema(path)
        key = _needs_by(path, by, schema.names)
        # An index that pandas stored is a name of the rows: never a feature unless asked for.
        index = {name for name in (schema.pandas_metadata or {}).get("index_columns", []) if isinstance(name, str)}
        asked = [columns] if isinstance(columns, str) else columns
        check_columns(schema.names, [key, *(asked or ())])
        keep = [name for name in schema.names if name not in index - {key}] if asked is None else [key, *asked]
        table = parquet.read_table(path, columns=list(dict.fromkeys(keep)))
    except pyarrow.ArrowException as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"'{path}' is not a readable .parquet file, or is cut short: {reason}.") from error
    return SampleSets.from_frame(table, by=key, columns=asked)


def write_parquet(sets: SampleSets, path: Path) -> None:
    _, parquet = _pyarrow(path)
    table = sets.to_frame(backend="pyarrow")
    with write_whole(path) as temporary:
        parquet.write_table(table, temporary)


def _pyarrow(path: Path) -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError(f"'{path}': .parquet needs pyarrow: pip install 'setwise[tables]', or use .csv.") from error
    return pyarrow, parquet


def _needs_by(path: Path, by: str | None, existing: Sequence[str]) -> str:
    if by is None:
        raise InputError(
            f"'{path}' is a table: name the column that says which set a row is in (by=, --by); "
            f"the columns are: {listed(existing)}."
        )
    return by


def _check_header(path: Path, header: Sequence[str]) -> None:
    if not header:
        raise InputError(f"'{path}' is empty; it needs a header line and a row a point.")
    if repeated := [name for j, name in enumerate(header) if name in header[:j]]:
        raise InputError(f"'{path}' has two columns called {repeated[0]!r}; rename one.")


def _read_rows(
    path: Path, rows: Iterator[list[str]], header: Sequence[str], key: int, wanted: Sequence[int]
) -> tuple[list[str], dict[int, NDArray[np.float64]]]:
    """The ids, and those of the wanted columns that hold numbers in every row (or nothing, which becomes nan)."""
    keys: list[str] = []
    parts: dict[int, list[NDArray[np.float64]]] = {j: [] for j in wanted}
    while block := [row for row in islice(rows, _ROWS) if row]:
        for row in block:
            if len(row) != len(header):
                raise InputError(
                    f"'{path}': a row has {len(row)} fields, the header {len(header)}; the row starts "
                    f"{','.join(row)[:40]!r}."
                )
        fields = list(zip(*block, strict=True))
        keys += [name.strip() for name in fields[key]]
        for j in list(parts):
            numbers = _as_numbers(fields[j])
            if numbers is None:
                del parts[j]
            else:
                parts[j].append(numbers)
    return keys, {j: np.concatenate(blocks) for j, blocks in parts.items() if blocks}


def _as_numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    try:
        return np.array(texts, dtype=np.float64)
    except ValueError:
        pass
    try:
        return np.array([float("nan") if text.strip() in _MISSING else float(text) for text in texts])
    except ValueError:
        return None


def _as_integers(keys: list[str]) -> Sequence[str | int]:
    """Integers if every id is one and writes back as it was read ("007" does not)."""
    try:
        whole = all(str(int(name)) == name for name in set(keys))
    except ValueError:
        return keys
    return [int(name) for name in keys] if whole else keys
