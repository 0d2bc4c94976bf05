"""Each dimension to mean 0 and variance 1 over the points of all training sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from setwise.errors import InputError
from setwise.features.pooled import Array, PooledStep, mapped, mean_of, variance_of
from setwise.sets import SampleSets, Sets, as_sets


class SetScaler(PooledStep):
    """Sets whose dimensions have mean 0 and variance 1 over the points of all fitted sets, each point counting once.

    Parameters
    ----------
    with_mean : bool
        Subtract the mean.
    with_std : bool
        Divide by the standard deviation. Dimensions that do not vary, beyond what their type of float can tell, are
        left at their scale.

    Attributes
    ----------
    mean_ : array (d,)
        What is subtracted; 0 without `with_mean`.
    scale_ : array (d,)
        What is divided by; 1 where a dimension does not vary, and without `with_std`.
    var_ : array (d,)
        The variance of the points, as scikit-learn's StandardScaler has it (divided by their number).
    n_features_in_ : int
    feature_names_in_ : array (d,), if the sets' columns have names
    """

    mean_: Array
    scale_: Array
    var_: Array

    def __init__(self, with_mean: bool = True, with_std: bool = True) -> None:
        self.with_mean = with_mean
        self.with_std = with_std

    def fit(self, X: Sets, y: object = None) -> SetScaler:
        """Take mean and variance from the points of all sets."""
        for name in ("with_mean", "with_std"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InputError(f"{name}={getattr(self, name)!r} is not known; choose True or False.")
        sets = as_sets(X)
        points = sets.points
        self._remember(sets)
        mean = mean_of(points)
        self.var_ = variance_of(points, mean)
        deviation = np.sqrt(self.var_)
        varies = deviation > np.finfo(points.dtype).eps * np.abs(mean)
        self.mean_ = mean if self.with_mean else np.zeros(len(mean))
        self.scale_ = np.where(varies, deviation, 1.0) if self.with_std else np.ones(len(mean))
        return self

    def transform(self, X: Sets) -> SampleSets:
        """The sets, scaled."""
        sets = self._of_known_dimension(X)
        return mapped(sets, lambda points: (points - self.mean_) / self.scale_, sets.dim, sets.feature_names)

    def inverse_transform(self, X: Sets) -> SampleSets:
        """The sets in the units of those that were fitted."""
        sets = self._of_known_dimension(X)
        return mapped(sets, lambda points: points * self.scale_ + self.mean_, sets.dim, sets.feature_names)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The names of the columns; x0, x1, .. where they have none."""
        check_is_fitted(self)
        names = self._names_in() or tuple(f"x{j}" for j in range(self.n_features_in_))
        return np.array(names, dtype=object)
