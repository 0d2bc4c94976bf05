"""From neighbour distances to moments (moments.py), a pair of sets at a time.

The means are taken in log space (log-sum-exp), so that rho^(-d a) may lie far outside float64's range. Sums run
over a set's points in their given order: the answer does not depend on the tile that held the pair.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import beyond_ties, count_within
from setwise.neighbours.memory import aligned
from setwise.neighbours.moments import Array, LogRatio, Mixture, Moment, Power
from setwise.neighbours.reduction_ops import range_of, see, sum_exp, sum_matched, sum_powers

SUMS = {"contract", "nsz", "nnan", "reassoc"}
POWER, LOG_RATIO, MIXTURE = range(3)
GREATEST_POWER = 10  # of one moment's terms that serves for another's; each takes a few multiplications


class Spec(NamedTuple):
    """The moments asked for, as arrays that jitted code can read."""

    kind: Any  # (moment,)
    a: Any
    b: Any
    matched: Any
    by_x: Any  # (eight moments, count and lane): what l points of X contribute: G(l, a), or digamma(l)
    by_y: Any  # the same of q points of Y: G(q, b), or -digamma(q)
    constant: Any  # (moment, k): log G(k, a) G(k, b)
    ks: Any
    order: Any  # moments, those first whose terms serve for others
    source: Any  # (moment,): whose terms, raised to a power, are this moment's; or -1
    power: Any


def specify(moments: tuple[Moment, ...], ks: tuple[int, ...], largest: int) -> Spec:
    """The moments for the reduction, with tables for counts of up to `largest` points."""
    counts = np.maximum(np.arange(max(largest, ks[-1]) + 2), 1.0)  # 0 is never looked up
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
    ratios = [i for i in range(len(moments)) if kind[i] == POWER and not matched[i] and a[i] + b[i] == 0]
    source, power = _sources(a, ratios)
    order = np.argsort(np.abs(a))
    tables = _lanes(by_x), _lanes(by_y)
    return Spec(kind, a, b, matched, *tables, constant, np.array(ks, np.int64), order, source, power)


def _lanes(table: Array) -> Array:
    """(moment, count) as (eight moments, count and lane)."""
    moments, counts = table.shape
    groups = -(-moments // 8)
    lanes = aligned((groups, counts * 8), np.float64)
    padded = np.pad(table, ((0, groups * 8 - moments), (0, 0)))
    lanes[:] = padded.reshape(groups, 8, counts).swapaxes(1, 2).reshape(groups, -1)
    return lanes


def _sources(a: Array, ratios: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each moment of the ratio family another whose terms it takes, to a power: exp(a t) = exp(a' t)^(a/a')."""
    source, power = np.full(len(a), -1), np.ones(len(a), np.int64)
    ranked = sorted(ratios, key=lambda i: abs(a[i]))
    for place, i in enumerate(ranked):
        for j in ranked[:place]:
            times = a[i] / a[j] if a[j] else 0.0
            if 1.5 < times < GREATEST_POWER + 0.5 and abs(times / round(times) - 1) < 1e-14:
                source[i], power[i] = j, round(times)
    return source, power


def gamma_ratio(k: Array, a: float) -> Array:
    """G(k, a) = Gamma(k) / Gamma(k - a); a count too small for it never occurs and is set to nan."""
    with np.errstate(over="ignore"):
        ratio = np.exp(gammaln(k) - gammaln(np.where(k > a, k - a, 1.0)))
    return np.asarray(np.where(k > a, ratio, np.nan))


def needs_counts(moments: tuple[Moment, ...]) -> bool:
    return any(isinstance(m, Mixture) or m.matched for m in moments)


def needs_counts_at_ties(moments: tuple[Moment, ...]) -> bool:
    return any(isinstance(m, LogRatio) or (isinstance(m, Power) and m.a + m.b == 0) for m in moments)


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


