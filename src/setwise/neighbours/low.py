"""Low dimensions: all query points in one kd order, in superblocks that share their candidates.

    target set   leaves of LANES points in kd order, each with its box
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
from setwise.neighbours.exact import TIE, insert, square_distance
from setwise.neighbours.low_ops import (
    U,
    box_to_boxes,
    compress_leaves,
    compress_points,
    exact_squares,
    far_corners,
    limits,
    surely,
    sweep,
    tagged,
    tally,
)
from setwise.neighbours.simd import (
    LANES,
    from_bits,
    greatest_bits,
    least_bits,
    load,
    load_many,
    minimum,
    repeat,
    splat,
    store,
    store_many,
)

AWAY = np.float32(1e15)  # where padding lies, against data within 1 of the centre
EMPTY = np.float32(1e32)
WIDEST = 1e28  # no bound reaches the padding
REGISTERS = 2 if LANES == 16 else 1  # of queries that sweep the list together
ROUGH = 2.0**-16  # relative widening of a key's bounds; a larger one needs a smaller absolute part
EVERY = np.uint32((1 << LANES) - 1)


class Target(NamedTuple):
    """One set to search: its leaves and boxes (float32), and its points as they were given."""

    leaves: Any  # (leaf, axis, lane)
    names: Any  # (leaf, lane): which point
    low: Any  # (axis, stride)
    high: Any
    stride: int  # how many leaves there is room for
    points: Any  # of all sets, row-major
    start: int  # the set's first point
    square_unit: float  # squared distances of float32 coordinates, over those of the points


class Pool(NamedTuple):
    """The queries of some sets, in kd order: superblocks and their boxes (float32), and the points in float64."""

    packed: Any  # (superblock, register, axis, lane)
    low: Any  # (superblock, axis)
    high: Any
    diagonal: Any
    reach: Any  # the largest norm in a superblock
    points: Any  # (position, axis), float64
    exact: Any  # (register, axis, lane), float64
    order: Any  # position -> which point of the pool
    start: int  # the pool's first point
    rho: Any  # (k, position): own k-th distances; empty where nothing is to be counted
    rho_reach: Any  # that of most of a superblock: the list holds whatever is as near
    square_rho: Any  # (k, position), float64


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
    capacity: int
    keys: Any  # int32: the bits of keys, of counts
    counts: Any
    squares: Any


class Answer(NamedTuple):
    """Where a search writes: (k, place + point)."""

    nu: Any
    within: Any
    place: int


@kernel(counted=True)
def kd_order(points, order, unit):
    """Reorder indices so that every run of `unit`, and within it every run of LANES, is compact: a kd tree's leaves."""
    keys = np.empty(len(order), np.float32)
    stack = [(0, len(order))]
    while stack:
        start, stop = stack.pop()
        size = unit if stop - start > unit else LANES
        if stop - start <= size:
            continue
        axis, widest = 0, np.float32(-1)
        for c in range(points.shape[1]):
            low = high = points[order[start], c]
            for i in range(start, stop):
                value = points[order[i], c]
                low, high = min(low, value), max(high, value)
            if high - low > widest:
                axis, widest = c, high - low
        for i in range(start, stop):
            keys[i] = points[order[i], axis]
        middle = start + (stop - start + size - 1) // size // 2 * size
        _split(keys, order, start, stop - 1, middle)
        stack.append((start, middle))
        stack.append((middle, stop))


