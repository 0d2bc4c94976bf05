"""What is known of each set: a column of its long table, constant within the set, or of a table with one row a set."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from setwise.errors import InputError
from setwise.io.tables import csv_blocks, csv_rows, reading_parquet
from setwise.refusals import MISSING, check_columns, listed
from setwise.sets import SampleSets

Task: TypeAlias = Literal["classes", "numbers"]
_TABLES = (".csv", ".parquet")


@dataclass(frozen=True)
class SetColumns:
    """The columns that were asked for, one text a set and in the sets' order, and how many other sets the file has."""

    values: dict[str, list[str]]
    others: int


def read_labels(path: str | os.PathLike[str], sets: SampleSets, columns: Sequence[str]) -> SetColumns:
    """Read columns that say one thing of each set.

    Parameters
    ----------
    path : .csv or .parquet; the long table itself, or one with a row a set. Its ids are in the column of the name the
        sets went by in their table, if there is one, otherwise in its first.
    sets : whose values are wanted; each must be there, with one value only
    columns : their names in the file
    """
    source = Path(path)
    found: dict[str, dict[str, str]] = {column: {} for column in columns}
    try:
        if source.suffix.lower() not in _TABLES:
            raise InputError(f"labels are read from a table, .csv or .parquet; '{source}' is none.")
        pairs = _csv_pairs if source.suffix.lower() == ".csv" else _parquet_pairs
        for column, several in pairs(source, sets.by, columns):
            _add(found[column], column, several)
    except OSError as error:
        raise InputError(f"cannot read '{source}': {error.strerror or error}.") from error
    ids = [str(name) for name in sets.ids]
    for column, by_id in found.items():
        lacking = [name for name in ids if by_id.get(name, "") in MISSING]
        if lacking:
            more = f" (nor have {len(lacking) - 1} more)" if len(lacking) > 1 else ""
            example = f"; ids there are like {listed(list(by_id)[:3])}" if lacking[0] not in by_id else ""
            raise InputError(
                f"set {lacking[0]!r} has no value in column {column!r} of '{source}'{more}{example}. "
                "Give one for each set, or drop the sets that have none."
            )
    values = {column: [by_id[name] for name in ids] for column, by_id in found.items()}
    return SetColumns(values, len(set().union(*found.values()) - set(ids)))


def as_target(labels: Sequence[str], column: str, task: Task | None = None) -> tuple[NDArray[Any], Task]:
    """Labels as what a learner takes: whole numbers or texts for classes, floats for numbers.

    Left to itself, a column is "numbers" if it has numbers only and one that is not whole; otherwise "classes".
    """
    numbers = [as_number(text) for text in labels]
    if task is None:
        given = [number for number in numbers if number is not None]
        task = "numbers" if len(given) == len(labels) and any(x != int(x) for x in given) else "classes"
    if task == "numbers":
        for text, number in zip(labels, numbers, strict=True):
            if number is None:
                raise InputError(f"column {column!r} holds {text!r}, which is no number to predict; mend it.")
        return np.array(numbers, dtype=np.float64), task
    whole = all(number is not None and str(int(number)) == text for text, number in zip(labels, numbers, strict=True))
    return np.array([int(text) for text in labels] if whole else list(labels)), task


def as_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) and "_" not in text else None


def _add(by_id: dict[str, str], column: str, pairs: Iterable[tuple[str, str]]) -> None:
    for name, text in pairs:
        if by_id.setdefault(name, text) != text:
            raise InputError(
                f"set {name!r} has both {by_id[name]!r} and {text!r} in column {column!r}; a label is one for the "
                "whole set. Name another column, or mend the table."
            )


def _csv_pairs(path: Path, by: str, columns: Sequence[str]) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    """For each column, the different pairs of id and text, some rows at a time."""
    with csv_rows(path) as (header, rows):
        check_columns(header, columns)
        key = header.index(by) if by in header else 0
        for fields in csv_blocks(path, rows, header):
            ids = [name.strip() for name in fields[key]]
            for column in columns:
                texts = (text.strip() for text in fields[header.index(column)])
                yield column, dict.fromkeys(zip(ids, texts, strict=True))


def _parquet_pairs(path: Path, by: str, columns: Sequence[str]) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    with reading_parquet(path) as parquet:
        names = parquet.read_schema(path).names
        check_columns(names, columns)
        key = by if by in names else names[0]
        table = parquet.read_table(path, columns=list(dict.fromkeys([key, *columns])))
        for column in columns:
            different = table.select(list(dict.fromkeys([key, column]))).group_by([key, column]).aggregate([])
            ids, values = (different.column(name).to_pylist() for name in (key, column))
            yield (
                column,
                [(str(name), "" if value is None else str(value)) for name, value in zip(ids, values, strict=True)],
            )
