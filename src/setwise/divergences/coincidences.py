"""Points that two sets share: found as equal 64-bit hashes, a sort and not a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.sets import SampleSets

_ODD = np.uint64(0x9E3779B97F4A7C15)


def shared_points(x: SampleSets, y: SampleSets | None, same: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """For each set of x, how many of its points are points of a set of y; y left out, of another set of x.

    A set of x is not compared with what `same` marks as the same set: its own points are no coincidence.
    """
    owner = np.repeat(np.arange(len(x)), x.sizes)
    hashes = _hashes(x)
    if y is None:
        order = np.argsort(hashes)
        ranked, owners = hashes[order], owner[order]
        first = owners if same is None else same.argmax(axis=1)[owners]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        spread = np.maximum.reduceat(first, starts) != np.minimum.reduceat(first, starts)
        found = owners[np.repeat(spread, np.diff(np.append(starts, len(ranked))))]
    else:
        found = owner[np.isin(hashes, _hashes(y))]
    counts = np.bincount(found, minlength=len(x)).astype(np.int64)
    if y is not None and same is not None:
        counts[same.any(axis=1)] = 0
    return counts


def _hashes(sets: SampleSets) -> NDArray[np.uint64]:
    """A number a point, equal for equal points whatever their type of float."""
    mixed: NDArray[Any] = np.zeros(len(sets.points), dtype=np.uint64)
    for j in range(sets.dim):
        column = sets.points[:, j].astype(np.float64) + 0.0  # -0.0 becomes 0.0: they are the same point
        mixed = (mixed ^ column.view(np.uint64)) * _ODD
        mixed ^= mixed >> np.uint64(32)
    return mixed
