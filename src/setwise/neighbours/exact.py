"""Squared distances in float64, in one fixed order of summation on every host: what every path answers with.

The fast paths find *which* point is the k-th neighbour in float32; its distance is always computed here. So
answers do not depend on the path, the blocking or the number of threads, and carry float64's own accuracy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types

from setwise.neighbours.compiled import kernel
from setwise.neighbours.simd import I32, WIDE, Emitter, simd

TIE = 1.0 + 2e-9  # squared distances within this factor are equal: reference.TIE, squared
_ZERO = ir.Constant(WIDE.llvm, [0.0] * 8)


@simd(WIDE)
def zeros(e: Emitter) -> ir.Value:
    return _ZERO


@simd(lambda total, x, i, y, j: WIDE)
def _add_squares(e: Emitter, total: ir.Value, x: Any, i: ir.Value, y: Any, j: ir.Value) -> ir.Value:
    """total + (x[i:i+8] - y[j:j+8])^2, lane by lane, each operation rounded."""

    def load(array: Any, index: ir.Value) -> ir.Value:
        if array[0].dtype == types.float64:
            return e.load(array, index, WIDE.llvm)
        return e.b.fpext(e.load(array, index, ir.VectorType(ir.FloatType(), 8)), WIDE.llvm)

    difference = e.b.fsub(load(x, i), load(y, j))
    return e.b.fadd(total, e.b.fmul(difference, difference))


@simd(types.float64)
def total_of(e: Emitter, value: ir.Value) -> ir.Value:
    lanes = [e.b.extract_element(value, I32(i)) for i in range(8)]
    for step in (4, 2, 1):
        lanes = [e.b.fadd(lanes[i], lanes[i + step]) for i in range(step)]
    return lanes[0]


@njit(inline="always")
def square_distance(x, i, y, j, d):
    """|x_i - y_j|^2 for row-major arrays given flat, d columns wide."""
    i, j = i * d, j * d
    total = 0.0
    if d >= 8:
        wide = zeros()
        for c in range(0, d - 7, 8):
            wide = _add_squares(wide, x, i + c, y, j + c)
        total = total_of(wide)
    for c in range(d - d % 8, d):
        difference = np.float64(x[i + c]) - np.float64(y[j + c])
        total += difference * difference
    return total


@njit(inline="always")
def insert(nearest, count, value):
    """Put a value into the ascending list of the `count` smallest."""
    if value < nearest[count - 1]:
        p = count - 1
        while p > 0 and nearest[p - 1] > value:
            nearest[p] = nearest[p - 1]
            p -= 1
        nearest[p] = value


@kernel()
def scan(x, i, y, start, stop, d, count, nearest):
    """The `count` smallest squared distances from x_i to the rows start..stop of y, ascending."""
    for t in range(count):
        nearest[t] = np.inf
    for j in range(start, stop):
        insert(nearest, count, square_distance(x, i, y, j, d))


@kernel()
def count_within(x, i, y, start, stop, d, square):
    """How many rows start..stop of y lie within a squared distance of x_i, ties included."""
    count = 0
    for j in range(start, stop):
        count += square_distance(x, i, y, j, d) <= square * TIE
    return count


@kernel()
def beyond_ties(x, i, y, start, stop, d):
    """How many rows start..stop of y coincide with x_i, and the smallest positive squared distance (inf: none)."""
    ties, least = 0, np.inf
    for j in range(start, stop):
        square = square_distance(x, i, y, j, d)
        if square == 0.0:
            ties += 1
        elif square < least:
            least = square
    return ties, least


@kernel()
def scan_set(x, first, last, y, start, stop, d, ks, nearest, nu, place, halt):
    """The k-th smallest squared distances of the rows first..last of x, for ascending ks, into nu[:, place...]."""
    for i in range(first, last):
        if halt[0]:
            return
        scan(x, i, y, start, stop, d, ks[-1], nearest)
        for t in range(len(ks)):
            nu[t, place + i - first] = nearest[ks[t] - 1]


@kernel()
def count_set(x, first, last, y, start, stop, d, square_rho, nu, within, ranks):
    """The points of y, and of x without each point itself, within max(rho, nu) of the rows first..last of x."""
    for t in range(len(nu)):
        for i in range(first, last):
            square = max(square_rho[t, i], nu[t, i - first])
            within[t, i - first] = count_within(x, i, y, start, stop, d, square)
            ranks[t, i - first] = count_within(x, i, x, first, last, d, square) - 1
