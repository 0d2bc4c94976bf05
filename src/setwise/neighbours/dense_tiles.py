"""A tile of pairs in high dimensions: pack its sets, search each pair once, hand both directions to the reduction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from setwise.neighbours.compiled import kernel
from setwise.neighbours.dense import pack, search_pair, set_limits
from setwise.neighbours.dense_ops import BLOCK, CHUNK, COLUMNS, ROWS
from setwise.neighbours.dense_refine import count_unsure, refine
from setwise.neighbours.leaves import make_order
from setwise.neighbours.memory import aligned, make_work
from setwise.neighbours.ranks import Own, own_ranks
from setwise.neighbours.reduction import reduce_pair
from setwise.neighbours.simd import LANES

AXES = 8  # by which points are ordered
CLOSEST = 13  # bits of a key that may hold an index; larger sets share one among 2, 4, ... points


class Side(NamedTuple):
    """A tile's sets of one side: coordinates in blocks, and where each set's begin."""

    packed: Any
    half: Any
    norm: Any
    starts: Any  # of each set's blocks, in points


class Answers(NamedTuple):
    """(k, place + point) of one direction of a tile; a set against a target has its place in `places`."""

    nu: Any
    within: Any
    ranks: Any


class Scratch(NamedTuple):
    lists: Any  # of rows, of columns
    folded: Any
    lost: Any  # (register): of rows, none; of columns, whose lists are not complete
    names: Any  # of rows, of columns: what a key says of each
    parked: Any
    row_limits: Any
    row_counts: Any
    column_limits: Any
    column_counts: Any
    nearest: Any
    ranks: Any
    work: Any


def padded(n: int) -> int:
    return -(-n // BLOCK) * BLOCK


def rank_scratch(largest: int) -> tuple[Any, ...]:
    """The memory of ranks.own_ranks."""
    leaves = -(-largest // LANES)
    return (
        aligned((leaves * LANES + 4) * LANES),
        aligned(LANES),
        aligned(leaves),
        aligned(leaves),
        aligned(2 * LANES, np.int32),
    )


def make_scratch(largest: int, short: int, length: int, ks: int, counting: bool, moments: int) -> Scratch:
    rows, columns = padded(largest), -(-largest // LANES) * LANES
    counted = 2 * ks if counting else 0
    return Scratch(
        (aligned(rows * length, np.int32), aligned(CHUNK * LANES * short, np.int32)),
        aligned(columns * length, np.int32),
        (np.zeros(rows // LANES, np.uint32), np.zeros(rows // LANES, np.uint32)),
        (aligned(rows, np.int32), aligned(rows, np.int32)),
        aligned(ROWS * COLUMNS * LANES),
        aligned(counted * rows),
        aligned(counted * rows, np.int32),
        aligned(counted * columns),
        aligned(counted * columns * LANES, np.int32),
        np.empty(64),
        rank_scratch(largest if counting else 1),
        make_work(moments, largest),
    )


def make_side(sizes: Any, d: int) -> Side:
    starts = np.concatenate([[0], np.cumsum([padded(int(n)) for n in sizes])]).astype(np.int64)
    total = int(starts[-1])
    return Side(aligned(total * d), aligned(total), np.empty(total), starts)


@kernel()
def pack_side(cloud, frame, first, last, side):
    d = cloud.d
    for s in range(first, last):
        at = side.starts[s - first]
        n = cloud.offsets[s + 1] - cloud.offsets[s]
        pack(cloud.points, cloud.offsets[s], n, d, frame.centre, frame.unit, _gamma(d),
             side.packed[at * d :], side.half[at:], side.norm[at:])  # fmt: skip


@njit(inline="always")
def _gamma(d):
    return (d + 8) * 2.0**-24


@njit(inline="always")
def _coding(count):
    """The mask and shift of indices below `count` in a key."""
    bits, shift = 1, 0
    while (1 << bits) < count:
        bits += 1
    if bits > CLOSEST:
        shift, bits = bits - CLOSEST, CLOSEST
    return np.int32(-(1 << bits)), np.int32(shift)


@kernel()
def search(
    x, i, y, j, frame, left, a, right, b, ks, count_ks, short, like, scratch, forward, at, backward, back, both, itself,
    stop,
):  # fmt: skip
    """Set i of x against set j of y into `forward`, from place `at`, and if `both` back; how many points needed a scan.

    With count_ks = ks the points within max(rho, nu) are counted too; with an empty tuple they are not.
    """
    d, half_unit, gamma = x.d, 0.5 * frame.unit * frame.unit, _gamma(x.d)
    first, n = x.offsets[i], x.offsets[i + 1] - x.offsets[i]
    start, m = y.offsets[j], y.offsets[j + 1] - y.offsets[j]
    rows, columns = (n + BLOCK - 1) // BLOCK * BLOCK, (m + LANES - 1) // LANES * LANES
    p, q = left.starts[a], right.starts[b]
    keep_column, shift_column = _coding(m)
    keep_row, shift_row = _coding(n)
    norm_x, norm_y = left.norm[p:], right.norm[q:]
    counted = len(count_ks) > 0
    if counted:
        set_limits(x.square_rho, first, n, rows, norm_x, half_unit, gamma, scratch.row_limits)
        set_limits(y.square_rho, start, m, columns, norm_y, half_unit, gamma, scratch.column_limits)
    counting = (
        count_ks, scratch.row_limits, scratch.row_counts, rows, scratch.column_limits, scratch.column_counts, columns
    )  # fmt: skip
    for i in range(rows):
        scratch.names[0][i] = i >> shift_row
    for i in range(columns):
        scratch.names[1][i] = i >> shift_column
    search_pair(
        left.packed[p * d :], left.half[p:], n, right.packed[q * d :], right.half[q:], m, d, scratch.lists,
        scratch.folded, scratch.lost[1], scratch.names, scratch.parked, (keep_column, keep_row), short, like, counting,
        itself, stop,
    )  # fmt: skip
    if stop[0]:
        return 0
    mine, half_mine = left.packed[p * d :], left.half[p:]
    theirs, half_theirs = right.packed[q * d :], right.half[q:]
    scans = refine(
        scratch.folded if itself else scratch.lists[0], scratch.lost[int(itself)], like, x.points, first, n, mine,
        half_mine, y.points, start, m, theirs, half_theirs, d, norm_x, half_unit, gamma, keep_column, shift_column, ks,
        scratch.nearest, scratch.parked, forward.nu, at, x.square_rho, forward.within, scratch.row_counts,
        rows if counted else 0,
    )  # fmt: skip
    if both:
        scans += refine(
            scratch.folded, scratch.lost[1], like, y.points, start, m, theirs, half_theirs, x.points, first, n, mine,
            half_mine, d, norm_y, half_unit, gamma, keep_row, shift_row, ks, scratch.nearest, scratch.parked,
            backward.nu, back, y.square_rho, backward.within, scratch.column_counts, columns if counted else 0,
        )  # fmt: skip
    for t in range(len(count_ks)):
        count_unsure(x.points, first, n, mine, y.points, start, m, theirs, d, norm_x, frame.unit, x.square_rho,
                     forward.nu, forward.within, t, at)  # fmt: skip
        if both:
            count_unsure(y.points, start, m, theirs, x.points, first, n, mine, d, norm_y, frame.unit, y.square_rho,
                         backward.nu, backward.within, t, back)  # fmt: skip
    return scans


@kernel()
def tile(
    x, y, frame, spec, rows, columns, mirrored, left, right, count_ks, short, like, scratch, forward, backward, places,
    back_places, both, out, back_out, stop,
):  # fmt: skip
    """Every moment of a tile; how many points needed a scan. `back_places` is (columns, rows)."""
    scans, counted = 0, len(count_ks) > 0
    pack_side(y, frame, columns[0], columns[1], right)
    for i in range(rows[0], rows[1]):
        for j in range(columns[0], columns[1]):
            if mirrored and j <= i:
                continue
            a, b = i - rows[0], j - columns[0]
            scans += search(
                x, i, y, j, frame, left, a, right, b, spec.ks, count_ks, short, like, scratch, forward, places[a, b],
                backward, back_places[b, a], both, False, stop,
            )  # fmt: skip
            if stop[0]:
                return scans
    if counted:
        for i in range(rows[0], rows[1]):
            _ranks(x, i, left, i - rows[0], frame, max(0, i + 1 - columns[0]) if mirrored else 0,
                   columns[1] - columns[0], places[i - rows[0]], forward, spec, scratch)  # fmt: skip
        for j in range(columns[0], columns[1] if both else columns[0]):
            _ranks(y, j, right, j - columns[0], frame, 0, min(rows[1], j) - rows[0] if mirrored else rows[1] - rows[0],
                   back_places[j - columns[0]], backward, spec, scratch)  # fmt: skip
    for i in range(rows[0], rows[1]):
        for j in range(columns[0], columns[1]):
            if mirrored and j <= i:
                continue
            a, b = i - rows[0], j - columns[0]
            for t in range(len(spec.ks)):
                at = places[a, b]
                reduce_pair(spec, x, i, y, j, t, forward.nu[t, at:], forward.within[t, at:], forward.ranks[t, at:],
                            counted, scratch.work, out)  # fmt: skip
                if both:
                    at = back_places[b, a]
                    reduce_pair(spec, y, j, x, i, t, backward.nu[t, at:], backward.within[t, at:],
                                backward.ranks[t, at:], counted, scratch.work, back_out)  # fmt: skip
    return scans


@kernel()
def own(x, frame, first, last, side, ks, short, like, scratch, answers, stop):
    """Sets first..last against themselves: each point's own place comes first, so k means the (k - 1)-th neighbour.

    The answers begin with those of the first of these sets.
    """
    scans = 0
    for s in range(first, last):
        pack_side(x, frame, s, s + 1, side)
        at = x.offsets[s] - x.offsets[first]
        scans += search(x, s, x, s, frame, side, 0, side, 0, ks, (), short, like, scratch, answers, at, answers, at,
                        False, True, stop)  # fmt: skip
        if stop[0]:
            break
    return scans


def arrange(points: NDArray[Any], centre: NDArray[np.float64], unit: float) -> NDArray[np.int32]:
    """The kd order of a set's points, by its widest axes: near points share a block, and so are counted together."""
    axes = np.sort(np.argsort(np.ptp(points, axis=0))[-AXES:])
    return make_order(points[:, axes], centre[axes], unit, BLOCK)[0]


@kernel()
def _ranks(cloud, s, side, a, frame, begin, end, places, answers, spec, scratch):
    """The own ranks of one set for the targets begin..end of the tile."""
    if begin >= end:
        return
    d, first, n = cloud.d, cloud.offsets[s], cloud.offsets[s + 1] - cloud.offsets[s]
    at = side.starts[a]
    reach = 0.0
    for i in range(n):
        reach = max(reach, side.norm[at + i])
    own = Own(side.packed[at * d :], n, ROWS, d * BLOCK, BLOCK, reach, frame.unit * frame.unit)
    for t in range(len(spec.ks)):
        own_ranks(own, cloud.points, first, d, cloud.square_rho, cloud.own_within, answers.nu, answers.ranks, t,
                  places[begin:end], scratch.ranks)  # fmt: skip
