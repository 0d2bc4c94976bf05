"""From neighbour distances to moments (moments.py), a pair of sets at a time.

The means are taken in log space (log-sum-exp), so that rho^(-d a) may lie far outside float64's range. Sums run
over a set's points in their given order: the answer does not depend on the tile that held the pair.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from scipy.special import digamma, gammaln

from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import beyond_ties, count_within, total_of, zeros
from setwise.neighbours.moments import Array, LogRatio, Mixture, Moment, Power
from setwise.neighbours.simd import WIDE, Emitter, simd

LN2 = math.log(2.0)
ELEMENTWISE = {"contract", "nsz", "nnan"}  # the constants' order of addition matters: see MAGIC
SUMS = ELEMENTWISE | {"reassoc"}
MAGIC = 6755399441055744.0  # 1.5 * 2^52: adding it leaves a number's nearest integer in the low bits
POWER, LOG_RATIO, MIXTURE = range(3)


class Spec(NamedTuple):
    """The moments asked for, as arrays that jitted code can read."""

    kind: Any  # (moment,)
    a: Any
    b: Any
    matched: Any
    by_x: Any  # (moment, count): what l points of X contribute: G(l, a), or digamma(l)
    by_y: Any  # (moment, count): what q points of Y contribute: G(q, b), or -digamma(q)
    constant: Any  # (moment, k): log G(k, a) G(k, b)
    ks: Any


class Cloud(NamedTuple):
    """A collection's points and what is known of each on its own, for each k: (k, point)."""

    points: Any  # row-major, flat
    offsets: Any
    d: int
    square_rho: Any
    log_rho: Any  # of the k_rho-th neighbour
    k_rho: Any  # k, or where that distance is zero the first whose distance is not
    own_within: Any  # points within rho, ties included
    flat_log_rho: Any
    low_rho: Any  # (k, set): the smallest log_rho, and the largest
    high_rho: Any
    tied: Any  # (k, set): whether any rho is zero
    resolution: float  # log of the smallest distance that stands in where a point has no positive one


def specify(moments: tuple[Moment, ...], ks: tuple[int, ...], largest: int) -> Spec:
    """The tables of the moments, for sets of up to `largest` points."""
    counts = np.arange(largest + 2, dtype=np.float64)
    counts[0] = 1.0  # never looked up
    shape = (len(moments), len(counts))
    by_x, by_y = np.zeros(shape), np.zeros(shape)
    kind, matched = np.zeros(len(moments), np.int64), np.zeros(len(moments), np.bool_)
    a, b = np.zeros(len(moments)), np.zeros(len(moments))
    for i, moment in enumerate(moments):
        if isinstance(moment, Mixture):
            kind[i], matched[i] = MIXTURE, True
        elif isinstance(moment, LogRatio):
            kind[i], matched[i] = LOG_RATIO, moment.matched
            by_x[i], by_y[i] = digamma(counts), -digamma(counts)
        else:
            kind[i], matched[i], a[i], b[i] = POWER, moment.matched, moment.a, moment.b
            by_x[i], by_y[i] = gamma_ratio(counts, moment.a), gamma_ratio(counts, moment.b)
    with np.errstate(divide="ignore", invalid="ignore"):
        constant = np.log(by_x[:, ks] * by_y[:, ks])
    return Spec(kind, a, b, matched, by_x, by_y, constant, np.array(ks, np.int64))


def gamma_ratio(k: Array, a: float) -> Array:
    """G(k, a) = Gamma(k) / Gamma(k - a); a count too small for it never occurs and is set to nan."""
    with np.errstate(over="ignore"):
        ratio = np.exp(gammaln(k) - gammaln(np.where(k > a, k - a, 1.0)))
    return np.asarray(np.where(k > a, ratio, np.nan))


def needs_counts(moments: tuple[Moment, ...]) -> bool:
    return any(isinstance(m, Mixture) or m.matched for m in moments)


def needs_counts_at_ties(moments: tuple[Moment, ...]) -> bool:
    return any(isinstance(m, LogRatio) or (isinstance(m, Power) and m.a + m.b == 0) for m in moments)


