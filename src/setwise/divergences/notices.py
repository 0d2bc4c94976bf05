"""What the user should know of a result: each kind of warning once a call, with the remedy, and kept in the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import polygamma

from setwise.divergences.protocol import Divergence, consistent_above, row_blocks, scale_free, smallest_k
from setwise.errors import ConditionWarning, InputError, RangeWarning, SetwiseWarning, SizeWarning, TieWarning, warn
from setwise.neighbours.moments import Array
from setwise.sets import SampleSets

Notice = tuple[type[SetwiseWarning], str]

SIZE_RATIO = 4  # sizes further apart than this bias the paper's estimator visibly
SIZE_DIMENSION = 4  # in more dimensions than this
NEGATIVE_SHARE = 0.1  # this share of clearly negative estimates is worth a word
TIED_SHARE = 0.1  # this share of points that repeat others biases the paper's form
NOISE = 2.0  # standard deviations that make an estimate clearly negative
SPREAD = 0.15  # the part of the variance, a dimension, that comes from the samples' own spread: measured on Gaussians
_NAMED = 5


def give(notices: Iterable[Notice]) -> None:
    """Issue the warnings."""
    for category, text in notices:
        warn(category, text)


def conditions(divergences: Sequence[Divergence], ks: Sequence[int], of_itself: bool) -> list[Notice]:
    """k below the paper's condition for consistency, k > 2 max(|a|, |b|) + 1, or below what the diagonal needs."""
    least = min(ks)
    outside = [(one, consistent_above(one)) for one in divergences if least <= consistent_above(one)]
    if not outside:
        return []
    listed = ", ".join(f"{one} (k > {bound:g})" for one, bound in outside)
    text = f"k={least} is below what the estimator is known to be consistent for: {listed}."
    needed = [(one, smallest_k(one, of_itself)) for one, _ in outside]
    if undefined := ", ".join(f"{one} (k < {bound})" for one, bound in needed if least < bound):
        text += f" Of a set against itself it does not exist, and is nan: {undefined}."
    return [(ConditionWarning, text)]


def sizes(divergences: Sequence[Divergence], x: SampleSets, y: SampleSets) -> list[Notice]:
    """Sizes so unequal that the biases at the two radii of the paper's form no longer cancel."""
    affected = _paper(divergences)
    low, high = min(x.sizes.min(), y.sizes.min()), max(x.sizes.max(), y.sizes.max())
    if not affected or x.dim <= SIZE_DIMENSION or high <= SIZE_RATIO * low:
        return []
    text = (
        f"set sizes run from {low} to {high} in {x.dim} dimensions, which biases {_listed(affected)} by size. "
        f'Use radius="matched": {_matched(affected)}.'
    )
    return [(SizeWarning, text)]


@dataclass(frozen=True)
class Ties:
    """How many points of each set coincide with others: within their set, with a set they are compared to.

    The sets are those of X and, where there is a Y, those of Y after them: `of_x` is then how many are of X.
    """

    ids: Sequence[object]
    repeated: NDArray[np.int64]
    shared: NDArray[np.int64]
    points: int
    of_x: int | None = None

    def words(self) -> list[str]:
        """What was found, with counts and ids; empty where nothing coincides."""
        return [
            f"{int(counts.sum())} {what}, in set {self.listed(counts)}"
            for counts, what in (
                (self.repeated, "points repeat one of their own set"),
                (self.shared, "points are in a set that theirs is compared to"),
            )
            if counts.any()
        ]

    def listed(self, counts: NDArray[np.int64]) -> str:
        """The ids of the sets concerned, each with its count."""
        where = np.flatnonzero(counts)
        shown = ", ".join(f"{self.ids[i]!r} ({counts[i]}){self.side(i)}" for i in where[:_NAMED])
        return shown + (f", .. ({len(where)} sets)" if len(where) > _NAMED else "")

    def side(self, place: int) -> str:
        """Which side a set is of, where there are two."""
        return "" if self.of_x is None else " of X" if place < self.of_x else " of Y"


