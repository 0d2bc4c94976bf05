"""The weights of the quadratic programme, against scipy's solvers and least squares on explicit features."""

import numpy as np
import pytest
from scipy.optimize import minimize

from setwise.learners.reconstruction import affine_weights, convex_weights, free_weights


def problem(n_sets, n_features, seed, reg=1e-3, n_rows=6):
    """Features of fitted sets and of new ones, and what the solvers take: Gram with a ridge, rows."""
    rng = np.random.default_rng(seed)
    fitted, new = rng.normal(size=(n_sets, n_features)), 0.7 * rng.normal(size=(n_rows, n_features))
    return fitted, new, fitted @ fitted.T + reg * np.eye(n_sets), new @ fitted.T


def value(gram, row, weights):
    return weights @ gram @ weights / 2 - row @ weights


CASES = [(5, 8, 0), (12, 3, 1), (12, 12, 2), (30, 2, 3), (1, 3, 4)]


@pytest.mark.parametrize(("n_sets", "n_features", "seed"), CASES)
def test_free_weights_are_ridge_regression(n_sets, n_features, seed):
    reg = 0.1
    fitted, new, gram, rows = problem(n_sets, n_features, seed, reg)
    design = np.vstack([fitted.T, np.sqrt(reg) * np.eye(n_sets)])
    for weights, target in zip(free_weights(gram, rows), new, strict=True):
        expected = np.linalg.lstsq(design, np.append(target, np.zeros(n_sets)), rcond=None)[0]
        np.testing.assert_allclose(weights, expected, atol=1e-10)


@pytest.mark.parametrize(("n_sets", "n_features", "seed"), CASES)
@pytest.mark.parametrize("reg", [1e-2, 10.0])
def test_affine_weights_are_constrained_least_squares(n_sets, n_features, seed, reg):
    """Written as 1/T plus a combination of vectors that sum to zero, an ordinary least squares."""
    fitted, new, gram, rows = problem(n_sets, n_features, seed, reg)
    level = np.full(n_sets, 1 / n_sets)
    across = np.linalg.svd(np.ones((1, n_sets)))[2][1:].T
    design = np.vstack([fitted.T, np.sqrt(reg) * np.eye(n_sets)])
    for weights, target in zip(affine_weights(gram, rows), new, strict=True):
        aim = np.append(target, np.zeros(n_sets)) - design @ level
        expected = level + across @ np.linalg.lstsq(design @ across, aim, rcond=None)[0]
        np.testing.assert_allclose(weights, expected, atol=1e-9)
        assert weights.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("n_sets", "n_features", "seed"), CASES)
@pytest.mark.parametrize("reg", [1e-6, 1e-2, 10.0])
def test_convex_weights_are_no_worse_than_slsqp_finds(n_sets, n_features, seed, reg):
    _, _, gram, rows = problem(n_sets, n_features, seed, reg)
    for weights, row in zip(convex_weights(gram, rows), rows, strict=True):
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        found = minimize(
            lambda a, row=row: value(gram, row, a),
            np.full(n_sets, 1 / n_sets),
            jac=lambda a, row=row: gram @ a - row,
            method="SLSQP",
            bounds=[(0, 1)] * n_sets,
            constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": np.ones_like},
            options={"ftol": 1e-15, "maxiter": 500},
        )
        assert value(gram, row, weights) <= value(gram, row, found.x) + 1e-12
        if reg > 1e-3:  # where the minimum is one point, well apart
            np.testing.assert_allclose(weights, found.x, atol=1e-5)


@pytest.mark.parametrize(("n_sets", "n_features", "seed"), [*CASES, (300, 40, 5), (200, 3, 6)])
def test_convex_weights_satisfy_the_optimality_conditions(n_sets, n_features, seed):
    """All gradients are at least that of the weights above zero, which is one number."""
    _, _, gram, rows = problem(n_sets, n_features, seed)
    for weights, row in zip(convex_weights(gram, rows), rows, strict=True):
        gradient = gram @ weights - row
        level = gradient @ weights
        above = weights > 0
        scale = np.abs(gram).max()
        np.testing.assert_allclose(gradient[above], level, atol=1e-10 * scale)
        assert gradient.min() >= level - 1e-10 * scale


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_unit_of_the_kernel_says_nothing(scale):
    _, _, gram, rows = problem(12, 12, 2)
    for solve in (free_weights, affine_weights, convex_weights):
        np.testing.assert_allclose(solve(scale * gram, scale * rows), solve(gram, rows), atol=1e-8)


def test_repeated_and_dependent_sets():
    """A set twice, and more sets than features: the weights are not unique, what they reconstruct is."""
    fitted, new, _, _ = problem(6, 2, 7)
    twice = np.vstack([fitted, fitted])
    gram = twice @ twice.T + 1e-10 * np.eye(12)
    found = convex_weights(gram, new @ twice.T)
    expected = convex_weights(fitted @ fitted.T + 1e-10 * np.eye(6), new @ fitted.T)
    np.testing.assert_allclose(found @ twice, expected @ fitted, atol=1e-5)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_a_fitted_set_is_its_own_reconstruction():
    fitted, _, _, _ = problem(7, 9, 8)
    gram = fitted @ fitted.T
    for solve in (free_weights, affine_weights, convex_weights):
        np.testing.assert_allclose(solve(gram, gram), np.eye(7), atol=1e-8)


def test_no_rows():
    _, _, gram, rows = problem(4, 3, 0)
    for solve in (free_weights, affine_weights, convex_weights):
        assert solve(gram, rows[:0]).shape == (0, 4)
