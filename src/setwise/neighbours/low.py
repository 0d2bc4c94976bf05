"""Low dimensions: all query points in one kd order, in superblocks that share their candidates.

    target set   leaves of LANES points in kd order, each with its box (leaves.py)
    queries      the points of many sets in one kd order, cut into superblocks of `width` registers
    per pair     1. bound the k-th distance of every query of the superblock by the far corners of a near leaf
    (superblock, 2. compress the points within that bound of the superblock's box into one list
    target set)  3. the first register's own k-th distances, and the superblock's diagonal, bound better: compress again
                 4. registers of queries sweep the list, branch-free, keeping their nearest as keys (dense.py)
                 5. the k-th distance is computed in float64; where the keys' bounds do not prove which point is the
                    k-th, the list is scanned in float64

Rounding. Coordinates are float32, relative to the data's centre: with u = 2^-24 a distance r seen from x is off by
no more than e = 3 u (2 |x| + r), arithmetic included. Every bound used to discard a point is widened by e, so the
list holds the true neighbours whatever the data; only its length suffers when e is not small against r.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import insert, square_distance
from setwise.neighbours.leaves import AWAY
from setwise.neighbours.low_ops import (
    U,
    answer,
    any_near,
    box_to_boxes,
    compress_leaves,
    compress_points,
    far_corners,
    greatest,
    reaches,
    square,
    surely,
    sweep,
    tagged,
)
from setwise.neighbours.memory import aligned
from setwise.neighbours.simd import (
    LANES,
    from_bits,
    least_bits,
    load_many,
    minimum,
    repeat,
    splat,
    store,
    store_many,
)

EMPTY = np.float32(1e32)
FARTHEST = 1e28  # no bound reaches the padding
REGISTERS = 2 if LANES == 16 else 1  # of queries that sweep the list together
WIDEST = (64, 32, 16, 16)  # registers of queries in a superblock, by dimension
ROUGH = 2.0**-16  # relative widening of a key's bounds; a larger one needs a smaller absolute part
EVERY = np.uint32((1 << LANES) - 1)


class Target(NamedTuple):
    """One set to search: its leaves and boxes (float32), and its points as they were given."""

    packed: Any  # (leaf, axis, lane)
    low: Any  # (axis, room)
    high: Any
    room: int  # leaves, in whole registers of boxes
    n: int
    points: Any  # of all sets, row-major
    start: int  # the set's first point
    square_unit: float  # squared distances of float32 coordinates, over those of the points


class Scratch(NamedTuple):
    """A thread's memory: it grows with the largest target set, not with the queries."""

    gaps: Any
    chosen: Any
    near: Any
    lanes: Any
    first: Any
    first_names: Any
    second: Any
    second_names: Any
    exact: Any  # (axis, capacity): the second list's points as they were given
    capacity: int
    keys: Any  # int32: the bits of keys


def width_for(queries: int, typical: float, d: int) -> int:
    """Registers in a superblock: as many as share most of their candidates in a typical target."""
    width = REGISTERS
    while width < WIDEST[d - 1] and width * 2 * LANES * typical <= 2.5 * queries:
        width *= 2
    return width


