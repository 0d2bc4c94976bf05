"""The SIMD operations of the search in low dimensions (low.py): boxes, compressed lists, sweeps, answers."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from setwise.neighbours.simd import F32, F64, I32, LANES, VF, VI, Emitter, V, simd, vectors

U = 2.0**-24


@simd(lambda low, high, leaf, stride, qlow, qhigh, q, dims: vectors(2))
def box_to_boxes(
    e: Emitter,
    low: Any,
    high: Any,
    leaf: ir.Value,
    stride: ir.Value,
    qlow: Any,
    qhigh: Any,
    q: ir.Value,
    dims: list[Any],
) -> list[ir.Value]:
    """Of LANES boxes from one box: the smallest squared distance, and that of the centres (times four)."""
    gaps = centres = ir.Constant(VF, [0.0] * LANES)
    for _ in dims:
        lo, hi = e.load(low, leaf), e.load(high, leaf)
        qlo, qhi = e.spread(qlow, q), e.spread(qhigh, q)
        gap = e.maximum_float(e.b.fsub(lo, qhi), e.b.fsub(qlo, hi))
        gap = e.positive_part(gap)
        gaps = e.fma(gap, gap, gaps)
        centre = e.b.fsub(e.b.fadd(lo, hi), e.b.fadd(qlo, qhi))
        centres = e.fma(centre, centre, centres)
        leaf, q = e.b.add(leaf, stride), e.at(q, 1)
    return [gaps, centres]


@simd(V)
def tagged(e: Emitter, value: ir.Value, keep: ir.Value, start: ir.Value) -> ir.Value:
    return e.tag(value, e.splat(keep), e.count_up(start))


@simd(V)
def far_corners(e: Emitter, points: Any, i: ir.Value, qlow: Any, qhigh: Any, q: ir.Value, dims: list[Any]) -> ir.Value:
    """The largest squared distance of each of LANES points from any place in a box."""
    total = ir.Constant(VF, [0.0] * LANES)
    for axis in range(len(dims)):
        point = e.load(points, e.at(i, LANES * axis))
        lo, hi = e.spread(qlow, e.at(q, axis)), e.spread(qhigh, e.at(q, axis))
        far = e.maximum_float(e.b.fsub(hi, point), e.b.fsub(point, lo))
        total = e.fma(far, far, total)
    return total


@simd(types.int32)
def compress_leaves(
    e: Emitter, gaps: Any, i: ir.Value, limit: ir.Value, leaves: Any, n: ir.Value, start: ir.Value
) -> ir.Value:
    """Append the indices of the leaves within a limit; how many there were."""
    mask = e.at_most(e.load(gaps, i), e.splat(limit))
    e.compress(e.count_up(start), mask, leaves, n)
    return e.population(mask)


@simd(types.int32)
def compress_points(
    e: Emitter,
    points: Any,
    i: ir.Value,
    name: ir.Value,
    qlow: Any,
    qhigh: Any,
    q: ir.Value,
    limit: ir.Value,
    out: Any,
    out_names: Any,
    n: ir.Value,
    capacity: ir.Value,
    dims: list[Any],
) -> ir.Value:
    """Append the points of a leaf that lie within a limit of a box, and their names, counting up; how many did."""
    gaps = ir.Constant(VF, [0.0] * LANES)
    values = []
    for axis in range(len(dims)):
        value = e.load(points, e.at(i, axis * LANES))
        lo, hi = e.spread(qlow, e.at(q, axis)), e.spread(qhigh, e.at(q, axis))
        gap = e.positive_part(e.maximum_float(e.b.fsub(value, hi), e.b.fsub(lo, value)))
        gaps = e.fma(gap, gap, gaps)
        values.append(value)
    mask = e.at_most(gaps, e.splat(limit))
    for axis, value in enumerate(values):
        e.compress(value, mask, out, e.b.add(n, e.b.mul(capacity, capacity.type(axis))))
    e.compress(e.count_up(e.b.trunc(name, I32)), mask, out_names, n)
    return e.population(mask)


def _squares(e: Emitter, points: Any, c: ir.Value, capacity: ir.Value, query: list[ir.Value]) -> ir.Value:
    """Squared distances of one register of queries from one point of the list."""
    total = None
    for axis, coordinate in enumerate(query):
        difference = e.b.fsub(coordinate, e.spread(points, e.b.add(c, e.b.mul(capacity, capacity.type(axis)))))
        total = e.b.fmul(difference, difference) if total is None else e.fma(difference, difference, total)
    return total


@simd(lambda points, c, capacity, queries, lists, keep, dims: lists)
def sweep(
    e: Emitter,
    points: Any,
    c: ir.Value,
    capacity: ir.Value,
    queries: list[ir.Value],
    lists: list[ir.Value],
    keep: ir.Value,
    dims: list[Any],
) -> list[ir.Value]:
    """Merge four points of the list into the lists of one or more registers of queries, keyed by place."""
    registers, kept = len(queries) // len(dims), e.splat(keep)
    length = len(lists) // registers
    names = [e.splat(e.b.trunc(e.at(c, t), I32)) for t in range(4)]
    out: list[ir.Value] = []
    for r in range(registers):
        query = queries[r * len(dims) : (r + 1) * len(dims)]
        keys = [e.tag(_squares(e, points, e.at(c, t), capacity, query), kept, names[t]) for t in range(4)]
        out += e.merge(lists[r * length : (r + 1) * length], e.sort(keys))
    return out


@simd(V)
def reaches(e: Emitter, keys: Any, i: ir.Value, keep: ir.Value, spread: Any, j: ir.Value, error: ir.Value) -> ir.Value:
    """How far from each probe a k-th neighbour of its run may lie: its own k-th distance (of a key, rounded up) and
    twice the way to the run's farthest query, widened by what float32 may have got wrong."""
    square = e.floats(e.b.or_(e.load(keys, i, VI), e.b.not_(e.splat(keep))))
    distance = e.call(f"llvm.sqrt.v{LANES}f32", VF, [square])
    reach = e.fma(e.load(spread, j), ir.Constant(VF, [2.0] * LANES), distance)
    return e.fma(reach, ir.Constant(VF, [1 + 1e-5] * LANES), e.splat(error))


