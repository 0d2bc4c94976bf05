"""High dimensions: from lists of keys to distances and counts in float64, where the bounds of dense.py do not decide.

alone       bounds prove that the k-th key is the k-th neighbour: one distance is computed
a window    some keys may change places: those are computed
the list    all that its keys name are, unless a point outside could be as near
a scan      all points whose f is small enough are
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types

from setwise.neighbours.compiled import kernel
from setwise.neighbours.dense import FAR, TINY, slack
from setwise.neighbours.dense_ops import BLOCK, ROWS
from setwise.neighbours.exact import TIE, count_within, insert, square_distance
from setwise.neighbours.low_ops import U
from setwise.neighbours.simd import (
    F64,
    I32,
    LANES,
    VF,
    VI,
    Emitter,
    at_most,
    bits_set,
    from_bits,
    lowest,
    repeat,
    simd,
    splat,
    store_many,
    vectors,
)

ONE_A_ROW = (0,) * ROWS
UNSURE = -1  # in place of a count
UNKNOWN = -2  # in place of a distance's count: nothing is known yet


@simd(types.uint32)
def _alone(
    e: Emitter,
    lists: Any,
    base: ir.Value,
    k: ir.Value,
    norms: Any,
    i: ir.Value,
    gamma: ir.Value,
    keep: ir.Value,
    first: ir.Value,
    like: list[ir.Value],
) -> ir.Value:
    """The lanes whose k-th entry is surely the k-th neighbour; `first`: k is 1. The bounds are those of `_apart`."""
    kept = e.splat(keep)

    def entry(place: ir.Value) -> ir.Value:
        return e.load(lists, e.b.add(base, e.b.mul(place, place.type(LANES))), VI)

    def lower(bits: ir.Value) -> ir.Value:
        return e.floats(e.b.and_(bits, kept))

    def upper(bits: ir.Value) -> ir.Value:
        return e.floats(e.b.or_(bits, e.b.not_(kept)))

    place = e.b.sub(k.type(len(like)), k)
    key, farther = entry(place), entry(e.at(place, -1))
    nearer = entry(e.b.select(first, place, e.at(place, 1)))
    norm = e.b.fptrunc(e.load(norms, i, ir.VectorType(F64, LANES)), VF)
    reach = e.b.fadd(norm, e.call(f"llvm.sqrt.v{LANES}f32", VF, [e.b.fmul(upper(key), ir.Constant(VF, [2.0] * LANES))]))
    squares = e.fma(reach, reach, e.b.fmul(norm, norm))
    slack = e.fma(squares, e.splat(gamma), ir.Constant(VF, [float(TINY)] * LANES))
    before = e.at_most(e.b.fadd(upper(nearer), slack), lower(key))
    before = e.b.or_(before, e.b.bitcast(e.b.sext(first, ir.IntType(LANES)), before.type))
    behind = e.at_most(e.b.fadd(upper(key), slack), lower(farther))
    return e.b.zext(e.mask_bits(e.b.and_(before, behind)), I32)


@kernel()
def refine(
    lists, lost, like, points, first, n, mine, half_mine, others, start, m, theirs, half_theirs, d, norm, half_unit,
    gamma, keep, shift, ks, nearest, values, nu, place, square_rho, within, counts, stride,
):  # fmt: skip
    """The k-th squared distances, in float64, of n points from the lists of their keys; and, where `stride` says that
    there are counts, how many of the others lie within max(rho, nu), or UNSURE. Returns how many points needed a scan.
    """
    length, scans = len(like), 0
    doubt = np.float32(4 * gamma * (1 + 1e-5))
    for register in range(0, n, LANES):
        base, incomplete = register // LANES * length * LANES, lost[register // LANES]
        for t in range(len(ks)):
            k, alone = ks[t], np.uint32(0)
            if shift == 0:
                alone = _alone(lists, base, k, norm, register, doubt, keep, k == 1, like) & ~incomplete
            for lane in range(min(LANES, n - register)):
                i = register + lane
                if alone >> np.uint32(lane) & np.uint32(1):
                    name = np.int64(lists[base + (length - k) * LANES + lane] & ~keep)
                    square, near = square_distance(points, first + i, others, start + name, d), k
                else:
                    known = not incomplete >> np.uint32(lane) & np.uint32(1)
                    square, near = _resolve(
                        lists, base + lane, length, points, first + i, others, start, m, d, norm[i], half_unit, gamma,
                        keep, shift, k, nearest,
                    ) if known else (0.0, UNKNOWN)  # fmt: skip
                    if near == UNKNOWN:
                        upper = np.float64(from_bits(lists[base + (length - k) * LANES + lane] | ~keep))
                        limit = np.float32((upper + slack(norm[i], upper, gamma)) * (1 + 1e-6))
                        own = i // BLOCK * d * BLOCK + i % BLOCK
                        _scan(points, first + i, mine, own, half_mine[i], others, start, m, theirs, half_theirs, d,
                              limit, k, nearest, values)  # fmt: skip
                        square, near = _kth(nearest, k)
                        scans += 1
                nu[t, place + i] = square
                if stride > 0:
                    if square_rho[t, first + i] < square:
                        within[t, place + i] = near
                    elif counts[2 * t * stride + i] == counts[(2 * t + 1) * stride + i]:
                        within[t, place + i] = counts[2 * t * stride + i]
                    else:
                        within[t, place + i] = UNSURE
    return scans


@simd(vectors(ROWS))
def _line_start(e: Emitter, half_theirs: Any, i: ir.Value, half: ir.Value) -> list[ir.Value]:
    return [e.b.fadd(e.load(half_theirs, e.at(i, LANES * r)), e.splat(half)) for r in range(ROWS)]


@simd(vectors(ROWS))
def _line_step(e: Emitter, line: list[ir.Value], theirs: Any, i: ir.Value, mine: Any, j: ir.Value) -> list[ir.Value]:
    one = e.b.fneg(e.spread(mine, j))
    return [e.fma(e.load(theirs, e.at(i, LANES * r)), one, value) for r, value in enumerate(line)]


@simd(types.uint32)
def _any_under(e: Emitter, line: list[ir.Value], limit: ir.Value) -> ir.Value:
    """Not zero where a value is no greater than a limit."""
    return e.b.zext(e.mask_bits(e.at_most(reduce(e.minimum, line), e.splat(limit))), I32)


@kernel()
def _scan(points, i, mine, own, half, others, start, m, theirs, half_theirs, d, limit, k, nearest, values):
    """The k + 1 smallest squared distances from point i, in float64, of those whose f is within a limit."""
    for t in range(k + 1):
        nearest[t] = np.inf
    for block in range(0, m, BLOCK):
        line = _line_start(half_theirs, block, half)
        for c in range(d):
            line = _line_step(line, theirs, block * d + c * BLOCK, mine, own + c * BLOCK)
        if _any_under(line, limit):
            store_many(line, values, 0)
            for r in range(ROWS):
                mask = at_most(values, r * LANES, limit)
                for _ in range(bits_set(mask)):
                    j = block + r * LANES + lowest(mask)
                    mask &= mask - np.uint32(1)
                    if j < m:
                        insert(nearest, k + 1, square_distance(points, i, others, start + j, d))


@kernel()
def _resolve(
    lists, base, length, points, i, others, start, m, d, norm, half_unit, gamma, keep, shift, k, nearest
):  # fmt: skip
    """The k-th squared distance of one point and how many points are as near (or UNSURE); or (0, UNKNOWN).

    Where bounds tell the entries of its list apart, only those that may be the k-th are computed; otherwise all that it
    names are, which settles it unless a point outside the list could be as near.
    """
    if shift == 0:
        low, high = _window(lists, base, length, k, norm, gamma, keep)
        if high > 0:
            count = high - low + 1
            for j in range(count):
                nearest[j] = np.inf
            for j in range(low, high + 1):
                other = start + np.int64(lists[base + (length - j) * LANES] & ~keep)
                insert(nearest, count, square_distance(points, i, others, other, d))
            square = nearest[k - low]
            return square, low - 1 + _up_to(nearest, count, square)
    if _settle(
        lists, base, length, points, i, others, start, m, d, norm, half_unit, gamma, keep, shift, k, nearest
    ):  # fmt: skip
        return _kth(nearest, k)
    return 0.0, UNKNOWN


@njit(inline="always")
def _kth(nearest, k):
    """The k-th of k + 1 squares, and how many points are as near, or UNSURE."""
    square = nearest[k - 1]
    near = _up_to(nearest, k + 1, square)
    return square, UNSURE if near > k or square == 0.0 else near


@njit(inline="always")
def _up_to(ascending, count, square):
    """How many squares are no larger than one, ties included."""
    found = 0
    while found < count and ascending[found] <= square * TIE:
        found += 1
    return found


@njit(inline="always")
def _window(lists, base, length, k, norm, gamma, keep):
    """The first and the last place in a list (nearest: 1) that may hold the k-th neighbour; (k, 0): not only these may.

    What stands before is surely nearer than all of them; what stands behind, or in no list, is surely farther.
    """
    low = high = k
    while low > 1 and not _apart(lists, base, length, low - 1, norm, gamma, keep):
        low -= 1
    while high < length and not _apart(lists, base, length, high, norm, gamma, keep):
        high += 1
    return (low, high) if high < length else (k, 0)


@njit(inline="always")
def _apart(lists, base, length, j, norm, gamma, keep):
    """Whether the j-th entry is surely nearer than the next."""
    upper = np.float64(from_bits(lists[base + (length - j) * LANES] | ~keep))
    return upper + 2 * slack(norm, upper, gamma) <= from_bits(lists[base + (length - j - 1) * LANES] & keep)


@kernel()
def _settle(lists, base, length, points, i, others, start, m, d, norm, half_unit, gamma, keep, shift, k, nearest):
    """Compute all that the list names and keep the k + 1 nearest; true when no other point can be among the k nearest,
    nor as far as one of them unless that is 0."""
    for t in range(k + 1):
        nearest[t] = np.inf
    for t in range(length):
        key = lists[base + t * LANES]
        group = np.int64(key & ~keep)
        done = from_bits(key & keep) >= FAR / 2  # nobody's
        for s in range(t if shift > 0 else 0):
            other = lists[base + s * LANES]
            done = done or ((other & ~keep) == (key & ~keep) and from_bits(other & keep) < FAR / 2)
        if not done:
            for j in range(group << shift, min((group + 1) << shift, m)):
                insert(nearest, k + 1, square_distance(points, i, others, start + j, d))
    half_square = half_unit * nearest[k - 1]
    unlisted = np.float64(from_bits(lists[base] & keep))
    return half_square == 0.0 or half_square + 2 * slack(norm, half_square, gamma) <= unlisted


@simd(lambda total, registers, j, points, i: total)
def _add_squares(
    e: Emitter, total: list[ir.Value], registers: Any, j: ir.Value, points: Any, i: ir.Value
) -> list[ir.Value]:
    """One axis: of one point from several registers of points."""
    point = e.spread(points, i)
    differences = [e.b.fsub(e.load(registers, e.at(j, r * LANES)), point) for r in range(len(total))]
    return [e.fma(difference, difference, value) for difference, value in zip(differences, total, strict=True)]


@simd(types.UniTuple(types.int32, 2))
def _count(
    e: Emitter, squares: list[ir.Value], first: ir.Value, m: ir.Value, inside: ir.Value, outside: ir.Value
) -> list[ir.Value]:
    """How many of the points from `first` on, of m, lie within two limits."""
    counts = [ir.IntType(32)(0)] * 2
    for r, square in enumerate(squares):
        real = e.b.icmp_signed("<", e.count_up(e.at(first, r * LANES)), e.splat(m))
        for c, limit in enumerate((inside, outside)):
            mask = e.b.and_(e.at_most(square, e.splat(limit)), real)
            counts[c] = e.b.add(counts[c], e.population(mask))
    return counts


@kernel()
def count_unsure(points, first, n, mine, others, start, m, theirs, d, norm, unit, square_rho, nu, within, t, place):
    """Settle the counts that are UNSURE: by differences in float32, which know far better than f which points are
    within the radius, or else in float64."""
    for i in range(n):
        if within[t, place + i] == UNSURE:
            square = max(square_rho[t, first + i], nu[t, place + i])
            radius = math.sqrt(square) * unit
            margin = ((d + 8) * radius + 3 * (2 * norm[i] + radius)) * U
            inside = np.float32((radius - margin) ** 2 * (1 - 1e-6) if radius > margin else -1.0)
            outside = np.float32((radius + margin) ** 2 * (1 + 1e-6))
            surely, reached = 0, 0
            for block in range(0, m, BLOCK):
                total = repeat(splat(np.float32(0)), ONE_A_ROW)
                for c in range(d):
                    q = i // BLOCK * d * BLOCK + c * BLOCK + i % BLOCK
                    total = _add_squares(total, theirs, block * d + c * BLOCK, mine, q)
                some, most = _count(total, np.int32(block), np.int32(m), inside, outside)
                surely += some
                reached += most
            if surely == reached:
                within[t, place + i] = surely
            else:
                within[t, place + i] = count_within(points, first + i, others, start, start + m, d, square)
