"""The polynomial kernels on inner products of densities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.refusals import is_number, is_whole


class PolynomialKernel(MatrixStep):
    """(c + <p, q>)^s, element by element, of a matrix of inner products <p, q> (the paper, Table 1).

    Parameters
    ----------
    degree : int
        s. With coef0=0, degree 1 is the linear kernel.
    coef0 : float
        c; 0 makes the kernel homogeneous.
    """

    def __init__(self, degree: int = 2, coef0: float = 1.0) -> None:
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X: ArrayLike, y: object = None) -> PolynomialKernel:
        """Check the parameters; there is nothing to learn."""
        self._validated(X, fitting=True)
        if not is_whole(self.degree) or self.degree < 1:
            raise InputError(f"degree={self.degree!r} is not a degree; give a whole number of at least 1.")
        if not is_number(self.coef0) or self.coef0 < 0:
            raise InputError(f"coef0={self.coef0!r} must be a number of at least 0: below, the kernel is no kernel.")
        return self

    def transform(self, X: ArrayLike) -> Array:
        """The kernel of each set with each fitted set."""
        check_is_fitted(self, "n_features_in_")
        products = self._validated(X, fitting=False)
        with np.errstate(over="ignore"):
            values: Array = (products + self.coef0) ** self.degree
        if not np.isfinite(values).all():
            raise InputError(
                f"inner products up to {np.abs(products).max():.2g} to the power of {self.degree} exceed what numbers "
                "can hold; lower the degree, or scale the points up."
            )
        return values
