"""What all estimators on sets share: the parameters of their kernel, and how they come to Gram matrices."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.base import clone

from setwise.divergences import Divergence
from setwise.errors import InputError
from setwise.features.takes_sets import TakesSets as TakesSets
from setwise.kernels import PSDProjection, SetKernel
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KERNELS, KernelName
from setwise.sets import Sets, as_sets


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
            kernel = SetKernel(**{name: getattr(self, name) for name in SetKernel._get_param_names()})
            return kernel.set_output(transform="default")
        if isinstance(self.kernel, type) or not hasattr(self.kernel, "fit_transform"):
            raise InputError(
                f"kernel={self.kernel!r} is not known; choose {', '.join(map(repr, KERNELS))}, or give a "
                "GaussianKernel, a PolynomialKernel or a transformer of sets into a Gram matrix."
            )
        given = clone(self.kernel)
        return given.set_output(transform="default") if hasattr(given, "set_output") else given
