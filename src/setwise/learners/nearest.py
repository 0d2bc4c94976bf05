"""Which sets are unlike the training sets, by the distance to the nearest of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from setwise.divergences import Divergence, KNNDivergence, Renyi, squared_in_kernel
from setwise.divergences.registry import as_divergence
from setwise.divergences.transformer import same_sets
from setwise.errors import InputError
from setwise.kernels.matrix import Array
from setwise.learners.base import TakesSets
from setwise.refusals import is_number, is_whole
from setwise.sets import SampleSets, Sets, as_sets


class SetNearest(OutlierMixin, TakesSets):  # type: ignore[misc]
    """Which sets are unlike the training sets, by the divergence from the n_neighbors-th nearest of them.

    The divergence is the mean of both directions, in its own units: no kernel, and nothing to project.

    Parameters
    ----------
    divergence : Divergence or its spelling
        Default: Renyi(0.9). Not an inner product.
    k : int
        Which neighbour, among the points.
    n_neighbors : int
        Which neighbour, among the training sets.
    contamination : float
        The share of the training sets that `predict` is to call unlike the others; in (0, 0.5].
    n_jobs : int, optional
        Number of threads; None or -1 for all cores.

    Attributes
    ----------
    divergences_ : KNNDivergence
        Fitted.
    offset_ : float
        `decision_function` is `score_samples` less this: a quantile of the training sets' scores.
    n_features_in_ : int
        The dimension of the points.

    A training set never counts itself, also when it is scored after fitting (it is known by its points). A copy of it
    under another id counts.
    """

    def __init__(
        self,
        divergence: Divergence | str | None = None,
        k: int = 5,
        *,
        n_neighbors: int = 5,
        contamination: float = 0.1,
        n_jobs: int | None = None,
    ) -> None:
        self.divergence = divergence
        self.k = k
        self.n_neighbors = n_neighbors
        self.contamination = contamination
        self.n_jobs = n_jobs

    def fit(self, X: Sets, y: object = None) -> SetNearest:
        """Keep the sets, and take the threshold from their distances to one another."""
        sets = as_sets(X)
        divergence = Renyi(0.9) if self.divergence is None else as_divergence(self.divergence)
        squared_in_kernel(divergence)
        if not is_whole(self.n_neighbors) or not 1 <= self.n_neighbors < len(sets):
            raise InputError(
                f"n_neighbors={self.n_neighbors!r} must be a whole number from 1 to {len(sets) - 1}, "
                f"the other sets that each of {len(sets)} has."
            )
        if not is_number(self.contamination) or not 0 < self.contamination <= 0.5:
            raise InputError(f"contamination={self.contamination!r} must be a number above 0 and up to 0.5.")
        divergences = KNNDivergence(divergence, self.k, symmetrize=True, n_jobs=self.n_jobs)
        self.divergences_ = divergences.set_output(transform="default")
        scores = self._scores(sets, self.divergences_.fit_transform(sets))
        self.offset_ = float(np.percentile(scores, 100 * self.contamination))
        self._remember(sets)
        return self

    def score_samples(self, X: Sets) -> Array:
        """Minus the divergence from the n_neighbors-th nearest training set; the larger, the more normal."""
        sets = self._of_known_dimension(X)
        return self._scores(sets, self.divergences_.transform(sets))

    def decision_function(self, X: Sets) -> Array:
        """The score less `offset_`: below 0 for sets unlike those fitted."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Sets) -> NDArray[np.intp]:
        """1 for sets like those fitted, -1 for others."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def _scores(self, sets: SampleSets, distances: Array) -> Array:
        return nearest_scores(distances, same_sets(sets, self.divergences_.sets_), self.n_neighbors)


def nearest_scores(distances: Array, same: NDArray[np.bool_], n_neighbors: int) -> Array:
    """Minus the n_neighbors-th smallest of each row; of the columns that are the row's own set, one does not count."""
    others = distances.copy()
    itself = same.any(axis=1)
    others[itself, same.argmax(axis=1)[itself]] = np.inf
    return -np.partition(others, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
