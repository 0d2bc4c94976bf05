"""Transformers of sets that are fitted on the points of all sets together, in blocks: no copy of the pool is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from threadpoolctl import threadpool_limits

from setwise.features.takes_sets import TakesSets
from setwise.sets import SampleSets

Array: TypeAlias = NDArray[np.float64]

_VALUES = 1 << 16  # of a block, which a core keeps near: half a megabyte


class PooledStep(TransformerMixin, TakesSets):  # type: ignore[misc]
    """Sets in, sets out; ids stay, and so does float32."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(auto_wrap_output_keys=None, **options)

    def set_output(self, *, transform: object = None) -> PooledStep:
        """Sets come out, whatever container the other steps of a Pipeline are told to give."""
        return self

    def _names_in(self) -> tuple[str, ...] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else tuple(names)


def blocks(points: NDArray[np.floating[Any]], centre: Array) -> Iterator[Array]:
    """The points less a centre, in float64, some at a time; twice as many as dimensions, as QR decompositions want."""
    rows = max(2 * points.shape[1], _VALUES // points.shape[1])
    for start in range(0, len(points), rows):
        yield points[start : start + rows] - centre


def mean_of(points: NDArray[np.floating[Any]]) -> Array:
    """The mean, taken about one of the points, so that a large offset costs no digits."""
    first = points[0].astype(np.float64)
    return np.asarray(first + sum(block.sum(axis=0) for block in blocks(points, first)) / len(points))


def variance_of(points: NDArray[np.floating[Any]], mean: Array) -> Array:
    """The mean square about the mean, of each dimension."""
    return np.asarray(sum(np.square(block).sum(axis=0) for block in blocks(points, mean)) / len(points))


def mapped(
    sets: SampleSets, function: Callable[[Array], Array], dim: int, feature_names: tuple[str, ...] | None
) -> SampleSets:
    """The sets with their points mapped, in float64, some points of one set at a time.

    A matrix product of a point may depend, in its last bit, on what stands beside it and on the number of threads. Here
    that is its own set and one thread, so that a set is mapped to the same points whichever sets come with it, and is
    known again among the fitted ones.
    """
    points = np.empty((len(sets.points), dim), dtype=sets.points.dtype)
    rows = max(64, _VALUES // max(sets.dim, dim))
    place = 0
    with threadpool_limits(1, user_api="blas"):
        for member in sets:
            for start in range(0, len(member), rows):
                part = function(member[start : start + rows].astype(np.float64))
                points[place : place + len(part)] = part
                place += len(part)
    return sets.with_points(points, feature_names)