@njit(inline="always")
def _log_ratio(k, a):
    """log G(k, a)."""
    return math.lgamma(k) - math.lgamma(k - a)


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
def reduce_pair(spec, x, i, y, j, t, nu, within, ranks, counted, work, out):
    """All moments of set i of x against set j of y for the t-th k, into out[:, i, j].

    nu, within and ranks hold the pair's points: squared distances, and where `counted` the counts q and l. `work` has
    three rows, and one more for each moment.
    """
    d = x.d
    first, n = x.offsets[i], x.offsets[i + 1] - x.offsets[i]
    start, stop = y.offsets[j], y.offsets[j + 1]
    log_nu, ratio = work[0], work[1]
    least, range_nu, range_ratio, sum_ratio = see(
        nu, x.flat_log_rho, t * x.offsets[-1] + first, np.float64(d), n, log_nu, ratio
    )
    tied = least == 0.0 or x.tied[t, i]
    sums = work[-1]
    for group in range(len(spec.by_x) if spec.matched.any() else 0):
        sum_matched(spec.by_x[group], spec.by_y[group], ranks, within, n, sums, 16 * group)
    for moment in spec.order:
        kind, a, b = spec.kind[moment], spec.a[moment], spec.b[moment]
        terms, source = work[2 + moment], spec.source[moment]
        if kind == MIXTURE:
            for p in range(n):
                terms[p] = _mixture(ranks[p], within[p], n, stop - start)
            value = _mean(terms, n)
        elif spec.matched[moment]:
            lane = moment // 8 * 16 + moment % 8
            value = sums[lane + 8] / n if kind == LOG_RATIO else math.log(sums[lane] / n)
        elif tied:
            for p in range(n):
                if kind == LOG_RATIO:
                    terms[p] = ratio[p]
                else:
                    terms[p] = spec.constant[moment, t] - d * (a * x.log_rho[t, first + p] + b * log_nu[p])
            _mend(spec, moment, x, first, n, y, start, stop, t, nu, within, ranks, counted, log_nu, terms)
            if kind == LOG_RATIO:
                value = _mean(terms, n)
            else:
                largest, total = sum_exp(terms, n, 1.0, range_of(terms, n), terms)
                value = largest + math.log(total / n)
        elif kind == LOG_RATIO:
            value = sum_ratio / n
        elif source >= 0:
            total = sum_powers(work[2 + source], n, spec.power[moment], terms)
            largest = max(a * range_ratio[0], a * range_ratio[1])
            value = spec.constant[moment, t] + largest + math.log(total / n)
        else:
            if a + b == 0.0:
                largest, total = sum_exp(ratio, n, a, range_ratio, terms)
            elif a == 0.0:
                largest, total = sum_exp(log_nu, n, -d * b, range_nu, terms)
            else:
                for p in range(n):
                    terms[p] = -d * (a * x.log_rho[t, first + p] + b * log_nu[p])
                largest, total = sum_exp(terms, n, 1.0, range_of(terms, n), terms)
            value = spec.constant[moment, t] + largest + math.log(total / n)
        out[moment, t, i, j] = value


@kernel()
def _mend(spec, moment, x, first, n, y, start, stop, t, nu, within, ranks, counted, log_nu, terms):
    """The terms of the points whose rho or nu is zero (moments.Power says what they are)."""
    k, d, a, b = spec.ks[t], x.d, spec.a[moment], spec.b[moment]
    for p in range(n):
        rho, square = x.square_rho[t, first + p], nu[p]
        if rho > 0.0 and square > 0.0:
            continue
        if spec.kind[moment] == LOG_RATIO or a + b == 0.0:
            if counted:
                near_x, near_y = ranks[p], within[p]
            else:
                ball = max(rho, square)
                near_x = count_within(x.points, first + p, x.points, first, first + n, d, ball) - 1
                near_y = count_within(x.points, first + p, y.points, start, stop, d, ball)
            if spec.kind[moment] == LOG_RATIO:
                terms[p] = _digamma(np.float64(near_x)) - _digamma(np.float64(near_y))
            else:
                terms[p] = _log_ratio(near_x, a) + _log_ratio(near_y, b)
        else:
            k_rho, log_rho = np.float64(x.k_rho[t, first + p]), x.log_rho[t, first + p]
            k_nu, log_distance = np.float64(k), log_nu[p]
            if square == 0.0:
                ties, beyond = beyond_ties(x.points, first + p, y.points, start, stop, d)
                k_nu = min(ties + 1.0, stop - start + 0.0)
                log_distance = 0.5 * math.log(beyond) if beyond < np.inf else -np.inf
            if min(log_rho, log_distance) == -np.inf:  # one of the sets is this point alone
                _, in_x = beyond_ties(x.points, first + p, x.points, first, first + n, d)
                _, in_y = beyond_ties(x.points, first + p, y.points, start, stop, d)
                if min(in_x, in_y) == np.inf:  # and so is the other: int p^a q^b p is infinite, or zero
                    terms[p] = np.inf if a + b > 0.0 else -np.inf
                    continue
                between = 0.5 * math.log(min(in_x, in_y))
                log_rho = between if log_rho == -np.inf else log_rho
                log_distance = between if log_distance == -np.inf else log_distance
            terms[p] = _log_ratio(k_rho, a) - d * a * log_rho + _log_ratio(k_nu, b) - d * b * log_distance
