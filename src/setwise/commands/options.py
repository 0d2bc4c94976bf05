"""The options that several commands have, each declared once: what they are called, say in --help, and mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np
from cyclopts import Group, Parameter, Token

from setwise.divergences import REGISTRY
from setwise.divergences.spelling import usage
from setwise.errors import InputError
from setwise.io import read_sets
from setwise.sets import SampleSets

DATA = Group("Data", sort_key=1)
METHOD = Group("Method", sort_key=2)
RESULT = Group("Result", sort_key=3)
RUN = Group("Run", sort_key=4)

DIVERGENCES = "One of " + ", ".join(f"`{usage(kind)}`" for kind in REGISTRY.values()) + "."


def _whole(_: type, tokens: Sequence[Token]) -> int:
    """An integer as it is written, where cyclopts would round 2.5."""
    try:
        return int(tokens[0].value)
    except ValueError as error:
        raise ValueError(f'"{tokens[0].value}" is not a whole number.') from error


def _at_least_one(_: type, value: Any) -> None:
    if value is not None and value < 1:
        raise ValueError("It must be 1 or more.")


Whole: TypeAlias = Annotated[int, Parameter(converter=_whole)]
Count: TypeAlias = Annotated[int, Parameter(converter=_whole, validator=_at_least_one, metavar="N")]

Data: TypeAlias = Annotated[
    Path,
    Parameter(
        group=DATA,
        help="The sets: a long table (.csv, .parquet) with one point a row, an .npz, or a folder of .npy files.",
    ),
]
Threads: TypeAlias = Annotated[
    Count | None, Parameter(group=RUN, help="How many threads to use. Default: one for each core.")
]
Memory: TypeAlias = Annotated[
    str | None,
    Parameter(group=RUN, metavar="SIZE", help="The most memory to work in besides data and result, such as 500MB."),
]
Seed: TypeAlias = Annotated[
    Whole, Parameter(group=RUN, metavar="N", help="Of all that is drawn at random; the same seed, the same result.")
]


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
        chosen = None if self.columns is None else [name.strip() for name in self.columns.split(",")]
        if both := [name for name in exclude if name in (chosen or ())]:
            raise InputError(f"column {both[0]!r} is a label and cannot be a coordinate too; take it out of --columns.")
        sets = read_sets(data, by=self.by, columns=chosen, exclude=exclude)
        if chosen is None:
            _refuse_labels_as_coordinates(sets)
        return sets


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
