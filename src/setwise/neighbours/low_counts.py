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
from setwise.neighbours.low import target_of, widened
from setwise.neighbours.low_ops import U
from setwise.neighbours.memory import aligned
from setwise.neighbours.ranks import TOGETHER, add_squares, between, pass_by, range_of, tally
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
    """A thread's memory, and where it keeps the counts of one set for all targets of a tile."""

    distances: Any  # (own point, lane): squared
    nearest: Any  # (leaf): the smallest of its distances
    farthest: Any
    within: Any  # (target, own point): points of the target
    ranks: Any  # the same: own points


def make_scratch(largest: int, targets: int) -> Scratch:
    leaves = -(-largest // LANES)
    room, counts = -(-leaves // LANES) * LANES, targets * leaves * LANES
    return Scratch(
        aligned(leaves * LANES * LANES),
        aligned(room),
        aligned(room),
        aligned(counts, np.int32),
        aligned(counts, np.int32),
    )


@simd(types.float32)
def _least(e: Emitter, value: ir.Value) -> ir.Value:
    return e.b.bitcast(e.least(value), F32)


@simd(types.float32)
def _greatest(e: Emitter, value: ir.Value) -> ir.Value:
    return e.b.bitcast(e.greatest(value), F32)


@simd(types.UniTuple(types.uint32, 2))
def _compare(e: Emitter, nu: Any, i: ir.Value, rho: Any, j: ir.Value, lanes: ir.Value) -> list[ir.Value]:
    """Of these lanes, those of which nu is larger than rho, in float64, and those that the search marked; the marks
    are taken off."""
    kind, wide = ir.VectorType(F64, LANES), ir.VectorType(ir.IntType(64), LANES)
    lanes = e.b.bitcast(e.b.trunc(lanes, ir.IntType(LANES)), VM)
    value = e.load(nu, i, kind)
    marked = e.b.icmp_signed("<", e.b.bitcast(value, wide), ir.Constant(wide, [0] * LANES))
    value = e.b.select(lanes, e.call(f"llvm.fabs.v{LANES}f64", kind, [value]), value)
    e.store(value, nu, i)
    larger = e.b.fcmp_ordered(">", value, e.load(rho, j, kind))
    return [e.b.zext(e.mask_bits(e.b.and_(lanes, mask)), I32) for mask in (larger, marked)]


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
def _put_ranks(
    e: Emitter,
    seen: list[ir.Value],
    passed: ir.Value,
    own_within: Any,
    i: ir.Value,
    lanes: ir.Value,
    out: Any,
    place: ir.Value,
) -> None:
    """Own ranks: of these lanes as many as passed by and are not beyond, of the others what is known."""
    mask = e.b.bitcast(e.b.trunc(lanes, ir.IntType(LANES)), VM)
    found = e.b.add(e.bits(seen[0]), e.splat(e.b.trunc(passed, I32)))
    e.store(e.b.select(mask, found, e.load(own_within, i, VI)), out, place)


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


@simd(lambda packed, i, queries, q, inside, seen, dims: seen)
def _tally_leaf(
    e: Emitter, packed: Any, i: ir.Value, queries: Any, q: ir.Value, inside: ir.Value, seen: list[ir.Value],
    dims: list[Any],
) -> list[ir.Value]:  # fmt: skip
    """Let the points of a leaf pass by."""
    query = [e.load(queries, e.at(q, axis * LANES)) for axis in range(len(dims))]

    def square(point: int) -> ir.Value:
        total = None
        for axis, coordinate in enumerate(query):
            difference = e.b.fsub(coordinate, e.spread(packed, e.at(i, axis * LANES + point)))
            total = e.b.fmul(difference, difference) if total is None else e.fma(difference, difference, total)
        return total

    return pass_by(e, seen, inside, map(square, range(LANES)))


@kernel()
def _count_target(target, own, g, inside, outside, dims):
    """The points of a target that pass by the limits of each lane, and how many these are."""
    d, room, reached, passed = len(dims), target.room, _greatest(outside), np.intp(0)
    seen = (splat(np.float32(0)), splat(np.float32(0)))
    for group in range(0, room, LANES):
        near = _leaves_of_box(target.low, target.high, group, room, own.low, own.high, g, own.room, reached, dims)
        passed += np.intp(bits_set(near)) * LANES
        for _ in range(bits_set(near)):
            leaf = group + lowest(near)
            near &= near - np.uint32(1)
            seen = _tally_leaf(target.packed, leaf * d * LANES, own.packed, g * d * LANES, inside, seen, dims)
    return passed, seen


@simd(types.void)
def _put_counts(
    e: Emitter, seen: list[ir.Value], passed: ir.Value, lanes: ir.Value, k: ir.Value, within: Any, place: ir.Value
) -> None:
    """Points of the target: of these lanes as many as passed by and are not beyond, of the others k."""
    mask = e.b.bitcast(e.b.trunc(lanes, ir.IntType(LANES)), VM)
    found, known = (e.splat(e.b.trunc(count, I32)) for count in (passed, k))
    e.store(e.b.select(mask, e.b.add(e.bits(seen[0]), found), known), within, place)


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
    """The own points that pass by the limits of each lane; how many these are, with those of leaves wholly inside."""
    passed, surely, reached = np.intp(0), _least(inside), _greatest(outside)
    seen = (splat(np.float32(0)), splat(np.float32(0)))
    for group in range(0, own.room, LANES):
        some = at_most(scratch.nearest, group, reached)
        passed += np.intp(bits_set(some)) * LANES
        some &= ~at_most(scratch.farthest, group, surely)
        for _ in range(bits_set(some)):
            leaf = group + lowest(some)
            some &= some - np.uint32(1)
            seen = tally(scratch.distances, leaf * LANES * LANES, inside, seen)
    return passed, seen


@kernel()
def count_set(x, i, y, columns, skip, cloud, k, t, nu, place, stride, scratch, dims):
    """For the points of set i of x, the own points (scratch.ranks) and those of each target (scratch.within) in the
    matched radius.

    The k-th squared distances to target j begin at nu[place + (j - columns[0]) * stride]; the search may have marked
    them. `skip` leaves out set i itself.
    """
    d, own = len(dims), target_of(x, i, len(dims))
    relative = np.float32((8 + d) * U)
    leaves = (own.n + LANES - 1) // LANES
    for g in range(leaves):
        known = own.start + g * LANES
        inhabited = np.uint32((1 << min(LANES, own.n - g * LANES)) - 1)
        _own_distances(own, g, scratch, dims)
        for j in range(columns[0], columns[1]):
            if skip and i == j:
                continue
            target = target_of(y, j, d)
            error = np.float32(6 * U * max(x.reach[i], y.reach[j]))
            at = place + (j - columns[0]) * stride + g * LANES
            out = ((j - columns[0]) * leaves + g) * LANES
            larger, marked = _compare(nu, at, cloud.square_rho[t], known, inhabited)
            unsure, passed = np.uint32(0), np.intp(0)
            seen = (splat(np.float32(0)), splat(np.float32(0)))
            if larger:
                inside, outside = _limits(nu, at, x.square_unit, error, relative, larger)
                passed, seen = _rank(own, g, inside, outside, scratch)
                unsure = between(seen, inside, outside) & larger
            _put_ranks(seen, passed - 1, cloud.own_within[t], known, larger, scratch.ranks, out)
            for _ in range(bits_set(unsure)):
                lane = lowest(unsure)
                unsure &= unsure - np.uint32(1)
                p = g * LANES + lane
                scratch.ranks[out + lane] = _count_exactly(own, own.packed, _reach(own, p, d), x.points, own.start + p,
                                                           nu[at + lane], x.reach[i], dims) - 1  # fmt: skip
            others, unsure = ~larger & inhabited, larger & marked
            if others:
                inside, outside = _limits(cloud.square_rho[t], known, x.square_unit, error, relative, others)
                passed, seen = _count_target(target, own, g, inside, outside, dims)
                unsure |= between(seen, inside, outside) & others
            _put_counts(seen, passed, others, k, scratch.within, out)
            for _ in range(bits_set(unsure)):
                lane = lowest(unsure)
                unsure &= unsure - np.uint32(1)
                p = g * LANES + lane
                square = max(cloud.square_rho[t, own.start + p], nu[at + lane])
                scratch.within[out + lane] = _count_exactly(target, own.packed, _reach(own, p, d), x.points,
                                                            own.start + p, square, max(x.reach[i], y.reach[j]),
                                                            dims)  # fmt: skip
    return leaves * LANES
