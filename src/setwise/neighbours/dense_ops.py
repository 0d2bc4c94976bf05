"""The SIMD operations of the search in high dimensions (dense.py): tiles, their merges into lists, their counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from setwise.neighbours.simd import I32, LANES, VF, VI, Emitter, simd, vectors

ROWS = 3 if LANES == 8 else 4  # registers of x in a tile: 16 accumulators of 32 registers, 12 of 16
COLUMNS = 4
BLOCK = ROWS * LANES
CHUNK = BLOCK  # columns swept by a panel of rows: their lists stay in the first cache
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
    ascending = e.sort(keys)
    _merge_sorted(e, lists, offset, length, ascending)
    return ascending[0]


def _merge_sorted(e: Emitter, lists: Any, offset: ir.Value, length: int, ascending: list[ir.Value]) -> ir.Value:
    """Merge keys in ascending order into a list; its greatest."""
    merged = e.merge([e.load(lists, e.at(offset, LANES * t)) for t in range(length)], ascending)
    for t, value in enumerate(merged):
        e.store(value, lists, e.at(offset, LANES * t))
    return merged[0]


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
    greatest = _merge_sorted(e, out, target, len(like), folded[::-1])
    lost = e.b.icmp_signed("<", e.bits(last), e.bits(greatest))
    return e.b.zext(e.mask_bits(lost), I32)


@simd(types.void)
def join(e: Emitter, lists: Any, folded: Any, start: ir.Value, like: list[ir.Value]) -> None:
    """Merge the lists of LANES points into others of the same points."""
    ascending = [e.load(lists, e.at(start, LANES * t)) for t in reversed(range(len(like)))]
    _merge_sorted(e, folded, start, len(like), ascending)


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
