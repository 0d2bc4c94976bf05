"""What sets are compared with in `setwise cv`: nothing but their means, under the same kernel and the same machine."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler

from setwise.kernels import GaussianKernel
from setwise.kernels.matrix import Array
from setwise.sets import SampleSets, Sets, as_sets


class MeansKernel(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The Gaussian kernel on the distance of the sets' means, each coordinate of them brought to variance 1.

    The distance takes the place of the divergence, and nothing else is different: the width is a multiple of the
    median among the fitted sets. A kernel of a Euclidean distance needs no projection.
    """

    def __init__(self, width: float = 1.0) -> None:
        self.width = width

    def fit(self, X: Sets, y: object = None) -> MeansKernel:
        """Keep the means."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Sets, y: object = None, **_: object) -> Array:
        """The Gram matrix of the sets."""
        means = set_means(as_sets(X))
        self.scaler_ = StandardScaler().fit(means)
        self.means_: Array = self.scaler_.transform(means)
        self.kernel_ = GaussianKernel(self.width)
        return np.asarray(self.kernel_.fit_transform(cdist(self.means_, self.means_)))

    def transform(self, X: Sets) -> Array:
        """The kernel of each set with each fitted set."""
        means = self.scaler_.transform(set_means(as_sets(X)))
        return self.kernel_.transform(cdist(means, self.means_))


def set_means(sets: SampleSets) -> Array:
    """The mean of each set's points, (T, d)."""
    sums = np.add.reduceat(sets.points, sets.offsets[:-1], axis=0, dtype=np.float64)
    return np.asarray(sums / sets.sizes[:, None])
