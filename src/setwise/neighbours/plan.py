"""What is to be searched, as plain data: independent tiles of sets against sets, for one path on one host.

d <= 4      low      pooled queries against one target set at a time; both directions are two searches
d >= 5      dense    pairs of sets; one search answers both directions
large k     scan     float64 throughout: lists longer than LONGEST do not fit the registers
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from setwise.errors import InputError
from setwise.neighbours.simd import LANES

Path = Literal["low", "dense", "scan"]
LENGTHS = (2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 48)  # of lists: each is compiled on its own
LONGEST = LENGTHS[-1]
RARE = 2e-3  # share of points whose nearest fall so unevenly on the lanes that they are searched again
TILE_WORK = 3e9  # coordinates compared in a tile: some tens of milliseconds
TOGETHER = 16  # target sets that share the own distances of a set's points, where counts are wanted
DEFAULT_MEMORY = 400_000_000


@dataclass(frozen=True, slots=True)
class Tile:
    """Sets [rows) of X against sets [columns) of Y."""

    rows: tuple[int, int]
    columns: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """`mirrored`: Y is X, and a tile answers for both of its triangles."""

    path: Path
    mirrored: bool
    threads: int
    tiles: tuple[Tile, ...]


def path_for(d: int, k: int) -> Path:
    """The path for the k-th neighbour in d dimensions."""
    if k + 3 > LONGEST:
        return "scan"
    return "low" if d <= 4 else "dense"


def list_length(path: Path, k: int, d: int) -> int:
    """How many keys a list holds: k, and one to tell the k-th from the rest; more where distances are alike (many
    dimensions, in which the lists cost little beside the sums)."""
    wanted = k + 1 + ((d >= 32) + (d >= 96) if path == "dense" else 0)
    return next(length for length in (*LENGTHS, wanted) if length >= wanted)


def short_length(length: int) -> int:
    """How many keys one lane's list holds, where LANES of them make a list: all that it can give, but in rare cases."""
    return next(s for s in range(1, length + 1) if LANES * comb(length, s + 1) < RARE * LANES ** (s + 1))


def bytes_per_thread(path: Path, d: int, k: int, rows: int, columns: int, largest: int, ks: int, counting: bool) -> int:
    """An upper bound on a thread's scratch for a tile of so many points; `largest` is the largest set's."""
    length, answers = list_length(path, k, d), ks * (16 if counting else 8)
    if path == "low":
        return columns * rows * ks * 8 + largest * (24 * d + 60 + (64 + 8 * columns if counting else 0))
    if path == "scan":
        return (rows * columns + columns * rows) * answers
    lists = largest * length * (4 + 4) + (largest * ks * (8 + 136) if counting else 0)
    return lists + (rows + columns) * (4 * d + 16) + (largest * 64 if counting else 0)


