"""What the steps from divergences to Gram matrices share: a (T, T) matrix when fitting, rows of T afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, validate_data

from setwise.errors import InputError
from setwise.refusals import Id

Array: TypeAlias = NDArray[np.float64]


class MatrixStep(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer of matrices between sets (rows) and fitted sets (columns)."""

    def _validated(self, X: ArrayLike, *, fitting: bool) -> Array:
        matrix: Array = check_array(X, dtype=np.float64, ensure_all_finite=False, estimator=self, input_name="X")
        wrong = np.argwhere(~np.isfinite(matrix))
        if len(wrong):
            i, j = wrong[0].tolist()
            others = f" (and {len(wrong) - 1} others)" if len(wrong) > 1 else ""
            raise InputError(
                f"the value at row {i}, column {j} is {_shown(matrix[i, j])}{others}; a {type(self).__name__} takes "
                "finite values. Leave those sets out."
            )
        validate_data(self, X, reset=fitting, skip_check_array=True)
        if fitting and matrix.shape[0] != matrix.shape[1]:
            raise InputError(
                f"a {type(self).__name__} is fitted on a square matrix, the sets among themselves; got {matrix.shape}."
            )
        return matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def check_values(values: Array, what: object, ids_x: Sequence[Id], ids_y: Sequence[Id]) -> None:
    """Refuse divergences that no kernel can be made of, naming the set that has most of them."""
    wrong = ~np.isfinite(values)
    if not wrong.any():
        return
    by_row, by_column = wrong.sum(axis=1), wrong.sum(axis=0)
    if by_row.max() >= by_column.max():
        at = int(by_row.argmax())
        name, row, others = ids_x[at], values[at], ids_y
    else:
        at = int(by_column.argmax())
        name, row, others = ids_y[at], values[:, at], ids_x
    places = np.flatnonzero(~np.isfinite(row))
    first = others[places[0]]
    more = f" (and from {len(places) - 1} others)" if len(places) > 1 else ""
    raise InputError(
        f"{what} of set {name!r} from {'itself' if first == name else f'set {first!r}'} is {_shown(row[places[0]])}"
        f"{more}, and no kernel can be made of it. Leave the set out, or choose renyi, kl or js, which stay finite."
    )


def _shown(value: float) -> str:
    return "NaN" if np.isnan(value) else "inf" if value > 0 else "-inf"
