"""High dimensions: every distance of a pair of sets, once, serving both directions.

A tile of registers holds f = |x|^2/2 + |y|^2/2 - <x, y> for ROWS * LANES points x (lanes) and COLUMNS points y
(broadcast). It feeds the list of nearest y of every x and the list of nearest x of every y, so one tile answers
D(X||Y) and D(Y||X). An entry of a list is a *key*: the leading bits of f, and in the others the index of the
point. The lists are float32 and f cancels, so a key only bounds the distance; `refine` computes the k-th distance
in float64 wherever the bounds prove which point is the k-th, and scans in float64 where they do not.

Bounds. With u = 2^-24, coordinates and norms rounded once and d fused steps, |f - F - g S| <= g S, where F is half
the true squared distance, S = |x|^2 + |y|^2 and g = (d + 8) u: the norms are stored with the bias g S, so that f is
never negative and F <= f <= F + 2 g S. A point y nearer than r has |y| <= |x| + r, which bounds its S.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types

from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import TIE, count_within, insert, square_distance
from setwise.neighbours.simd import (
    F64,
    I32,
    LANES,
    VF,
    VI,
    Emitter,
    bits_set,
    from_bits,
    lowest,
    repeat,
    simd,
    splat,
    store,
    store_many,
    vectors,
)

ROWS = 3 if LANES == 8 else 4  # registers of x in a tile: 16 accumulators of 32 registers, 12 of 16
COLUMNS = 4
ONE_A_ROW = (0,) * ROWS
UNSURE = -1  # in place of a count
UNKNOWN = -2  # in place of a distance's count: nothing is known yet
U = 2.0**-24
BLOCK = ROWS * LANES
CHUNK = BLOCK  # columns swept by a panel of rows: their lists stay in the first cache
PANEL = 1 << 17  # coordinates of the rows that sweep a chunk: they stay in the second
TINY = np.float32(1e-35)  # what underflow can hide
FAR = np.float32(1e30)  # the half squared norm of padding
EMPTY = np.float32(1e38)


@simd(vectors(ROWS * COLUMNS))
def tile_start(e: Emitter, half_x: Any, i: ir.Value, half_y: Any, j: ir.Value) -> list[ir.Value]:
    rows = [e.load(half_x, e.at(i, LANES * r)) for r in range(ROWS)]
    return [e.b.fadd(row, e.spread(half_y, e.at(j, c))) for c in range(COLUMNS) for row in rows]


@simd(vectors(ROWS * COLUMNS))
def tile_step(e: Emitter, tile: list[ir.Value], x: Any, i: ir.Value, y: Any, j: ir.Value) -> list[ir.Value]:
    rows = [e.b.fneg(e.load(x, e.at(i, LANES * r))) for r in range(ROWS)]
    columns = [e.spread(y, e.at(j, c)) for c in range(COLUMNS)]
    return [e.fma(rows[r], columns[c], tile[c * ROWS + r]) for c in range(COLUMNS) for r in range(ROWS)]


@simd(types.void)
def park(e: Emitter, tile: list[ir.Value], parked: Any) -> None:
    """Store a tile, whose values the merges and the counts read while the next one is computed."""
    for i, value in enumerate(tile):
        e.store(value, parked, ir.IntType(64)(i * LANES))


def _parked(e: Emitter, parked: Any, r: ir.Value | int, c: ir.Value | int) -> ir.Value:
    """Register r of rows of column c of the parked tile."""
    wide = ir.IntType(64)
    r, c = (wide(i) if isinstance(i, int) else i for i in (r, c))
    return e.load(parked, e.b.mul(e.b.add(e.b.mul(c, wide(ROWS)), r), wide(LANES)))


def _merge_into(e: Emitter, lists: Any, offset: ir.Value, length: int, keys: list[ir.Value]) -> ir.Value:
    """Merge keys into a list; the least of them."""
    kept = [e.load(lists, e.at(offset, LANES * t)) for t in range(length)]
    ascending = e.sort(keys)
    for t, value in enumerate(e.merge(kept, ascending)):
        e.store(value, lists, e.at(offset, LANES * t))
    return ascending[0]


def _any_at_most(e: Emitter, key: ir.Value, limit: ir.Value, kept: ir.Value) -> ir.Value:
    """Not zero where a value may be no greater than a limit, by its key."""
    limit = e.floats(e.b.or_(e.bits(limit), e.b.not_(kept)))
    return e.b.zext(e.mask_bits(e.at_most(key, limit)), ir.IntType(64))


@simd(types.uint64)
def merge_row(
    e: Emitter, parked: Any, r: ir.Value, row: ir.Value, column: ir.Value, lists: Any, names: Any, keep: ir.Value,
    limits: Any, limit: ir.Value, like: list[ir.Value], ks: list[ir.Value],
) -> ir.Value:  # fmt: skip
    """Merge the parked tile, which stands at (row, column), into its r-th register of rows' lists, keyed by column.

    Not zero: a value may be within the limit of its row (`ks` not empty), so that the tile is to be counted.
    """
    kept = e.splat(keep)
    named = [e.bits(e.spread(names, e.at(column, c))) for c in range(COLUMNS)]
    keys = [e.tag(_parked(e, parked, r, c), kept, name) for c, name in enumerate(named)]
    place = e.b.add(row, e.b.mul(r, r.type(LANES)))
    least = _merge_into(e, lists, e.b.mul(place, place.type(len(like))), len(like), keys)
    return _any_at_most(e, least, e.load(limits, e.b.add(limit, place)), kept) if ks else ir.IntType(64)(0)


@simd(types.uint64)
def merge_column(
    e: Emitter, parked: Any, c: ir.Value, row: ir.Value, column: ir.Value, lists: Any, names: Any, keep: ir.Value,
    limits: Any, limit: ir.Value, like: list[ir.Value], ks: list[ir.Value],
) -> ir.Value:  # fmt: skip
    """The same for its c-th column, keyed by row; each lane has a list of its own, for the columns of a chunk."""
    kept = e.splat(keep)
    named = [e.load(names, e.at(row, r * LANES), VI) for r in range(ROWS)]
    keys = [e.tag(_parked(e, parked, r, c), kept, name) for r, name in enumerate(named)]
    place = e.b.add(column, c)
    own = e.b.urem(place, place.type(CHUNK))
    least = _merge_into(e, lists, e.b.mul(own, place.type(len(like) * LANES)), len(like), keys)
    return _any_at_most(e, least, e.spread(limits, e.b.add(limit, place)), kept) if ks else ir.IntType(64)(0)


@simd(types.uint32)
def fold_columns(
    e: Emitter, lists: Any, source: ir.Value, out: Any, target: ir.Value, short: list[ir.Value], like: list[ir.Value]
) -> ir.Value:
    """Merge the LANES short lists of each of LANES columns into one of full length: one register a rank, one lane a
    column.

    Halving: two nodes of s columns, LANES / s partial lists each, become one of 2 s columns. The answer names the
    columns of which a lane may have lost a value that belongs into the full list: its last is not behind that one's.
    """
    room = [ir.Constant(VF, [float(EMPTY)] * LANES)] * (len(like) - len(short))

    def node(first: int, count: int) -> tuple[list[ir.Value], ir.Value]:
        if count == 1:
            start = e.at(source, first * len(short) * LANES)
            values = [e.load(lists, e.at(start, LANES * t)) for t in range(len(short))]
            return [*room, *values], values[0]
        left, right = node(first, count // 2), node(first + count // 2, count // 2)
        parts, half = LANES // count, count // 2
        lanes = [(c // half) * LANES + (c % half) * 2 * parts + p for c in range(count) for p in range(parts)]
        pick = [ir.Constant(VI, [lane + shift for lane in lanes]) for shift in (0, parts)]
        low, high = ([e.b.shuffle_vector(a, b, p) for a, b in zip(left[0], right[0], strict=True)] for p in pick)
        lasts = [e.b.shuffle_vector(left[1], right[1], p) for p in pick]
        return e.merge(low, high[::-1]), e.minimum(*lasts)

    folded, last = node(0, LANES)
    known = [e.load(out, e.at(target, LANES * t)) for t in range(len(like))]
    folded = e.merge(known, folded[::-1])
    for t, value in enumerate(folded):
        e.store(value, out, e.at(target, LANES * t))
    lost = e.b.icmp_signed("<", e.bits(last), e.bits(folded[0]))
    return e.b.zext(e.mask_bits(lost), I32)


@simd(types.void)
def join(e: Emitter, lists: Any, folded: Any, start: ir.Value, like: list[ir.Value]) -> None:
    """Merge the lists of LANES points into others of the same points."""
    mine, theirs = ([e.load(array, e.at(start, LANES * t)) for t in range(len(like))] for array in (lists, folded))
    for t, value in enumerate(e.merge(theirs, mine[::-1])):
        e.store(value, folded, e.at(start, LANES * t))


@simd(types.void)
def tally_rows(
    e: Emitter, parked: Any, limits: Any, counts: Any, row: ir.Value, rows: ir.Value, ks: list[ir.Value]
) -> None:
    """Count the parked tile's values under the two limits of each row (to the first: inside; past the second: outside).

    Limits and counts are (2 len(ks), rows).
    """
    tile = [[_parked(e, parked, r, c) for c in range(COLUMNS)] for r in range(ROWS)]
    for _ in range(2 * len(ks)):
        for r in range(ROWS):
            limit = e.load(limits, e.at(row, r * LANES))
            count = e.load(counts, e.at(row, r * LANES), VI)
            for value in tile[r]:
                count = e.b.sub(count, e.b.sext(e.at_most(value, limit), VI))
            e.store(count, counts, e.at(row, r * LANES))
        row = e.b.add(row, rows)


@simd(types.void)
def tally_columns(
    e: Emitter, parked: Any, limits: Any, counts: Any, column: ir.Value, columns: ir.Value, ks: list[ir.Value]
) -> None:
    """The same for columns, whose counts are (2 len(ks), columns, LANES): one for each lane."""
    tile = [[_parked(e, parked, r, c) for r in range(ROWS)] for c in range(COLUMNS)]
    for _ in range(2 * len(ks)):
        for c in range(COLUMNS):
            limit = e.spread(limits, e.at(column, c))
            place = e.b.mul(e.at(column, c), column.type(LANES))
            count = e.load(counts, place, VI)
            for value in tile[c]:
                count = e.b.sub(count, e.b.sext(e.at_most(value, limit), VI))
            e.store(count, counts, place)
        column = e.b.add(column, columns)


@kernel()
def pack(points, first, n, d, centre, unit, gamma, packed, half, norm):
    """A set's coordinates in blocks, (block, axis, BLOCK), its half squared norms with their bias, and its norms."""
    for block in range(0, n, BLOCK):
        inhabited = min(BLOCK, n - block)
        norm[block : block + BLOCK] = 0.0
        half[block : block + BLOCK] = FAR
        for c in range(d):
            place = block * d + c * BLOCK
            for i in range(inhabited):
                value = np.float32((points[(first + block + i) * d + c] - centre[c]) * unit)
                packed[place + i] = value
                norm[block + i] += np.float64(value) * np.float64(value)
            packed[place + inhabited : place + BLOCK] = 0
        for i in range(block, block + inhabited):
            half[i] = np.float32(0.5 * norm[i] * (1 + 2 * gamma))
            norm[i] = math.sqrt(norm[i]) * (1 + 1e-6)


