"""What cannot be a set, its id, or its column: the checks of input, each with what to do instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise.errors import InputError

Id: TypeAlias = str | int

MISSING = {"", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NaT", "null", "NULL", "None", "<NA>"}
_INT64 = np.iinfo(np.int64)


def is_number(value: object) -> bool:
    """A finite real number, which True is not."""
    return not isinstance(value, bool | np.bool_) and isinstance(value, Real) and bool(np.isfinite(float(value)))


def is_whole(value: object) -> bool:
    """An integer, which True is not."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def as_list(given: object, what: str, content: str) -> list[Any]:
    """What was given as several, gone through once, as plain Python values; refuses one text, or no several at all."""
    if not isinstance(given, str):
        with suppress(TypeError):
            return [name.item() if isinstance(name, np.generic) else name for name in given]  # type: ignore[attr-defined]
    raise InputError(f"{what} is {given!r}; give a list of {content}.")


def asked_columns(columns: object) -> list[str] | None:
    """The columns that were asked for, also where a single one is named; None where none were."""
    if columns is None:
        return None
    return [columns] if isinstance(columns, str) else as_list(columns, "columns", "column names")


def check_columns(existing: Sequence[str], names: Iterable[str]) -> None:
    """Refuse names that a table does not have, with those it has."""
    for name in names:
        if name not in existing:
            raise InputError(
                f"there is no column {name!r}{_close(name, existing)}; the columns are: {listed(existing)}."
            )


def choose_columns(existing: Sequence[str], numeric: Sequence[str], by: str, columns: list[str] | None) -> list[str]:
    """The feature columns of a table: those asked for, or every numeric one but `by`; refuses what is not there."""
    check_columns(existing, [by, *(columns or ())])
    chosen = [name for name in numeric if name != by] if columns is None else columns
    if by in chosen:
        raise InputError(f"column {by!r} holds the set ids and cannot be a feature too; take it out of columns.")
    if len(set(chosen)) < len(chosen):
        raise InputError(f"columns names a column twice: {listed(chosen)}.")
    if other := [name for name in chosen if name not in numeric]:
        raise InputError(
            f"not numeric: {listed(other)}; convert to numbers, or leave out. Numeric are: {listed(numeric) or 'none'}."
        )
    if not chosen:
        raise InputError(f"no numeric column beside {by!r}; the columns are: {listed(existing)}.")
    return chosen


def missing_ids(n_missing: int, n_rows: int, by: str) -> str:
    return f"{n_missing} of {n_rows} rows have no set id in column {by!r}; fill it in, or drop those rows."


def _close(name: object, existing: Sequence[str]) -> str:
    spellings = {str(other).lower(): str(other) for other in existing}
    near = difflib.get_close_matches(str(name).lower(), spellings, n=1)
    return f" (did you mean {spellings[near[0]]!r}?)" if near else ""


def listed(names: Iterable[object], most: int = 30) -> str:
    shown = [str(name) for name in names]
    return ", ".join(shown[:most]) + (f", .. ({len(shown)} in all)" if len(shown) > most else "")


def empty_set(name: Id) -> str:
    return f"set {name!r} is empty; a set needs at least one point. Drop the set."


def refuse_other_containers(arrays: object) -> None:
    """What is no list of arrays, but would pass for one when iterated, with what to write instead."""
    if isinstance(arrays, Mapping):
        raise InputError("arrays is a mapping; write SampleSets(list(arrays.values()), ids=list(arrays)).")
    if hasattr(arrays, "points") and hasattr(arrays, "offsets"):
        raise InputError("arrays is SampleSets already; use it as it is, or give list(sets) to name the sets anew.")
    if hasattr(arrays, "columns") or hasattr(arrays, "column_names"):
        raise InputError(f"arrays is a {type(arrays).__name__}; write SampleSets.from_frame(frame, by=...).")
    if isinstance(arrays, str | bytes) or not hasattr(arrays, "__len__") or not hasattr(arrays, "__getitem__"):
        raise InputError(f"arrays is a {type(arrays).__name__}; give a list of (n, d) arrays.")
    if isinstance(arrays, np.ndarray):
        if arrays.dtype == object and arrays.ndim > 1:
            raise InputError(
                f"arrays is an object array of shape {arrays.shape}: sets of equal size were stacked by accident. "
                "Give the list of (n, d) arrays itself."
            )
        if arrays.dtype != object and arrays.ndim != 3:
            raise InputError(
                f"arrays is one array of shape {arrays.shape}; give a list of (n, d) arrays, "
                "or one (T, n, d) array of T sets."
            )


def checked_ids(ids: Iterable[object], n_sets: int) -> tuple[Id, ...]:
    """Integers if all are, and no larger than files can hold; otherwise texts."""
    given = as_list(ids, "ids", "one id a set")
    if len(given) != n_sets:
        raise InputError(f"{len(given)} ids for {n_sets} sets; give one id a set.")
    for place, name in enumerate(given):
        if not isinstance(name, str) and str(name) in MISSING:
            raise InputError(f"the id at place {place} is missing: {name}; give every set an id.")
    whole = all(isinstance(name, int) and not isinstance(name, bool) for name in given)
    held = whole and (not given or (_INT64.min <= min(given) and max(given) <= _INT64.max))
    names: tuple[Id, ...] = tuple(given) if held else tuple(str(name) for name in given)
    seen: set[Id] = set()
    for name in names:
        if str(name).endswith("\0"):
            raise InputError(f"the id {name!r} ends in a NUL character, which files do not keep; take it off.")
        if name in seen:
            raise InputError(f"two sets have the id {name!r}; ids must be unique.")
        seen.add(name)
    return names


def checked_feature_names(feature_names: Iterable[str] | None, dim: int) -> tuple[str, ...] | None:
    if feature_names is None:
        return None
    names = tuple(str(name) for name in as_list(feature_names, "feature_names", "one name a dimension"))
    if len(names) != dim:
        raise InputError(f"{len(names)} feature names for {dim} dimensions; give one name a dimension.")
    if len(set(names)) < dim:
        raise InputError(f"feature_names repeats a name: {listed(names)}.")
    return names


def checked_member(member: ArrayLike, name: Id) -> NDArray[Any]:
    """One set as a 2-D array of real numbers, not yet of the final type."""
    if isinstance(member, np.ma.MaskedArray) and np.ma.is_masked(member):
        raise InputError(f"set {name!r} has masked entries; drop or fill those rows.")
    try:
        array = np.asarray(member)
    except ValueError as error:
        raise InputError(f"set {name!r} is no (n, d) array: {error}") from error
    if array.dtype.kind not in "fiub":
        raise InputError(f"set {name!r} holds {array.dtype}, not real numbers; convert it, as in array.astype(float).")
    if array.ndim == 1 and array.size:
        raise InputError(
            f"set {name!r} is 1-D with {array.size} values; a set is (n, d). "
            "Use array.reshape(-1, 1) for points of one dimension."
        )
    if array.size == 0 and (array.ndim < 2 or array.shape[0] == 0):
        raise InputError(empty_set(name))
    if array.ndim != 2 or array.shape[1] == 0:
        raise InputError(
            f"set {name!r} has shape {array.shape}; a set is (n, d), a row a point, with at least one column."
        )
    return array
