"""Support vector regression of a number on a set."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from setwise.divergences import Divergence
from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KernelName
from setwise.learners.machine import SupportMachine, check_positive
from setwise.learners.solver import quietly, regress
from setwise.learners.targets import as_mask, as_numbers, as_weights
from setwise.refusals import is_number
from setwise.sets import SampleSets, Sets, as_sets


class SetSVR(RegressorMixin, SupportMachine):  # type: ignore[misc]
    """Support vector regression of one number a set.

    Parameters
    ----------
    divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs : see `SetKernel`
    C : float
        The price of an error beyond epsilon; the smaller, the smoother.
    epsilon : float
        Errors up to here, in units of y, are free.

    Attributes
    ----------
    support_ : array
        Places of the support sets among those given to fit.
    dual_coef_, intercept_ : arrays
        As those of scikit-learn's SVR.
    transduction_ : array, if unlabelled sets were given
        The prediction for each set given to fit.
    kernel_, projection_, n_features_in_ : see `SetEstimator`
    """

    def __init__(
        self,
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
        C: float = 1.0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs)
        self.C = C
        self.epsilon = epsilon

    def fit(
        self,
        X: Sets,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        unlabelled: ArrayLike | None = None,
    ) -> SetSVR:
        """Learn the numbers y, one a set.

        `unlabelled` marks sets whose y is not known (what stands there is not looked at): all sets are projected
        together, and the others learned from.
        """
        return self._fit(as_sets(X), y, sample_weight, unlabelled)

    def _fit(
        self,
        sets: SampleSets,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        unlabelled: ArrayLike | None,
        divergences: Array | None = None,
    ) -> SetSVR:
        known = ~as_mask(unlabelled, sets, "unlabelled")
        if not known.any():
            raise InputError("every set is marked as unlabelled; leave some to learn from.")
        targets, weights = as_numbers(y, sets, known), as_weights(sample_weight, sets)
        check_positive("C", self.C)
        check_epsilon(self.epsilon)
        gram = self._fit_gram(sets, divergences)
        with quietly():
            self._fit_on_gram(sets, gram, targets, known, weights)
        self.__dict__.pop("transduction_", None)
        if unlabelled is not None:
            self.transduction_: Array = gram[:, self.support_] @ self.dual_coef_[0] + self.intercept_
        return self

    def _fit_on_gram(
        self, sets: SampleSets, gram: Array, targets: Array, known: NDArray[np.bool_], weights: Array | None
    ) -> None:
        block = gram if known.all() else gram[np.ix_(known, known)]
        block_weights = None if weights is None else weights[known]
        dual = np.zeros((len(sets), 1))
        dual[known], self.intercept_ = regress(block, targets, self.C, self.epsilon, block_weights)
        self.support_: NDArray[np.intp] = np.flatnonzero(dual)
        self.dual_coef_: Array = dual[self.support_].T
        self._keep(sets, gram, dual, self.intercept_)

    def predict(self, X: Sets) -> Array:
        """The number for each set."""
        return self._values(X)[:, 0]


def check_epsilon(epsilon: object) -> None:
    """Refuse what is no number of at least 0."""
    if not is_number(epsilon) or float(epsilon) < 0:  # type: ignore[arg-type]
        raise InputError(f"epsilon={epsilon!r} must be a number of at least 0.")
