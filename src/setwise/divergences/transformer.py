"""Divergences as a scikit-learn transformer: sets in, divergences from the fitted sets out."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from setwise.divergences.checks import as_ks, as_n_jobs, check_existence, check_sizes
from setwise.divergences.pairwise import compute
from setwise.divergences.protocol import Divergence
from setwise.divergences.ratio import Renyi
from setwise.divergences.registry import as_divergence
from setwise.neighbours.moments import Array
from setwise.sets import SampleSets, Sets, as_sets


class KNNDivergence(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Each set as its divergences D(set || fitted set), one column a fitted set.

    Parameters
    ----------
    divergence : Divergence or its spelling
    k : int
        Which neighbour.
    symmetrize : bool
        The mean of both directions, (D(set || fitted set) + D(fitted set || set)) / 2, as kernels want it.
    n_jobs : int, optional
        Number of threads; None or -1 for all cores.

    Attributes
    ----------
    sets_ : SampleSets
        The fitted sets.
    n_features_in_ : int
        The dimension of their points.

    A set that has the points of a fitted set, in their order, takes the exact value of a set against itself, so that
    `fit(X).transform(X)` is `fit_transform(X)`, for lists and bootstraps too.
    """

    def __init__(
        self,
        divergence: Divergence | str = Renyi(0.9),  # noqa: B008  frozen
        k: int = 5,
        symmetrize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.divergence = divergence
        self.k = k
        self.symmetrize = symmetrize
        self.n_jobs = n_jobs

    def fit(self, X: Sets, y: object = None) -> KNNDivergence:
        """Keep the sets."""
        sets, ks = as_sets(X), as_ks((self.k,))
        check_existence((as_divergence(self.divergence),), ks)
        as_n_jobs(self.n_jobs)
        check_sizes((sets,), ks)
        self.sets_ = sets
        self.n_features_in_ = self.sets_.dim
        return self

    def transform(self, X: Sets) -> Array:
        """The divergences of each set from each fitted set, (len(X), len(fitted))."""
        check_is_fitted(self)
        return self._against_fitted(as_sets(X))

    def fit_transform(self, X: Sets, y: object = None, **_: object) -> Array:
        """The divergences of the sets from each other, with the exact value on the diagonal."""
        return self.fit(X)._against_fitted(self.sets_)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The ids of the fitted sets."""
        check_is_fitted(self)
        return np.array([str(name) for name in self.sets_.ids], dtype=object)

    def _against_fitted(self, sets: SampleSets) -> Array:
        itself = sets is self.sets_ or sets == self.sets_
        table = compute(
            sets,
            None if itself else self.sets_,
            (self.divergence,),
            (self.k,),
            self.n_jobs,
            same=same_sets(sets, self.sets_),
            symmetrize=self.symmetrize,
        )
        return table[table.divergences[0], table.ks[0]].copy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def same_sets(x: SampleSets, y: SampleSets) -> NDArray[np.bool_]:
    """Which pairs are one set: the same points, whatever their ids."""
    places: dict[bytes, list[int]] = {}
    for j, points in enumerate(y):
        places.setdefault(digest(points), []).append(j)
    same = np.zeros((len(x), len(y)), dtype=bool)
    for i, points in enumerate(x):
        same[i, places.get(digest(points), [])] = True
    return same


def digest(points: NDArray[Any]) -> bytes:
    """Equal for equal points, whatever their type of float."""
    return blake2b((points.astype(np.float64) + 0.0).tobytes()).digest()
