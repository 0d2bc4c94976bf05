"""The engine's meaning in plain NumPy, float64, one line a step. Slow; every fast path is tested against it."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln, logsumexp

from setwise.neighbours.moments import Array, LogRatio, Mixture, Moment, Own

TIE = 1e-9  # distances within one part in 10^9 of each other are equal: ties survive x -> c x + b


def sorted_distances(x: Array, y: Array, own: bool = False) -> Array:
    """All distances from each row of x to the rows of y, ascending; `own` leaves out the point itself."""
    difference = x[:, None, :].astype(np.float64) - y[None, :, :]
    return np.sort(np.sqrt((difference**2).sum(-1)), axis=1)[:, int(own) :]


def log_gamma_ratio(k: Array, a: float) -> Array:
    """log G(k, a) = log Gamma(k) - log Gamma(k - a)."""
    return np.asarray(gammaln(k) - gammaln(k - a))


def log_share(inside_x: Array, inside_y: Array, n: int, m: int) -> Array:
    """log p(x) / m(x), m = (p + q) / 2, from the counts in the matched ball around each point.

    Growing the ball until it holds k of both is a sequence of draws, each from X with the same chance, stopped by
    the draw that lies on the edge: from X where inside_x < inside_y. Counting that draw only in its own set makes
    digamma unbiased; at n - 1 = m the answer is exactly digamma(l + last_y) - digamma(l + q) + log 2, and with
    unequal sizes `unit` is the weight of the average point (docs/decisions/jensen-shannon.md).
    """
    weight_x, weight_y = 0.5 / (n - 1), 0.5 / m
    last_y = 0.5 * (1 + np.sign(inside_x - inside_y))  # 1: the edge is a point of Y; 0: of X; 1/2: equal counts
    count_x, count_y = inside_x + last_y, inside_y + 1 - last_y  # points strictly inside, plus one
    unit = (weight_x**2 * count_x + weight_y**2 * count_y) / (weight_x * count_x + weight_y * count_y)
    count = (weight_x * (count_x - 1) + weight_y * (count_y - 1)) / unit
    log_p = digamma(inside_x) + last_y / inside_x - np.log(n - 1)
    return np.asarray(log_p - np.log(unit) - digamma(count + 1))


def positive(distances: Array, k: int) -> tuple[Array, Array]:
    """The smallest k' >= k whose distance is positive, and that distance, for each row; the last and 0 if none is."""
    k_used = np.minimum(np.maximum(k, (distances <= 0).sum(1) + 1), distances.shape[1])
    return k_used.astype(float), np.take_along_axis(distances, k_used[:, None].astype(int) - 1, 1)[:, 0]


def pair_moment(moment: Moment, x: Array, y: Array, k: int) -> float:
    """One moment of the set x against the set y."""
    (n, d), m = x.shape, len(y)
    own, cross = sorted_distances(x, x, own=True), sorted_distances(x, y)
    rho, nu = own[:, k - 1], cross[:, k - 1]
    ball = np.maximum(rho, nu)[:, None] * (1 + TIE)
    inside_x, inside_y = (own <= ball).sum(1).astype(float), (cross <= ball).sum(1).astype(float)
    tied = (rho <= 0) | (nu <= 0)
    if isinstance(moment, LogRatio):
        matched = digamma(inside_x) - digamma(inside_y)
        with np.errstate(divide="ignore", invalid="ignore"):
            plain = d * (np.log(nu) - np.log(rho))
        return float(np.where(moment.matched | tied, matched, plain).mean())
    if isinstance(moment, Mixture):
        return float(log_share(inside_x, inside_y, n, m).mean())
    a, b = moment.a, moment.b
    if a + b == 0:
        matched = log_gamma_ratio(inside_x, a) + log_gamma_ratio(inside_y, b)
        with np.errstate(divide="ignore", invalid="ignore"):
            plain = (
                log_gamma_ratio(np.asarray(k), a)
                + log_gamma_ratio(np.asarray(k), b)
                - d * (a * np.log(rho) + b * np.log(nu))
            )
        terms = np.where(moment.matched | tied, matched, plain)
    else:
        terms, both = np.zeros(n), np.concatenate([own, cross], axis=1)
        nearest = np.where(both > 0, both, np.inf).min(1)  # for a point that is all of X, or all of Y
        if np.isinf(nearest).any():  # both sets are that point
            return float(np.copysign(np.inf, a + b))
        for power, distances in ((a, own), (b, cross)):
            if power:
                k_used, radius = positive(distances, k)
                terms += log_gamma_ratio(k_used, power) - d * power * np.log(np.where(radius > 0, radius, nearest))
    return float(logsumexp(terms) - np.log(n))


def own_moment(moment: Own, x: Array, k: int) -> float:
    """One moment of the set x on its own."""
    k_used, rho = positive(sorted_distances(x, x, own=True), k)
    if not rho.all():  # the set is one point, repeated
        return float(np.copysign(np.inf, moment.a))
    terms = log_gamma_ratio(k_used, moment.a) - x.shape[1] * moment.a * np.log(rho)
    return float(logsumexp(terms) - np.log(len(x)))
