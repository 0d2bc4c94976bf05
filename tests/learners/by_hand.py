"""Gram matrices and machines written out in NumPy and solved as plain quadratic programmes."""

from __future__ import annotations

import numpy as np
from scipy.optimize import LinearConstraint, minimize

import setwise as sw
from setwise.kernels.matrix import Array


def gaussian_sets(n=24, size=14, seed=0, spread=1.0, classes=2):
    """Sets and their classes 0, 1, ..: the points of each spread wider than those of the class before."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    return [rng.normal(size=(size + i % 3, 2)) * (1 + spread * c) for i, c in enumerate(labels)], labels


def gram(train, new, divergence="renyi:.9", k=3, width=1.0, squared=True, psd="clip", test_rows="projected"):
    """The training Gram matrix, the rows of new sets, and the training Gram matrix before its projection."""
    among = sw.pairwise_divergences(train, divergence=divergence, k=k)
    forward = sw.pairwise_divergences(new, train, divergence, k=k)
    backward = sw.pairwise_divergences(train, new, divergence, k=k)
    among, rows = np.maximum((among + among.T) / 2, 0), np.maximum((forward + backward.T) / 2, 0)
    if not squared:
        among, rows = np.sqrt(among), np.sqrt(rows)
    sigma = width * np.median(among[among > 0])
    among, rows = np.exp(-(among**2) / (2 * sigma**2)), np.exp(-(rows**2) / (2 * sigma**2))
    values, vectors = np.linalg.eigh(among)
    lifted = -min(values[0], 0)
    change = {
        "clip": (values > 0).astype(float),
        "flip": np.sign(values),
        "none": np.ones(len(values)),
        "shift": (values + lifted) / values,
    }[psd]
    projected = (vectors * (values * change)) @ vectors.T
    if test_rows == "projected" and psd in ("clip", "flip"):
        rows = rows @ (vectors * change) @ vectors.T
    return projected, rows, among


def quadratic_programme(quadratic: Array, linear: Array, upper: Array, equal: Array, to: float) -> Array:
    """min a'Qa/2 + q'a over 0 <= a <= upper with e'a = to."""
    found: Array = minimize(
        lambda a: 0.5 * a @ quadratic @ a + linear @ a,
        np.minimum(0.1, upper),
        jac=lambda a: quadratic @ a + linear,
        bounds=list(zip(np.zeros(len(upper)), upper, strict=True)),
        constraints=[LinearConstraint(equal[None, :], to, to)],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-15},
    ).x
    return np.clip(found, 0, upper)


def offset(gradient: Array, sign: Array, a: Array, upper: Array) -> float:
    """b, where sign * (gradient of a) is constant over the entries strictly between their bounds."""
    free = (a > 1e-5 * upper) & (a < (1 - 1e-5) * upper)
    assert free.any(), "the case has to have support vectors off their bounds"
    return float(np.mean((sign * gradient)[free]))


def svc(projected: Array, rows: Array, y: Array, upper: Array) -> Array:
    """Decisions for rows of the two-class machine, y of -1 and 1, with prices `upper`."""
    a = quadratic_programme(projected * np.outer(y, y), -np.ones(len(y)), upper, y.astype(float), 0.0)
    b = offset(y - projected @ (a * y), np.ones(len(y)), a, upper)
    return rows @ (a * y) + b


def svr(projected: Array, rows: Array, y: Array, upper: Array, epsilon: float) -> Array:
    """Predictions for rows of the regression machine."""
    signs = np.repeat([1.0, -1.0], len(y))
    both = np.tile(projected, (2, 2)) * np.outer(signs, signs)
    a = quadratic_programme(both, epsilon - signs * np.tile(y, 2), np.tile(upper, 2), signs, 0.0)
    dual = (a * signs).reshape(2, -1).sum(axis=0)
    b = offset(np.tile(y - projected @ dual, 2) - signs * epsilon, np.ones(len(signs)), a, np.tile(upper, 2))
    return rows @ dual + b


def one_class(projected: Array, rows: Array, nu: float, upper: Array) -> tuple[Array, float]:
    """Scores for rows, and the offset, of the one-class machine, in libsvm's scale: a sums to nu of its bounds."""
    n = len(projected)
    a = quadratic_programme(projected, np.zeros(n), upper, np.ones(n), nu * upper.sum())
    return rows @ a, offset(projected @ a, np.ones(n), a, upper)
