"""The estimators as one writes them by hand over scipy's trees: the formulas as they stand, nothing done about ties."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import digamma, gammaln, logsumexp

from setwise.divergences import L2, AlphaBeta, Divergence, Renyi, Tsallis
from setwise.neighbours.moments import Array
from setwise.neighbours.reference import log_share


def by_hand(x: Array, y: Array, divergence: Divergence, k: int) -> float:
    """An `Implementation`. Points that coincide give inf or nan, except in the matched forms and js."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return _Pair(x, y, k).estimate(divergence)


class _Pair:
    """x against y, with the distances of one k."""

    def __init__(self, x: Array, y: Array, k: int) -> None:
        (self.n, self.d), self.m, self.k = x.shape, len(y), k
        self.x, self.y = x, y
        self.tree_x, self.tree_y = cKDTree(x), cKDTree(y)
        self.rho = self.tree_x.query(x, [k + 1])[0][:, 0]
        self.nu = self.tree_y.query(x, [k])[0][:, 0]
        self.log_c = 0.5 * self.d * math.log(math.pi) - math.lgamma(0.5 * self.d + 1)

    def estimate(self, divergence: Divergence) -> float:
        matched = getattr(divergence, "radius", "paper") == "matched"
        name = divergence.name
        if name == "kl":
            return self.kl(matched)
        if name == "js":
            other = _Pair(self.y, self.x, self.k)
            return 0.5 * sum(float(log_share(*one.counts(), one.n, one.m).mean()) for one in (self, other))
        if isinstance(divergence, L2):
            other = _Pair(self.y, self.x, self.k)
            qq = self.d_hat(-1, 2) if divergence.cross else other.d_hat(1, 0)
            return _signed_root(self.d_hat(1, 0) - 2 * self.d_hat(0, 1) + qq)
        if name == "linear":
            return self.d_hat(0, 1)
        if isinstance(divergence, AlphaBeta):
            return self.d_hat(divergence.a, divergence.b)
        if isinstance(divergence, Renyi | Tsallis):
            order = divergence.alpha
            log_affinity = self.log_d_hat(order - 1, 1 - order, matched)
            top = log_affinity if isinstance(divergence, Renyi) else math.expm1(log_affinity)
            return top / (order - 1)
        coefficient = math.exp(self.log_d_hat(-0.5, 0.5, matched))
        return coefficient if name == "bhattacharyya" else _signed_root(1 - coefficient)

    def counts(self) -> tuple[Array, Array]:
        """Points of x (without the point itself) and of y within the larger of the two distances."""
        radius = np.maximum(self.rho, self.nu) * (1 + 1e-9)
        inside_x = self.tree_x.query_ball_point(self.x, radius, return_length=True) - 1
        inside_y = self.tree_y.query_ball_point(self.x, radius, return_length=True)
        return inside_x.astype(float), inside_y.astype(float)

    def kl(self, matched: bool) -> float:
        if matched:
            inside_x, inside_y = self.counts()
            mean = (digamma(inside_x) - digamma(inside_y)).mean()
        else:
            mean = self.d * np.log(self.nu / self.rho).mean()
        return float(mean + math.log(self.m / (self.n - 1)))

    def d_hat(self, a: float, b: float) -> float:
        return float(np.exp(self.log_d_hat(a, b)))

    def log_d_hat(self, a: float, b: float, matched: bool = False) -> float:
        """Equation D-hat, or its matched form."""
        if matched:
            in_x, in_y = self.counts()
            terms = gammaln(in_x) - gammaln(in_x - a) + gammaln(in_y) - gammaln(in_y - b)
        else:
            constant = 2 * math.lgamma(self.k) - math.lgamma(self.k - a) - math.lgamma(self.k - b)
            terms = np.full(self.n, constant - (a + b) * self.log_c)
            for power, distance in ((a, self.rho), (b, self.nu)):
                terms -= self.d * power * np.log(distance) if power else 0.0
        return float(logsumexp(terms) - math.log(self.n) - a * math.log(self.n - 1) - b * math.log(self.m))


def _signed_root(value: float) -> float:
    return math.copysign(math.sqrt(abs(value)), value)
