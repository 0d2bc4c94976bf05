"""What all estimators on sets share: the parameters of their kernel, and how they come to Gram matrices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from setwise.divergences import Divergence
from setwise.errors import InputError
from setwise.kernels import PSDProjection, SetKernel
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KERNELS, KernelName
from setwise.refusals import listed
from setwise.sets import SampleSets, Sets, as_sets


class TakesSets(BaseEstimator):  # type: ignore[misc]
    """An estimator whose input is sets of points, of one dimension."""

    n_features_in_: int

    def _remember(self, sets: SampleSets) -> None:
        """Keep what other sets must have in common with these: how many columns, and their names if they have any."""
        self.n_features_in_ = sets.dim
        if sets.feature_names is not None:
            self.feature_names_in_: NDArray[Any] = np.array(sets.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _of_known_dimension(self, X: Sets) -> SampleSets:
        check_is_fitted(self)
        sets = as_sets(X)
        if sets.dim != self.n_features_in_:
            raise InputError(
                f"set {sets.ids[0]!r} has {sets.dim} columns; this {type(self).__name__} was fitted on sets with "
                f"{self.n_features_in_}. Give it the same columns."
            )
        names = getattr(self, "feature_names_in_", None)
        if names is not None and sets.feature_names is not None and sets.feature_names != tuple(names):
            raise InputError(
                f"the sets' columns are {listed(sets.feature_names)}; this {type(self).__name__} was fitted on "
                f"{listed(names)}. Give it the same columns in the same order."
            )
        return sets

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


class SetEstimator(TakesSets):
    """An estimator that takes sets. Its kernel is named by its parameters (see `SetKernel`), or given whole.

    Attributes
    ----------
    kernel_ : SetKernel, or the transformer that was given
        Fitted.
    projection_ : PSDProjection or None
        The kernel's projection: the spectrum, and what was discarded. None where a kernel was given that has none.
    n_features_in_ : int
        The dimension of the points.
    feature_names_in_ : array of str
        The names of their columns, if the fitted sets have any; other sets that have names must have the same.
    """

    def __init__(
        self,
        divergence: Divergence | str | None,
        k: int,
        kernel: KernelName | MatrixStep | Any,
        width: float,
        squared: Literal["paper"] | bool,
        degree: int,
        coef0: float,
        psd: Literal["clip", "flip", "shift", "none"],
        test_rows: Literal["projected", "raw"],
        n_jobs: int | None,
    ) -> None:
        self.divergence = divergence
        self.k = k
        self.kernel = kernel
        self.width = width
        self.squared = squared
        self.degree = degree
        self.coef0 = coef0
        self.psd = psd
        self.test_rows = test_rows
        self.n_jobs = n_jobs

    def _fit_gram(self, X: Sets, divergences: Array | None = None) -> Array:
        """Fit the kernel, to the symmetrised divergences where they are known; the Gram matrix of the sets."""
        sets = as_sets(X)
        self.kernel_ = self._new_kernel()
        known = isinstance(self.kernel_, SetKernel) and divergences is not None
        gram: Array = self.kernel_.fit_divergences(sets, divergences) if known else self.kernel_.fit_transform(sets)
        self.projection_: PSDProjection | None = getattr(self.kernel_, "projection_", None)
        self._remember(sets)
        return gram

    def _rows(self, X: Sets) -> Array:
        """The kernel of each set with each fitted set."""
        sets = self._of_known_dimension(X)
        rows: Array = self.kernel_.transform(sets)
        return rows

    def _new_kernel(self) -> Any:
        if isinstance(self.kernel, str | MatrixStep):
            return SetKernel(**{name: getattr(self, name) for name in SetKernel._get_param_names()})
        if isinstance(self.kernel, type) or not hasattr(self.kernel, "fit_transform"):
            raise InputError(
                f"kernel={self.kernel!r} is not known; choose {', '.join(map(repr, KERNELS))}, or give a "
                "GaussianKernel, a PolynomialKernel or a transformer of sets into a Gram matrix."
            )
        return clone(self.kernel)
