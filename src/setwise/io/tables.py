"""Long tables, a row a point: .csv, with nothing but the standard library, and .parquet, through pyarrow."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.errors import InputError
from setwise.io.atomic import write_whole
from setwise.refusals import MISSING, check_columns, choose_columns, listed, missing_ids
from setwise.sets import SampleSets

_ROWS = 65_536  # read at a time, so that the text of a table is never in memory whole


def read_csv(path: Path, by: str | None, columns: list[str] | None, exclude: Sequence[str] = ()) -> SampleSets:
    """A comma-separated table with a header. Ids that are all plain integers come back as integers.

    A column without any number is text, and no feature; one that holds both is refused, for what it lacks would go
    unseen.
    """
    with csv_rows(path) as (header, rows):
        name_of_key = _needs_by(path, by, header)
        check_columns(header, [name_of_key, *(columns or ())])
        key = header.index(name_of_key)
        # A column without a name is the row index that pandas writes: never a feature unless asked for.
        wanted = set(header) - {"", *exclude} if columns is None else set(columns)
        read = {j: _Column() for j, name in enumerate(header) if j != key and name in wanted}
        keys: list[str] = []
        for fields in csv_blocks(path, rows, header):
            for j, column in read.items():
                column.read(fields[j], len(keys) + 1)
            keys += [name.strip() for name in fields[key]]
    if not keys:
        raise InputError(f"'{path}' has a header but no rows; it needs a row a point.")
    for j, column in read.items():
        if column.others and (column.numbers or columns is not None):
            raise InputError(
                f"'{path}': column {header[j]!r} holds no number in {column.others} of {len(keys)} rows, first "
                f"{column.first[1]!r} in row {column.first[0]}; mend them, or leave it out (columns=, --columns)."
            )
    values = {header[j]: column.blocks for j, column in read.items() if not column.others}
    chosen = choose_columns(header, list(values), name_of_key, columns)
    if n_missing := sum(name in MISSING for name in keys):
        raise InputError(missing_ids(n_missing, len(keys), name_of_key))
    return SampleSets.from_columns(
        _as_integers(keys), {name: np.concatenate(values[name]) for name in chosen}, name_of_key
    )


def header_of(path: Path) -> list[str]:
    """The names of a table's columns."""
    if path.suffix.lower() == ".parquet":
        with reading_parquet(path) as parquet:
            names: list[str] = parquet.read_schema(path).names
            return names
    with csv_rows(path) as (header, _):
        return header


def write_csv(sets: SampleSets, path: Path) -> None:
    header = [sets.by, *sets.column_names()]
    ids = [str(name) for name in sets.ids]
    lost = [name for name in [*header, *ids] if not name or name != name.strip()]
    if lost := lost + [name for name in ids if name in MISSING]:
        raise InputError(
            f"cannot write '{path}': a .csv would not give {lost[0]!r} back as it is; rename it, or write .npz."
        )
    with write_whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(header)
        for name, points in zip(sets.ids, sets, strict=True):
            writer.writerows([name, *row] for row in points.tolist())


def read_parquet(path: Path, by: str | None, columns: list[str] | None, exclude: Sequence[str] = ()) -> SampleSets:
    with reading_parquet(path) as parquet:
        schema = parquet.read_schema(path)
        key = _needs_by(path, by, schema.names)
        # An index that pandas stored is a name of the rows: never a feature unless asked for.
        index = {name for name in (schema.pandas_metadata or {}).get("index_columns", []) if isinstance(name, str)}
        check_columns(schema.names, [key, *(columns or ())])
        left_out = (index | set(exclude)) - {key}
        keep = [name for name in schema.names if name not in left_out] if columns is None else [key, *columns]
        table = parquet.read_table(path, columns=list(dict.fromkeys(keep)))
    return SampleSets.from_frame(table, by=key, columns=columns)


def write_parquet(sets: SampleSets, path: Path) -> None:
    _, parquet = _pyarrow(path)
    table = sets.to_frame(backend="pyarrow")
    with write_whole(path) as temporary:
        parquet.write_table(table, temporary)


@contextmanager
def csv_rows(path: Path) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
    """The header of a comma-separated table and the rows below it; what is none is refused in one line."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as opened:
            rows = csv.reader(opened, strict=True)
            header = [name.strip() for name in next((row for row in rows if row), [])]
            _check_header(path, header)
            yield header, rows
    except UnicodeDecodeError as error:
        raise InputError(f"'{path}' is not text in UTF-8 ({error.reason}); save it as UTF-8 CSV.") from error
    except csv.Error as error:
        raise InputError(f"'{path}' is not a comma-separated table: {error}.") from error


def csv_blocks(path: Path, rows: Iterator[list[str]], header: Sequence[str]) -> Iterator[list[tuple[str, ...]]]:
    """The columns of many rows at a time; a row of another length than the header is refused."""
    while block := [row for row in islice(rows, _ROWS) if row]:
        for row in block:
            if len(row) != len(header):
                raise InputError(
                    f"'{path}': a row has {len(row)} fields, the header {len(header)}; the row starts "
                    f"{','.join(row)[:40]!r}."
                )
        yield list(zip(*block, strict=True))


@contextmanager
def reading_parquet(path: Path) -> Iterator[Any]:
    """pyarrow.parquet, for a block that reads; what cannot be read is refused in one line."""
    pyarrow, parquet = _pyarrow(path)
    try:
        yield parquet
    except pyarrow.ArrowException as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"'{path}' is not a readable .parquet file, or is cut short: {reason}.") from error


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
    if len(header) == 1 and (marks := [mark for mark in ";\t|" if mark in header[0]]):
        raise InputError(f"'{path}' separates its columns by {marks[0]!r}; save it with commas.")
    if repeated := [name for j, name in enumerate(header) if name in header[:j]]:
        raise InputError(f"'{path}' has two columns called {repeated[0]!r}; rename one.")


class _Column:
    """What a column of text holds, as far as it was read."""

    def __init__(self) -> None:
        self.blocks: list[NDArray[np.float64]] = []  # a block of rows each; none once there are others
        self.numbers = 0
        self.others = 0  # fields that are neither a number nor missing
        self.first = (0, "")  # the first of them: its row and what it says

    def read(self, texts: Sequence[str], row: int) -> None:
        """Add the fields from this row on."""
        values = _all_numbers(texts)
        if values is None:
            spelled = {text: _as_number(text) for text in set(texts)}
            values = np.array([spelled[text] for text in texts], dtype=np.float64)
            others = [place for place, text in enumerate(texts) if spelled[text] is None]
            if others and not self.others:
                self.first = (row + others[0], texts[others[0]])
            self.others += len(others)
        self.numbers += int(np.count_nonzero(~np.isnan(values)))
        self.blocks = [] if self.others else [*self.blocks, values]


def _all_numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """The fields at once, if each is a number; 1_000 is Python's spelling of one and not a table's."""
    with suppress(ValueError):
        return None if "_" in "".join(texts) else np.array(texts, dtype=np.float64)
    return None


def _as_number(text: str) -> float | None:
    """nan for what is missing, None for what is no number."""
    if text.strip() in MISSING:
        return float("nan")
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _as_integers(keys: list[str]) -> Sequence[str | int]:
    """Integers if every id is one and writes back as it was read ("007" does not)."""
    try:
        whole = all(str(int(name)) == name for name in set(keys))
    except ValueError:
        return keys
    return [int(name) for name in keys] if whole else keys