@simd(types.int64)
def _bits(e: Emitter, value: ir.Value) -> ir.Value:
    return e.b.bitcast(value, ir.IntType(64))


@simd(types.float64)
def _float(e: Emitter, value: ir.Value) -> ir.Value:
    return e.b.bitcast(value, ir.DoubleType())


@njit(inline="always", fastmath={"contract"})
def _log(x):
    """Natural logarithm of a positive normal number, without a branch: 2 atanh((m - 1) / (m + 1)) + e log 2."""
    bits = _bits(x) - np.int64(4604544271217802189)  # of sqrt(1/2)
    exponent = ((bits + (np.int64(1024) << 52)) >> 52) - 1024
    m = _float(_bits(x) - (exponent << 52))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 2.0 / 19
    for odd in (17, 15, 13, 11, 9, 7, 5, 3):
        p = p * z + 2.0 / odd
    whole = _float(_bits(MAGIC) + exponent) - MAGIC
    return s * z * p + 2.0 * s + whole * LN2


@simd(WIDE)
def _add_exp(
    e: Emitter,
    total: ir.Value,
    x: Any,
    i: ir.Value,
    y: Any,
    j: ir.Value,
    by_x: ir.Value,
    by_y: ir.Value,
    constant: ir.Value,
) -> ir.Value:
    """total + exp(constant + by_x x[i:i+8] + by_y y[j:j+8])."""
    left, right = e.load(x, i, WIDE.llvm), e.load(y, j, WIDE.llvm)
    term = e.fma_wide(left, e.spread_wide(by_x), e.spread_wide(constant))
    return e.b.fadd(total, e.exp(e.fma_wide(right, e.spread_wide(by_y), term)))


@simd(types.UniTuple(WIDE, 2))
def _extend(e: Emitter, bounds: list[ir.Value], x: Any, i: ir.Value) -> list[ir.Value]:
    """The smallest and largest seen, lane by lane, with x[i:i+8]."""
    value = e.load(x, i, WIDE.llvm)
    lower = e.b.select(e.b.fcmp_ordered("<", value, bounds[0]), value, bounds[0])
    upper = e.b.select(e.b.fcmp_ordered(">", value, bounds[1]), value, bounds[1])
    return [lower, upper]


@simd(WIDE)
def _wide(e: Emitter, value: ir.Value) -> ir.Value:
    return e.spread_wide(value)


@simd(types.float64)
def _lane(e: Emitter, value: ir.Value, lane: ir.Value) -> ir.Value:
    return e.b.extract_element(value, lane)


@njit(inline="always")
def _range(values, start, n):
    """The smallest and the largest of n values."""
    low, high = values[start], values[start]
    if n >= 8:
        bounds = (_wide(low), _wide(high))
        for i in range(0, n - 7, 8):
            bounds = _extend(bounds, values, start + i)
        for lane in range(8):
            low, high = min(low, _lane(bounds[0], lane)), max(high, _lane(bounds[1], lane))
    for i in range(start + n - n % 8, start + n):
        low, high = min(low, values[i]), max(high, values[i])
    return low, high


@njit(inline="always")
def _sum_exp(x, start, by_x, y, by_y, constant, n):
    """Sum over i of exp(constant + by_x x[start + i] + by_y y[i])."""
    wide = zeros()
    for i in range(0, n - 7, 8):
        wide = _add_exp(wide, x, start + i, y, i, by_x, by_y, constant)
    total = total_of(wide)
    for i in range(n - n % 8, n):
        total += math.exp(constant + by_x * x[start + i] + by_y * y[i])
    return total


@njit(inline="always")
def _digamma(x):
    """For x >= 1, by recurrence and the asymptotic series."""
    shift = 0.0
    while x < 12.0:
        shift -= 1.0 / x
        x += 1.0
    z = 1.0 / (x * x)
    series = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132)))))
    return shift + math.log(x) - 0.5 / x - series


@kernel(fastmath=ELEMENTWISE)
def _logs(square, place, n, out):
    """Half the logarithm of each square; whether any is zero."""
    zeros = 0
    for i in range(n):
        value = square[place + i]
        zeros += value == 0.0
        out[i] = 0.5 * _log(value)
    return zeros > 0


