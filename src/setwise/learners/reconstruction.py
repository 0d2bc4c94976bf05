"""Weights a that reconstruct phi(p) from the phi(p_i), the quadratic programme of the paper's section "Distribution
regression with distribution response (DRDR) and locally linear embedding (LLE)":

    minimise |phi(p) - sum_i a_i phi(p_i)|^2 = K(p, p) - 2 sum_i a_i K(p_i, p) + sum_ij a_i a_j G_ij

Below, `gram` is G with a ridge on its diagonal, which makes it positive definite, and a row of `rows` is K(p_i, p).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from setwise.kernels.matrix import Array

ROUNDING = 1e-12  # of the largest entry: gradients closer than this are equal


def free_weights(gram: Array, rows: Array) -> Array:
    """Any weights, (n, T)."""
    weights: Array = cho_solve(cho_factor(gram), rows.T).T
    return weights


def affine_weights(gram: Array, rows: Array) -> Array:
    """Weights that sum to one, (n, T)."""
    return _sum_to_one(gram, rows.T).T


def convex_weights(gram: Array, rows: Array) -> Array:
    """Weights of at least zero that sum to one, (n, T)."""
    return np.array([_on_simplex(gram, row) for row in rows]).reshape(rows.shape)


def _sum_to_one(gram: Array, columns: Array) -> Array:
    # A number added to all entries adds to all values alike, and keeps the matrix of a few dependent phi(p_i) regular.
    solved: Array = np.linalg.solve(gram + gram.diagonal().mean(), np.column_stack([np.ones(len(gram)), columns]))
    ones, free = solved[:, 0], solved[:, 1:]
    weights: Array = free + np.multiply.outer(ones / ones.sum(), 1 - free.sum(axis=0))
    return weights


def _on_simplex(gram: Array, row: Array) -> Array:
    """The exact minimum by an active set: each round frees the weight whose growth lowers the value fastest.

    As in Lawson and Hanson's non-negative least squares, and Wolfe's nearest point of a polytope: among the free
    weights the minimum with sum one is solved for; where it has weights below zero, the way to it ends at the first
    that vanishes, which is free no more. Every round lowers the value, so that no set of free weights comes twice.
    """
    scale = max(float(np.abs(gram).max()), float(np.abs(row).max()))
    weights = np.zeros(len(row))
    weights[np.argmin(gram.diagonal() / 2 - row)] = 1.0
    free = weights > 0
    value = np.inf
    while True:
        gradient = gram[:, free] @ weights[free] - row
        reached = float(weights @ (gradient - row))
        gaps = np.where(free, 0.0, gradient - weights @ gradient)
        entering = int(np.argmin(gaps))
        if gaps[entering] >= -ROUNDING * scale or reached >= value:
            return weights
        value = reached
        free[entering] = True
        weights = _descend(gram, row, weights, free)


def _descend(gram: Array, row: Array, weights: Array, free: NDArray[np.bool_]) -> Array:
    """The minimum over the free weights, which loses those that reach zero on the way."""
    while True:
        target = np.zeros(len(row))
        target[free] = _sum_to_one(gram[np.ix_(free, free)], row[free])[:, 0]
        below = target < 0
        if not below.any():
            return target
        share = weights[below] / (weights[below] - target[below])
        weights = weights + float(share.min()) * (target - weights)
        free[np.flatnonzero(below)[share == share.min()]] = False
        weights[~free] = 0.0
