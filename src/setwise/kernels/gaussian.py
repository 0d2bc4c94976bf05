"""The Gaussian kernel on divergences."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.refusals import is_number


class GaussianKernel(MatrixStep):
    """exp(-mu^2 / (2 sigma^2)), element by element, of a matrix of divergences (the paper, section 4.1).

    Parameters
    ----------
    width : float
        sigma, in units of the scale.
    scale : "median" or float
        "median": of the nonzero mu among the fitted sets; or a number, the same for all data.
    squared : "paper", True or False
        Whether mu^2 is the square of the divergence or the divergence itself. A Renyi divergence is already quadratic
        for small shifts, so that this is a choice with consequences. "paper" squares (its Table 1); estimators that
        know which divergence they hold leave Jensen-Shannon, a squared distance already, as it is.

    Attributes
    ----------
    scale_ : float
        The unit of the width; 1 where all the fitted divergences are zero.
    sigma_ : float

    Estimates below zero count as zero. Symmetrise a matrix before it comes here (`KNNDivergence(symmetrize=True)`):
    cutting off the negative half of each direction first would turn noise into distance.
    """

    def __init__(
        self,
        width: float = 1.0,
        scale: Literal["median"] | float = "median",
        squared: Literal["paper"] | bool = "paper",
    ) -> None:
        self.width = width
        self.scale = scale
        self.squared = squared

    def fit(self, X: ArrayLike, y: object = None) -> GaussianKernel:
        """Take the scale from the divergences among the fitted sets, (T, T)."""
        matrix = self._validated(X, fitting=True)
        if not is_number(self.width) or self.width <= 0:
            raise InputError(f"width={self.width!r} is not a width; give a number above 0, in units of the scale.")
        if self.squared != "paper" and not isinstance(self.squared, bool | np.bool_):
            raise InputError(f"squared={self.squared!r} is not known; choose 'paper', True or False.")
        if self.scale == "median":
            positive = matrix[matrix > 0]
            median = float(np.median(positive)) if positive.size else 1.0
            self.scale_ = median if self.squared else median**0.5
        elif is_number(self.scale) and float(self.scale) > 0:
            self.scale_ = float(self.scale)
        else:
            raise InputError(f"scale={self.scale!r} is not a scale; choose 'median' or a number above 0.")
        self.sigma_: float = self.width * self.scale_
        return self

    def transform(self, X: ArrayLike) -> Array:
        """The kernel of each set with each fitted set."""
        check_is_fitted(self)
        matrix = np.maximum(self._validated(X, fitting=False), 0.0)
        with np.errstate(over="ignore"):
            exponent = (matrix / self.sigma_) ** 2 if self.squared else matrix / self.sigma_ / self.sigma_
        return np.asarray(np.exp(-0.5 * exponent))
