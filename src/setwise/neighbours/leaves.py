"""Sets cut into leaves: a kd order that puts near points side by side, and their float32 coordinates with boxes.

    Leaves      every set of a collection in a kd order of its own: what is searched, and where own points are counted
    Pool        the points of many sets in one kd order: what is asked about, a superblock at a time

Both hold a leaf's coordinates by axis, so that one register holds one coordinate of LANES points.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from setwise.neighbours.compiled import kernel
from setwise.neighbours.memory import aligned
from setwise.neighbours.simd import LANES, VI, Emitter, simd
from setwise.neighbours.threads import Threads

AWAY = np.float32(1e15)  # where padding lies, against data within 1 of the centre
OWN_WIDTH = 4  # registers of queries in a superblock when a set is searched in itself
SEPARATE = 1 << 14  # points below which a run is ordered by one thread
FAST: set[str] = {"nnan", "nsz", "reassoc"}  # smallest and largest do not depend on the order


class Leaves(NamedTuple):
    """The sets of a collection; a set's points stand in the order of its leaves."""

    packed: Any  # (leaf, axis, lane), float32
    low: Any  # boxes: of each set (axis, room)
    high: Any
    first: Any  # (set + 1): its first leaf
    boxes: Any  # (set + 1): where its boxes begin, in leaves, a multiple of LANES
    reach: Any  # (set): the largest norm
    points: Any  # as they were given, row-major, flat
    offsets: Any
    square_unit: float  # squared distances of float32 coordinates, over those of the points


class Pool(NamedTuple):
    """Queries: superblocks and their boxes."""

    packed: Any  # (superblock, register, axis, lane), float32
    exact: Any  # the same, as they were given, float64
    low: Any  # (superblock, axis)
    high: Any
    probes: Any  # (superblock, axis, lane): the middles of LANES runs of a superblock's queries
    spread: Any  # (superblock, lane): how far from its middle a run reaches
    reach: Any  # the largest norm in a superblock
    order: Any  # position -> which point of the pool
    start: int  # the pool's first point
    points: Any  # of all sets, row-major, flat
    width: int  # registers in a superblock


@kernel(fastmath=FAST)
def _widest(points, stride, start, stop, dims):
    """The axis along which a run of points extends farthest."""
    axis, widest = 0, np.float32(-1)
    for c in range(len(dims)):
        row = points[c * stride :]
        low = high = row[start]
        for i in range(start, stop):
            low, high = min(low, row[i]), max(high, row[i])
        if high - low > widest:
            axis, widest = c, high - low
    return axis


@simd(types.int32)
def _part(
    e: Emitter, points: Any, stride: ir.Value, order: Any, i: ir.Value, pivot: ir.Value, axis: ir.Value,
    front: ir.Value, spare: Any, spare_order: Any, back: ir.Value, dims: list[Any],
) -> ir.Value:  # fmt: skip
    """Move those of LANES points that lie below a pivot to the front, the others to the spare room; how many do."""
    keys = e.load(points, e.b.add(e.b.mul(axis, stride), i))
    below = e.b.fcmp_ordered("<", keys, e.splat(pivot))
    values = [e.load(points, e.b.add(e.b.mul(stride, stride.type(c)), i)) for c in range(len(dims))]
    name = e.load(order, i, VI)
    for mask, rows, names, place in (
        (e.b.not_(below), spare, spare_order, back),
        (below, points, order, front),
    ):
        for c, value in enumerate(values):
            e.compress(value, mask, rows, e.b.add(e.b.mul(stride, stride.type(c)), place))
        e.compress(name, mask, names, place)
    return e.population(below)


@kernel()
def _partition(points, stride, order, axis, left, right, pivot, spare, spare_order, dims):
    """Put the points left..right that lie below a pivot before the others; where these begin."""
    d, front, back, i = len(dims), left, left, left
    while i + LANES <= right:
        below = np.intp(_part(points, stride, order, i, pivot, axis, front, spare, spare_order, back, dims))
        front += below
        back += LANES - below
        i += LANES
    for j in range(i, right):  # written to both: only one of them goes on from there
        below = np.intp(points[axis * stride + j] < pivot)
        for c in range(d):
            points[c * stride + front] = spare[c * stride + back] = points[c * stride + j]
        order[front] = spare_order[back] = order[j]
        front += below
        back += 1 - below
    for c in range(d):
        for j in range(right - front):
            points[c * stride + front + j] = spare[c * stride + left + j]
    for j in range(right - front):
        order[front + j] = spare_order[left + j]
    return front


