"""An indefinite Gram matrix taken apart once, and the remedies for its negative eigenvalues put together from that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from setwise.kernels.matrix import Array


@dataclass(frozen=True)
class Spectrum:
    """S = (G + G')/2 = V diag(l) V' (section 4.3): `symmetric` is S, `values` is l, ascending, `vectors` is V.

    Eigenvalues within the rounding of the largest have no sign: what is left of a set's row there is noise, which no
    remedy keeps or turns over.
    """

    symmetric: Array
    values: Array
    vectors: Array

    @classmethod
    def of(cls, matrix: Array) -> Spectrum:
        """Take a square matrix apart."""
        symmetric = symmetrized(matrix)
        return cls(symmetric, *np.linalg.eigh(symmetric))

    @property
    def signs(self) -> Array:
        """-1, 0 or 1 an eigenvalue."""
        magnitudes = np.abs(self.values)
        noise = len(magnitudes) * np.finfo(np.float64).eps * magnitudes.max()
        return np.asarray(np.where(magnitudes > noise, np.sign(self.values), 0.0))

    @property
    def n_negative(self) -> int:
        """How many eigenvalues are negative."""
        return int((self.signs < 0).sum())

    @property
    def negative_mass(self) -> float:
        """The sum of the negative eigenvalues' magnitudes, as a share of the sum of all magnitudes."""
        magnitudes = np.abs(self.values)
        return float(magnitudes[self.signs < 0].sum() / magnitudes.sum()) if magnitudes.any() else 0.0

    def gram(self, method: str) -> Array:
        """S with max(l, 0), |l| or l - min(l, 0) for l, by method "clip", "flip" or "shift"; "none" leaves it."""
        if method == "clip":
            return self._with(np.maximum(self.values, 0.0), self.signs > 0)
        if method == "flip":
            return self._with(np.abs(self.values), self.signs != 0)
        lifted = -min(float(self.values[0]), 0.0) if method == "shift" else 0.0
        return self.symmetric + lifted * np.eye(len(self.values))

    def operator(self, method: str) -> Array | None:
        """P with gram = S P, which maps the rows of other sets; None where these stay as they are."""
        if method == "clip":
            return self._with(np.ones(len(self.values)), self.signs > 0)
        if method == "flip":
            return self._with(self.signs, self.signs != 0)
        return None

    def _with(self, values: Array, kept: NDArray[np.bool_]) -> Array:
        vectors = self.vectors[:, kept]
        return symmetrized((vectors * values[kept]) @ vectors.T)


def symmetrized(matrix: Array) -> Array:
    """The mean of a matrix and its transpose."""
    return (matrix + matrix.T) / 2