@njit(inline="always")
def fill(lists, count):
    for i in range(0, count, LANES):
        store(splat(EMPTY), lists, i)


@njit(inline="always")
def _advance(tile, x, i, y, j, d, part):
    """A tile over a part of the axes, of ROWS + COLUMNS."""
    for c in range(d * part // (ROWS + COLUMNS), d * (part + 1) // (ROWS + COLUMNS)):
        tile = tile_step(tile, x, i + c * BLOCK, y, j + c * BLOCK)
    return tile


@kernel()
def search_pair(
    x, half_x, n, y, half_y, m, d, lists, folded, lost, names, parked, coding, short, like, counting, itself, stop
):  # fmt: skip
    """Fill the lists of the n points of x against y (lists[0]) and of the m points of y against x (folded).

    The parts of a tile's merges stand between the parts of the next one's sums: neither waits for the other.
    `counting` is (ks, row limits, row counts, rows, column limits, column counts, columns); an empty tuple of ks counts
    nothing. `itself`: y is x; only half of the tiles are needed then, and all that they say goes into `folded`.
    """
    ks, row_limits, row_counts, rows, column_limits, column_counts, columns = counting
    fill(lists[0], rows * len(like))
    fill(folded, columns * len(like))
    lost[: columns // LANES] = 0
    for i in range(2 * len(ks) * rows):
        row_counts[i] = 0
    for i in range(2 * len(ks) * columns * LANES):
        column_counts[i] = 0
    outer = 2 * len(ks) - 1
    to_rows = (lists[0], names[1], coding[0], row_limits, outer * rows)
    to_columns = (lists[1], names[0], coding[1], column_limits, outer * columns)
    height = max(1, PANEL // (BLOCK * d)) * BLOCK
    for panel in range(0, rows, height):
        for chunk in range(panel if itself else 0, m, CHUNK):
            if stop[0]:
                return
            fill(lists[1], CHUNK * LANES * len(short))
            fill(parked, ROWS * COLUMNS * LANES)
            row, column, mirrored = panel, chunk, False  # of the parked tile
            last = min(panel + height, rows, chunk // BLOCK * BLOCK + BLOCK if itself else rows)
            for next_row in range(panel, last, BLOCK):
                for next_column in range(chunk, min(chunk + CHUNK, m), COLUMNS):
                    i, j = next_row * d, next_column // BLOCK * d * BLOCK + next_column % BLOCK
                    tile = tile_start(half_x, next_row, half_y, next_column)
                    of_rows = of_columns = np.uint64(0)
                    for part in range(ROWS):
                        tile = _advance(tile, x, i, y, j, d, part)
                        of_rows |= merge_row(parked, part, row, column, *to_rows, like, ks)
                    for part in range(COLUMNS):
                        tile = _advance(tile, x, i, y, j, d, ROWS + part)
                        if mirrored:
                            of_columns |= merge_column(parked, part, row, column, *to_columns, short, ks)
                    if of_rows:
                        tally_rows(parked, row_limits, row_counts, row, rows, ks)
                    if of_columns:
                        tally_columns(parked, column_limits, column_counts, column, columns, ks)
                    park(tile, parked)
                    row, column = next_row, next_column
                    mirrored = not itself or column // BLOCK * BLOCK > row
            for part in range(ROWS):
                merge_row(parked, part, row, column, *to_rows, like, ks)
            for part in range(COLUMNS if mirrored else 0):
                merge_column(parked, part, row, column, *to_columns, short, ks)
            if len(ks) > 0:
                tally_rows(parked, row_limits, row_counts, row, rows, ks)
                tally_columns(parked, column_limits, column_counts, column, columns, ks)
            for group in range(chunk // LANES, min(chunk + CHUNK, columns) // LANES):
                source = (group * LANES - chunk) * LANES * len(short)
                lost[group] |= fold_columns(lists[1], source, folded, group * LANES * len(like), short, like)
    for group in range(columns // LANES if itself else 0):
        join(lists[0], folded, group * LANES * len(like), like)
    for t in range(2 * len(ks) * columns):
        total = np.int32(0)
        for lane in range(LANES):
            total += column_counts[t * LANES + lane]
        column_counts[t] = total


@kernel()
def set_limits(square_rho, first, n, stride, norm, half_unit, gamma, limits):
    """The two limits of each point for its own k-th distances: see `tally` and the bounds above."""
    for t in range(len(square_rho)):
        for i in range(n):
            inside = half_unit * square_rho[t, first + i] * TIE
            slack = _slack(norm[i], inside, gamma)
            limits[2 * t * stride + i] = np.float32(inside * (1 - 1e-7))
            limits[(2 * t + 1) * stride + i] = np.float32((inside + slack) * (1 + 1e-7))
        for i in range(n, stride):
            limits[2 * t * stride + i] = limits[(2 * t + 1) * stride + i] = np.float32(0.0)


@njit(inline="always")
def _slack(norm, half_square, gamma):
    """2 g S for the points no farther from x than a radius: what the bias and rounding can add to f."""
    reach = norm + np.sqrt(2 * half_square)
    return 2 * gamma * (norm * norm + reach * reach) + TINY


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
    slack = np.float32(4 * gamma * (1 + 1e-5))
    for register in range(0, n, LANES):
        base, incomplete = register // LANES * length * LANES, lost[register // LANES]
        for t in range(len(ks)):
            k, alone = ks[t], np.uint32(0)
            if shift == 0:
                alone = _alone(lists, base, k, norm, register, slack, keep, k == 1, like) & ~incomplete
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
                        limit = np.float32((upper + _slack(norm[i], upper, gamma)) * (1 + 1e-6))
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


@simd(types.uint32)
def _under(e: Emitter, values: Any, i: ir.Value, limit: ir.Value) -> ir.Value:
    """Which of LANES values are no greater than a limit."""
    return e.b.zext(e.mask_bits(e.at_most(e.load(values, i), e.splat(limit))), I32)


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
                mask = _under(values, r * LANES, limit)
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
    return upper + 2 * _slack(norm, upper, gamma) <= from_bits(lists[base + (length - j - 1) * LANES] & keep)


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
    return half_square == 0.0 or half_square + 2 * _slack(norm, half_square, gamma) <= unlisted


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
