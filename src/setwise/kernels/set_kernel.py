"""Sets in, Gram matrix out: divergences, the kernel on them and its projection, as one transformer."""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from setwise.divergences import Divergence, KNNDivergence, Linear, Renyi, squared_in_kernel
from setwise.divergences.registry import as_divergence
from setwise.errors import InputError
from setwise.kernels.gaussian import GaussianKernel
from setwise.kernels.matrix import Array, MatrixStep, check_values
from setwise.kernels.polynomial import PolynomialKernel
from setwise.kernels.psd import PSDProjection
from setwise.sets import SampleSets, Sets, as_sets

KernelName: TypeAlias = Literal["gaussian", "polynomial", "linear"]
KERNELS = ("gaussian", "polynomial", "linear")


class SetKernel(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The kernel of each set with each fitted set, positive semi-definite among the fitted ones.

    Parameters
    ----------
    divergence : Divergence or its spelling, optional
        Default: Renyi(0.9) under a Gaussian, Linear() under a polynomial or linear kernel.
    k : int
        Which neighbour.
    kernel : "gaussian", "polynomial", "linear", or one of `GaussianKernel` and `PolynomialKernel`
        The latter come with parameters of their own; the names take `width` and `squared`, or `degree` and `coef0`.
    width, squared : see `GaussianKernel`
    degree, coef0 : see `PolynomialKernel`
    psd, test_rows : `method` and `test_rows` of `PSDProjection`
    n_jobs : int, optional
        Number of threads; None or -1 for all cores.

    Attributes
    ----------
    divergence_ : Divergence
    divergences_ : KNNDivergence
        Fitted, on the means of both directions.
    steps_ : Pipeline
        From divergences to Gram: the kernel and the projection, fitted.
    n_features_in_ : int
        The dimension of the points.
    """

    def __init__(
        self,
        divergence: Divergence | str | None = None,
        k: int = 5,
        *,
        kernel: KernelName | MatrixStep = "gaussian",
        width: float = 1.0,
        squared: Literal["paper"] | bool = "paper",
        degree: int = 2,
        coef0: float = 1.0,
        psd: Literal["clip", "flip", "shift", "none"] = "clip",
        test_rows: Literal["projected", "raw"] = "projected",
        n_jobs: int | None = None,
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

    def fit(self, X: Sets, y: object = None) -> SetKernel:
        """Compute the Gram matrix of the sets, and what maps others to it."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Sets, y: object = None, **_: object) -> Array:
        """The projected Gram matrix of the sets."""
        return self.fit_divergences(as_sets(X))

    def fit_divergences(self, sets: SampleSets, known: Array | None = None) -> Array:
        """`fit_transform`; without a search where the means of both directions among the sets are `known`."""
        step = matrix_kernel(self.kernel, self.width, self.squared, self.degree, self.coef0)
        self.divergence_ = divergence_for(step, self.divergence)
        divergences = KNNDivergence(self.divergence_, self.k, symmetrize=True, n_jobs=self.n_jobs)
        self.divergences_ = divergences.set_output(transform="default").fit(sets)
        self.steps_ = gram_steps(step, self.divergence_, self.psd, self.test_rows)
        values = self.divergences_.transform(sets) if known is None else known
        gram: Array = self.steps_.fit_transform(self._checked(values, sets))
        self.n_features_in_ = self.divergences_.n_features_in_
        return gram

    def transform(self, X: Sets) -> Array:
        """The kernel of each set with each fitted set, (len(X), len(fitted))."""
        check_is_fitted(self)
        sets = as_sets(X)
        rows: Array = self.steps_.transform(self._checked(self.divergences_.transform(sets), sets))
        return rows

    def _checked(self, values: Array, sets: SampleSets) -> Array:
        check_values(values, f"{self.divergence_} at k={self.k}", sets.ids, self.divergences_.sets_.ids)
        return values

    @property
    def projection_(self) -> PSDProjection | None:
        """The last of the steps; None where it was taken away."""
        last = self.steps_[-1]
        return last if isinstance(last, PSDProjection) else None

    def unprojected(self, places: NDArray[np.intp]) -> SetKernel:
        """The fitted kernel with some of its sets alone, whose rows are not projected."""
        bare, step = copy(self), copy(self.steps_[0])
        bare.divergences_ = copy(self.divergences_)
        bare.divergences_.sets_ = self.divergences_.sets_[places]
        step.n_features_in_ = len(places)
        bare.steps_ = make_pipeline(step)
        return bare

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """The ids of the fitted sets."""
        check_is_fitted(self)
        return self.divergences_.get_feature_names_out()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def matrix_kernel(
    kernel: KernelName | MatrixStep, width: float, squared: Literal["paper"] | bool, degree: int, coef0: float
) -> MatrixStep:
    """The kernel on divergences that a name and its parameters stand for."""
    if isinstance(kernel, GaussianKernel | PolynomialKernel):
        own: MatrixStep = clone(kernel)
        return own
    if kernel == "gaussian":
        return GaussianKernel(width, squared=squared)
    if kernel == "polynomial":
        return PolynomialKernel(degree, coef0)
    if kernel == "linear":
        return PolynomialKernel(1, 0.0)
    raise InputError(
        f"kernel={kernel!r} is not known; choose {', '.join(map(repr, KERNELS))}, or give a GaussianKernel or a "
        "PolynomialKernel."
    )


def divergence_for(step: MatrixStep, given: Divergence | str | None) -> Divergence:
    """The divergence a kernel works on: what was given, if it is of the kind that the kernel takes."""
    gaussian = isinstance(step, GaussianKernel)
    if given is None:
        return Renyi(0.9) if gaussian else Linear()
    divergence = as_divergence(given)
    if gaussian:
        squared_in_kernel(divergence)
    elif divergence.kind not in ("similarity", "moment"):
        raise InputError(
            f"{divergence} is no inner product, which a polynomial kernel needs; "
            'choose linear or bhattacharyya, or kernel="gaussian".'
        )
    return divergence


def gram_steps(step: MatrixStep, divergence: Divergence, psd: str, test_rows: str) -> Pipeline:
    """From symmetrised divergences to the Gram matrix; arrays, whatever container scikit-learn is set to give."""
    own: MatrixStep = clone(step)
    if isinstance(own, GaussianKernel) and own.squared == "paper":
        own.set_params(squared=squared_in_kernel(divergence))
    steps = make_pipeline(own, PSDProjection(psd, test_rows))  # type: ignore[arg-type]
    return steps.set_output(transform="default")
