"""Platt's probabilities: a sigmoid on decision values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from setwise.kernels.matrix import Array


def fit_sigmoid(decisions: Array, positive: NDArray[np.bool_], weights: Array | None = None) -> tuple[float, float]:
    """A, B of P = 1 / (1 + exp(A f + B)) at the largest likelihood of targets drawn in from 0 and 1 (Platt, 1999)."""
    weight = np.ones(len(decisions)) if weights is None else weights
    n_positive, n_negative = weight[positive].sum(), weight[~positive].sum()
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    scale = max(float(np.abs(decisions).max()), np.finfo(float).tiny)

    def loss(ab: Array) -> tuple[float, Array]:
        logits = -(ab[0] * decisions / scale + ab[1])
        value = weight @ (np.logaddexp(0, logits) - targets * logits)
        slope = weight * (targets - expit(logits))
        return float(value), np.array([slope @ decisions / scale, slope.sum()])

    start = np.array([0.0, np.log((n_negative + 1) / (n_positive + 1))])
    a, b = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-8}).x
    return float(a / scale), float(b)


def sigmoid(decisions: Array, a: Array, b: Array) -> Array:
    """1 / (1 + exp(A f + B)), a column a class."""
    return np.asarray(expit(-(decisions * a + b)))
