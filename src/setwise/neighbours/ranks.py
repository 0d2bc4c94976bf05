"""Where a distance to another set stands among a point's distances within its own set.

The matched radius (DESIGN, section 1) needs l, the points of X within nu of x_i, wherever nu exceeds rho. The own
distances of one register of points are computed once in float32 and compared with the radii of many target sets.
Two limits enclose each radius; a point between them sends its query to float64.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit

from setwise.neighbours.exact import count_within
from setwise.neighbours.low_ops import U, limits
from setwise.neighbours.simd import LANES, VI, Emitter, load, simd, splat, store_many, vectors

TOGETHER = 4  # points whose distances are computed side by side


class Own(NamedTuple):
    """One set's float32 coordinates: register g's axis c at g // per * block + g % per * LANES + c * stride."""

    packed: Any
    names: Any  # place -> point
    n: int
    per: int
    block: int
    stride: int
    reach: float  # the largest norm
    square_unit: float  # squared distances of these coordinates over those of the points


@simd(lambda total, packed, q, y, like: total)
def add_squares(e: Emitter, total: list[ir.Value], packed: Any, q: ir.Value, y: ir.Value, like: Any) -> list[ir.Value]:
    """One axis: of one register of queries from several points, which lie side by side."""
    query = e.load(packed, q)
    out = []
    for i, value in enumerate(total):
        difference = e.b.fsub(query, e.spread(packed, e.at(y, i)))
        out.append(e.fma(difference, difference, value))
    return out


@simd(lambda distances, p, inside, outside, counts: counts)
def tally(
    e: Emitter, distances: Any, p: ir.Value, inside: ir.Value, outside: ir.Value, counts: list[ir.Value]
) -> list[ir.Value]:
    square = e.load(distances, p)
    return [
        e.floats(e.b.sub(e.bits(count), e.b.sext(e.at_most(square, limit), VI)))
        for count, limit in zip(counts, (inside, outside), strict=True)
    ]


@simd(vectors(2))
def range_of(e: Emitter, distances: Any, p: ir.Value, bounds: list[ir.Value]) -> list[ir.Value]:
    value = e.load(distances, p)
    return [e.minimum(bounds[0], value), e.maximum(bounds[1], value)]


@njit(nogil=True, cache=True, _nrt=False)
def own_ranks(own, points, first, d, square_rho, own_within, nu, ranks, t, places, scratch):
    """ranks[t, place + point] for each target's place: the own points within max(rho, nu), the point left out."""
    distances, radii, least, most, extremes, counts = scratch
    registers = (own.n + LANES - 1) // LANES
    relative = np.float32((d + 8) * U)
    error = np.float32(6 * U * own.reach)
    for g in range(registers):
        q = g // own.per * own.block + g % own.per * LANES
        for h in range(registers):
            y = h // own.per * own.block + h % own.per * LANES
            bounds = (splat(np.float32(3e38)), splat(np.float32(0)))
            for p in range(h * LANES, min((h + 1) * LANES, own.n), TOGETHER):
                zero = splat(np.float32(0))
                total = (zero, zero, zero, zero)
                for c in range(d):
                    total = add_squares(total, own.packed, q + c * own.stride, y + p - h * LANES + c * own.stride, 0)
                store_many(total, distances, p * LANES)
            for p in range(h * LANES, min((h + 1) * LANES, own.n)):
                bounds = range_of(distances, p * LANES, bounds)
            store_many(bounds, extremes, 0)
            low, high = np.float32(3e38), np.float32(0)
            for lane in range(2 * LANES):
                if lane < LANES:
                    low = min(low, extremes[lane])
                else:
                    high = max(high, extremes[lane])
            least[h], most[h] = low, high
        inhabited = min(LANES, own.n - g * LANES)
        for place in places:
            _register(own, g, inhabited, registers, points, first, d, square_rho, own_within, nu, ranks, t, place,
                      relative, error, distances, radii, least, most, counts)  # fmt: skip


@njit(nogil=True, cache=True, _nrt=False)
def _register(
    own, g, inhabited, registers, points, first, d, square_rho, own_within, nu, ranks, t, place, relative, error,
    distances, radii, least, most, counts,
):  # fmt: skip
    """The ranks of one register of points for one target set."""
    smallest, largest = np.inf, 0.0
    for lane in range(inhabited):
        i = own.names[g * LANES + lane]
        square = nu[t, place + i]
        if square > square_rho[t, first + i]:
            radius = math.sqrt(square * own.square_unit)
            smallest, largest = min(smallest, radius), max(largest, radius)
            radii[lane] = radius
        else:
            radii[lane] = -1.0
            ranks[t, place + i] = own_within[t, first + i]
    if largest == 0.0:
        return
    for lane in range(LANES):
        if lane >= inhabited or radii[lane] < 0:
            radii[lane] = smallest
    inside, outside = limits(load(radii, 0), error, relative)
    margin = largest * relative + error
    below = max(0.0, smallest - margin) ** 2 * (1 - 1e-6)
    above = (largest + margin) ** 2 * (1 + 1e-6)
    tallies = (splat(np.float32(0)), splat(np.float32(0)))
    everyone = 0
    for h in range(registers):
        stop = min((h + 1) * LANES, own.n)
        if most[h] <= below:
            everyone += stop - h * LANES
        elif least[h] <= above:
            for p in range(h * LANES, stop):
                tallies = tally(distances, p * LANES, inside, outside, tallies)
    store_many(tallies, counts, 0)
    for lane in range(inhabited):
        i = own.names[g * LANES + lane]
        square = nu[t, place + i]
        if square > square_rho[t, first + i]:
            low, high = counts[lane], counts[LANES + lane]
            if low == high:
                ranks[t, place + i] = everyone + low - 1
            else:
                ranks[t, place + i] = count_within(points, first + i, points, first, first + own.n, d, square) - 1
