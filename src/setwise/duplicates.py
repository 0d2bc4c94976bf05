"""Points that a set holds more than once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 16  # points that are looked at together, or one set


def count_duplicates(points: NDArray[np.floating[Any]], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Repeated points of each set, found as equal 64-bit hashes of (set, point): a sort, not a search."""
    offsets, counts = np.concatenate([[0], np.cumsum(sizes)]), np.zeros(len(sizes), dtype=np.int64)
    start = 0
    while start < len(sizes):
        stop = max(start + 1, int(np.searchsorted(offsets, offsets[start] + BLOCK, side="right")) - 1)
        counts[start:stop] = _count(points[offsets[start] : offsets[stop]], sizes[start:stop])
        start = stop
    return counts


def _count(points: NDArray[np.floating[Any]], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    owner = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
    mixed = _mix(owner)
    bits = np.uint32 if points.dtype == np.float32 else np.uint64
    for j in range(points.shape[1]):
        column = points[:, j] + points.dtype.type(0)  # -0.0 becomes 0.0: they are the same point
        mixed = _mix(mixed ^ column.view(bits))
    order = np.argsort(mixed)
    ranked = mixed[order]
    repeats = owner[order[1:][ranked[1:] == ranked[:-1]]].astype(np.intp)
    return np.bincount(repeats, minlength=len(sizes)).astype(np.int64)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A one-to-one scramble of 64 bits: an odd multiplier, and the high half folded into the low one."""
    mixed = (values + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(31))
