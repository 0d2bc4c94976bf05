"""Where a distance to another set stands among a point's distances within its own set.

The matched radius (DESIGN, section 1) needs l, the points of X within nu of x_i, wherever nu exceeds rho. The own
distances of one register of points are computed once in float32 and compared with the radii of many target sets.
Two limits enclose each radius; a point between them sends its query to float64.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import count_within
from setwise.neighbours.low_ops import U, limits
from setwise.neighbours.simd import (
    I32,
    LANES,
    VF,
    VI,
    Emitter,
    V,
    from_bits,
    greatest_bits,
    least_bits,
    load,
    simd,
    splat,
    store,
    store_many,
    vectors,
)

TOGETHER = 4  # points whose distances are computed side by side


class Own(NamedTuple):
    """One set's float32 coordinates: register g's axis c at g // per * block + g % per * LANES + c * stride."""

    packed: Any
    n: int
    per: int
    block: int
    stride: int
    reach: float  # the largest norm
    square_unit: float  # squared distances of these coordinates over those of the points


@simd(lambda total, packed, q, y: total)
def add_squares(e: Emitter, total: list[ir.Value], packed: Any, q: ir.Value, y: ir.Value) -> list[ir.Value]:
    """One axis: of one register of queries from several points, which lie side by side."""
    query = e.load(packed, q)
    out = []
    for i, value in enumerate(total):
        difference = e.b.fsub(query, e.spread(packed, e.at(y, i)))
        out.append(e.fma(difference, difference, value))
    return out


def pass_by(e: Emitter, seen: list[ir.Value], inside: ir.Value, squares: Iterable[ir.Value]) -> list[ir.Value]:
    """Of each lane, less one for every square beyond its limit, and the bits by which the nearest of these is beyond.

    Both come from one difference of bits, which is cheaper than to compare: it is negative beyond the limit, and of
    negative numbers the greatest is the greatest without a sign, where no other can be greater.
    """
    beyond, nearest = (e.bits(part) for part in seen)
    for square in squares:
        gap = e.b.sub(e.bits(inside), e.bits(square))
        beyond = e.b.add(beyond, e.b.ashr(gap, ir.Constant(VI, [31] * LANES)))
        nearest = e.call(f"llvm.umax.v{LANES}i32", VI, [nearest, gap])
    return [e.floats(beyond), e.floats(nearest)]


@simd(lambda distances, p, inside, seen: seen)
def tally(e: Emitter, distances: Any, p: ir.Value, inside: ir.Value, seen: list[ir.Value]) -> list[ir.Value]:
    """Let LANES own points pass by."""
    return pass_by(e, seen, inside, (e.load(distances, e.at(p, i * LANES)) for i in range(LANES)))


@simd(types.uint32)
def between(e: Emitter, seen: list[ir.Value], inside: ir.Value, outside: ir.Value) -> ir.Value:
    """The lanes with a square beyond the first limit and not beyond the second."""
    room = e.b.sub(e.b.sub(e.bits(inside), e.bits(outside)), ir.Constant(VI, [1] * LANES))
    return e.b.zext(e.mask_bits(e.b.icmp_unsigned(">", e.bits(seen[1]), room)), I32)


@simd(vectors(2))
def range_of(e: Emitter, distances: Any, p: ir.Value) -> list[ir.Value]:
    """The smallest and largest distance of each query from LANES own points."""
    low = high = e.load(distances, p)
    for i in range(1, LANES):
        value = e.load(distances, e.at(p, i * LANES))
        low, high = e.minimum(low, value), e.maximum(high, value)
    return [low, high]


@simd(V)
def root(e: Emitter, value: ir.Value) -> ir.Value:
    return e.call(f"llvm.sqrt.v{LANES}f32", VF, [value])


@kernel()
def own_ranks(own, points, first, d, square_rho, own_within, nu, ranks, t, places, scratch):
    """ranks[t, place + point] for each target's place: the own points within max(rho, nu), the point left out."""
    distances, radii, least, most, counts = scratch
    registers = (own.n + LANES - 1) // LANES
    relative = np.float32((d + 8) * U)
    error = np.float32(6 * U * own.reach)
    for g in range(registers):
        q = g // own.per * own.block + g % own.per * LANES
        for h in range(registers):
            y = h // own.per * own.block + h % own.per * LANES
            for p in range(h * LANES, (h + 1) * LANES, TOGETHER):
                zero = splat(np.float32(0))
                total = (zero, zero, zero, zero)
                for c in range(d):
                    total = add_squares(total, own.packed, q + c * own.stride, y + p - h * LANES + c * own.stride)
                store_many(total, distances, p * LANES)
            for p in range(own.n, (h + 1) * LANES):
                store(splat(np.float32(3e38)), distances, p * LANES)
            bounds = range_of(distances, h * LANES * LANES)
            least[h], most[h] = from_bits(least_bits(bounds[0])), from_bits(greatest_bits(bounds[1]))
        inhabited = min(LANES, own.n - g * LANES)
        for place in places:
            _register(own, g, inhabited, registers, points, first, d, square_rho, own_within, nu, ranks, t, place,
                      relative, error, distances, radii, least, most, counts)  # fmt: skip


@kernel()
def _register(
    own, g, inhabited, registers, points, first, d, square_rho, own_within, nu, ranks, t, place, relative, error,
    distances, radii, least, most, counts,
):  # fmt: skip
    """The ranks of one register of points for one target set."""
    smallest, largest = np.inf, 0.0
    for lane in range(inhabited):
        i = g * LANES + lane
        square = nu[t, place + i]
        if square > square_rho[t, first + i]:
            if square < smallest:
                smallest = square
            if square > largest:
                largest = square
            radii[lane] = square * own.square_unit
        else:
            radii[lane] = -1.0
            ranks[t, place + i] = own_within[t, first + i]
    if largest == 0.0:
        return
    smallest, largest = math.sqrt(smallest * own.square_unit), math.sqrt(largest * own.square_unit)
    for lane in range(LANES):
        if lane >= inhabited or radii[lane] < 0:
            radii[lane] = smallest * smallest
    inside, outside = limits(root(load(radii, 0)), error, relative)
    margin = largest * relative + error
    below = max(0.0, smallest - margin) ** 2 * (1 - 1e-6)
    above = (largest + margin) ** 2 * (1 + 1e-6)
    seen = (splat(np.float32(0)), splat(np.float32(0)))
    everyone = 0
    for h in range(registers):
        if least[h] <= above:
            everyone += LANES
            if most[h] > below:
                seen = tally(distances, h * LANES * LANES, inside, seen)
    store(seen[0], counts, 0)
    unsure = between(seen, inside, outside)
    for lane in range(inhabited):
        i = g * LANES + lane
        square = nu[t, place + i]
        if square > square_rho[t, first + i]:
            if not unsure >> np.uint32(lane) & np.uint32(1):
                ranks[t, place + i] = everyone + counts[lane] - 1
            else:
                ranks[t, place + i] = count_within(points, first + i, points, first, first + own.n, d, square) - 1
