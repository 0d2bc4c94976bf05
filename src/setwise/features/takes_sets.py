"""What every estimator on sets knows of its input: how many columns, and their names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from setwise.errors import InputError
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
