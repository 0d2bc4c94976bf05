"""A Gram matrix with its ids and an account of how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.base import clone

from setwise.divergences.table import labelled_frame
from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.psd import PSDProjection
from setwise.kernels.set_kernel import SetKernel
from setwise.refusals import Id
from setwise.sets import Sets, as_sets


class Gram:
    """Kernel values of sets (rows) with sets (columns); NumPy and scikit-learn take it for its `values`.

    Attributes
    ----------
    values : (rows, columns) array, read-only
    ids_x, ids_y : the ids of the rows and of the columns
    kernel : the kernel as it was fitted
    projection : its PSDProjection, with the spectrum and what was discarded; None where it has none
    """

    def __init__(self, values: Array, ids_x: Sequence[Id], ids_y: Sequence[Id], kernel: Any) -> None:
        self.values = np.asarray(values, dtype=np.float64).view()
        self.values.flags.writeable = False
        self.ids_x, self.ids_y = tuple(ids_x), tuple(ids_y)
        self.kernel = kernel
        self.projection: PSDProjection | None = getattr(kernel, "projection_", None)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (len(self.ids_x), len(self.ids_y))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def to_frame(self, backend: str = "pandas") -> Any:
        """The values with their ids, as a dataframe (see `DivergenceTable.to_frame`)."""
        return labelled_frame(self.values, self.ids_x, self.ids_y, backend)

    def __repr__(self) -> str:
        rows, columns = self.shape
        text = f"{rows:,} x {columns:,} sets; {self.kernel!r}"
        if self.projection is not None:
            text += f"; {self.projection.summary()}"
        return f"<Gram: {text}>"


def gram_matrix(X: Sets, Y: Sets | None = None, kernel: Any = None) -> Gram:
    """The Gram matrix of X, or the rows of X with the sets of Y as the kernel is fitted on Y.

    `kernel` is a `SetKernel` (default: a Gaussian on Renyi(0.9)), or any transformer of sets into such a matrix.
    """
    rows = as_sets(X)
    columns = rows if Y is None else as_sets(Y)
    if kernel is not None and (isinstance(kernel, type | MatrixStep) or not hasattr(kernel, "fit_transform")):
        raise InputError(f"kernel={kernel!r} takes no sets; write SetKernel(kernel=...), with an instance or a name.")
    fitted = clone(SetKernel() if kernel is None else kernel)
    values = fitted.fit_transform(columns) if Y is None else fitted.fit(columns).transform(rows)
    return Gram(values, rows.ids, columns.ids, fitted)
