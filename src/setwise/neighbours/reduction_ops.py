"""The sums of the reduction, eight doubles at a time, in one order on every host.

Logarithms and exponentials are computed here to the last few bits, without branches. The last register of a set may
hold fewer points than lanes; what its other lanes hold is read (arrays are padded) and left out.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import njit, types

from setwise.neighbours.exact import total_of, zeros
from setwise.neighbours.simd import WIDE, Emitter, simd

LN2 = math.log(2.0)
MAGIC = 6755399441055744.0  # 1.5 * 2^52: adding it leaves a number's nearest integer in the low bits
MAGIC_BITS = 0x4338000000000000
HALF_ROOT = 4604544271217802189  # the bits of sqrt(1/2)
NOTHING = -1000.0  # 2^-1000 beside 1
# 2^f for |f| <= 1/2 to 3e-16: the polynomial of degree 10 through Chebyshev's points
EXP2 = (1.0, 0.69314718055995, 0.24022650695910097, 0.05550410866444772, 0.009618129107606888, 0.0013333558230164974,
        0.0001540353044173605, 1.5252657260200837e-05, 1.321544258792169e-06, 1.0208690299958306e-07,
        7.072585949269223e-09)  # fmt: skip
WHOLE = ir.VectorType(ir.IntType(64), 8)


def _log(e: Emitter, x: ir.Value, scale: float) -> ir.Value:
    """scale * log(x) of positive normal numbers: 2 atanh((m - 1) / (m + 1)) + exponent log 2."""
    bits = e.b.bitcast(x, WHOLE)
    shifted = e.b.add(e.b.sub(bits, ir.Constant(WHOLE, [HALF_ROOT] * 8)), ir.Constant(WHOLE, [1024 << 52] * 8))
    exponent = e.b.sub(e.b.lshr(shifted, ir.Constant(WHOLE, [52] * 8)), ir.Constant(WHOLE, [1024] * 8))
    m = e.b.bitcast(e.b.sub(bits, e.b.shl(exponent, ir.Constant(WHOLE, [52] * 8))), x.type)
    one = e.constant(x, 1.0)
    s = e.b.fdiv(e.b.fsub(m, one), e.b.fadd(m, one))
    z = e.b.fmul(s, s)
    p = e.constant(x, 2 * scale / 19)
    for odd in range(17, 1, -2):
        p = e.fma_wide(p, z, e.constant(x, 2 * scale / odd))
    whole = e.b.bitcast(e.b.add(exponent, ir.Constant(WHOLE, [MAGIC_BITS] * 8)), x.type)
    whole = e.b.fsub(whole, e.constant(x, MAGIC))
    fraction = e.fma_wide(e.b.fmul(s, z), p, e.b.fmul(s, e.constant(x, 2 * scale)))
    return e.fma_wide(whole, e.constant(x, scale * LN2), fraction)


def _exp2(e: Emitter, x: ir.Value) -> ir.Value:
    """2^x of numbers up to 1000; smaller ones than -1000 count as that."""
    least = e.constant(x, NOTHING)
    x = e.b.select(e.b.fcmp_ordered(">", x, least), x, least)
    shifted = e.b.fadd(x, e.constant(x, MAGIC))
    f = e.b.fsub(x, e.b.fsub(shifted, e.constant(x, MAGIC)))
    p = e.constant(x, EXP2[-1])
    for coefficient in EXP2[-2::-1]:
        p = e.fma_wide(p, f, e.constant(x, coefficient))
    power = e.b.shl(e.b.bitcast(shifted, WHOLE), ir.Constant(WHOLE, [52] * 8))
    return e.b.bitcast(e.b.add(e.b.bitcast(p, WHOLE), power), x.type)


def _only(e: Emitter, left: ir.Value, value: ir.Value, other: ir.Value) -> ir.Value:
    """The first `left` lanes of a value, and the others of another."""
    if isinstance(left, ir.Constant):
        return value
    mask = e.b.icmp_signed("<", ir.Constant(WHOLE, list(range(8))), e.spread_wide(left))
    return e.b.select(mask, value, other)


@simd(types.UniTuple(WIDE, 6))
def _see(
    e: Emitter, seen: list[ir.Value], nu: Any, i: ir.Value, log_rho: Any, j: ir.Value, d: ir.Value, log_nu: Any,
    ratio: Any, p: ir.Value, left: ir.Value,
) -> list[ir.Value]:  # fmt: skip
    square, rho = e.load(nu, i, WIDE.llvm), e.load(log_rho, j, WIDE.llvm)
    value = _log(e, square, 0.5)
    t = e.b.fmul(e.b.fsub(value, rho), e.spread_wide(d))
    e.store(value, log_nu, p)
    e.store(t, ratio, p)
    out = []
    for now, before, sign in zip((square, value, value, t, t), seen, "<<><>", strict=False):
        kept = e.b.select(e.b.fcmp_ordered(sign, now, before), now, before)
        out.append(_only(e, left, kept, before))
    return [*out, e.b.fadd(seen[5], _only(e, left, t, e.constant(t, 0.0)))]


@simd(WIDE)
def _add_exp(
    e: Emitter, total: ir.Value, x: Any, i: ir.Value, by: ir.Value, shift: ir.Value, out: Any, left: ir.Value
) -> ir.Value:
    value = _exp2(e, e.fma_wide(e.load(x, i, WIDE.llvm), e.spread_wide(by), e.spread_wide(shift)))
    e.store(value, out, i)
    return e.b.fadd(total, _only(e, left, value, e.constant(value, 0.0)))


@simd(WIDE)
def _get(e: Emitter, values: Any, i: ir.Value) -> ir.Value:
    return e.load(values, i, WIDE.llvm)


@simd(WIDE)
def _times(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    return e.b.fmul(x, y)


@simd(WIDE)
def _put(e: Emitter, total: ir.Value, value: ir.Value, out: Any, i: ir.Value, left: ir.Value) -> ir.Value:
    """Store a value, and add it to a total."""
    e.store(value, out, i)
    return e.b.fadd(total, _only(e, left, value, e.constant(value, 0.0)))


@simd(WIDE)
def wide(e: Emitter, number: ir.Value) -> ir.Value:
    return e.spread_wide(number)


@simd(types.float64)
def _extreme(e: Emitter, value: ir.Value, largest: ir.Value) -> ir.Value:
    """The smallest of the lanes, or the largest."""
    kind = value.type
    smallest = e.call("llvm.vector.reduce.fmin.v8f64", kind.element, [value])
    return e.b.select(largest, e.call("llvm.vector.reduce.fmax.v8f64", kind.element, [value]), smallest)


@njit(inline="always")
def see(nu, log_rho, at, d, n, log_nu, ratio):
    """log nu and d log(nu / rho) of n points: the smallest nu^2, the ranges of both, and the sum of the latter."""
    high = wide(math.inf)
    low = wide(-math.inf)
    seen = (high, high, low, high, low, zeros())
    for i in range(0, n - 7, 8):
        seen = _see(seen, nu, i, log_rho, at + i, d, log_nu, ratio, i, 8)
    if n % 8:
        i = n - n % 8
        seen = _see(seen, nu, i, log_rho, at + i, d, log_nu, ratio, i, n % 8)
    return (
        _extreme(seen[0], False), (_extreme(seen[1], False), _extreme(seen[2], True)),
        (_extreme(seen[3], False), _extreme(seen[4], True)), total_of(seen[5]),
    )  # fmt: skip


@njit(inline="always")
def sum_exp(x, n, by, bounds, out):
    """The largest of by * x, and the sum of exp(by * x - largest); `out` keeps the terms. `bounds` of x are exact."""
    largest = max(by * bounds[0], by * bounds[1])
    scale, shift, total = by / LN2, -largest / LN2, zeros()
    for i in range(0, n - 7, 8):
        total = _add_exp(total, x, i, scale, shift, out, 8)
    if n % 8:
        total = _add_exp(total, x, n - n % 8, scale, shift, out, n % 8)
    return largest, total_of(total)


@njit(inline="always")
def _raised(value, power):
    """A small power, by squaring."""
    result, power = value, power - 1
    while power > 0:
        if power & 1:
            result = _times(result, value)
        value = _times(value, value)
        power >>= 1
    return result


@njit(inline="always")
def sum_powers(x, n, power, out):
    """The sum of x^power; `out` keeps the terms."""
    total = zeros()
    for i in range(0, n - 7, 8):
        total = _put(total, _raised(_get(x, i), power), out, i, 8)
    if n % 8:
        i = n - n % 8
        total = _put(total, _raised(_get(x, i), power), out, i, n % 8)
    return total_of(total)


@njit(inline="always")
def range_of(values, n):
    """The smallest and the largest of n values."""
    low = high = values[0]
    for i in range(1, n):
        low, high = min(low, values[i]), max(high, values[i])
    return low, high


@simd(types.UniTuple(WIDE, 2))
def _add_matched(
    e: Emitter, sums: list[ir.Value], by_x: Any, near_x: ir.Value, by_y: Any, near_y: ir.Value
) -> list[ir.Value]:
    wide = ir.IntType(64)
    x, y = (
        e.load(table, e.b.mul(e.b.sext(near, wide) if near.type != wide else near, wide(8)), WIDE.llvm)
        for table, near in ((by_x, near_x), (by_y, near_y))
    )
    return [e.fma_wide(x, y, sums[0]), e.b.fadd(sums[1], e.b.fadd(x, y))]


@simd(types.void)
def _put_both(e: Emitter, even: list[ir.Value], odd: list[ir.Value], out: Any, at: ir.Value) -> None:
    for i in range(2):
        e.store(e.b.fadd(even[i], odd[i]), out, e.at(at, 8 * i))


@njit(inline="always")
def sum_matched(by_x, by_y, ranks, within, n, out, at):
    """The sums over n points of by_x[l] by_y[q], into out[at:at + 8], and of by_x[l] + by_y[q], behind them: one lane a
    moment."""
    even = odd = (zeros(), zeros())
    for p in range(0, n - 1, 2):
        even = _add_matched(even, by_x, ranks[p], by_y, within[p])
        odd = _add_matched(odd, by_x, ranks[p + 1], by_y, within[p + 1])
    if n % 2:
        even = _add_matched(even, by_x, ranks[n - 1], by_y, within[n - 1])
    _put_both(even, odd, out, at)
