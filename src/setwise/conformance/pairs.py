"""Pairs of distributions to draw from, and the true divergences between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from setwise.divergences import L2, Divergence, Renyi, Tsallis
from setwise.neighbours.moments import Array


@dataclass(frozen=True)
class Gaussians:
    """p = N(0, I) and q = N((shift, 0, .., 0), scale^2 I) in `dim` dimensions, n and m points of them."""

    n: int
    m: int
    dim: int
    shift: float = 0.0
    scale: float = 1.0

    def __call__(self, rng: np.random.Generator) -> tuple[Array, Array]:
        x, y = rng.normal(size=(self.n, self.dim)), rng.normal(size=(self.m, self.dim)) * self.scale
        y[:, 0] += self.shift
        return x, y

    def truth(self, divergence: Divergence) -> float:
        """The divergence of p from q in closed form; Jensen-Shannon by quadrature, for equal scales."""
        if divergence.name == "js":
            return self._jensen_shannon()
        if divergence.name == "kl":
            ratio = self.scale**-2
            return 0.5 * (self.dim * (ratio - 1 - math.log(ratio)) + ratio * self.shift**2)
        if divergence.name in ("linear", "l2"):
            inner = self._inner(1 + self.scale**2, self.shift)
            squares = self._inner(2, 0) + self._inner(2 * self.scale**2, 0)
            return math.sqrt(squares - 2 * inner) if isinstance(divergence, L2) else inner
        return from_log_affinity(divergence, self._log_affinity)

    def _inner(self, variance: float, shift: float) -> float:
        """int of two Gaussians' product, whose variances add to `variance`."""
        return float((2 * math.pi * variance) ** (-self.dim / 2) * math.exp(-(shift**2) / (2 * variance)))

    def _log_affinity(self, alpha: float) -> float:
        """log int p^alpha q^(1-alpha)."""
        blend = alpha * self.scale**2 + 1 - alpha
        mean = -0.5 * alpha * (1 - alpha) * self.shift**2 / blend
        return mean + self.dim * (alpha * math.log(self.scale) - 0.5 * math.log(blend))

    def _jensen_shannon(self) -> float:
        if self.scale != 1:
            raise NotImplementedError(
                "Jensen-Shannon between Gaussians of different scales has no one-dimensional form"
            )

        def integrand(t: float) -> float:
            log_p, log_q = norm.logpdf(t), norm.logpdf(t, self.shift)
            return float(np.exp(log_p) * (log_p - np.logaddexp(log_p, log_q) + math.log(2)))

        return float(quad(integrand, -12, 12, limit=200)[0])  # by symmetry both halves are equal


@dataclass(frozen=True)
class Uniforms:
    """p uniform on the unit cube, q uniform on [0, side]^dim with side >= 1, so that p lies inside q."""

    n: int
    m: int
    dim: int
    side: float

    def __call__(self, rng: np.random.Generator) -> tuple[Array, Array]:
        return rng.random((self.n, self.dim)), self.side * rng.random((self.m, self.dim))

    def truth(self, divergence: Divergence) -> float:
        """q is 1/v on a volume of v, p is 1 on a part of it of volume 1."""
        v = self.side**self.dim
        if divergence.name == "kl":
            return math.log(v)
        if divergence.name == "js":
            p_part = math.log(2 / (1 + 1 / v))
            q_part = (1 / v) * math.log(2 / (1 + v)) + (1 - 1 / v) * math.log(2)
            return 0.5 * (p_part + q_part)
        if divergence.name == "linear":
            return 1 / v
        if divergence.name == "l2":
            return math.sqrt(1 - 1 / v)
        return from_log_affinity(divergence, lambda alpha: (alpha - 1) * math.log(v))


@dataclass(frozen=True)
class Changed:
    """A pair of which each set is changed as real data are: rounded, duplicated, cut off at a floor."""

    pair: Gaussians
    change: Callable[[Array, np.random.Generator], Array]

    def __call__(self, rng: np.random.Generator) -> tuple[Array, Array]:
        x, y = self.pair(rng)
        return self.change(x, rng), self.change(y, rng)


def rounded(points: Array, rng: np.random.Generator) -> Array:
    """To one decimal."""
    return np.round(points, 1)


def duplicated(points: Array, rng: np.random.Generator) -> Array:
    """60 % of the points replaced by copies of the others."""
    kept = len(points) * 2 // 5
    return np.concatenate([points[:kept], points[rng.integers(kept, size=len(points) - kept)]])


def floored(points: Array, rng: np.random.Generator) -> Array:
    """30 % of the points at one floor value in every dimension."""
    points = points.copy()
    points[: len(points) * 3 // 10] = -3.0
    return points


@dataclass(frozen=True)
class Atoms:
    """p is one point; q is that point half of the time and a Gaussian otherwise: KL ln 2."""

    n: int
    m: int
    dim: int

    def __call__(self, rng: np.random.Generator) -> tuple[Array, Array]:
        y = rng.normal(size=(self.m, self.dim))
        y[: self.m // 2] = 0.0
        return np.zeros((self.n, self.dim)), y


@dataclass(frozen=True)
class Subset:
    """Every point of x is a point of y too."""

    n: int
    m: int
    dim: int

    def __call__(self, rng: np.random.Generator) -> tuple[Array, Array]:
        y = rng.normal(size=(self.m, self.dim))
        return y[: self.n].copy(), y


def from_log_affinity(divergence: Divergence, log_affinity: Callable[[float], float]) -> float:
    """The ratio family from log int p^alpha q^(1-alpha)."""
    if isinstance(divergence, Renyi):
        return log_affinity(divergence.alpha) / (divergence.alpha - 1)
    if isinstance(divergence, Tsallis):
        return math.expm1(log_affinity(divergence.alpha)) / (divergence.alpha - 1)
    coefficient = math.exp(log_affinity(0.5))
    if divergence.name == "bhattacharyya":
        return coefficient
    if divergence.name == "hellinger":
        return math.sqrt(1 - coefficient)
    raise NotImplementedError(f"no closed form for {divergence}")