@kernel()
def _log_mean_exp(x, start, low, high, by_x, y, by_y, bounds, constant, n):
    """log mean exp(constant + by_x x[start + i] + by_y y[i]); low and high bound x, `bounds` y.

    The terms are shifted by a bound on the largest, which keeps all of them inside float64's range unless they span it:
    then by the largest itself, below which what underflows does not count.
    """
    span = abs(by_x) * (high - low) + abs(by_y) * (bounds[1] - bounds[0])
    largest = constant + max(by_x * low, by_x * high) + max(by_y * bounds[0], by_y * bounds[1])
    if span < 600.0:
        return largest + math.log(_sum_exp(x, start, by_x, y, by_y, constant - largest, n) / n)
    largest = -np.inf
    for i in range(n):
        largest = max(largest, constant + by_x * x[start + i] + by_y * y[i])
    total = 0.0
    for i in range(n):
        total += math.exp(constant + by_x * x[start + i] + by_y * y[i] - largest)
    return largest + math.log(total / n)


@kernel()
def _log_mean_exp_of(terms, n):
    """The same of terms at hand."""
    low, high = _range(terms, 0, n)
    return _log_mean_exp(terms, 0, low, high, 1.0, terms, 0.0, (0.0, 0.0), 0.0, n)


@kernel(fastmath=SUMS)
def _mean(terms, n):
    total = 0.0
    for i in range(n):
        total += terms[i]
    return total / n


@kernel()
def _mixture(near_x, near_y, n, m):
    """log p / m at a matched ball that holds so many points of either set (docs/decisions/jensen-shannon.md)."""
    wx, wy = 0.5 / (n - 1), 0.5 / m
    edge = 1.0 if near_x > near_y else 0.0 if near_x < near_y else 0.5
    inner_x, inner_y = near_x + edge - 1.0, near_y - edge
    unit = (wx * wx * (inner_x + 1) + wy * wy * (inner_y + 1)) / (wx * (inner_x + 1) + wy * (inner_y + 1))
    count = (wx * inner_x + wy * inner_y) / unit
    return _digamma(np.float64(near_x)) + edge / near_x - math.log(n - 1.0) - math.log(unit) - _digamma(count + 1.0)


@kernel()
def reduce_pair(spec, x, i, y, j, t, nu, within, ranks, place, counted, log_nu, terms, out):
    """All moments of set i of x against set j of y for the t-th k, into out[:, i, j].

    nu, within and ranks are (k, place + point): squared distances, and where `counted` the counts q and l.
    """
    d = x.d
    first, n = x.offsets[i], x.offsets[i + 1] - x.offsets[i]
    start, stop = y.offsets[j], y.offsets[j + 1]
    m = stop - start
    tied = _logs(nu[t], place, n, log_nu) or x.tied[t, i]
    bounds = _range(log_nu, 0, n)
    log_rho, at = x.log_rho, t * x.offsets[-1] + first  # its flat place
    for moment in range(len(spec.kind)):
        kind, a, b = spec.kind[moment], spec.a[moment], spec.b[moment]
        if kind == MIXTURE:
            for p in range(n):
                terms[p] = _mixture(ranks[t, place + p], within[t, place + p], n, m)
            value = _mean(terms, n)
        elif kind == LOG_RATIO and spec.matched[moment]:
            for p in range(n):
                terms[p] = spec.by_x[moment, ranks[t, place + p]] + spec.by_y[moment, within[t, place + p]]
            value = _mean(terms, n)
        elif spec.matched[moment]:
            for p in range(n):
                terms[p] = spec.by_x[moment, ranks[t, place + p]] * spec.by_y[moment, within[t, place + p]]
            value = math.log(_mean(terms, n))
        elif kind == LOG_RATIO:
            for p in range(n):
                terms[p] = d * (log_nu[p] - log_rho[t, first + p])
            if tied:
                _mend(spec, moment, x, first, n, y, start, stop, t, nu, within, ranks, place, counted, log_nu, terms)
            value = _mean(terms, n)
        else:
            constant = spec.constant[moment, t]
            if tied:
                for p in range(n):
                    terms[p] = constant - d * (a * log_rho[t, first + p] + b * log_nu[p])
                _mend(spec, moment, x, first, n, y, start, stop, t, nu, within, ranks, place, counted, log_nu, terms)
                value = _log_mean_exp_of(terms, n)
            else:
                low, high = x.low_rho[t, i], x.high_rho[t, i]
                value = _log_mean_exp(x.flat_log_rho, at, low, high, -d * a, log_nu, -d * b, bounds, constant, n)
        out[moment, t, i, j] = value