def make_scratch(largest: int, d: int, length: int) -> Scratch:
    room = -(-largest // LANES)
    capacity = room * LANES + 64
    return Scratch(
        aligned(room + 2 * LANES),
        aligned(room + 2 * LANES, np.int32),
        np.empty(64),
        aligned(LANES),
        aligned(capacity * d),
        aligned(capacity, np.int32),
        aligned(capacity * d),
        aligned(capacity, np.int32),
        aligned(capacity * d, np.float64),
        capacity,
        aligned(max(WIDEST) * length * LANES, np.int32),
    )


@njit(inline="always")
def target_of(leaves, s, d):
    """Set s of a collection's leaves."""
    return Target(
        leaves.packed[leaves.first[s] * LANES * d :],
        leaves.low[leaves.boxes[s] * d :],
        leaves.high[leaves.boxes[s] * d :],
        leaves.boxes[s + 1] - leaves.boxes[s],
        leaves.offsets[s + 1] - leaves.offsets[s],
        leaves.points,
        leaves.offsets[s],
        leaves.square_unit,
    )


@njit(inline="always")
def widened(radius, reach):
    """The square of a bound, moved out by what float32 may have got wrong at a distance `reach` from the centre."""
    radius += 6 * U * (2 * reach + radius)
    return min(radius * radius * (1 + 1e-5), FARTHEST)


@njit(inline="always")
def _keep(count):
    """The mask that leaves the low bits free for indices below `count` and its padding."""
    bits = 2
    while (1 << bits) < count + 4:
        bits += 1
    return np.int32(-(1 << bits))


@njit(inline="always")
def _pad(points, count, capacity, d):
    for c in range(d):
        for p in range(4):
            points[c * capacity + count + p] = AWAY


@kernel()
def _gather(target, pool, s, k, scratch, dims):
    """The points of a target that may be among the k nearest of any query of a superblock: how many."""
    d, room, reach = len(dims), target.room, np.float64(pool.reach[s])
    keep = _keep(room)
    best = splat(np.float32(3e38))
    for leaf in range(0, room, LANES):
        gap, centre = box_to_boxes(target.low, target.high, leaf, room, pool.low, pool.high, s * d, dims)
        store(gap, scratch.gaps, leaf)
        best = minimum(best, tagged(centre, keep, np.int32(leaf)))
    leaf = max(0, np.intp(least_bits(best) & ~keep) - (k - 1) // LANES)
    for t in range(k):
        scratch.near[t] = FARTHEST
    while scratch.near[k - 1] >= FARTHEST and leaf * LANES < target.n:
        store(far_corners(target.packed, leaf * d * LANES, pool.low, pool.high, s * d, dims), scratch.lanes, 0)
        for lane in range(LANES):
            insert(scratch.near, k, np.float64(scratch.lanes[lane]))
        leaf += 1
    limit = np.float32(widened(math.sqrt(scratch.near[k - 1]), reach))
    found = np.intp(0)
    for start in range(0, room, LANES):
        found += compress_leaves(scratch.gaps, start, limit, scratch.chosen, found, np.int32(start))
    count = np.intp(0)
    for i in range(found):
        near = np.intp(scratch.chosen[i])
        count += compress_points(
            target.packed, near * d * LANES, near * LANES, pool.low, pool.high, s * d, limit, scratch.first,
            scratch.first_names, count, scratch.capacity, dims,
        )  # fmt: skip
    _pad(scratch.first, count, scratch.capacity, d)
    return count


@kernel()
def _narrow(target, pool, s, k, count, scratch, dims, like):
    """The same list, cut by what the probes find, and its points in float64: how many remain, and a bound on every
    query's k-th distance. A query's are as near as those of its run's middle, and the way there."""
    d, length, keep = len(dims), len(like), _keep(count)
    query = load_many(pool.probes, s * d * LANES, dims)
    nearest = repeat(splat(EMPTY), like)
    for c in range(0, count, 4):
        nearest = sweep(scratch.first, c, scratch.capacity, query, nearest, keep, dims)
    store_many(nearest, scratch.keys, 0)
    error = np.float32(12 * U * (pool.reach[s] + 1))
    reach = reaches(scratch.keys, (length - k) * LANES, keep, pool.spread, s * LANES, error)
    limits, remaining = square(reach), np.intp(0)
    for i in range(count):
        name = scratch.first_names[i]
        for c in range(d):
            scratch.second[c * scratch.capacity + remaining] = scratch.first[c * scratch.capacity + i]
            scratch.exact[c * scratch.capacity + remaining] = target.points[(target.start + name) * d + c]
        scratch.second_names[remaining] = name
        remaining += any_near(scratch.first, i, scratch.capacity, query, limits)
    _pad(scratch.second, remaining, scratch.capacity, d)
    return remaining, np.float64(greatest(reach))


@kernel()
def _scan(target, pool, i, count, k, scratch, dims):
    """The k smallest squared distances of point i over the list."""
    for t in range(k):
        scratch.near[t] = np.inf
    for c in range(count):
        j = target.start + scratch.second_names[c]
        insert(scratch.near, k, square_distance(pool.points, i, target.points, j, len(dims)))


@kernel()
def _settle(target, pool, i, row, lane, keep, offset, k, scratch, dims):
    """The same over the k nearest keys and the next; true when no other point can be among the k nearest."""
    for t in range(k):
        scratch.near[t] = np.inf
    for t in range(-1, k):
        key = scratch.keys[row + t * LANES + lane]
        if from_bits(key) < FARTHEST:
            j = target.start + scratch.second_names[key & ~keep]
            insert(scratch.near, k, square_distance(pool.points, i, target.points, j, len(dims)))
    kth = scratch.near[k - 1] * target.square_unit
    return kth == 0.0 or kth * (1 + ROUGH) + 2 * offset <= from_bits(scratch.keys[row - LANES + lane] & keep)


@kernel()
def _mend(target, pool, position, row, sure, keep, offset, count, k, scratch, nu, marking, place, dims):
    """The answers of the lanes whose key is not surely the k-th; how many needed a scan."""
    scans = 0
    for lane in range(LANES):
        if not sure >> np.uint32(lane) & np.uint32(1):
            point = pool.order[position + lane]
            if not _settle(target, pool, pool.start + point, row, lane, keep, offset, k, scratch, dims):
                _scan(target, pool, pool.start + point, count, k, scratch, dims)
                scans += 1
            nu[place + point] = -scratch.near[k - 1] if marking else scratch.near[k - 1]
    return scans


@kernel()
def search(leaves, j, pool, ks, dims, like, scratch, nu, marking, place):
    """The k-th squared distances, in float64, of all queries of a pool in a set of leaves, into nu[:, place + point].

    Returns how many needed a scan. `marking` makes those negative (even zero) whose k-th neighbour may have ties.
    """
    d, length, deepest, width, scans = len(dims), len(like), ks[-1], pool.width, 0
    target, stored = target_of(leaves, j, d), length * LANES
    block, lists = dims, like
    if REGISTERS == 2:
        block, lists = dims + dims, like + like
    for s in range(len(pool.reach)):
        count = _gather(target, pool, s, deepest, scratch, dims)
        count, radius = _narrow(target, pool, s, deepest, count, scratch, dims, like)
        keep = _keep(count)
        for r in range(0, width, REGISTERS):
            queries = load_many(pool.packed, (s * width + r) * d * LANES, block)
            nearest = repeat(splat(EMPTY), lists)
            for c in range(0, count, 4):
                nearest = sweep(scratch.second, c, scratch.capacity, queries, nearest, keep, dims)
            store_many(nearest, scratch.keys, r * stored)
        error = 3 * U * (2 * np.float64(pool.reach[s]) + radius)
        offset = np.float32(error * error * (2 / ROUGH) + 1e-35)
        for t in range(len(ks)):
            k = ks[t]
            for r in range(width):
                position, row = (s * width + r) * LANES, r * stored + (length - k) * LANES
                sure = surely(scratch.keys, row, keep, np.float32(1 + ROUGH), offset, k == 1)
                answer(pool.exact, position * d, scratch.exact, scratch.capacity, scratch.keys, row, keep, pool.order,
                       position, nu[t], place, dims)  # fmt: skip
                if sure != EVERY:
                    scans += _mend(target, pool, position, row, sure, keep, offset, count, k, scratch, nu[t], marking,
                                   place, dims)  # fmt: skip
    return scans
