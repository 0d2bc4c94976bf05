"""Multidimensional scaling of sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.manifold import smacof
from sklearn.utils import check_random_state
from sklearn.utils.extmath import svd_flip

from setwise.divergences import Divergence
from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KernelName
from setwise.learners.base import SetEstimator
from setwise.learners.distance import SetDistance
from setwise.refusals import is_whole
from setwise.sets import Sets, as_sets

METHODS = ("classical", "metric")


class SetMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SetEstimator):  # type: ignore[misc]
    """Places of the sets whose distances are as near as can be to those of the sets.

    Parameters
    ----------
    n_components : int
        The dimension of the embedding.
    method : "classical" or "metric"
        "classical": the leading eigenvectors of the doubly centred matrix, which for distances in the space of the
        kernel is the centred Gram matrix; "metric": the least sum of squared differences of distances (SMACOF).
    dissimilarity : "rkhs" or "divergence"
        `metric` of `SetDistance`: the distance in the space of the kernel, or mu of the Gaussian kernel.
    divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs : see `SetKernel`
    n_init : int
        How many starts "metric" takes the best of: the classical places, and random ones.
    max_iter : int
        The most iterations of a start.
    random_state : int, RandomState instance or None
        For the random starts.

    Attributes
    ----------
    embedding_ : (T, n_components) array
    stress_ : float
        The sum over all pairs of the squared difference between their distance in the embedding and that of the sets.
    eigenvalues_ : (T,) array, descending
        Of the doubly centred matrix; those below zero are what no Euclidean space can show.
    distance_ : SetDistance
        Fitted, with its kernel and projection.
    n_features_in_ : int
        The dimension of the points.

    An embedding is determined up to rotation and mirroring; each column's largest entry is made positive.
    """

    def __init__(
        self,
        n_components: int = 2,
        method: Literal["classical", "metric"] = "classical",
        dissimilarity: Literal["rkhs", "divergence"] = "rkhs",
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
        n_init: int = 1,
        max_iter: int = 300,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs)
        self.n_components = n_components
        self.method = method
        self.dissimilarity = dissimilarity
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Sets, y: object = None) -> SetMDS:
        """Find the places."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Sets, y: object = None, **_: object) -> Array:
        """Find the places of the sets, and return them."""
        sets = as_sets(X)
        if not is_whole(self.n_components) or not 1 <= self.n_components < len(sets):
            raise InputError(
                f"n_components={self.n_components!r} must be a whole number of at least 1, and less than the "
                f"{len(sets)} sets."
            )
        if self.method not in METHODS:
            raise InputError(f"method={self.method!r} is not known; choose {', '.join(map(repr, METHODS))}.")
        for name, number in (("n_init", self.n_init), ("max_iter", self.max_iter)):
            if not is_whole(number) or number < 1:
                raise InputError(f"{name}={number!r} must be a whole number of at least 1.")
        shared = {name: getattr(self, name) for name in SetEstimator._get_param_names()}
        self.distance_ = SetDistance(self.dissimilarity, **shared).set_output(transform="default")
        distances = self.distance_.fit_transform(sets)
        self._remember(sets)
        places = self._classical(distances)
        stress = _stress(places, distances)
        if self.method == "metric" and stress > 0:
            places, stress = self._metric(distances, places)
        self.embedding_, self.stress_ = places, stress
        self._n_features_out = self.n_components
        return self.embedding_.copy()

    def _classical(self, distances: Array) -> Array:
        squared = distances**2
        inner = -0.5 * (squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean())
        values, vectors = np.linalg.eigh(inner)
        self.eigenvalues_: Array = values[::-1].copy()
        leading = svd_flip(vectors[:, ::-1][:, : self.n_components], None)[0]
        places: Array = leading * np.sqrt(np.maximum(self.eigenvalues_[: self.n_components], 0.0))
        return places

    def _metric(self, distances: Array, start: Array) -> tuple[Array, float]:
        given = {"n_components": self.n_components, "max_iter": self.max_iter, "eps": 1e-6}
        found = [smacof(distances, init=start, n_init=1, **given)]
        if self.n_init > 1:
            random_state = check_random_state(self.random_state)
            found.append(smacof(distances, n_init=self.n_init - 1, random_state=random_state, **given))
        places, _ = min(found, key=lambda one: one[1])
        return svd_flip(places, None)[0], _stress(places, distances)


def _stress(places: Array, distances: Array) -> float:
    return float(((pdist(places) - squareform(distances, checks=False)) ** 2).sum())
