"""What the steps from divergences to Gram matrices share: a (T, T) matrix when fitting, rows of T afterwards."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from setwise.errors import InputError

Array: TypeAlias = NDArray[np.float64]


class MatrixStep(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer of matrices between sets (rows) and fitted sets (columns)."""

    def _validated(self, X: ArrayLike, *, fitting: bool) -> Array:
        matrix: Array = validate_data(self, X, reset=fitting, dtype=np.float64)
        if fitting and matrix.shape[0] != matrix.shape[1]:
            raise InputError(
                f"a {type(self).__name__} is fitted on a square matrix, the sets among themselves; got {matrix.shape}."
            )
        return matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags
