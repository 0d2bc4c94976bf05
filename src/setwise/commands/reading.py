"""How commands read sets and what is known of them, and refuse what would only look like an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from setwise.commands.options import DATA
from setwise.commands.speech import count
from setwise.errors import InputError
from setwise.io import columns_of, read_labels, read_sets
from setwise.refusals import check_columns, listed
from setwise.sets import SampleSets


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a long table is read."""

    by: Annotated[str | None, Parameter(group=DATA, metavar="COLUMN")] = None
    "The column of a long table that says which set a point belongs to."
    columns: Annotated[str | None, Parameter(group=DATA, metavar="A,B,..")] = None
    "The columns to use as coordinates, separated by commas. Default: all numeric ones but those another option names."

    def sets(self, data: Path, exclude: Sequence[str] = ()) -> SampleSets:
        """Read the sets; the columns in `exclude` are known to be no coordinates."""
        chosen = self._chosen()
        if both := [name for name in exclude if name in (chosen or ())]:
            raise InputError(f"column {both[0]!r} is a label and cannot be a coordinate too; take it out of --columns.")
        sets = read_sets(data, by=self.by, columns=chosen, exclude=exclude)
        if chosen is None:
            _refuse_labels_as_coordinates(sets)
        return sets

    def sets_like(self, data: Path, names: Sequence[str] | None, whose: str) -> SampleSets:
        """Read the sets in the columns of others, found by their names whatever their order."""
        if names is None:
            return self.sets(data)
        wanted = list(names)
        if (chosen := self._chosen()) is not None and set(chosen) != set(wanted):
            raise InputError(f"--columns are {listed(chosen)}, but {whose} has {listed(wanted)}; leave --columns out.")
        if (existing := columns_of(data)) is not None:
            _check_columns(existing, wanted, whose)
            return read_sets(data, by=self.by, columns=wanted)
        sets = read_sets(data, by=self.by)
        if sets.feature_names is None or sets.feature_names == tuple(wanted):
            return sets
        _check_columns(sets.feature_names, wanted, whose)
        points = np.take(sets.points, [sets.feature_names.index(name) for name in wanted], axis=1)
        return sets.with_points(points, wanted)

    def labelled_sets(
        self, data: Path, labels: Path | None, columns: Sequence[str]
    ) -> tuple[SampleSets, dict[str, list[str]], str]:
        """Read the sets and what these columns say of each; and a line on what was left unused, if anything was."""
        if not columns:
            return self.sets(data), {}, ""
        source = data if labels is None else labels
        existing = columns_of(source)
        if existing is not None:  # so that a slip is told before a large table is read
            check_columns(existing, columns)
        elif labels is None and source.exists():
            raise InputError(f"'{data}' is no table and has no labels; give them in a table of their own: --labels.")
        if self.by in columns:
            raise InputError(f"column {self.by!r} holds the set ids, which say nothing of a set; name another column.")
        sets = self.sets(data, exclude=columns)
        found = read_labels(source, sets, columns)
        unused = f"{count(found.others, 'other set')} in {source.name} not used" if found.others else ""
        return sets, found.values, unused

    def _chosen(self) -> list[str] | None:
        return None if self.columns is None else [name.strip() for name in self.columns.split(",")]


def _check_columns(existing: Sequence[str], wanted: Sequence[str], whose: str) -> None:
    if lacking := [name for name in wanted if name not in existing]:
        raise InputError(
            f"{whose} has the columns {listed(wanted)}; there is no {lacking[0]!r} here, only {listed(existing)}."
        )


def _refuse_labels_as_coordinates(sets: SampleSets) -> None:
    """A number that is the same for all points of a set, and another in another set, would give a label away."""
    if sets.feature_names is None or sets.sizes.max() < 2:
        return
    starts = sets.offsets[:-1]
    lowest, highest = np.minimum.reduceat(sets.points, starts), np.maximum.reduceat(sets.points, starts)
    constant = (lowest == highest).all(axis=0) & (lowest != lowest[0]).any(axis=0)
    if constant.any():
        names = [name for name, is_label in zip(sets.feature_names, constant, strict=True) if is_label]
        others = [name for name in sets.feature_names if name not in names]
        raise InputError(
            f"column {names[0]!r} is the same number throughout every set, as a label is and a coordinate is not. "
            f"Name the coordinates: --columns {','.join(others) or '..'}"
        )