def refuse_ties(ties: Ties) -> None:
    """An error where points coincide."""
    if found := ties.words():
        raise InputError(f"{'; '.join(found)}. Remove those points, or allow them: ties='warn'.")


def tied(divergences: Sequence[Divergence], ties: Ties, at_kth: NDArray[np.int64], k: int) -> list[Notice]:
    """Points that coincide, and those whose k-th neighbour in their set does; where they are many, the matched form."""
    found = ties.words()
    if not found:
        return []
    if at_kth.any():
        found.append(f"{int(at_kth.sum())} coincide with their neighbour k={k}, in set {ties.listed(at_kth)}")
    remedy = "Where a distance is 0, ratio divergences and kl count neighbours; the others take the next positive one."
    if ties.repeated.sum() > TIED_SHARE * ties.points and (affected := _paper(divergences)):
        remedy += f' So many bias {_listed(affected)}: use radius="matched" ({_matched(affected)}), or a larger k.'
    return [(TieWarning, f"{'; '.join(found)}. {remedy}")]


def ranges(
    values: Mapping[tuple[Divergence, int], Array], n: Array, m: Array, apart: NDArray[np.bool_], dim: int
) -> list[Notice]:
    """Values that left float64's range, and non-negative divergences of which many estimates are clearly negative.

    Clearly: below minus two standard deviations of an estimate between equal Gaussians, which are about
    sqrt((trigamma(k) + 0.15 d) (1/n + 1/m)). `apart`: the pairs of different sets.
    """
    beyond: dict[Divergence, int] = {}
    negative: dict[Divergence, float] = {}
    pairs = int(np.count_nonzero(apart))
    for (divergence, k), matrix in values.items():
        if not scale_free(divergence):
            count = sum(_outside(divergence, matrix[part], apart[part]) for part in row_blocks(*matrix.shape))
            if count:
                beyond[divergence] = max(beyond.get(divergence, 0), count)
        elif divergence.kind != "similarity" and divergence.valid_range[0] == 0 and pairs:
            least = -NOISE * np.sqrt(float(polygamma(1, k)) + SPREAD * dim)
            count = sum(
                _negative(divergence, matrix[part], apart[part], least * np.sqrt(1 / n[part] + 1 / m))
                for part in row_blocks(*matrix.shape)
            )
            if count / pairs > NEGATIVE_SHARE:
                negative[divergence] = max(negative.get(divergence, 0.0), count / pairs)
    parts = []
    if negative:
        listed = ", ".join(f"{one} ({share:.0%})" for one, share in negative.items())
        affected = _paper(negative)
        remedy = (
            f'radius="matched" may help ({_matched(affected)}), or a larger k' if affected else "a larger k may help"
        )
        parts.append(f"many estimates are clearly negative: {listed}; {remedy}")
    if beyond:
        listed = ", ".join(f"{one} ({count})" for one, count in beyond.items())
        parts.append(
            f"values are beyond float64 or undefined in {dim} dimensions, or a density is infinite: {listed}; "
            "use a divergence without a unit (renyi, kl, hellinger, js), or reduce the dimension"
        )
    return [(RangeWarning, f"{'; '.join(parts)}.")] if parts else []


def _outside(divergence: Divergence, values: Array, apart: NDArray[np.bool_]) -> int:
    undefined = np.isnan(values) | ((values == 0) & (divergence.kind != "distance"))
    return int(np.count_nonzero(np.isinf(values) | (undefined & apart)))


def _negative(divergence: Divergence, values: Array, apart: NDArray[np.bool_], least: Array) -> int:
    one = values * np.abs(values) if divergence.kind == "distance" else values
    return int(np.count_nonzero((one < least) & apart))


def _paper(divergences: Iterable[Divergence]) -> list[Divergence]:
    """Those in the paper's form that have a matched one."""
    return [one for one in divergences if getattr(one, "radius", None) == "paper"]


def _matched(divergences: Iterable[Divergence]) -> str:
    return ", ".join(f"{one}:matched" for one in divergences)


def _listed(divergences: Iterable[Divergence]) -> str:
    return ", ".join(map(str, divergences))