@kernel(counted=True)
def _split(keys, order, left, right, middle):
    """Hoare's selection: everything before `middle` is no greater than everything from it on."""
    while left < right:
        a, b, c = keys[left], keys[(left + right) // 2], keys[right]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = left, right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@kernel(counted=True)
def pack_target(points, order, stride, leaves, names, low, high):
    """The leaves of one set: coordinates by axis within a leaf, the boxes by axis over all its leaves."""
    n, d = points.shape
    low[:], high[:] = AWAY, AWAY
    leaves[:], names[:] = AWAY, -1
    for p in range(n):
        leaf, lane = p // LANES, p % LANES
        names[p] = order[p]
        for c in range(d):
            value = points[order[p], c]
            leaves[(leaf * d + c) * LANES + lane] = value
            box = c * stride + leaf
            low[box] = value if lane == 0 else min(low[box], value)
            high[box] = value if lane == 0 else max(high[box], value)


@kernel(counted=True)
def pack_pool(points, order, width, packed, low, high, diagonal, reach):
    """The superblocks of the queries; the last one repeats its last query."""
    d = points.shape[1]
    unit = width * LANES
    for s in range(len(diagonal)):
        across, farthest = 0.0, 0.0
        for c in range(d):
            low[s * d + c], high[s * d + c] = np.inf, -np.inf
        for p in range(s * unit, (s + 1) * unit):
            norm = 0.0
            for c in range(d):
                value = points[order[p], c]
                packed[((p // LANES) * d + c) * LANES + p % LANES] = value
                low[s * d + c], high[s * d + c] = min(low[s * d + c], value), max(high[s * d + c], value)
                norm += value * value
            farthest = max(farthest, norm)
        for c in range(d):
            across += (high[s * d + c] - low[s * d + c]) ** 2
        diagonal[s], reach[s] = math.sqrt(across) * (1 + 1e-6), math.sqrt(farthest) * (1 + 1e-6)


@njit(inline="always")
def _widened(radius, reach):
    """The square of a bound, moved out by what float32 may have got wrong at a distance `reach` from the centre."""
    radius += 6 * U * (2 * reach + radius)
    return min(radius * radius * (1 + 1e-5), WIDEST)


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
def _gather(target, pool, s, wanted, k, scratch, dims):
    """The points of a target that may be among the k nearest, or within `wanted` (squared), of a superblock: how many,
    and the squared distance from its box within which they are all."""
    d, stride, reach = len(dims), target.stride, np.float64(pool.reach[s])
    keep = _keep(stride)
    best = splat(np.float32(3e38))
    for leaf in range(0, stride, LANES):
        gap, centre = box_to_boxes(target.low, target.high, leaf, stride, pool.low, pool.high, s * d, dims)
        store(gap, scratch.gaps, leaf)
        best = minimum(best, tagged(centre, keep, np.int32(leaf)))
    leaf = max(0, np.intp(least_bits(best) & ~keep) - (k - 1) // LANES)
    for t in range(k):
        scratch.near[t] = WIDEST
    while scratch.near[k - 1] >= WIDEST and leaf < stride:
        store(far_corners(target.leaves, leaf * d * LANES, pool.low, pool.high, s * d, dims), scratch.lanes, 0)
        for lane in range(LANES):
            insert(scratch.near, k, np.float64(scratch.lanes[lane]))
        leaf += 1
    limit = np.float32(max(_widened(math.sqrt(scratch.near[k - 1]), reach), wanted))
    found = np.intp(0)
    for start in range(0, stride, LANES):
        found += compress_leaves(scratch.gaps, start, limit, scratch.chosen, found, np.int32(start))
    count = np.intp(0)
    for i in range(found):
        near = np.intp(scratch.chosen[i])
        count += compress_points(
            target.leaves, target.names, near * d * LANES, near * LANES, LANES, pool.low, pool.high, s * d, limit,
            EVERY, scratch.first, scratch.first_names, count, scratch.capacity, dims,
        )  # fmt: skip
    _pad(scratch.first, count, scratch.capacity, d)
    return count, limit


@kernel()
def _narrow(pool, s, width, wanted, k, count, scratch, dims, like):
    """The same list, cut by the first register's own distances: how many remain, and how far it is complete."""
    d, length, keep = len(dims), len(like), _keep(count)
    query = load_many(pool.packed, s * width * d * LANES, dims)
    nearest = repeat(splat(EMPTY), like)
    for c in range(0, count, 4):
        nearest = sweep(scratch.first, c, scratch.capacity, query, nearest, keep, dims)
    store_many(nearest, scratch.keys, 0)
    kth = from_bits(greatest_bits(load(scratch.keys, (length - k) * LANES)) | ~keep)
    radius = math.sqrt(np.float64(kth)) + np.float64(pool.diagonal[s])
    limit = np.float32(max(_widened(radius, np.float64(pool.reach[s])), wanted))
    remaining = np.intp(0)
    for i in range(0, count, LANES):
        valid = EVERY if count - i >= LANES else np.uint32((1 << (count - i)) - 1)
        remaining += compress_points(
            scratch.first, scratch.first_names, i, i, scratch.capacity, pool.low, pool.high, s * d, limit, valid,
            scratch.second, scratch.second_names, remaining, scratch.capacity, dims,
        )  # fmt: skip
    _pad(scratch.second, remaining, scratch.capacity, d)
    return remaining, limit


@kernel()
def _scan(target, pool, position, count, k, scratch, dims):
    """The k smallest squared distances of a query over the list."""
    for t in range(k):
        scratch.near[t] = np.inf
    for c in range(count):
        j = target.start + scratch.second_names[c]
        insert(scratch.near, k, square_distance(pool.points, position, target.points, j, len(dims)))


@kernel()
def _settle(target, pool, position, row, lane, keep, offset, k, scratch, dims):
    """The same over the k nearest keys and the next; true when no other point can be among the k nearest."""
    for t in range(k):
        scratch.near[t] = np.inf
    for t in range(-1, k):
        key = scratch.keys[row + t * LANES + lane]
        if from_bits(key) < WIDEST:
            j = target.start + scratch.second_names[key & ~keep]
            insert(scratch.near, k, square_distance(pool.points, position, target.points, j, len(dims)))
    kth = scratch.near[k - 1] * target.square_unit
    return kth == 0.0 or kth * (1 + ROUGH) + 2 * offset <= from_bits(scratch.keys[row - LANES + lane] & keep)


@kernel()
def _count(target, pool, position, count, square, scratch, dims):
    """How many points of the list lie within a squared distance of a query."""
    inside = 0
    for c in range(count):
        j = target.start + scratch.second_names[c]
        inside += square_distance(pool.points, position, target.points, j, len(dims)) <= square * TIE
    return inside


@kernel()
def _count_leaves(target, pool, i, radius, square, dims):
    """The same over all of the target's leaves that come within a radius (of float32 coordinates)."""
    d, inside = len(dims), 0
    place = i // LANES * d * LANES + i % LANES
    for leaf in range(target.stride):
        gaps = 0.0
        for c in range(d):
            coordinate = np.float64(pool.packed[place + c * LANES])
            low, high = target.low[c * target.stride + leaf], target.high[c * target.stride + leaf]
            gap = max(0.0, low - coordinate, coordinate - high)
            gaps += gap * gap
        if gaps <= radius:
            for p in range(leaf * LANES, (leaf + 1) * LANES):
                if target.names[p] >= 0:
                    j = target.start + target.names[p]
                    inside += square_distance(pool.points, i, target.points, j, d) <= square * TIE
    return inside


@kernel()
def _tally(target, pool, first, t, k, sure, reach, count, complete, dims, scratch, answer):
    """How many points of the target lie within max(rho, nu) of each query of one register."""
    d = len(dims)
    nearby = max(0.0, math.sqrt(complete) * (1 - 1e-5) - 12 * U * (2 * reach + 1)) ** 2 / target.square_unit
    query = load_many(pool.packed, first * d, dims)
    rho = load(pool.rho, t * len(pool.order) + first)
    inside, outside = limits(rho, np.float32(6 * U * reach), np.float32((8 + d) * U))
    counts = (splat(np.float32(0)), splat(np.float32(0)))
    for c in range(count):
        counts = tally(scratch.second, c, scratch.capacity, query, inside, outside, counts)
    store_many(counts, scratch.counts, 0)
    for lane in range(LANES):
        square, own = scratch.squares[lane], pool.square_rho[t * len(pool.order) + first + lane]
        if own < square:
            alone = sure >> np.uint32(lane) & np.uint32(1)
            within = k if alone else _count(target, pool, first + lane, count, square, scratch, dims)
        elif own > nearby:
            radius = _widened(math.sqrt(own * target.square_unit), reach)
            within = _count_leaves(target, pool, first + lane, radius, own, dims)
        elif scratch.counts[lane] == scratch.counts[LANES + lane]:
            within = scratch.counts[lane]
        else:
            within = _count(target, pool, first + lane, count, own, scratch, dims)
        answer.within[t, answer.place + pool.order[first + lane]] = within


@njit(inline="always")
def _answer(target, pool, register, r, reach, keep, count, complete, ks, dims, like, scratch, answer):
    """Step 5 for one register of queries, whose keys are the r-th stored; how many needed a scan."""
    d, length, deepest, scans = len(dims), len(like), ks[-1], 0
    base, first = r * length * LANES, register * LANES
    farthest = from_bits(greatest_bits(load(scratch.keys, base + (length - deepest) * LANES)) | ~keep)
    error = 3 * U * (2 * reach + math.sqrt(np.float64(farthest)))
    offset = error * error * (2 / ROUGH) + 1e-35
    for t in range(len(ks)):
        k = ks[t]
        row = base + (length - k) * LANES
        sure = surely(scratch.keys, row, keep, np.float32(1 + ROUGH), np.float32(offset), k == 1)
        exact_squares(
            pool.exact, first * d, target.points, target.start, scratch.second_names, scratch.keys, row, keep,
            scratch.squares, dims,
        )  # fmt: skip
        if sure != EVERY:
            for lane in range(LANES):
                if not sure >> np.uint32(lane) & np.uint32(1):
                    if not _settle(target, pool, first + lane, row, lane, keep, offset, k, scratch, dims):
                        _scan(target, pool, first + lane, count, k, scratch, dims)
                        scans += 1
                    scratch.squares[lane] = scratch.near[k - 1]
        for lane in range(LANES):
            answer.nu[t, answer.place + pool.order[first + lane]] = scratch.squares[lane]
        if len(pool.rho_reach) > 0:
            _tally(target, pool, first, t, k, sure, reach, count, complete, dims, scratch, answer)
    return scans


@kernel()
def search_target(target, pool, width, ks, dims, like, scratch, answer):
    """The k-th squared distances, in float64, of all queries of a pool in one target set; how many needed a scan.

    Where the pool knows each query's own k-th distance, the points of the target within max(rho, nu) are counted too.
    """
    d, deepest, scans = len(dims), ks[-1], 0
    stored = len(like) * LANES
    block, lists = dims, like
    if REGISTERS == 2:
        block, lists = dims + dims, like + like
    for s in range(len(pool.reach)):
        reach = np.float64(pool.reach[s])
        wanted = _widened(np.float64(pool.rho_reach[s]), reach) if len(pool.rho_reach) > 0 else 0.0
        count, outer = _gather(target, pool, s, wanted, deepest, scratch, dims)
        count, inner = _narrow(pool, s, width, wanted, deepest, count, scratch, dims, like)
        complete = np.float64(min(outer, inner))
        keep = _keep(count)
        for r in range(0, width, REGISTERS):
            queries = load_many(pool.packed, (s * width + r) * d * LANES, block)
            nearest = repeat(splat(EMPTY), lists)
            for c in range(0, count, 4):
                nearest = sweep(scratch.second, c, scratch.capacity, queries, nearest, keep, dims)
            store_many(nearest, scratch.keys, r * stored)
        for r in range(width):
            scans += _answer(
                target, pool, s * width + r, r, reach, keep, count, complete, ks, dims, like, scratch, answer
            )
    return scans
