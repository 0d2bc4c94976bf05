"""A tile in low dimensions: one pool of queries against some target sets, one after another."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from setwise.neighbours.compiled import kernel
from setwise.neighbours.low import REGISTERS, Pool, Scratch, Target, kd_order, pack_pool, pack_target
from setwise.neighbours.memory import aligned
from setwise.neighbours.ranks import Own, own_ranks
from setwise.neighbours.reduction import reduce_pair
from setwise.neighbours.simd import LANES

WIDEST = 16  # registers of queries in a superblock


class Memory(NamedTuple):
    """A thread's own: for the search, for a target's leaves, for the reduction."""

    search: Any
    packed: tuple[Any, ...]
    log_nu: Any
    terms: Any


def leaves_of(n: int) -> int:
    """Room for leaves, in whole registers of boxes."""
    leaves = (n + LANES - 1) // LANES
    return (leaves + LANES - 1) // LANES * LANES


def make_memory(largest: int, d: int, length: int) -> Memory:
    room = leaves_of(largest)
    capacity = room * LANES + 64
    search = Scratch(
        aligned(room + LANES),
        aligned(room + LANES, np.int32),
        np.empty(64),
        aligned(LANES),
        aligned(capacity * d),
        aligned(capacity, np.int32),
        aligned(capacity * d),
        aligned(capacity, np.int32),
        capacity,
        aligned(WIDEST * length * LANES, np.int32),
        aligned(2 * LANES, np.int32),
        aligned(LANES, np.float64),
    )
    return Memory(search, make_packed(largest, d), np.empty(largest), np.empty(largest))


def make_packed(n: int, d: int) -> tuple[Any, ...]:
    """Memory for the leaves of a set of up to n points."""
    room = leaves_of(n)
    return aligned(room * LANES * d), aligned(room * LANES, np.int32), aligned(room * d), aligned(room * d)


def make_target(cloud: Any, coordinates: Any, s: int, unit: float, packed: tuple[Any, ...]) -> Target:
    """Set s, packed into memory at hand."""
    first, last = int(cloud.offsets[s]), int(cloud.offsets[s + 1])
    points, room, d = coordinates[first:last], leaves_of(last - first), cloud.d
    order = np.arange(last - first)
    kd_order(points, order, LANES)
    leaves, names, low, high = packed
    pack_target(
        points,
        order,
        room,
        leaves[: room * LANES * d],
        names[: room * LANES],
        low[: room * d],
        high[: room * d],
    )
    return Target(leaves, names, low, high, room, cloud.points, first, unit * unit)


def make_pool(
    cloud: Any, coordinates: Any, rows: tuple[int, int], typical: float, unit: float, rho: Any = None
) -> tuple[Pool, int]:
    """The points of some sets as queries, and the width; `typical` is a target set's size, `rho` asks for counts."""
    start, stop = int(cloud.offsets[rows[0]]), int(cloud.offsets[rows[1]])
    n, d = stop - start, cloud.d
    width = REGISTERS
    while width < WIDEST and width * 2 * LANES * typical <= 1.5 * n:
        width *= 2
    size = width * LANES
    blocks = -(-n // size)
    points = coordinates[start:stop]
    order = np.arange(n)
    kd_order(points, order, size)
    order = np.concatenate([order, np.repeat(order[-1:], blocks * size - n)])
    packed, low, high = aligned(blocks * size * d), aligned(blocks * d), aligned(blocks * d)
    diagonal, reach = aligned(blocks), aligned(blocks)
    pack_pool(points, order, width, packed, low, high, diagonal, reach)
    exact = cloud.points.reshape(-1, d)[start:stop][order].astype(np.float64)
    by_axis = aligned(blocks * size * d, np.float64)
    by_axis.reshape(-1, d, LANES)[:] = exact.reshape(-1, LANES, d).transpose(0, 2, 1)
    squares = np.zeros((0, 0)) if rho is None else rho[:, start:stop][:, order]
    own = (np.sqrt(squares) * unit).astype(np.float32)
    most = np.zeros(0, np.float32)
    if len(own):
        rank = int(0.85 * size)  # the rest are counted one by one, lest a few outliers lengthen every list
        most = np.partition(own.reshape(len(own), blocks, size), rank, axis=2)[:, :, rank].max(axis=0)
    pool = Pool(
        packed, low, high, diagonal, reach, exact.ravel(), by_axis, order, start, own.ravel(), most, squares.ravel()
    )
    return pool, width


@kernel()
def ranks(cloud, s, target, spec, answer_nu, answer_ranks, places, scratch):
    """The own ranks of set s (packed as a target) for the target sets whose answers begin at `places`."""
    first, n = cloud.offsets[s], cloud.offsets[s + 1] - cloud.offsets[s]
    reach = 0.0
    for leaf in range((n + LANES - 1) // LANES):
        norm = 0.0
        for c in range(cloud.d):
            box = c * target.stride + leaf
            norm += max(abs(target.low[box]), abs(target.high[box])) ** 2
        reach = max(reach, math.sqrt(norm) * (1 + 1e-6))
    own = Own(target.leaves, target.names, n, 1, cloud.d * LANES, LANES, reach, target.square_unit)
    for t in range(len(spec.ks)):
        own_ranks(own, cloud.points, first, cloud.d, cloud.square_rho, cloud.own_within, answer_nu, answer_ranks, t,
                  places, scratch)  # fmt: skip


@kernel()
def reduce_target(x, y, spec, rows, j, skip, answers, place, counted, memory, out):
    """The moments of all sets of the pool against target j; `skip` leaves out the pair of a set with itself."""
    nu, within, ranked = answers
    base = x.offsets[rows[0]]
    for i in range(rows[0], rows[1]):
        if not (skip and i == j):
            for t in range(len(spec.ks)):
                reduce_pair(spec, x, i, y, j, t, nu, within, ranked, place + x.offsets[i] - base, counted,
                            memory.log_nu, memory.terms, out)  # fmt: skip
