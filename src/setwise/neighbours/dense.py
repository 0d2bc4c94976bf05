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
from setwise.neighbours.exact import TIE, count_within, insert, scan, square_distance
from setwise.neighbours.simd import F64, I32, LANES, VF, VI, Emitter, from_bits, repeat, simd, splat, store, vectors

ROWS = 3 if LANES == 8 else 4  # registers of x in a tile: 16 accumulators of 32 registers, 12 of 16
COLUMNS = 4
ONE_A_ROW = (0,) * ROWS
UNSURE = -1  # in place of a count
U = 2.0**-24
BLOCK = ROWS * LANES
CHUNK = BLOCK // 2 if BLOCK > 32 else BLOCK  # columns swept before the rows advance: they stay in the first cache
NEAR = 2  # blocks that a chunk is compared with first
PANEL = 8  # blocks of rows swept before the columns advance: they stay in the second
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


def _rows_least(e: Emitter, tile: list[ir.Value]) -> list[ir.Value]:
    return [reduce(e.minimum, tile[r::ROWS]) for r in range(ROWS)]


def _columns_least(e: Emitter, tile: list[ir.Value]) -> list[ir.Value]:
    return [reduce(e.minimum, tile[c * ROWS : (c + 1) * ROWS]) for c in range(COLUMNS)]


def _any_at_most(e: Emitter, values: list[ir.Value], limits: list[ir.Value]) -> ir.Value:
    masks = [e.at_most(value, limit) for value, limit in zip(values, limits, strict=True)]
    return e.b.zext(e.mask_bits(reduce(e.b.or_, masks)), I32)


def _place(e: Emitter, index: ir.Value, size: int) -> ir.Value:
    wide = ir.IntType(64)
    return e.b.mul(e.b.sext(index, wide) if index.type != wide else index, wide(size))


@simd(types.uint32)
def rows_may_change(
    e: Emitter, tile: list[ir.Value], lists: Any, row: ir.Value, keep: ir.Value, like: list[ir.Value]
) -> ir.Value:
    """Not zero where a value of the tile may enter the list of its row."""
    rest = e.b.not_(e.splat(keep))
    last = [e.load(lists, _place(e, e.at(row, r * LANES), len(like)), VI) for r in range(ROWS)]
    return _any_at_most(e, _rows_least(e, tile), [e.floats(e.b.or_(key, rest)) for key in last])


@simd(types.uint32)
def rows_reach(e: Emitter, tile: list[ir.Value], limits: Any, row: ir.Value) -> ir.Value:
    """Not zero where a value of the tile is no greater than its row's limit."""
    return _any_at_most(e, _rows_least(e, tile), [e.load(limits, e.at(row, r * LANES)) for r in range(ROWS)])


@simd(types.uint32)
def columns_reach(e: Emitter, tile: list[ir.Value], limits: Any, column: ir.Value) -> ir.Value:
    """Not zero where a value of the tile is no greater than its column's limit."""
    return _any_at_most(e, _columns_least(e, tile), [e.spread(limits, e.at(column, c)) for c in range(COLUMNS)])


@simd(types.void)
def select_rows(
    e: Emitter,
    tile: list[ir.Value],
    lists: Any,
    row: ir.Value,
    column: ir.Value,
    keep: ir.Value,
    shift: ir.Value,
    like: list[ir.Value],
) -> None:
    """Merge a tile into the lists of its rows, keyed by column."""
    kept = e.splat(keep)
    columns = [e.splat(e.b.lshr(e.at(column, c), shift)) for c in range(COLUMNS)]
    for r in range(ROWS):
        keys = [e.tag(tile[c * ROWS + r], kept, columns[c]) for c in range(COLUMNS)]
        _merge_into(e, lists, _place(e, e.at(row, r * LANES), len(like)), len(like), keys)


@simd(types.void)
def select_columns(
    e: Emitter,
    tile: list[ir.Value],
    lists: Any,
    row: ir.Value,
    column: ir.Value,
    keep: ir.Value,
    shift: ir.Value,
    like: list[ir.Value],
) -> None:
    """Merge a tile into the lists of its columns, keyed by row; each lane has a list of its own."""
    kept = e.splat(keep)
    rows = [e.b.lshr(e.count_up(e.at(row, r * LANES)), e.splat(shift)) for r in range(ROWS)]
    for c in range(COLUMNS):
        keys = [e.tag(tile[c * ROWS + r], kept, rows[r]) for r in range(ROWS)]
        _merge_into(e, lists, _place(e, e.at(column, c), len(like) * LANES), len(like), keys)