def bytes_kept(path: Path, sizes: NDArray[np.int64], d: int, itemsize: int, ks: int, counting: bool) -> int:
    """What is kept of a collection's points throughout: themselves in their order, and what is known of each."""
    points, leaves = int(sizes.sum()), -(-sizes // LANES)
    known = points * ks * (24 if counting else 20)
    arranged = points * d * itemsize if path != "scan" else 0
    packed = int((leaves + 2 * -(-leaves // LANES)).sum()) * LANES * d * 4 if path == "low" else 0
    return known + arranged + packed


def make_plan(
    sizes_x: NDArray[np.int64],
    sizes_y: NDArray[np.int64] | None,
    *,
    path: Path,
    d: int,
    ks: tuple[int, ...],
    counting: bool,
    threads: int,
    memory: int | None,
    kept: int = 0,
) -> Plan:
    """Cut the pairs into tiles that keep all threads busy and inside the budget (bytes), of which `kept` are taken."""
    mirrored = sizes_y is None
    columns = sizes_x if sizes_y is None else sizes_y
    budget = DEFAULT_MEMORY if memory is None else memory - kept
    while True:
        try:
            cut = _low if path == "low" else _pairs
            return Plan(
                path, mirrored, threads, cut(sizes_x, columns, d, ks, counting, mirrored, path, threads, budget)
            )
        except _TooLarge as need:
            if threads > 1:
                threads -= 1
            elif memory is None:
                budget *= 2
            else:
                raise InputError(
                    f"memory={memory} bytes is too little: these sets need {kept + need.bytes}. "
                    "Give more memory, or thin the sets."
                ) from None


class _TooLarge(Exception):
    def __init__(self, needed: int) -> None:
        super().__init__(needed)
        self.bytes = needed


def _low(
    sizes_x: NDArray[np.int64],
    sizes_y: NDArray[np.int64],
    d: int,
    ks: tuple[int, ...],
    counting: bool,
    mirrored: bool,
    path: Path,
    threads: int,
    budget: int,
) -> tuple[Tile, ...]:
    """Rows: as many sets as the budget lets share a kd order. Columns: one target, more where own ranks are shared."""
    largest = int(max(sizes_x.max(), sizes_y.max()))
    ordered, pooled = 22 * d + 24, 14 * d + 12  # bytes a query point while the pool is made, and then
    together = TOGETHER if counting else 1

    def cost(points: int, columns: int) -> int:
        scratch = bytes_per_thread(path, d, max(ks), points, columns, largest, len(ks), counting)
        return max(ordered * points, pooled * points + threads * scratch)

    while together > 1 and cost(min(int(sizes_x.sum()), 1 << 17), together) > budget:
        together //= 2
    limit = max((p for p in (1 << 20 >> s for s in range(21)) if cost(p, together) <= budget), default=0)
    if limit < sizes_x.max():
        raise _TooLarge(cost(int(sizes_x.max()), together))
    groups = _runs(sizes_x, limit)
    width = max(1, min(together, len(sizes_y) // (2 * threads) or 1))
    return tuple(Tile(rows, columns) for rows in groups for columns in _cut(len(sizes_y), width))


def _pairs(
    sizes_x: NDArray[np.int64],
    sizes_y: NDArray[np.int64],
    d: int,
    ks: tuple[int, ...],
    counting: bool,
    mirrored: bool,
    path: Path,
    threads: int,
    budget: int,
) -> tuple[Tile, ...]:
    """Squares of sets, small enough for the budget, for progress, and for the threads to end together."""
    largest = int(max(sizes_x.max(), sizes_y.max()))
    answers = len(ks) * (16 if counting else 8)

    def cost(side: int) -> int:
        points = side * largest
        return threads * (
            bytes_per_thread(path, d, max(ks), points, points, largest, len(ks), counting) + 2 * side * points * answers
        )

    if cost(1) > budget:
        raise _TooLarge(cost(1))
    mean = float(sizes_x.mean()) * float(sizes_y.mean()) * (d + 20)
    wanted = max(int((TILE_WORK / mean) ** 0.5), TOGETHER // 2 if counting else 1)
    side = max(1, min(TOGETHER, wanted, max(len(sizes_x), len(sizes_y)) // (2 * threads)))
    while cost(side) > budget:
        side -= 1
    rows, columns = _cut(len(sizes_x), side), _cut(len(sizes_y), side)
    return tuple(Tile(r, c) for r in rows for c in columns if path == "scan" or not mirrored or c[0] >= r[0])


def _cut(count: int, width: int) -> list[tuple[int, int]]:
    return [(start, min(start + width, count)) for start in range(0, count, width)]


def _runs(sizes: NDArray[np.int64], limit: int) -> list[tuple[int, int]]:
    """Consecutive sets, as many as fit into `limit` points."""
    runs, start, total = [], 0, 0
    for i, size in enumerate(sizes.tolist()):
        if total + size > limit:
            runs.append((start, i))
            start, total = i, 0
        total += size
    return [*runs, (start, len(sizes))]
