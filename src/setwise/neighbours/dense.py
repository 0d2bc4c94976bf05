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
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types

from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import TIE, count_within, insert, scan, square_distance
from setwise.neighbours.simd import LANES, VI, Emitter, from_bits, simd, splat, store, vectors

ROWS = 3 if LANES == 8 else 4  # registers of x in a tile: 16 accumulators of 32 registers, 12 of 16
COLUMNS = 4
BLOCK = ROWS * LANES
CHUNK = 32  # columns swept before the rows advance: their lists stay in the first cache
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


@simd(types.void)
def select(
    e: Emitter,
    tile: list[ir.Value],
    row_lists: Any,
    column_lists: Any,
    row: ir.Value,
    column: ir.Value,
    keep_column: ir.Value,
    keep_row: ir.Value,
    shift_column: ir.Value,
    shift_row: ir.Value,
    like: list[ir.Value],
) -> None:
    """Merge a tile into the lists of its rows, keyed by column, and of its columns, keyed by row."""
    length = len(like)
    keep = e.splat(keep_column)
    columns = [e.splat(e.b.lshr(e.at(column, c), shift_column)) for c in range(COLUMNS)]
    for r in range(ROWS):
        keys = [e.tag(tile[c * ROWS + r], keep, columns[c]) for c in range(COLUMNS)]
        offset = e.b.mul(e.b.zext(e.at(row, r * LANES), ir.IntType(64)), ir.IntType(64)(length))
        _merge_into(e, row_lists, offset, length, keys)
    keep = e.splat(keep_row)
    rows = [e.b.lshr(e.count_up(e.at(row, r * LANES)), e.splat(shift_row)) for r in range(ROWS)]
    for c in range(COLUMNS):
        keys = [e.tag(tile[c * ROWS + r], keep, rows[r]) for r in range(ROWS)]
        offset = e.b.mul(e.b.zext(e.at(column, c), ir.IntType(64)), ir.IntType(64)(length * LANES))
        _merge_into(e, column_lists, offset, length, keys)


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
def tally(
    e: Emitter,
    tile: list[ir.Value],
    row_limits: Any,
    row_counts: Any,
    row: ir.Value,
    rows: ir.Value,
    column_limits: Any,
    column_counts: Any,
    column: ir.Value,
    columns: ir.Value,
    ks: list[ir.Value],
) -> None:
    """Count the tile's values under each point's two limits (below the first: inside; above the second: outside).

    Limits and row counts are (2 len(ks), points); column counts carry one count a lane, (2 len(ks), columns, LANES).
    """
    for _ in range(2 * len(ks)):
        for r in range(ROWS):
            limit = e.load(row_limits, e.at(row, r * LANES))
            count = e.load(row_counts, e.at(row, r * LANES), VI)
            for c in range(COLUMNS):
                count = e.b.sub(count, e.b.sext(e.at_most(tile[c * ROWS + r], limit), VI))
            e.store(count, row_counts, e.at(row, r * LANES))
        for c in range(COLUMNS):
            limit = e.spread(column_limits, e.at(column, c))
            place = e.b.mul(e.at(column, c), column.type(LANES))
            count = e.load(column_counts, place, VI)
            for r in range(ROWS):
                count = e.b.sub(count, e.b.sext(e.at_most(tile[c * ROWS + r], limit), VI))
            e.store(count, column_counts, place)
        row, column = e.b.add(row, rows), e.b.add(column, columns)


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


