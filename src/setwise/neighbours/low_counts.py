"""Low dimensions: the points of both sets within the matched radius, max(rho, nu), of every point of a set.

Where rho is the larger radius, the points of the other set within it are counted (the own are known); where nu is, the
own points are, by comparing one register's own distances, computed once, with the radii for many target sets. In both,
leaves wholly inside or outside are told by bounds. Two limits enclose each radius, wide enough for what float32 may
have got wrong (low.py); where a point lies between them, the leaves are counted in float64.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types

from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import TIE, square_distance
from setwise.neighbours.low import TIES_MAYBE, target_of, widened
from setwise.neighbours.low_ops import U
from setwise.neighbours.memory import aligned
from setwise.neighbours.ranks import TOGETHER, add_squares, differ, range_of, tally
from setwise.neighbours.simd import (
    F32,
    F64,
    I32,
    LANES,
    VF,
    VI,
    VM,
    Emitter,
    at_most,
    bits_set,
    lowest,
    simd,
    splat,
    store,
    vectors,
)

NOWHERE = np.float32(3e38)


class Scratch(NamedTuple):
    distances: Any  # (own point, lane): squared
    nearest: Any  # (leaf): the smallest of its distances
    farthest: Any


def make_scratch(largest: int) -> Scratch:
    leaves = -(-largest // LANES)
    room = -(-leaves // LANES) * LANES
    return Scratch(aligned(leaves * LANES * LANES), aligned(room), aligned(room))


@simd(types.float32)
def _least(e: Emitter, value: ir.Value) -> ir.Value:
    return e.b.bitcast(e.least(value), F32)


@simd(types.float32)
def _greatest(e: Emitter, value: ir.Value) -> ir.Value:
    return e.b.bitcast(e.greatest(value), F32)


@simd(types.uint32)
def _larger(e: Emitter, nu: Any, i: ir.Value, rho: Any, j: ir.Value) -> ir.Value:
    """The lanes of which nu is larger than rho, in float64."""
    kind = ir.VectorType(F64, LANES)
    mask = e.b.fcmp_ordered(">", e.load(nu, i, kind), e.load(rho, j, kind))
    return e.b.zext(e.mask_bits(mask), I32)


@simd(vectors(2))
def _limits(
    e: Emitter, squares: Any, i: ir.Value, unit: ir.Value, error: ir.Value, relative: ir.Value, lanes: ir.Value
) -> list[ir.Value]:
    """Squares (float32) below which a point is surely within the lanes' radii, and above which it surely is not; of
    other lanes, the first is infinite and the second zero."""
    square = e.load(squares, i, ir.VectorType(F64, LANES))
    one = e.b.insert_element(ir.Constant(square.type, ir.Undefined), unit, I32(0))
    unit = e.b.shuffle_vector(one, ir.Constant(square.type, ir.Undefined), ir.Constant(VI, [0] * LANES))
    radius = e.call(f"llvm.sqrt.v{LANES}f32", VF, [e.b.fptrunc(e.b.fmul(square, unit), VF)])
    margin = e.fma(radius, e.splat(relative), e.splat(error))
    low, high = e.positive_part(e.b.fsub(radius, margin)), e.b.fadd(radius, margin)
    mask = e.b.bitcast(e.b.trunc(lanes, ir.IntType(LANES)), VM)
    nothing = ir.Constant(VF, [0.0] * LANES)
    return [
        e.b.select(mask, e.b.fmul(low, low), ir.Constant(VF, [float(NOWHERE)] * LANES)),
        e.b.select(mask, e.b.fmul(high, high), nothing),
    ]


@simd(types.void)
def _conclude(
    e: Emitter,
    counts: list[ir.Value],
    more: ir.Value,
    own_within: Any,
    i: ir.Value,
    lanes: ir.Value,
    inhabited: ir.Value,
    out: Any,
    place: ir.Value,
) -> None:
    """Own ranks: of these lanes the count and some more, of the others what is known; beyond the set, the answers of
    the next target stay as they are."""
    mask, valid = (e.b.bitcast(e.b.trunc(bits, ir.IntType(LANES)), VM) for bits in (lanes, inhabited))
    found = e.b.add(e.bits(counts[0]), e.splat(e.b.trunc(more, I32)))
    known = e.b.select(valid, e.load(own_within, i, VI), e.load(out, place, VI))
    e.store(e.b.select(mask, found, known), out, place)


@simd(types.uint32)
def _leaves_of_box(
    e: Emitter, low: Any, high: Any, leaf: ir.Value, room: ir.Value, qlow: Any, qhigh: Any, q: ir.Value,
    stride: ir.Value, limit: ir.Value, dims: list[Any],
) -> ir.Value:  # fmt: skip
    """Which of LANES boxes come within a limit of one box."""
    near = ir.Constant(VF, [0.0] * LANES)
    for _ in dims:
        below, above = e.b.fsub(e.spread(qlow, q), e.load(high, leaf)), e.b.fsub(e.load(low, leaf), e.spread(qhigh, q))
        gap = e.positive_part(e.maximum_float(below, above))
        near = e.fma(gap, gap, near)
        leaf, q = e.b.add(leaf, room), e.b.add(q, stride)
    return e.b.zext(e.mask_bits(e.at_most(near, e.splat(limit))), I32)


@simd(lambda packed, i, queries, q, inside, outside, counts, dims: counts)
def _tally_leaf(
    e: Emitter, packed: Any, i: ir.Value, queries: Any, q: ir.Value, inside: ir.Value, outside: ir.Value,
    counts: list[ir.Value], dims: list[Any],
) -> list[ir.Value]:  # fmt: skip
    """Count the points of a leaf under the two limits of each query."""
    query = [e.load(queries, e.at(q, axis * LANES)) for axis in range(len(dims))]
    sums = [e.bits(count) for count in counts]
    for point in range(LANES):
        total = None
        for axis, coordinate in enumerate(query):
            difference = e.b.fsub(coordinate, e.spread(packed, e.at(i, axis * LANES + point)))
            total = e.b.fmul(difference, difference) if total is None else e.fma(difference, difference, total)
        sums = [
            e.b.sub(count, e.b.sext(e.at_most(total, limit), VI))
            for count, limit in zip(sums, (inside, outside), strict=True)
        ]
    return [e.floats(count) for count in sums]


@kernel()
def _count_target(target, own, g, inside, outside, dims):
    """The points of a target within the two limits of each lane."""
    d, room, reached = len(dims), target.room, _greatest(outside)
    counts = (splat(np.float32(0)), splat(np.float32(0)))
    for group in range(0, room, LANES):
        near = _leaves_of_box(target.low, target.high, group, room, own.low, own.high, g, own.room, reached, dims)
        for _ in range(bits_set(near)):
            leaf = group + lowest(near)
            near &= near - np.uint32(1)
            i, q = leaf * d * LANES, g * d * LANES
            counts = _tally_leaf(target.packed, i, own.packed, q, inside, outside, counts, dims)
    return counts


@simd(types.uint32)
def _count_others(
    e: Emitter, counts: list[ir.Value], others: ir.Value, larger: ir.Value, within: Any, place: ir.Value
) -> ir.Value:
    """Store the counts of some lanes; which of these are unsure, and which of the larger ones may have ties."""
    others, larger = (e.b.bitcast(e.b.trunc(lanes, ir.IntType(LANES)), VM) for lanes in (others, larger))
    before = e.load(within, place, VI)
    e.store(e.b.select(others, e.bits(counts[0]), before), within, place)
    differ = e.b.icmp_signed("!=", e.bits(counts[0]), e.bits(counts[1]))
    maybe = e.b.icmp_signed("==", before, ir.Constant(VI, [TIES_MAYBE] * LANES))
    return e.b.zext(e.mask_bits(e.b.or_(e.b.and_(others, differ), e.b.and_(larger, maybe))), I32)


@njit(inline="always")
def _reach(target, p, d):
    """The place of a point's first coordinate among the leaves of its set."""
    return p // LANES * d * LANES + p % LANES


