"""What the engine is asked for, and what it answers: means over the points of one set against another.

For a set X of n points against a set Y of m points, with rho and nu the k-th neighbour distances of x_i
within X (itself left out) and in Y, and l_i, q_i the points of X (without x_i) and of Y within
max(rho, nu), ties included, every divergence is a formula on one of the means below (DESIGN, section 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Power:
    """log mean_i G(k, a) rho^(-d a) G(k, b) nu^(-d b), where G(k, a) = Gamma(k) / Gamma(k - a).

    `matched` takes G(l, a) G(q, b) instead, which needs a + b = 0. Without it, a point whose rho or nu is
    zero takes the matched term when a + b = 0, and otherwise the smallest k' >= k with a positive distance.
    """

    a: float
    b: float
    matched: bool = False


@dataclass(frozen=True, slots=True)
class LogRatio:
    """mean_i d log(nu / rho); `matched`, and points whose rho or nu is zero: digamma(l) - digamma(q)."""

    matched: bool = False


@dataclass(frozen=True, slots=True)
class Mixture:
    """mean_i of log p(x_i) / m(x_i), m = (p + q) / 2, both densities read off the matched ball around x_i."""


@dataclass(frozen=True, slots=True)
class Own:
    """log mean_i G(k, a) rho^(-d a) of each set on its own."""

    a: float


Moment = Power | LogRatio | Mixture


@dataclass
class Moments:
    """The answer: `forward[moment, k]` is (len(X), len(Y)) for X_i against Y_j; `backward` is (len(Y), len(X)).

    With Y left out, both are the same square array and its diagonal is nan: a set against itself is not a
    search, and its value is exact by formula. `own_x` and `own_y` hold one value a set.
    """

    forward: dict[tuple[Moment, int], Array]
    backward: dict[tuple[Moment, int], Array]
    own_x: dict[tuple[Own, int], Array]
    own_y: dict[tuple[Own, int], Array]
    diagnostics: dict[str, object] = field(default_factory=dict)
