"""Points that two sets share: found as equal 64-bit hashes, a sort and not a search, and little memory beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.sets import SampleSets

BLOCK = 1 << 16  # points that are looked at together
_ODD = np.uint64(0x9E3779B97F4A7C15)
Hashes = NDArray[np.uint64]


def shared_points(x: SampleSets, y: SampleSets | None, same: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """For each set of x, how many of its points are points of a set of y; y left out, of another set of x.

    A set of x is not compared with what `same` marks as the same set: its own points are no coincidence.
    """
    names = np.arange(len(x)) if same is None else same.argmax(axis=1)
    shared = _in_several(x, names) if y is None else _sorted(y)
    counts = np.zeros(len(x), dtype=np.int64)
    for owners, hashes in _blocks(x) if len(shared) else ():
        counts += np.bincount(owners[_look_up(shared, hashes)[1]], minlength=len(x))
    if y is not None and same is not None:
        counts[same.any(axis=1)] = 0
    return counts


def _in_several(sets: SampleSets, names: NDArray[np.int64]) -> Hashes:
    """The hashes that occur in sets of different names, ascending."""
    ranked = _sorted(sets)
    repeated = np.unique(ranked[1:][ranked[1:] == ranked[:-1]])
    del ranked
    least, most = np.full(len(repeated), len(sets)), np.full(len(repeated), -1)
    for owners, hashes in _blocks(sets) if len(repeated) else ():
        places, found = _look_up(repeated, hashes)
        np.minimum.at(least, places[found], names[owners[found]])
        np.maximum.at(most, places[found], names[owners[found]])
    return np.asarray(repeated[least != most])


def _sorted(sets: SampleSets) -> Hashes:
    """All hashes, ascending."""
    ranked = np.empty(len(sets.points), dtype=np.uint64)
    start = 0
    for _, hashes in _blocks(sets):
        ranked[start : start + len(hashes)] = hashes
        start += len(hashes)
    ranked.sort()
    return ranked


def _look_up(ascending: Hashes, hashes: Hashes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each hash would stand, and whether it does."""
    places = np.minimum(np.searchsorted(ascending, hashes), len(ascending) - 1)
    return places, ascending[places] == hashes


def _blocks(sets: SampleSets) -> Iterator[tuple[NDArray[np.int64], Hashes]]:
    """Of some points after others: the set that each is in, and a number, equal for equal points of any float type."""
    for start in range(0, len(sets.points), BLOCK):
        points = sets.points[start : start + BLOCK]
        owners = np.searchsorted(sets.offsets, np.arange(start, start + len(points)), side="right") - 1
        mixed: NDArray[Any] = np.zeros(len(points), dtype=np.uint64)
        for j in range(sets.dim):
            column = points[:, j].astype(np.float64) + 0.0  # -0.0 becomes 0.0: they are the same point
            mixed = (mixed ^ column.view(np.uint64)) * _ODD
            mixed ^= mixed >> np.uint64(32)
        yield owners, mixed