@kernel()
def search_pair(x, half_x, n, y, half_y, m, d, row_lists, column_lists, folded, keep, shift, like, counting, stop):
    """Fill the lists of the n points of x against y (row_lists) and of the m points of y against x (folded).

    `counting` is (ks, row_limits, row_counts, column_limits, column_counts); an empty tuple of ks counts nothing.
    """
    length = len(like)
    ks, row_limits, row_counts, column_limits, column_counts = counting
    empty = splat(EMPTY)
    blocks = (n + BLOCK - 1) // BLOCK
    groups = (m + LANES - 1) // LANES
    rows, columns = blocks * BLOCK, groups * LANES
    for i in range(0, rows * length, LANES):
        store(empty, row_lists, i)
    for i in range(0, columns * LANES * length, LANES):
        store(empty, column_lists, i)
    for i in range(2 * len(ks) * rows):
        row_counts[i] = 0
    for i in range(2 * len(ks) * columns * LANES):
        column_counts[i] = 0
    for panel in range(0, blocks, PANEL):
        if stop[0]:
            return
        for chunk in range(0, m, CHUNK):
            for block in range(panel, min(panel + PANEL, blocks)):
                for column in range(chunk, min(chunk + CHUNK, m), COLUMNS):
                    i = block * d * BLOCK
                    j = column // BLOCK * d * BLOCK + column % BLOCK
                    row = block * BLOCK
                    tile = tile_start(half_x, row, half_y, column)
                    for c in range(d):
                        tile = tile_step(tile, x, i + c * BLOCK, y, j + c * BLOCK)
                    if len(ks) > 0:
                        tally(
                            tile, row_limits, row_counts, row, rows, column_limits, column_counts, column, columns, ks
                        )
                    select(
                        tile,
                        row_lists,
                        column_lists,
                        np.int32(row),
                        np.int32(column),
                        keep[0],
                        keep[1],
                        shift[0],
                        shift[1],
                        like,
                    )
    for group in range(groups):
        fold_columns(column_lists, group * LANES * LANES * length, folded, group * LANES * length, like)
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


@kernel()
def refine(
    lists, like, points, first, n, others, start, m, d, norm, half_unit, gamma, keep, shift, ks, nearest, nu, place,
    square_rho, within, counts, stride,
):  # fmt: skip
    """The k-th squared distances, in float64, of n points from the lists of their keys; and, where `stride` says that
    there are counts, how many of the others lie within max(rho, nu). Returns how many points needed a scan.

    An entry is surely the k-th when the bounds of its neighbours in the list do not reach its own; otherwise all
    entries are computed, which settles it unless a point outside the list could be as near; otherwise all points are.
    """
    length, deepest, scans = len(like), ks[-1], 0
    for i in range(n):
        base = i // LANES * length * LANES + i % LANES
        settled = False
        for t in range(len(ks)):
            k = ks[t]
            p = base + (length - k) * LANES
            key = lists[p]
            nearer = from_bits(lists[p + LANES] | ~keep) if k > 1 else np.float32(-1.0)
            upper = np.float64(from_bits(key | ~keep))
            lower = np.float64(from_bits(key & keep))
            slack = _slack(norm[i], upper, gamma)
            farther = np.float64(from_bits(lists[p - LANES] & keep))
            if shift == 0 and not settled and nearer + slack <= lower and upper + 2 * slack <= farther:
                square = square_distance(points, first + i, others, start + np.int64(key & ~keep), d)
                alone = True
            else:
                if not settled:
                    settled = True
                    if not _settle(
                        lists, base, length, points, first + i, others, start, m, d, norm[i], half_unit, gamma,
                        keep, shift, deepest, nearest,
                    ):  # fmt: skip
                        scan(points, first + i, others, start, start + m, d, deepest, nearest)
                        scans += 1
                square = nearest[k - 1]
                alone = False
            nu[t, place + i] = square
            if stride > 0:
                rho = square_rho[t, first + i]
                if rho < square:
                    within[t, place + i] = (
                        k if alone else count_within(points, first + i, others, start, start + m, d, square)
                    )
                elif counts[2 * t * stride + i] == counts[(2 * t + 1) * stride + i]:
                    within[t, place + i] = counts[2 * t * stride + i]
                else:
                    within[t, place + i] = count_within(points, first + i, others, start, start + m, d, rho)
    return scans


@kernel()
def _settle(
    lists, base, length, points, i, others, start, m, d, norm, half_unit, gamma, keep, shift, deepest, nearest
):  # fmt: skip
    """Compute every point that the list names; true when no other can be among the nearest."""
    for t in range(deepest):
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
                insert(nearest, deepest, square_distance(points, i, others, start + j, d))
    half_square = half_unit * nearest[deepest - 1]
    unlisted = np.float64(from_bits(lists[base] & keep))
    return half_square == 0.0 or half_square + 2 * _slack(norm, half_square, gamma) <= unlisted
