"""The machines of SetSVC and SetSVR alone: Gram matrices and rows of kernel values in the place of sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.kernels.matrix import Array
from setwise.learners.svc import SetSVC
from setwise.learners.svr import SetSVR

ROUNDING = 1e-9  # of a coefficient at its bound


class GramSVC(SetSVC):
    """`SetSVC` from the Gram matrix on."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GramSVC:
        """Learn the labels; X is the Gram matrix of the training sets."""
        self.kernel_ = self.projection_ = None
        self._fit_on_gram(X, X, y, np.ones(len(y), dtype=bool), sample_weight)
        return self

    def _values(self, X: Any) -> Array:
        values: Array = X @ self._coefficients + self._intercept
        return values

    def is_bound(self, sample_weight: Array | None) -> bool:
        """Whether a larger C would change anything; of the machines behind probabilities nothing is known."""
        prices = self.C * np.repeat(self.class_weight_, self.n_support_) * _of(sample_weight, self.support_)
        return bool(self.probability) or _any_at(self.dual_coef_, prices)


class GramSVR(SetSVR):
    """`SetSVR` from the Gram matrix on."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, unlabelled: Any = None) -> GramSVR:
        """Learn the numbers; X is the Gram matrix of the training sets."""
        self.kernel_ = self.projection_ = None
        self._fit_on_gram(X, X, y, np.ones(len(y), dtype=bool), sample_weight)
        return self

    def _values(self, X: Any) -> Array:
        values: Array = X @ self._coefficients + self._intercept
        return values

    def is_bound(self, sample_weight: Array | None) -> bool:
        """Whether a larger C would change anything."""
        return _any_at(self.dual_coef_, self.C * _of(sample_weight, self.support_))


def _of(sample_weight: Array | None, places: NDArray[np.intp]) -> Array:
    return np.ones(len(places)) if sample_weight is None else sample_weight[places]


def _any_at(dual: Array, bound: Array) -> bool:
    return bool((np.abs(dual).max(axis=0) >= (1 - ROUNDING) * bound).any())