@kernel()
def _mend(spec, moment, x, first, n, y, start, stop, t, nu, within, ranks, place, counted, log_nu, terms):
    """The terms of the points whose rho or nu is zero (moments.Power says what they are)."""
    k, d, a, b = spec.ks[t], x.d, spec.a[moment], spec.b[moment]
    for p in range(n):
        rho, square = x.square_rho[t, first + p], nu[t, place + p]
        if rho > 0.0 and square > 0.0:
            continue
        if spec.kind[moment] == LOG_RATIO or a + b == 0.0:
            if counted:
                near_x, near_y = ranks[t, place + p], within[t, place + p]
            else:
                ball = max(rho, square)
                near_x = count_within(x.points, first + p, x.points, first, first + n, d, ball) - 1
                near_y = count_within(x.points, first + p, y.points, start, stop, d, ball)
            left, right = spec.by_x[moment, near_x], spec.by_y[moment, near_y]
            terms[p] = left + right if spec.kind[moment] == LOG_RATIO else math.log(left * right)
        else:
            k_nu, log_distance = np.float64(k), log_nu[p]
            if square == 0.0:
                ties, beyond = beyond_ties(x.points, first + p, y.points, start, stop, d)
                k_nu = min(ties + 1.0, stop - start + 0.0)
                log_distance = 0.5 * math.log(beyond) if beyond < np.inf else x.resolution
            k_rho = x.k_rho[t, first + p]
            terms[p] = (
                math.lgamma(k_rho) - math.lgamma(k_rho - a) - d * a * x.log_rho[t, first + p]
                + math.lgamma(k_nu) - math.lgamma(k_nu - b) - d * b * log_distance
            )  # fmt: skip


@kernel(counted=True)
def know_own(points, offsets, d, ks, deep, own, counting, square_rho, log_rho, k_rho, own_within):
    """What each point's own k-th distances say, from its squared distances `own` (deep, point), itself at rank 1.

    Returns the log of the smallest positive distance met. A point without any positive distance keeps log_rho = inf.
    """
    least = np.inf
    for s in range(len(offsets) - 1):
        first, stop = offsets[s], offsets[s + 1]
        n = stop - first
        for i in range(first, stop):
            for t in range(len(ks)):
                k = ks[t]
                place = np.searchsorted(deep, k + 1)
                square = own[place, i]
                square_rho[t, i] = square
                k_rho[t, i] = k
                log_rho[t, i] = 0.5 * math.log(square) if square > 0 else np.inf
                if square == 0.0:
                    ties, beyond = beyond_ties(points, i, points, first, stop, d)
                    k_rho[t, i] = min(ties, n - 1)
                    square = beyond
                    if beyond < np.inf:
                        log_rho[t, i] = 0.5 * math.log(beyond)
                least = min(least, log_rho[t, i])
                if counting:
                    alone = k + 2 > n or own[place + 1, i] > square_rho[t, i] * (1 + 2e-9)
                    own_within[t, i] = (
                        k if alone else count_within(points, i, points, first, stop, d, square_rho[t, i]) - 1
                    )
    return least


def log_mean_exp_by_set(terms: Array, offsets: Any) -> Array:
    """The log of the mean of exp(terms) of each set."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    largest = np.maximum.reduceat(terms, starts)
    return np.asarray(largest + np.log(np.add.reduceat(np.exp(terms - np.repeat(largest, sizes)), starts) / sizes))
