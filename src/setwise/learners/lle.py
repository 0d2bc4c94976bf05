"""Locally linear embedding of sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.extmath import svd_flip

from setwise.divergences import Divergence
from setwise.errors import GraphWarning, InputError, SpectrumWarning, warn
from setwise.kernels.feature_space import squared_distances_among, squared_distances_from
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KernelName
from setwise.learners.base import SetEstimator
from setwise.learners.reconstruction import affine_weights
from setwise.refusals import is_number, is_whole
from setwise.sets import Sets, as_sets

ROUNDING = 1e-12  # of the largest squared distance: a set as far from all the fitted ones as one of them is that one


class SetLLE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SetEstimator):  # type: ignore[misc]
    """Places of the sets such that each is reconstructed from its nearest by the weights that reconstruct it in the
    space of the kernel (the paper, section "DRDR and LLE").

    Parameters
    ----------
    n_neighbors : int
        kappa, the number of sets that each is reconstructed from.
    n_components : int
        The dimension of the embedding.
    reg : float
        What is added to the diagonal of each local Gram matrix, as a share of its trace.
    divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs : see `SetKernel`

    Attributes
    ----------
    embedding_ : (T, n_components) array
        Y, with columns of length one that each sum to zero.
    weights_ : (T, T) array
        W: row i holds what set i is reconstructed with, sums to one, and is zero but for its n_neighbors nearest.
    reconstruction_error_ : float
        sum_i |Y_i - sum_j W_ij Y_j|^2.
    kernel_, projection_, n_features_in_ : see `SetEstimator`

    `transform` places other sets by the weights that reconstruct them from their nearest fitted sets; a fitted set
    keeps its place. An embedding is determined up to the sign of each column; the largest entry is made positive.
    """

    def __init__(
        self,
        n_neighbors: int = 8,
        n_components: int = 2,
        reg: float = 0.1,
        divergence: Divergence | str | None = None,
        k: int = 5,
        *,
        kernel: KernelName | MatrixStep | Any = "gaussian",
        width: float = 1.0,
        squared: Literal["paper"] | bool = "paper",
        degree: int = 2,
        coef0: float = 1.0,
        psd: Literal["clip", "flip", "shift", "none"] = "clip",
        test_rows: Literal["projected", "raw"] = "projected",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs)
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg

    def fit(self, X: Sets, y: object = None) -> SetLLE:
        """Find the places."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Sets, y: object = None, **_: object) -> Array:
        """Find the places of the sets, and return them."""
        sets = as_sets(X)
        for name, number in (("n_neighbors", self.n_neighbors), ("n_components", self.n_components)):
            if not is_whole(number) or not 1 <= number < len(sets):
                raise InputError(
                    f"{name}={number!r} must be a whole number of at least 1, and less than the {len(sets)} sets."
                )
        if not is_number(self.reg) or self.reg <= 0:
            raise InputError(f"reg={self.reg!r} must be a number above 0.")
        self._squared = squared_distances_among(self._fit_gram(sets))
        others = self._squared.copy()
        np.fill_diagonal(others, np.inf)
        self.weights_ = self._weights(others)
        groups = connected_components(self.weights_ != 0, return_labels=False)
        if groups > 1:
            warn(
                GraphWarning,
                f"the sets fall into {groups} groups that share no neighbours, and each group into one place. "
                f"Raise n_neighbors={self.n_neighbors}, or embed the groups one by one.",
            )
        residual = np.eye(len(sets)) - self.weights_
        cost = residual.T @ residual
        # The constant vector has cost 0 and says nothing: raised above all others, it is not among the lowest.
        raised = cost + np.trace(cost) / len(sets)
        values, vectors = eigh(raised, subset_by_index=(0, self.n_components - 1))
        self.reconstruction_error_ = float(np.maximum(values, 0.0).sum())
        places: Array = svd_flip(vectors, None)[0]
        self.embedding_ = places
        self._n_features_out = self.n_components
        return places.copy()

    def transform(self, X: Sets) -> Array:
        """The places of other sets, among the fitted."""
        sets = self._of_known_dimension(X)
        squared = squared_distances_from(self.kernel_, sets)
        weights = self._weights(squared)
        nearest = squared.argmin(axis=1)
        known = np.abs(squared - self._squared[nearest]).max(axis=1) <= ROUNDING * self._squared.max()
        weights[known] = np.eye(len(self._squared))[nearest[known]]
        places: Array = weights @ self.embedding_
        return places

    def _weights(self, squared: Array) -> Array:
        """Rows of W for sets at these squared distances from the fitted ones."""
        nearest = np.argsort(squared, axis=1, kind="stable")[:, : self.n_neighbors]
        weights = np.zeros(squared.shape)
        indefinite = 0
        for row, distances, chosen in zip(weights, squared, nearest, strict=True):
            # <phi(p) - phi(p_j), phi(p) - phi(p_k)>, the Gram matrix of the neighbours as seen from the set itself
            among = self._squared[np.ix_(chosen, chosen)]
            local = (distances[chosen, None] + distances[None, chosen] - among) / 2
            trace = float(np.trace(local))
            local += np.eye(len(chosen)) * self.reg * (trace if trace > 0 else 1.0)
            indefinite += np.linalg.eigvalsh(local)[0] <= 0
            row[chosen] = affine_weights(local, np.zeros((1, len(chosen))))[0]
        if indefinite:
            warn(
                SpectrumWarning,
                f"among the neighbours of {indefinite} of {len(weights)} sets the kernel is indefinite: no weights are "
                'the best there, and any were taken. Use psd="clip".',
            )
        return weights