@kernel()
def _count_exactly(target, packed, q, points, i, square, reach, dims):
    """How many points of a target lie within a squared distance of point i, ties included, in float64."""
    d, room, inside = len(dims), target.room, 0
    limit = np.float32(widened(math.sqrt(square * target.square_unit), reach))
    for group in range(0, room, LANES):
        near = _leaves_of_box(target.low, target.high, group, room, packed, packed, q, LANES, limit, dims)
        for _ in range(bits_set(near)):
            leaf = group + lowest(near)
            near &= near - np.uint32(1)
            for p in range(leaf * LANES, min((leaf + 1) * LANES, target.n)):
                inside += square_distance(points, i, target.points, target.start + p, d) <= square * TIE
    return inside


@kernel()
def _own_distances(own, g, scratch, dims):
    """The squared distances of one leaf's points from all of their set, and the range of each leaf's."""
    d, leaves = len(dims), (own.n + LANES - 1) // LANES
    for h in range(leaves):
        for p in range(0, LANES, TOGETHER):
            zero = splat(np.float32(0))
            total = (zero, zero, zero, zero)
            for c in range(d):
                total = add_squares(total, own.packed, (g * d + c) * LANES, (h * d + c) * LANES + p)
            for i, value in enumerate(total):
                store(value, scratch.distances, (h * LANES + p + i) * LANES)
        if h == leaves - 1:
            for p in range(own.n, leaves * LANES):
                store(splat(NOWHERE), scratch.distances, p * LANES)
        low, high = range_of(scratch.distances, h * LANES * LANES)
        scratch.nearest[h], scratch.farthest[h] = _least(low), _greatest(high)
    for h in range(leaves, own.room):
        scratch.nearest[h], scratch.farthest[h] = NOWHERE, NOWHERE


