"""Data that breaks naive float32: each family makes a set of n points in d dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gaussian(rng: np.random.Generator, n: int, d: int) -> Array:
    return rng.normal(size=(n, d))


def clusters(rng: np.random.Generator, n: int, d: int) -> Array:
    """Two clusters 1e4 apart, each 1e-3 wide."""
    return 1e4 * rng.integers(0, 2, size=(n, 1)) + 1e-3 * rng.normal(size=(n, d))


def shifted(rng: np.random.Generator, n: int, d: int) -> Array:
    return 1e6 + rng.normal(size=(n, d))


def scaled(rng: np.random.Generator, n: int, d: int) -> Array:
    """Columns of scales 1e-6 and 1e6."""
    return rng.normal(size=(n, d)) * np.where(np.arange(d) % 2, 1e-6, 1e6)


def cauchy(rng: np.random.Generator, n: int, d: int) -> Array:
    return rng.standard_cauchy(size=(n, d))


def rounded(rng: np.random.Generator, n: int, d: int) -> Array:
    return rng.normal(size=(n, d)).round(1)


def repeated(rng: np.random.Generator, n: int, d: int) -> Array:
    """About 60 % of the rows repeat others."""
    some = rng.normal(size=(max(1, (2 * n) // 5), d))
    return some[np.concatenate([np.arange(len(some)), rng.integers(0, len(some), n - len(some))])]


def huge(rng: np.random.Generator, n: int, d: int) -> Array:
    """Beyond the range in which float64 can be squared."""
    return 1e200 * rng.normal(size=(n, d))


def tiny(rng: np.random.Generator, n: int, d: int) -> Array:
    return 1e-200 * rng.normal(size=(n, d))


SMOOTH = (gaussian, clusters, shifted, scaled, cauchy)
TIED = (rounded, repeated)
EXTREME = (huge, tiny)
