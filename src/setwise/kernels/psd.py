"""From an indefinite Gram matrix to the nearest that is one, and the same for rows that come later."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from setwise.errors import InputError, SpectrumWarning, warn
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.spectrum import Spectrum

METHODS = ("clip", "flip", "shift", "none")
TEST_ROWS = ("projected", "raw")
UNTRUSTWORTHY = 0.05  # negative share of the spectrum beside its largest value, from which raw rows are warned of


class PSDProjection(MatrixStep):
    """A Gram matrix G made symmetric, S = (G + G')/2 = V diag(l) V', and positive semi-definite (section 4.3).

    Parameters
    ----------
    method : "clip", "flip", "shift" or "none"
        What becomes of the eigenvalues l: max(l, 0), which is the nearest matrix that has none below zero; |l|;
        l - min(l, 0); or l as they are.
    test_rows : "projected" or "raw"
        Rows g of other sets are mapped by the linear operator that maps S to its projection: g V 1[l>0] V' for clip,
        g V sign(l) V' for flip. Shift adds to a set's product with itself only, and leaves other rows as they are.
        "raw", the paper's inductive mode, leaves them as they are throughout. Where much of the spectrum is negative
        those rows and the projected matrix are no longer of one kernel, and a classifier may answer upside down.

    Attributes
    ----------
    eigenvalues_ : array, ascending
        Of S.
    negative_mass_ : float
        The sum of the negative eigenvalues' magnitudes, as a share of the sum of all magnitudes.
    n_negative_ : int
        How many are negative.
    gram_ : (T, T) array
        The projection of S.
    operator_ : (T, T) array
        What maps rows; the identity where they stay as they are.
    symmetric_ : (T, T) array
        S, if rows of other sets stay raw beside a matrix that does not.

    A row that is a row of the fitted matrix takes its place in the projection, so that `fit(G).transform(G)` is
    `fit_transform(G)`, whatever the method and however asymmetric G.
    """

    def __init__(
        self,
        method: Literal["clip", "flip", "shift", "none"] = "clip",
        test_rows: Literal["projected", "raw"] = "projected",
    ) -> None:
        self.method = method
        self.test_rows = test_rows

    def fit(self, X: ArrayLike, y: object = None) -> PSDProjection:
        """Project the Gram matrix of the fitted sets."""
        matrix = self._validated(X, fitting=True)
        for name, value, allowed in (("method", self.method, METHODS), ("test_rows", self.test_rows, TEST_ROWS)):
            if value not in allowed:
                raise InputError(f"{name}={value!r} is not known; choose {', '.join(map(repr, allowed))}.")
        return self.fit_spectrum(matrix, Spectrum.of(matrix))

    def fit_spectrum(self, matrix: Array, spectrum: Spectrum) -> PSDProjection:
        """`fit` where the matrix was taken apart before, so that several remedies share that."""
        self.n_features_in_ = len(matrix)
        self.eigenvalues_ = spectrum.values
        self.n_negative_ = spectrum.n_negative
        self.negative_mass_ = spectrum.negative_mass
        self.gram_ = spectrum.gram(self.method)
        self._operator: Array | None = None if self.keeps_rows else spectrum.operator(self.method)
        if self.mixes_rows:
            self.symmetric_ = spectrum.symmetric
        elif hasattr(self, "symmetric_"):
            del self.symmetric_
        self._digests = _digests(matrix)
        return self

    def fit_transform(self, X: ArrayLike, y: object = None, **_: object) -> Array:
        """The projection of the Gram matrix of the fitted sets."""
        return self.fit(X).gram_.copy()

    def transform(self, X: ArrayLike) -> Array:
        """Rows of kernel values with the fitted sets, made consistent with the projected matrix."""
        check_is_fitted(self, "gram_")
        matrix = self._validated(X, fitting=False)
        places = _places(_digests(matrix).tolist(), self._digests.tolist())
        known = places >= 0
        if not known.all():
            self._warn_of_raw_rows()
        rows = matrix.copy() if self._operator is None else matrix @ self._operator
        rows[known] = self.gram_[places[known]]
        return np.asarray(rows)

    @property
    def operator_(self) -> Array:
        check_is_fitted(self, "gram_")
        return np.eye(len(self.gram_)) if self._operator is None else self._operator

    @property
    def keeps_rows(self) -> bool:
        """Whether rows of other sets stay as they are."""
        return self.test_rows == "raw" or self.method not in ("clip", "flip")

    @property
    def mixes_rows(self) -> bool:
        """Whether rows of other sets stay as they are, and those of the fitted sets do not."""
        return self.test_rows == "raw" and self.method in ("clip", "flip")

    def _warn_of_raw_rows(self) -> None:
        """By the spectrum, all that is known here; a machine knows what it makes of the rows (`SupportMachine`).

        The largest eigenvalue is left out of account: where sigma is large all kernel values are near 1, and that
        constant, which no machine sees, is most of the spectrum.
        """
        magnitudes = np.abs(self.eigenvalues_)
        beside = magnitudes.sum() - magnitudes.max()
        share = self.negative_mass_ * magnitudes.sum() / beside if beside > 0 else 0.0
        if self.mixes_rows and share > UNTRUSTWORTHY:
            warn(
                SpectrumWarning,
                f"raw test rows of an indefinite kernel ({self.summary()}) may be answered upside down. "
                'Use test_rows="projected".',
            )

    def account(self) -> PSDProjection:
        """The spectrum and what became of it, without the matrices."""
        account: PSDProjection = clone(self)
        for name in ("eigenvalues_", "negative_mass_", "n_negative_"):
            setattr(account, name, getattr(self, name))
        return account

    def summary(self) -> str:
        """What the spectrum was, and what became of its negative part."""
        done = {"clip": "discarded", "flip": "flipped", "shift": "lifted", "none": "left"}[self.method]
        return (
            f"{self.n_negative_} of {len(self.eigenvalues_)} eigenvalues negative, "
            f"{self.negative_mass_:.1%} of the spectrum, {done}"
        )

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text: str = super().__repr__(N_CHAR_MAX)
        return f"{text}  # {self.summary()}" if hasattr(self, "eigenvalues_") else text


def _digests(matrix: Array) -> NDArray[np.void]:
    rows = np.ascontiguousarray(matrix + 0.0)  # of the two zeros, the positive one
    return np.fromiter((blake2b(row.tobytes(), digest_size=16).digest() for row in rows), dtype="V16", count=len(rows))


def _places(found: list[bytes], fitted: list[bytes]) -> NDArray[np.intp]:
    """Where each row stands in the fitted matrix, -1 for others; of equal rows its own place, or else the first."""
    first = {digest: place for place, digest in reversed(list(enumerate(fitted)))}
    own = [place for place, (one, other) in enumerate(zip(found, fitted, strict=False)) if one == other]
    places = np.array([first.get(digest, -1) for digest in found], dtype=np.intp)
    places[own] = own
    return places