@kernel()
def _rank(own, g, inside, outside, scratch):
    """How many own points lie under the two limits of each lane; those of whole leaves come as a number."""
    everyone, surely, reached = np.intp(0), _least(inside), _greatest(outside)
    counts = (splat(np.float32(0)), splat(np.float32(0)))
    for group in range(0, own.room, LANES):
        whole = at_most(scratch.farthest, group, surely)
        some = at_most(scratch.nearest, group, reached) & ~whole
        everyone += np.intp(bits_set(whole)) * LANES
        for _ in range(bits_set(some)):
            leaf = group + lowest(some)
            some &= some - np.uint32(1)
            counts = tally(scratch.distances, leaf * LANES * LANES, inside, outside, counts)
    return everyone, counts


@kernel()
def count_set(x, i, y, columns, skip, cloud, t, nu, within, ranks, place, stride, scratch, dims):
    """For the points of set i of x, the own points (ranks) and those of each target (within) in the matched radius.

    The answers for target j begin at `place` + (j - columns[0]) * `stride`; `within` holds k, or TIES_MAYBE. `skip`
    leaves out set i itself.
    """
    d, own = len(dims), target_of(x, i)
    relative = np.float32((8 + d) * U)
    for g in range((own.n + LANES - 1) // LANES):
        known = own.start + g * LANES
        inhabited = np.uint32((1 << min(LANES, own.n - g * LANES)) - 1)
        _own_distances(own, g, scratch, dims)
        for j in range(columns[0], columns[1]):
            if skip and i == j:
                continue
            target = target_of(y, j)
            error = np.float32(6 * U * max(x.reach[i], y.reach[j]))
            at = place + (j - columns[0]) * stride + g * LANES
            larger = _larger(nu, at, cloud.square_rho[t], known) & inhabited
            unsure = np.uint32(0)
            counts = (splat(np.float32(0)), splat(np.float32(0)))
            everyone = np.intp(0)
            if larger:
                inside, outside = _limits(nu, at, x.square_unit, error, relative, larger)
                everyone, counts = _rank(own, g, inside, outside, scratch)
                unsure = differ(counts) & larger
            _conclude(counts, everyone - 1, cloud.own_within[t], known, larger, inhabited, ranks, at)
            for _ in range(bits_set(unsure)):
                lane = lowest(unsure)
                unsure &= unsure - np.uint32(1)
                p = g * LANES + lane
                ranks[at + lane] = _count_exactly(own, own.packed, _reach(own, p, d), x.points, own.start + p,
                                                  nu[at + lane], x.reach[i], dims) - 1  # fmt: skip
            others = ~larger & inhabited
            counts = (splat(np.float32(0)), splat(np.float32(0)))
            if others:
                inside, outside = _limits(cloud.square_rho[t], known, x.square_unit, error, relative, others)
                counts = _count_target(target, own, g, inside, outside, dims)
            unsure = _count_others(counts, others, larger, within, at)
            for _ in range(bits_set(unsure)):
                lane = lowest(unsure)
                unsure &= unsure - np.uint32(1)
                p = g * LANES + lane
                square = max(cloud.square_rho[t, own.start + p], nu[at + lane])
                within[at + lane] = _count_exactly(target, own.packed, _reach(own, p, d), x.points, own.start + p,
                                                   square, max(x.reach[i], y.reach[j]), dims)  # fmt: skip
