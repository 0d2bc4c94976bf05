"""Distances between sets, for whatever takes a matrix of them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from setwise.divergences import Divergence, KNNDivergence, Renyi, squared_in_kernel
from setwise.divergences.registry import as_divergence
from setwise.errors import InputError
from setwise.kernels.feature_space import squared_distances_among, squared_distances_from
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KernelName
from setwise.learners.base import SetEstimator
from setwise.sets import SampleSets, Sets, as_sets

METRICS = ("rkhs", "divergence")


class SetDistance(TransformerMixin, SetEstimator):  # type: ignore[misc]
    """Each set as its distances from the fitted sets, a column a fitted set, for estimators with metric="precomputed":

        make_pipeline(SetDistance(), KNeighborsClassifier(metric="precomputed"))
        make_pipeline(SetDistance(), Isomap(metric="precomputed"))
        make_pipeline(SetDistance(), TSNE(metric="precomputed", init="random"))

    Parameters
    ----------
    metric : "rkhs" or "divergence"
        "rkhs": sqrt(K(p, p) + K(q, q) - 2 K(p, q)), the distance in the space of the projected kernel (the paper,
        section "DRDR and LLE"). "divergence": mu of the Gaussian kernel, which is the divergence (mean of both
        directions, at least 0), or its root for Jensen-Shannon, a squared distance, and for others if `squared=False`.
    divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs : see `SetKernel`
        With "divergence", only divergence, k, squared and n_jobs count.

    Attributes
    ----------
    sets_ : SampleSets
        The fitted sets.
    kernel_, projection_ : see `SetEstimator`; with "rkhs"
    divergences_ : KNNDivergence
        With "divergence".
    n_features_in_ : int
        The dimension of the points.

    Distances are at least 0, 0 between a set and itself, and `fit(X).transform(X)` is `fit_transform(X)`. K(p, p) of a
    set that was not fitted is its estimate, plus the mean of what the projection added to that of the fitted sets.
    """

    def __init__(
        self,
        metric: Literal["rkhs", "divergence"] = "rkhs",
        divergence: Divergence | str | None = None,
        k: int = 5,
        *,
        kernel: KernelName | MatrixStep | Any = "gaussian",
        width: float = 1.0,
        squared: Literal["paper"] | bool = "paper",
        degree: int = 2,
        coef0: float = 1.0,
        psd: Literal["clip", "flip", "shift", "none"] = "clip",
        test_rows: Literal["projected", "raw"] = "projected",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs)
        self.metric = metric

    def fit(self, X: Sets, y: object = None) -> SetDistance:
        """Keep the sets, and fit the kernel on them."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Sets, y: object = None, **_: object) -> Array:
        """The distances of the sets from each other."""
        if self.metric not in METRICS:
            raise InputError(f"metric={self.metric!r} is not known; choose {', '.join(map(repr, METRICS))}.")
        self.sets_: SampleSets = as_sets(X)
        if self.metric == "rkhs":
            return _root(squared_distances_among(self._fit_gram(self.sets_)))
        divergence = Renyi(0.9) if self.divergence is None else as_divergence(self.divergence)
        as_it_is = squared_in_kernel(divergence)
        if self.squared != "paper" and not isinstance(self.squared, bool | np.bool_):
            raise InputError(f"squared={self.squared!r} is not known; choose 'paper', True or False.")
        self._as_it_is: bool = as_it_is if self.squared == "paper" else bool(self.squared)
        divergences = KNNDivergence(divergence, self.k, symmetrize=True, n_jobs=self.n_jobs)
        self.divergences_ = divergences.set_output(transform="default")
        values = self.divergences_.fit_transform(self.sets_)
        self._remember(self.sets_)
        return self._mu(values)

    def transform(self, X: Sets) -> Array:
        """The distances of each set from each fitted set, (len(X), len(fitted))."""
        sets = self._of_known_dimension(X)
        if self.metric == "rkhs":
            return _root(squared_distances_from(self.kernel_, sets))
        return self._mu(self.divergences_.transform(sets))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The ids of the fitted sets."""
        check_is_fitted(self)
        return np.array([str(name) for name in self.sets_.ids], dtype=object)

    def _mu(self, values: Array) -> Array:
        return np.maximum(values, 0.0) if self._as_it_is else _root(values)


def _root(squared: Array) -> Array:
    return np.sqrt(np.maximum(squared, 0.0))