@kernel()
def halve(points, stride, order, start, stop, unit, spare, spare_order, dims):
    """Split a run in two compact halves, at a multiple of `unit` (of LANES within it); where. Nothing to split: stop.

    `points` is (axis, stride), flat; `spare` and `spare_order` are as large, and of them start..stop is used.
    """
    size = unit if stop - start > unit else LANES
    if stop - start <= size:
        return stop
    axis = _widest(points, stride, start, stop, dims)
    keys = points[axis * stride :]
    middle = start + (stop - start + size - 1) // size // 2 * size
    left, right = start, stop
    while left < middle < right:
        a, b, c = keys[left], keys[(left + right) // 2], keys[right - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        split = _partition(points, stride, order, axis, left, right, pivot, spare, spare_order, dims)
        if split == left:  # the pivot is the least: what equals it comes next
            above = np.nextafter(pivot, np.float32(np.inf))
            split = _partition(points, stride, order, axis, left, right, above, spare, spare_order, dims)
            if split >= middle:
                break
        if split <= middle:
            left = split
        else:
            right = split
    return middle


@kernel(counted=True)
def kd_order(points, stride, order, start, stop, unit, spare, spare_order, dims):
    """Reorder points (axis, stride) and `order` so that every run of `unit`, and within it of LANES, is compact."""
    stack = [(start, stop)]
    while stack:
        start, stop = stack.pop()
        middle = halve(points, stride, order, start, stop, unit, spare, spare_order, dims)
        if middle < stop:
            stack.append((start, middle))
            stack.append((middle, stop))


def make_order(points: NDArray[Any], centre: Any, unit: float, size: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """The kd order of some points (row-major), and their float32 coordinates by axis, in that order."""
    n, d = points.shape
    coordinates, order = np.empty(n * d, np.float32), np.arange(n, dtype=np.int32)
    _convert(points, centre, unit, coordinates)
    kd_order(coordinates, n, order, 0, n, size, np.empty_like(coordinates), np.empty_like(order), (0,) * d)
    return order, coordinates.reshape(d, n)


@kernel()
def _convert(points, centre, unit, coordinates):
    """Float32 coordinates, by axis, of some points."""
    n, d = points.shape
    for i in range(n):
        for c in range(d):
            coordinates[c * n + i] = np.float32((points[i, c] - centre[c]) * unit)


@kernel()
def _pack_set(coordinates, n, packed, low, high, room):
    """The leaves of one set and their boxes; the largest norm."""
    d, reach = len(coordinates), np.float32(0)
    for i in range(d * room):
        low[i], high[i] = AWAY, AWAY
    for i in range((n + LANES - 1) // LANES * LANES):
        leaf, lane, norm = i // LANES, i % LANES, np.float32(0)
        for c in range(d):
            value = coordinates[c, i] if i < n else AWAY
            packed[(leaf * d + c) * LANES + lane] = value
            if i < n:
                box = c * room + leaf
                low[box] = value if lane == 0 else min(low[box], value)
                high[box] = value if lane == 0 else max(high[box], value)
                norm += value * value
        reach = max(reach, norm)
    return math.sqrt(reach) * (1 + 1e-6)


@kernel()
def _pack_pool(coordinates, n, pool, begin, end):
    """Some superblocks of the queries; the last of all repeats its last query."""
    d, unit = len(coordinates), pool.width * LANES
    for s in range(begin, end):
        farthest = 0.0
        for c in range(d):
            pool.low[s * d + c], pool.high[s * d + c] = np.inf, -np.inf
        for lane in range(LANES):
            start = s * unit + lane * pool.width
            for c in range(d):
                low = high = coordinates[c, min(start, n - 1)]
                for p in range(start, start + pool.width):
                    value, at = coordinates[c, min(p, n - 1)], ((p // LANES) * d + c) * LANES + p % LANES
                    pool.packed[at] = value
                    pool.exact[at] = pool.points[(pool.start + pool.order[p]) * d + c]
                    low, high = min(low, value), max(high, value)
                pool.low[s * d + c], pool.high[s * d + c] = (
                    min(pool.low[s * d + c], low),
                    max(pool.high[s * d + c], high),
                )
                pool.probes[(s * d + c) * LANES + lane] = np.float32(0.5) * (low + high)
            across = 0.0
            for p in range(start, start + pool.width):
                norm = distance = 0.0
                for c in range(d):
                    value = coordinates[c, min(p, n - 1)]
                    norm += value * value
                    distance += (value - pool.probes[(s * d + c) * LANES + lane]) ** 2
                farthest, across = max(farthest, norm), max(across, distance)
            pool.spread[s * LANES + lane] = math.sqrt(across) * (1 + 1e-6)
        pool.reach[s] = math.sqrt(farthest) * (1 + 1e-6)


def make_leaves(
    points: NDArray[Any], offsets: Any, centre: Any, unit: float, run: Threads
) -> tuple[Leaves, NDArray[np.int64]]:
    """Order and pack all sets of a collection; where each point stood."""
    d, sizes = len(centre), np.diff(offsets)
    leaves = -(-sizes // LANES)
    room = -(-leaves // LANES) * LANES
    first, boxes = (np.concatenate([[0], np.cumsum(part)]).astype(np.int64) for part in (leaves, room))
    packed = aligned(int(first[-1]) * LANES * d)
    low, high = aligned(int(boxes[-1]) * d), aligned(int(boxes[-1]) * d)
    order, reach = np.empty(len(points) // d, np.int64), np.empty(len(sizes))
    arranged, rows = np.empty_like(points), points.reshape(-1, d)

    def pack(task: tuple[int, int]) -> int:
        for s in range(*task):
            start, stop = int(offsets[s]), int(offsets[s + 1])
            own, coordinates = make_order(rows[start:stop], centre, unit, OWN_WIDTH * LANES)
            place = slice(int(boxes[s]) * d, int(boxes[s + 1]) * d)
            reach[s] = _pack_set(
                coordinates, stop - start, packed[int(first[s]) * LANES * d :], low[place], high[place], int(room[s])
            )
            order[start:stop] = own
            order[start:stop] += start
            arranged[start * d : stop * d].reshape(-1, d)[:] = rows[order[start:stop]]
        return 0

    run.each(pack, [(start, min(start + 16, len(sizes))) for start in range(0, len(sizes), 16)])
    return Leaves(packed, low, high, first, boxes, reach, arranged, offsets, unit * unit), order


def make_pool(leaves: Leaves, rows: tuple[int, int], centre: Any, unit: float, width: int, run: Threads) -> Pool:
    """The points of some sets as queries, ordered together by all threads."""
    start, stop = int(leaves.offsets[rows[0]]), int(leaves.offsets[rows[1]])
    n, size = stop - start, width * LANES
    d, dims = len(centre), (0,) * len(centre)
    coordinates, order = np.empty(n * d, np.float32), np.arange(n, dtype=np.int32)
    spare, spare_order = np.empty_like(coordinates), np.empty_like(order)
    _convert(leaves.points[start * d : stop * d].reshape(-1, d), centre, unit, coordinates)
    parts = [(0, n)]
    while len(parts) < 4 * run.count and n > SEPARATE * len(parts):
        cut = [(a, halve(coordinates, n, order, a, b, size, spare, spare_order, dims), b) for a, b in parts]
        parts = [part for a, middle, b in cut for part in ((a, middle), (middle, b)) if part[0] < part[1]]

    def sort(part: tuple[int, int]) -> int:
        kd_order(coordinates, n, order, *part, size, spare, spare_order, dims)
        return 0

    run.each(sort, parts)
    pool = _room(leaves, order, d, start, width)

    def pack(blocks: tuple[int, int]) -> int:
        _pack_pool(coordinates.reshape(d, n), n, pool, *blocks)
        return 0

    blocks = len(pool.reach)
    run.each(pack, [(begin, min(begin + 256, blocks)) for begin in range(0, blocks, 256)])
    return pool


def own_pool(leaves: Leaves, s: int, centre: Any, unit: float) -> Pool:
    """The points of one set as queries, in the order in which they stand."""
    start, stop = int(leaves.offsets[s]), int(leaves.offsets[s + 1])
    n, d = stop - start, len(centre)
    coordinates = np.empty(n * d, np.float32)
    _convert(leaves.points[start * d : stop * d].reshape(-1, d), centre, unit, coordinates)
    pool = _room(leaves, np.arange(n), d, start, OWN_WIDTH)
    _pack_pool(coordinates.reshape(d, n), n, pool, 0, len(pool.reach))
    return pool


def _room(leaves: Leaves, order: NDArray[Any], d: int, start: int, width: int) -> Pool:
    """A pool of queries in a given order, not yet packed."""
    n, size = len(order), width * LANES
    blocks = -(-n // size)
    order = np.concatenate([order, np.repeat(order[-1:], blocks * size - n)]).astype(np.int32)
    packed, exact = aligned(blocks * size * d), aligned(blocks * size * d, np.float64)
    low, high, reach = aligned(blocks * d), aligned(blocks * d), aligned(blocks)
    probes, spread = aligned(blocks * LANES * d), aligned(blocks * LANES)
    return Pool(packed, exact, low, high, probes, spread, reach, order, start, leaves.points, width)