@simd(types.float32)
def greatest(e: Emitter, value: ir.Value) -> ir.Value:
    """The largest of numbers that are not negative."""
    return e.b.bitcast(e.greatest(value), F32)


@simd(V)
def square(e: Emitter, value: ir.Value) -> ir.Value:
    return e.b.fmul(value, value)


@simd(types.int32)
def any_near(
    e: Emitter, points: Any, c: ir.Value, capacity: ir.Value, query: list[ir.Value], limits: ir.Value
) -> ir.Value:
    """1 if a point of the list lies within the limit of any query, 0 otherwise."""
    mask = e.mask_bits(e.at_most(_squares(e, points, c, capacity, query), limits))
    return e.b.zext(e.b.icmp_unsigned("!=", mask, mask.type(0)), I32)


@simd(vectors(2))
def limits(e: Emitter, radius: ir.Value, error: ir.Value, relative: ir.Value) -> list[ir.Value]:
    """Squares below which a point is surely within a radius, and above which it surely is not."""
    margin = e.fma(radius, e.splat(relative), e.splat(error))
    low, high = e.positive_part(e.b.fsub(radius, margin)), e.b.fadd(radius, margin)
    return [e.b.fmul(low, low), e.b.fmul(high, high)]


@simd(types.uint32)
def surely(
    e: Emitter, lists: Any, i: ir.Value, keep: ir.Value, scale: ir.Value, offset: ir.Value, first: ir.Value
) -> ir.Value:
    """The lanes whose key at i can change places with neither neighbour in the list; `first`: nothing is nearer."""

    def bounds(index: ir.Value) -> tuple[ir.Value, ir.Value]:
        bits = e.load(lists, index, VI)
        lower = e.floats(e.b.and_(bits, kept))
        return lower, e.fma(e.floats(e.b.or_(bits, e.b.not_(kept))), e.splat(scale), e.splat(offset))

    kept = e.splat(keep)
    lower, upper = bounds(i)
    farther = bounds(e.at(i, -LANES))[0]
    nearer = bounds(e.b.select(first, i, e.at(i, LANES)))[1]
    alone = e.b.or_(
        e.at_most(nearer, lower), e.b.bitcast(e.b.sext(first, ir.IntType(LANES)), ir.VectorType(ir.IntType(1), LANES))
    )
    return e.b.zext(e.mask_bits(e.b.and_(alone, e.at_most(upper, farther))), I32)


@simd(types.void)
def answer(
    e: Emitter,
    queries: Any,
    q: ir.Value,
    listed: Any,
    capacity: ir.Value,
    keys: Any,
    row: ir.Value,
    keep: ir.Value,
    order: Any,
    p: ir.Value,
    out: Any,
    place: ir.Value,
    dims: list[Any],
) -> None:
    """Squared distances, float64 and axis by axis, of one register of queries from the points of the list that their
    keys name, each to where its query's answer belongs."""
    wide, half = min(LANES, 8), ir.IntType(64)
    double = ir.VectorType(F64, wide)
    places = e.b.and_(e.load(keys, row, VI), e.b.not_(e.splat(keep)))
    for part in range(0, LANES, wide):
        lanes = ir.Constant(ir.VectorType(I32, wide), list(range(part, part + wide)))
        index = e.b.shuffle_vector(places, ir.Constant(VI, ir.Undefined), lanes)
        total = ir.Constant(double, [0.0] * wide)
        for axis in range(len(dims)):
            base = e.address(listed, e.b.mul(capacity, half(axis)), F64)
            difference = e.b.fsub(e.load(queries, e.at(q, axis * LANES + part), double), e.gather(base, index, double))
            total = e.b.fadd(total, e.b.fmul(difference, difference))
        for lane in range(wide):
            target = e.b.load(e.address(order, e.at(p, part + lane), I32))
            target = e.b.add(place, e.b.zext(target, half))
            e.b.store(e.b.extract_element(total, I32(lane)), e.address(out, target, F64)).align = 8
