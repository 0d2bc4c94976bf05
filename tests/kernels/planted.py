"""Matrices whose spectrum is known."""

import numpy as np


def orthogonal(n, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]


def with_spectrum(values, seed=0):
    """Symmetric, of these eigenvalues."""
    vectors = orthogonal(len(values), seed)
    matrix = (vectors * np.asarray(values, float)) @ vectors.T
    return (matrix + matrix.T) / 2


def random_square(n, seed=0):
    """Indefinite, and not symmetric."""
    return np.random.default_rng(seed).normal(size=(n, n))
