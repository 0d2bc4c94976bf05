"""Sets whose features in the space of the kernel are known, and sets on a loop."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

import setwise as sw


class MeanKernel(TransformerMixin, BaseEstimator):
    """The inner product of the sets' means: a kernel whose feature space is that of the points."""

    def fit(self, X, y=None):
        self.features_ = means(X)
        return self

    def transform(self, X):
        return means(X) @ self.features_.T

    def squared_distances(self, X):
        return ((means(X)[:, None] - self.features_[None]) ** 2).sum(axis=2)


def means(sets):
    return np.array([points.mean(axis=0) for points in sets])


def scattered_sets(n_sets=15, dim=3, seed=0):
    """Few points each, at places that are themselves scattered."""
    rng = np.random.default_rng(seed)
    return sw.SampleSets([rng.normal(size=(4, dim)) + 2 * rng.normal(size=dim) for _ in range(n_sets)])


def turned(angle, n_points, rng, scales=(3.0, 1.0)):
    """Points of a centred Gaussian whose axes are turned by an angle."""
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (rng.normal(size=(n_points, 2)) * scales) @ rotation.T


def rotated_gaussians(seed, n_sets=63, n_points=2000, step=0.05):
    """The paper's: covariance diag(9, 1) turned by (i-1)/20, whose period is pi, so that the sets form one loop."""
    rng = np.random.default_rng(seed)
    return sw.SampleSets([turned(step * i, n_points, rng) for i in range(n_sets)])
