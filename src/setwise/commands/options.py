"""The options that several commands have, each declared once: what they are called, say in --help, and mean."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from cyclopts import Group, Parameter, Token

from setwise.commands.speech import count
from setwise.divergences import REGISTRY, parse, squared_in_kernel
from setwise.divergences.spelling import usage
from setwise.features import SetPCA, SetScaler

DATA = Group("Data", sort_key=1)
METHOD = Group("Method", sort_key=2)
RESULT = Group("Result", sort_key=3)
RUN = Group("Run", sort_key=4)

DEFAULT = "renyi:0.9"
DIVERGENCES = "One of " + ", ".join(f"`{usage(kind)}`" for kind in REGISTRY.values()) + "."
SQUARED: dict[str, Any] = {"paper": "paper", "yes": True, "no": False}
DIVERGENCE = f"{DIVERGENCES} Default: {DEFAULT}."


def _whole(_: type, tokens: Sequence[Token]) -> int:
    """An integer as it is written, where cyclopts would round 2.5."""
    try:
        return int(tokens[0].value)
    except ValueError as error:
        raise ValueError(f'"{tokens[0].value}" is not a whole number.') from error


def _dimension(_: type, tokens: Sequence[Token]) -> int | float:
    """A number of dimensions, or a share of the variance."""
    text = tokens[0].value
    with suppress(ValueError):
        if "." not in text and int(text) >= 1:
            return int(text)
        if 0 < float(text) < 1:
            return float(text)
    raise ValueError(f'"{text}" is neither a whole number from 1 on nor a share between 0 and 1.')


def _at_least_one(_: type, value: Any) -> None:
    if value is not None and value < 1:
        raise ValueError("It must be 1 or more.")


def _above_zero(_: type, value: Any) -> None:
    if value is not None and not 0 < value < inf:
        raise ValueError("It must be a number above 0.")


Whole: TypeAlias = Annotated[int, Parameter(converter=_whole)]
Count: TypeAlias = Annotated[int, Parameter(converter=_whole, validator=_at_least_one, metavar="N")]
Positive: TypeAlias = Annotated[float, Parameter(validator=_above_zero)]

Data: TypeAlias = Annotated[
    Path,
    Parameter(
        group=DATA,
        help="The sets: a long table (.csv, .parquet) with one point a row, an .npz, or a folder of .npy files.",
    ),
]
LabelsFile: TypeAlias = Annotated[
    Path | None,
    Parameter(
        group=DATA,
        metavar="FILE",
        help="A table (.csv, .parquet) with one row a set, where DATA does not say the labels. The ids are in the "
        "column named as --by, otherwise in the first.",
    ),
]
Label: TypeAlias = Annotated[
    str,
    Parameter(
        group=DATA, metavar="COLUMN", help="The column that says what is to be learned, the same throughout each set."
    ),
]
Regress: TypeAlias = Annotated[
    bool | None,
    Parameter(
        group=DATA,
        negative="--classify",
        help="Whether the label is a quantity, or the name of a class. Default: a quantity if it has decimals.",
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
class Preparation:
    """What is done to the points before they are compared, learned from the sets that a model is fitted on."""

    scale: Annotated[bool, Parameter(group=METHOD)] = True
    "Bring each coordinate to mean 0 and variance 1 over the points of all sets, or leave the points as they are."
    pca: Annotated[int | float | None, Parameter(group=METHOD, metavar="N|SHARE", converter=_dimension)] = None
    "Keep the first N principal components, or as many as hold a SHARE of the variance, such as 0.95."

    def steps(self, seed: int) -> list[Any]:
        """The first steps of a Pipeline."""
        steps: list[Any] = [SetScaler()] if self.scale else []
        return steps if self.pca is None else [*steps, SetPCA(self.pca, random_state=seed)]

    def in_words(self) -> str:
        """What was done, for the summary."""
        scaled = "each coordinate scaled to variance 1" if self.scale else "coordinates as they are, not scaled"
        if self.pca is None:
            return scaled
        kept = (
            count(self.pca, "principal component") if isinstance(self.pca, int) else f"{self.pca:.0%} of the variance"
        )
        return f"{scaled}; {kept} kept"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class OneKernel:
    """One kernel on sets, with nothing to choose."""

    divergence: Annotated[str | None, Parameter(alias="-d", metavar="NAME", group=METHOD, help=DIVERGENCE)] = None
    k: Annotated[Count, Parameter(name="-k", metavar="K", group=METHOD)] = 5
    "Which neighbour among the points."
    width: Annotated[Positive, Parameter(group=METHOD, metavar="W")] = 1.0
    "Of the Gaussian kernel, as a multiple of the median divergence."
    squared: Annotated[Literal["paper", "yes", "no"], Parameter(group=METHOD)] = "paper"
    "Whether the kernel squares the divergence; in the paper it squares all but js."

    def parameters(self, threads: int | None) -> dict[str, Any]:
        """As an estimator takes them; what is no distance is refused."""
        divergence = parse(self.divergence or DEFAULT)
        squared_in_kernel(divergence)
        squared = SQUARED[self.squared]
        return {"divergence": divergence, "k": self.k, "width": self.width, "squared": squared, "n_jobs": threads}
