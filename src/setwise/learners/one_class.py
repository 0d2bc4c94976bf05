"""The one-class support vector machine: which sets are unlike the training sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin
from sklearn.svm import OneClassSVM

from setwise.divergences import Divergence
from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KernelName
from setwise.learners.machine import TOLERANCE, SupportMachine
from setwise.learners.targets import as_weights
from setwise.refusals import is_number
from setwise.sets import Sets, as_sets


class SetOneClassSVM(OutlierMixin, SupportMachine):  # type: ignore[misc]
    """Which sets are unlike the training sets, by the hyperplane that parts those from the origin.

    A set that is close to all of the training sets counts as the most normal of all, even if it is of a kind of its
    own: `SetNearest`, beside this, asks for a close neighbour, and the two can disagree.

    Parameters
    ----------
    divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs : see `SetKernel`
    nu : float
        The largest share of training sets outside, and the smallest of support sets; in (0, 1].

    Attributes
    ----------
    support_ : array
        Places of the support sets among those given to fit.
    dual_coef_, intercept_ : arrays
        As those of scikit-learn's OneClassSVM.
    offset_ : float
        `decision_function` is `score_samples` less this.
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
        nu: float = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs)
        self.nu = nu

    def fit(self, X: Sets, y: object = None, sample_weight: ArrayLike | None = None) -> SetOneClassSVM:
        """Learn what the sets have in common."""
        sets = as_sets(X)
        weights = as_weights(sample_weight, sets)
        if not is_number(self.nu) or not 0 < self.nu <= 1:
            raise InputError(f"nu={self.nu!r} must be a number above 0 and up to 1.")
        gram = self._fit_gram(sets)
        self.support_: NDArray[np.int32]
        self.dual_coef_: Array
        self.intercept_: Array
        self.support_, self.dual_coef_, self.intercept_ = one_class(gram, self.nu, weights)
        self.offset_ = float(-self.intercept_[0])
        dual = np.zeros((len(sets), 1))
        dual[self.support_] = self.dual_coef_.T
        self._keep(sets, gram, dual, self.intercept_)
        return self

    def decision_function(self, X: Sets) -> Array:
        """Above 0 inside, below 0 outside."""
        return self._values(X)[:, 0]

    def score_samples(self, X: Sets) -> Array:
        """The decision before the offset is taken off; the larger, the more normal."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Sets) -> NDArray[np.intp]:
        """1 for sets like those fitted, -1 for others."""
        return np.where(self.decision_function(X) < 0, -1, 1)


def one_class(gram: Array, nu: float, weights: Array | None = None) -> tuple[NDArray[np.int32], Array, Array]:
    """The machine on a Gram matrix: places of the support sets, their coefficients (1, n), and the intercept (1,)."""
    places = np.arange(len(gram), dtype=np.int32) if weights is None else np.flatnonzero(weights).astype(np.int32)
    if len(places) < len(gram):  # scikit-learn counts support sets among those of weight above 0
        support, dual, intercept = one_class(gram[np.ix_(places, places)], nu, np.asarray(weights)[places])
        return places[support], dual, intercept
    if nu == 1:  # every coefficient at its bound, and any offset from the largest value on: libsvm's is infinite
        dual = np.ones((1, len(gram))) if weights is None else weights[None, :]
        return places, dual, -(dual @ gram).max(axis=1)
    # What all kernel values share says nothing, as the coefficients' sum is given; but libsvm holds the matrix in
    # single precision, and stops at a tolerance in its units: where sigma is large, differences would be lost.
    shared = float(gram.mean())
    unit = float(gram.diagonal().max()) - shared
    unit = unit if unit > 0 else 1.0
    svm = OneClassSVM(kernel="precomputed", nu=nu, tol=TOLERANCE)
    svm.fit((gram - shared) / unit, sample_weight=weights)
    # Sets on the border come out within the tolerance of zero, on either side: they are inside.
    return svm.support_, svm.dual_coef_, unit * (svm.intercept_ + TOLERANCE) - shared * svm.dual_coef_.sum()
