"""A collection of sets as the engine reads it, and the frame in which float32 sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from setwise.neighbours.compiled import kernel
from setwise.sets import SampleSets

SAMPLE = 4096  # points whose median is the centre
SAFE = 100  # decades from 1 within which squares of float64 need no care


class Frame(NamedTuple):
    """What float32 coordinates mean: (point - centre) * unit."""

    centre: Any
    unit: float


class Cloud(NamedTuple):
    """A collection's points and what is known of each on its own (own.py), for each k: (k, point)."""

    points: Any  # row-major, flat
    offsets: Any
    d: int
    square_rho: Any
    log_rho: Any  # of the k_rho-th neighbour
    k_rho: Any  # k, or where that distance is zero the first whose distance is not
    own_within: Any  # points within rho, ties included
    flat_log_rho: Any
    tied: Any  # (k, set): whether any rho is zero


@kernel(fastmath={"nnan", "nsz", "reassoc"})
def _extend(points, d, low, high):
    """Widen the smallest and the largest of each coordinate to those of some points."""
    for c in range(d):
        least, most = low[c], high[c]
        for i in range(c, len(points), d):
            value = np.float64(points[i])
            least, most = min(least, value), max(most, value)
        low[c], high[c] = least, most


def make_clouds(sides: Sequence[SampleSets]) -> tuple[list[Cloud], Frame, int]:
    """The points, divided by 2^power where their squares would leave float64's range; their frame, and the power.

    Both sides get one type of float, for which there is one set of compiled functions.

    The frame's origin is in the middle of the data (a median, which outliers do not move), its unit a power of two.
    """
    d = sides[0].dim
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    kind = np.result_type(*(sets.points for sets in sides))
    flat = [np.ascontiguousarray(sets.points, kind).ravel() for sets in sides]
    for points in flat:
        _extend(points, d, low, high)
    extent, power = float(max(np.abs(low).max(), np.abs(high).max())), 0
    if extent and abs(np.log10(extent)) > SAFE:
        power = int(np.floor(np.log2(extent)))
        flat = [np.ldexp(points.astype(np.float64), -power) for points in flat]
        low, high = np.ldexp(low, -power), np.ldexp(high, -power)
    rows = [points.reshape(-1, d) for points in flat]
    centre = np.median(np.concatenate([p[:: max(1, len(p) // SAMPLE)] for p in rows]).astype(np.float64), axis=0)
    reach = float(max((high - centre).max(), (centre - low).max()))
    frame = Frame(centre, 2.0 ** -float(np.ceil(np.log2(reach))) if reach > 0 else 1.0)
    none, counts = np.zeros((0, 0)), np.zeros((0, 0), np.int32)
    clouds = [
        Cloud(points, sets.offsets, d, none, none, none, counts, none.ravel(), none > 0)
        for points, sets in zip(flat, sides, strict=True)
    ]
    return clouds, frame, power
