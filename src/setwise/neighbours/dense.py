"""High dimensions: every distance of a pair of sets, once, serving both directions.

A tile of registers holds f = |x|^2/2 + |y|^2/2 - <x, y> for ROWS * LANES points x (lanes) and COLUMNS points y
(broadcast). It feeds the list of nearest y of every x and the list of nearest x of every y, so one tile answers
D(X||Y) and D(Y||X). An entry of a list is a *key*: the leading bits of f, and in the others the index of the
point. The lists are float32 and f cancels, so a key only bounds the distance; dense_refine.py computes the k-th
distance in float64, of as many points as the bounds leave in doubt.

Bounds. With u = 2^-24, coordinates and norms rounded once and d fused steps, |f - F - g S| <= g S, where F is half
the true squared distance, S = |x|^2 + |y|^2 and g = (d + 8) u: the norms are stored with the bias g S, so that f is
never negative and F <= f <= F + 2 g S. A point y nearer than r has |y| <= |x| + r, which bounds its S.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from setwise.neighbours.compiled import kernel
from setwise.neighbours.dense_ops import (
    BLOCK,
    CHUNK,
    COLUMNS,
    EMPTY,
    ROWS,
    fold_columns,
    join,
    merge_column,
    merge_row,
    park,
    tally_columns,
    tally_rows,
    tile_start,
    tile_step,
)
from setwise.neighbours.exact import TIE
from setwise.neighbours.simd import LANES, splat, store

PANEL = 1 << 17  # coordinates of the rows that sweep a chunk: they stay in the second cache
PARTS = ROWS + COLUMNS
SHADOWED = LANES != 8  # a tile leaves registers for the merges of the one before: 32, not AVX2's 16
TINY = np.float32(1e-35)  # what underflow can hide
FAR = np.float32(1e30)  # the half squared norm of padding


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
def _advance(tile, x, i, y, j, begin, end):
    """A tile over some axes."""
    for c in range(begin, end):
        tile = tile_step(tile, x, i + c * BLOCK, y, j + c * BLOCK)
    return tile


@kernel()
def search_pair(
    x, half_x, n, y, half_y, m, d, lists, folded, lost, names, parked, coding, short, like, counting, itself, stop
):  # fmt: skip
    """Fill the lists of the n points of x against y (lists[0]) and of the m points of y against x (folded).

    The parts of a tile's merges stand between the parts of the next one's sums, where there are registers for both:
    neither waits for the other.
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
                    of_rows = of_columns = np.uint64(0)
                    if SHADOWED:
                        tile = tile_start(half_x, next_row, half_y, next_column)
                    for part in range(ROWS):
                        if SHADOWED:
                            tile = _advance(tile, x, i, y, j, d * part // PARTS, d * (part + 1) // PARTS)
                        of_rows |= merge_row(parked, part, row, column, *to_rows, like, ks)
                    for part in range(COLUMNS):
                        if SHADOWED:
                            after = ROWS + part
                            tile = _advance(tile, x, i, y, j, d * after // PARTS, d * (after + 1) // PARTS)
                        if mirrored:
                            of_columns |= merge_column(parked, part, row, column, *to_columns, short, ks)
                    if of_rows:
                        tally_rows(parked, row_limits, row_counts, row, rows, ks)
                    if of_columns:
                        tally_columns(parked, column_limits, column_counts, column, columns, ks)
                    if not SHADOWED:
                        tile = tile_start(half_x, next_row, half_y, next_column)
                        tile = _advance(tile, x, i, y, j, 0, d)
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
            limits[2 * t * stride + i] = np.float32(inside * (1 - 1e-7))
            limits[(2 * t + 1) * stride + i] = np.float32((inside + slack(norm[i], inside, gamma)) * (1 + 1e-7))
        for i in range(n, stride):
            limits[2 * t * stride + i] = limits[(2 * t + 1) * stride + i] = np.float32(0.0)


@njit(inline="always")
def slack(norm, half_square, gamma):
    """2 g S for the points no farther from x than a radius: what the bias and rounding can add to f."""
    reach = norm + np.sqrt(2 * half_square)
    return 2 * gamma * (norm * norm + reach * reach) + TINY