def _merge_into(e: Emitter, lists: Any, offset: ir.Value, length: int, keys: list[ir.Value]) -> None:
    kept = [e.load(lists, e.at(offset, LANES * t)) for t in range(length)]
    for t, value in enumerate(e.merge(kept, e.sort(keys))):
        e.store(value, lists, e.at(offset, LANES * t))


@simd(types.void)
def fold_columns(e: Emitter, lists: Any, source: ir.Value, out: Any, target: ir.Value, like: list[ir.Value]) -> None:
    """Merge the LANES partial lists of each of LANES columns: one register a rank, one lane a column.

    Halving: two nodes of s columns, LANES / s partial lists each, become one of 2 s columns.
    """
    length = len(like)

    def node(first: int, count: int) -> list[ir.Value]:
        if count == 1:
            start = e.at(source, first * length * LANES)
            return [e.load(lists, e.at(start, LANES * t)) for t in range(length)]
        left, right = node(first, count // 2), node(first + count // 2, count // 2)
        parts, half = LANES // count, count // 2
        lanes = [(c // half) * LANES + (c % half) * 2 * parts + p for c in range(count) for p in range(parts)]
        pick = [ir.Constant(VI, [lane + shift for lane in lanes]) for shift in (0, parts)]
        low, high = ([e.b.shuffle_vector(a, b, p) for a, b in zip(left, right, strict=True)] for p in pick)
        return e.merge(low, high[::-1])

    for t, value in enumerate(node(0, LANES)):
        e.store(value, out, e.at(target, LANES * t))


@simd(types.void)
def tally_rows(
    e: Emitter, tile: list[ir.Value], limits: Any, counts: Any, row: ir.Value, rows: ir.Value, ks: list[ir.Value]
) -> None:
    """Count the tile's values under the two limits of each row (below the first: inside; above the second: outside).

    Limits and counts are (2 len(ks), rows).
    """
    for _ in range(2 * len(ks)):
        for r in range(ROWS):
            limit = e.load(limits, e.at(row, r * LANES))
            count = e.load(counts, e.at(row, r * LANES), VI)
            for c in range(COLUMNS):
                count = e.b.sub(count, e.b.sext(e.at_most(tile[c * ROWS + r], limit), VI))
            e.store(count, counts, e.at(row, r * LANES))
        row = e.b.add(row, rows)


@simd(types.void)
def tally_columns(
    e: Emitter, tile: list[ir.Value], limits: Any, counts: Any, column: ir.Value, columns: ir.Value, ks: list[ir.Value]
) -> None:
    """The same for columns, whose counts are (2 len(ks), columns, LANES): one for each lane."""
    for _ in range(2 * len(ks)):
        for c in range(COLUMNS):
            limit = e.spread(limits, e.at(column, c))
            place = _place(e, e.at(column, c), LANES)
            count = e.load(counts, place, VI)
            for r in range(ROWS):
                count = e.b.sub(count, e.b.sext(e.at_most(tile[c * ROWS + r], limit), VI))
            e.store(count, counts, place)
        column = e.b.add(column, columns)


@kernel()
def pack(points, first, n, d, centre, unit, gamma, packed, half, norm):
    """A set's coordinates in blocks, (block, axis, BLOCK), its half squared norms with their bias, and its norms."""
    for i in range((n + BLOCK - 1) // BLOCK * BLOCK):
        place = i // BLOCK * BLOCK * d + i % BLOCK
        if i < n:
            total = 0.0
            for c in range(d):
                value = np.float32((points[(first + i) * d + c] - centre[c]) * unit)
                packed[place + c * BLOCK] = value
                total += np.float64(value) * np.float64(value)
            half[i] = np.float32(0.5 * total * (1 + 2 * gamma))
            norm[i] = math.sqrt(total) * (1 + 1e-6)
        else:
            for c in range(d):
                packed[place + c * BLOCK] = np.float32(0)
            half[i] = FAR


@kernel(fastmath={"nnan", "nsz", "reassoc", "contract"})
def centres(packed, n, d, out):
    """The middle of every CHUNK of points, (chunk, axis)."""
    for first in range(0, n, CHUNK):
        for c in range(d):
            at, total = first // BLOCK * BLOCK * d + c * BLOCK + first % BLOCK, np.float32(0)
            for i in range(min(CHUNK, n - first)):
                total += packed[at + i]
            out[first // CHUNK * d + c] = total / np.float32(min(CHUNK, n - first))


@kernel(fastmath={"nnan", "nsz", "reassoc", "contract"})
def _nearest_chunks(a, count, b, others, d, wanted, out):
    """For each of some middles, which `wanted` others are nearest, or -1."""
    for i in range(count):
        best = (np.float32(np.inf), np.float32(np.inf))
        out[i * wanted : (i + 1) * wanted] = -1
        for j in range(others):
            square = np.float32(0)
            for c in range(d):
                square += (a[i * d + c] - b[j * d + c]) ** 2
            if square < best[0]:
                best = (square, best[0])
                if wanted > 1:
                    out[i * wanted + 1] = out[i * wanted]
                out[i * wanted] = j
            elif wanted > 1 and square < best[1]:
                best = (best[0], square)
                out[i * wanted + 1] = j


@njit(inline="always")
def _planted(seeds, block, chunk):
    """Whether a block of rows and a chunk of columns are among those compared first."""
    rows, columns = seeds
    for i in range(block * (BLOCK // CHUNK), (block + 1) * (BLOCK // CHUNK)):
        if rows[i] == chunk:
            return True
    for i in range(chunk * NEAR, (chunk + 1) * NEAR):
        if columns[i] >= 0 and columns[i] // (BLOCK // CHUNK) == block:
            return True
    return False


@kernel()
def _compare(x, half_x, block, y, half_y, chunk, m, d, lists, bounds, coding, like, counting, always):
    """A block of rows against a chunk of columns: `always` into the lists, or where a bound does not forbid it."""
    row_lists, column_lists = lists
    keep_column, keep_row, shift_column, shift_row = coding
    ks, row_limits, row_counts, rows, column_limits, column_counts, columns = counting
    row = block * BLOCK
    for column in range(chunk * CHUNK, min((chunk + 1) * CHUNK, m), COLUMNS):
        i, j = row * d, column // BLOCK * d * BLOCK + column % BLOCK
        tile = tile_start(half_x, row, half_y, column)
        for c in range(d):
            tile = tile_step(tile, x, i + c * BLOCK, y, j + c * BLOCK)
        if len(ks) > 0:
            last = 2 * len(ks) - 1
            if rows_reach(tile, row_limits, last * rows + row):
                tally_rows(tile, row_limits, row_counts, row, rows, ks)
            if columns_reach(tile, column_limits, last * columns + column):
                tally_columns(tile, column_limits, column_counts, column, columns, ks)
        if always or rows_may_change(tile, row_lists, row, keep_column, like):
            select_rows(tile, row_lists, np.int32(row), np.int32(column), keep_column, shift_column, like)
        if always or columns_reach(tile, bounds, column):
            select_columns(tile, column_lists, np.int32(row), np.int32(column), keep_row, shift_row, like)


@kernel()
def search_pair(
    x, half_x, centres_x, n, y, half_y, centres_y, m, d, lists, folded, bounds, seeds, coding, like, counting, stop
):  # fmt: skip
    """Fill the lists of the n points of x against y (lists[0]) and of the m points of y against x (folded).

    Blocks and chunks that are near each other come first. Of the others most hold nobody's neighbour then, which the
    lists of the rows tell, and for the columns `bounds`. `counting` is (ks, row limits, row counts, rows, column limits,
    column counts, columns); an empty tuple of ks counts nothing.
    """
    length = len(like)
    ks, _, row_counts, rows, _, column_counts, columns = counting
    empty = splat(EMPTY)
    blocks, chunks, groups = rows // BLOCK, (m + CHUNK - 1) // CHUNK, columns // LANES
    for i in range(0, rows * length, LANES):
        store(empty, lists[0], i)
    for i in range(0, columns * LANES * length, LANES):
        store(empty, lists[1], i)
    for i in range(2 * len(ks) * rows):
        row_counts[i] = 0
    for i in range(2 * len(ks) * columns * LANES):
        column_counts[i] = 0
    per = BLOCK // CHUNK
    seeds[0][: blocks * per] = -1
    _nearest_chunks(centres_x, (n + CHUNK - 1) // CHUNK, centres_y, chunks, d, 1, seeds[0])
    _nearest_chunks(centres_y, chunks, centres_x, (n + CHUNK - 1) // CHUNK, d, NEAR, seeds[1])
    for block in range(blocks):
        for chunk in range(chunks):
            if _planted(seeds, block, chunk):
                _compare(x, half_x, block, y, half_y, chunk, m, d, lists, bounds, coding, like, counting, True)
    for group in range(groups):
        fold_columns(lists[1], group * LANES * LANES * length, folded, group * LANES * length, like)
        for lane in range(LANES):
            key = folded[group * LANES * length + lane]
            bounds[group * LANES + lane] = from_bits(key | ~coding[1])
    for panel in range(0, blocks, PANEL):
        if stop[0]:
            return
        for chunk in range(chunks):
            for block in range(panel, min(panel + PANEL, blocks)):
                if not _planted(seeds, block, chunk):
                    _compare(x, half_x, block, y, half_y, chunk, m, d, lists, bounds, coding, like, counting, False)
    for group in range(groups):
        fold_columns(lists[1], group * LANES * LANES * length, folded, group * LANES * length, like)
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
    lists, like, points, first, n, others, start, m, d, norm, half_unit, gamma, keep, shift, ks, nearest, nu, place,
    square_rho, within, counts, stride,
):  # fmt: skip
    """The k-th squared distances, in float64, of n points from the lists of their keys; and, where `stride` says that
    there are counts, how many of the others lie within max(rho, nu), or UNSURE. Returns how many points needed a scan.
    """
    length, scans = len(like), 0
    slack = np.float32(4 * gamma * (1 + 1e-5))
    for register in range(0, n, LANES):
        base = register // LANES * length * LANES
        for t in range(len(ks)):
            k = ks[t]
            alone = _alone(lists, base, k, norm, register, slack, keep, k == 1, like) if shift == 0 else np.uint32(0)
            for lane in range(min(LANES, n - register)):
                i = register + lane
                if alone >> np.uint32(lane) & np.uint32(1):
                    name = np.int64(lists[base + (length - k) * LANES + lane] & ~keep)
                    square, near = square_distance(points, first + i, others, start + name, d), k
                else:
                    square, near, scanned = _resolve(
                        lists, base + lane, length, points, first + i, others, start, m, d, norm[i], half_unit, gamma,
                        keep, shift, k, nearest,
                    )  # fmt: skip
                    scans += scanned
                nu[t, place + i] = square
                if stride > 0:
                    if square_rho[t, first + i] < square:
                        within[t, place + i] = near
                    elif counts[2 * t * stride + i] == counts[(2 * t + 1) * stride + i]:
                        within[t, place + i] = counts[2 * t * stride + i]
                    else:
                        within[t, place + i] = UNSURE
    return scans


@kernel()
def _resolve(
    lists, base, length, points, i, others, start, m, d, norm, half_unit, gamma, keep, shift, k, nearest
):  # fmt: skip
    """The k-th squared distance of one point, how many points are as near (or UNSURE), and whether that took a scan.

    Where bounds tell the entries of its list apart, only those that may be the k-th are computed; otherwise all that it
    names are, which settles it unless a point outside the list could be as near; otherwise all points are.
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
            return square, low - 1 + _up_to(nearest, count, square), 0
    scanned = 0
    if not _settle(
        lists, base, length, points, i, others, start, m, d, norm, half_unit, gamma, keep, shift, k, nearest
    ):  # fmt: skip
        scan(points, i, others, start, start + m, d, k + 1, nearest)
        scanned = 1
    square = nearest[k - 1]
    near = _up_to(nearest, k + 1, square)
    return square, UNSURE if near > k or square == 0.0 else near, scanned


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
    """Settle the counts that are UNSURE: by differences in float32, which know far better than f which points are within
    the radius, or else in float64."""
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
