"""Quadratic programmes of support vector machines by an interior point method: some tens of steps, whatever C.

libsvm's steps move two coefficients each. Where labels are noisy and C is large they go into the millions, for sets no
more than twenty.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from setwise.kernels.matrix import Array

STEPS = 100
ACCURACY = 1e-6  # of the optimality conditions, in units of f
RIDGE = 1e-15  # of the trace: what rounding makes of eigenvalues that are 0
NEARLY = 0.99  # of the way to the nearest bound


class Solution(NamedTuple):
    """x, and the intercept of f = K beta + intercept, where beta_t sums s_v x_v over the variables of set t."""

    x: Array
    intercept: float


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what is not finite is not returned
def solve(gram: Array, place: NDArray[np.intp], sign: Array, linear: Array, bound: Array) -> Solution | None:
    """Minimise x'Qx/2 + linear'x subject to sign'x = 0 and 0 <= x <= bound; None where that does not succeed.

    Q_vw = s_v s_w K(t_v, t_w) for variables v, w of the sets at places t_v, t_w. In the dual of classification
    (section 2.1 of the paper) each set has one variable, its label for a sign, and linear = -1; in that of regression
    two of either sign, and linear = epsilon - s y.

    Mehrotra's predictor and corrector. K is centred first, which sign'x = 0 makes no difference to but for rounding.
    """
    means = gram.mean(axis=0)
    centred = gram - means - means[:, None] + means.mean()
    unit = 1 / (float(np.diagonal(centred).max()) or 1.0)

    x, room = bound / 2, bound / 2
    level = 0.0
    slope = sign * (centred @ np.bincount(place, sign * x, len(gram)))[place] + linear
    low = high = np.full(len(x), max(1.0, float(np.abs(slope).max())))  # multipliers of the bounds
    for _ in range(STEPS):
        beta = np.bincount(place, sign * x, len(gram))
        residual = sign * (centred @ beta)[place] + linear - sign * level - low + high
        small = min(float(x.max()), unit)
        if (
            max(
                np.abs(residual).max(),
                np.minimum(x / small, low).max(),
                np.minimum(room / small, high).max(),
                abs(beta.sum()) / small,
            )
            < ACCURACY
        ):
            break
        newton = _Newton.at(centred, place, sign, low / x + high / room, beta)
        if newton is None:
            return None
        gap = float(x @ low + room @ high)
        to_low, to_high = -x * low, -room * high  # towards complementarity itself, to see how far that goes
        for _ in range(2):
            dx, dlevel = newton.step(-residual + to_low / x - to_high / room)
            dlow, dhigh = (to_low - low * dx) / x, (to_high + high * dx) / room
            most = min(_length(x, dx), _length(room, -dx), _length(low, dlow), _length(high, dhigh))
            length = min(1.0, most)
            ahead = float((x + length * dx) @ (low + length * dlow) + (room - length * dx) @ (high + length * dhigh))
            aim = gap / (2 * len(x)) * (ahead / gap) ** 3
            to_low, to_high = aim - x * low - dx * dlow, aim - room * high + dx * dhigh
        length = min(1.0, NEARLY * most)
        x, room, level = x + length * dx, room - length * dx, level + length * dlevel
        low, high = low + length * dlow, high + length * dhigh
        if not np.isfinite(x).all():
            return None
    else:
        return None
    x = np.where(x / small < low, 0.0, np.where(room / small < high, bound, x))
    beta = np.bincount(place, sign * x, len(gram))
    return Solution(x, _intercept(gram @ beta, place, sign, linear, x, bound))


class _Newton(NamedTuple):
    """The system of a step, factored: Theta_v dx_v + s_v (K dbeta)_t - s_v dlevel = right_v, and beta + dbeta sum to 0.

    With H_t the sum of 1/Theta_v over the variables of t, (K + H^-1) dbeta = H^-1 (sum of s_v right_v / Theta_v) +
    dlevel: one Cholesky factor of the size of K.
    """

    factor: tuple[Array, bool]
    scale: Array
    matrix: Array
    place: NDArray[np.intp]
    sign: Array
    theta: Array
    weight: Array
    free: NDArray[np.bool_]
    excess: float
    per_level: Array

    @classmethod
    def at(
        cls, matrix: Array, place: NDArray[np.intp], sign: Array, theta: Array, beta: NDArray[Any]
    ) -> _Newton | None:
        weight: Array = np.bincount(place, 1 / theta, len(matrix)).astype(np.float64)
        system = matrix.copy()
        system[np.diag_indices(len(matrix))] += 1 / weight + RIDGE * np.trace(matrix)
        if np.diagonal(system).min() <= 0:
            return None
        scale = 1 / np.sqrt(np.diagonal(system))
        system *= scale
        system *= scale[:, None]
        try:
            factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        by_place = np.lexsort((theta, place))
        free = np.zeros(len(theta), dtype=bool)
        free[by_place[np.r_[True, np.diff(place[by_place]) > 0]]] = True
        per_level = scale * cho_solve(factor, scale, check_finite=False)
        return cls(factor, scale, matrix, place, sign, theta, weight, free, float(beta.sum()), per_level)

    def step(self, right: Array) -> tuple[Array, float]:
        """dx and dlevel."""
        n = len(self.matrix)
        target = np.bincount(self.place, self.sign * right / self.theta, n) / self.weight
        dbeta = self.scale * cho_solve(self.factor, self.scale * target, check_finite=False)
        dlevel = float(-(self.excess + dbeta.sum()) / self.per_level.sum())
        dbeta += dlevel * self.per_level
        dx = (right - self.sign * ((self.matrix @ dbeta)[self.place] - dlevel)) / self.theta
        # Division by a small Theta would magnify rounding; the freest variable of a set takes what the others leave.
        left = dbeta - np.bincount(self.place, np.where(self.free, 0.0, self.sign * dx), n)
        return np.where(self.free, self.sign * left[self.place], dx), dlevel


def _intercept(values: Array, place: NDArray[np.intp], sign: Array, linear: Array, x: Array, bound: Array) -> float:
    """What makes f = values + intercept meet the conditions: equality between the bounds, or else the middle."""
    wanted = -sign * linear - values[place]
    between = (x > 0) & (x < bound)
    if between.any():
        return float(wanted[between].mean())
    from_below = (x == 0) == (sign > 0)
    return float((wanted[from_below].max() + wanted[~from_below].min()) / 2)


def _length(values: Array, step: Array) -> float:
    """How far positive values can go along a step before one of them is 0."""
    shrinking = step < 0
    return float((-values[shrinking] / step[shrinking]).min()) if shrinking.any() else np.inf
