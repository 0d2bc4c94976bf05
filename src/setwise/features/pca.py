"""Principal components of the points of all training sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, check_random_state
from threadpoolctl import threadpool_limits

from setwise.errors import InputError
from setwise.features.pooled import Array, PooledStep, blocks, mapped, mean_of, variance_of
from setwise.refusals import is_number, is_whole
from setwise.sets import SampleSets, Sets, as_sets

SOLVERS = ("auto", "full", "randomized")
_MANY = 500  # dimensions from which few components are found faster at random
_MORE = 10  # directions beside those asked for
_PASSES = 7  # over the points; with these, scikit-learn's randomized_svd finds few components as well


class SetPCA(PooledStep):
    """Sets in the coordinates of the principal components of all fitted sets' points, each point counting once.

    Parameters
    ----------
    n_components : int, a share between 0 and 1, or None
        How many; or as few as explain more than this share of the variance; or all.
    whiten : bool
        Divide each by its standard deviation.
    svd_solver : "auto", "full" or "randomized"
        "full" is exact. "randomized" is faster for few components of many dimensions; "auto" chooses it from 500
        dimensions on, for less than 80 % of them.
    random_state : int or RandomState, optional
        Of the randomized solver.

    Attributes
    ----------
    components_ : array (n_components_, d)
        By falling variance. The largest entry of each is positive.
    explained_variance_ : array (n_components_,)
        Divided by the number of points less 1, as scikit-learn's PCA has it.
    explained_variance_ratio_ : array (n_components_,)
        As a share of that of all dimensions.
    mean_ : array (d,)
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : array (d,), if the sets' columns have names
    """

    def __init__(
        self,
        n_components: float | None = None,
        whiten: bool = False,
        svd_solver: Literal["auto", "full", "randomized"] = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.random_state = random_state

    def fit(self, X: Sets, y: object = None) -> SetPCA:
        """Find the components of the points of all sets."""
        sets = as_sets(X)
        self._remember(sets)
        points, most = sets.points, min(sets.points.shape)
        whole = self._check_parameters(sets)
        self.mean_: Array = mean_of(points)
        total = float(variance_of(points, self.mean_).sum()) * len(points)
        if total == 0:
            raise InputError(f"the {len(points)} points of all sets are the same; no component explains anything.")
        many = sets.dim > _MANY and whole is not None and whole < 0.8 * most
        with threadpool_limits(1, user_api="blas"):  # blocks are small, and threads would wait for one another
            if self.svd_solver == "randomized" or (self.svd_solver == "auto" and many):
                singular, components = self._randomized(points, whole or most)
            else:
                singular, components = _decomposed(blocks(points, self.mean_))
        ratio = singular**2 / total
        self.n_components_: int = whole or most
        if whole is None and self.n_components is not None:
            self.n_components_ = min(int(np.searchsorted(np.cumsum(ratio), self.n_components, side="right")) + 1, most)
        chosen = slice(self.n_components_)
        self.components_: Array = _turned(components[chosen])
        self.explained_variance_: Array = singular[chosen] ** 2 / (len(points) - 1)
        self.explained_variance_ratio_: Array = ratio[chosen]
        return self

    def transform(self, X: Sets) -> SampleSets:
        """The sets in the coordinates of the components."""
        sets = self._of_known_dimension(X)
        axes = (self.components_ / self._scale()[:, None]).T
        return mapped(sets, lambda points: (points - self.mean_) @ axes, self.n_components_, self._names_out())

    def inverse_transform(self, X: Sets) -> SampleSets:
        """The sets in the coordinates of those that were fitted, without what other components explain."""
        check_is_fitted(self)
        sets = as_sets(X)
        if sets.dim != self.n_components_:
            raise InputError(
                f"set {sets.ids[0]!r} has {sets.dim} columns; this SetPCA has {self.n_components_} components. "
                "Give it what its transform made."
            )
        axes = self.components_ * self._scale()[:, None]
        return mapped(sets, lambda points: points @ axes + self.mean_, self.n_features_in_, self._names_in())

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """pca0, pca1, .."""
        check_is_fitted(self)
        return np.array(self._names_out(), dtype=object)

    def _names_out(self) -> tuple[str, ...]:
        return tuple(f"pca{i}" for i in range(self.n_components_))

    def _scale(self) -> Array:
        """What coordinates are divided by; 1 for components that explain nothing but rounding."""
        deviations = np.sqrt(self.explained_variance_)
        nothing = deviations <= self.n_features_in_ * np.finfo(np.float64).eps * deviations.max()
        return np.asarray(np.where(nothing | (not self.whiten), 1.0, deviations))

    def _randomized(self, points: NDArray[np.floating[Any]], n_components: int) -> tuple[Array, Array]:
        """Subspace iteration from random directions (Halko, Martinsson and Tropp 2011, algorithm 4.4), on blocks."""
        d = points.shape[1]
        size = (d, min(n_components + _MORE, *points.shape))
        directions = np.linalg.qr(check_random_state(self.random_state).normal(size=size))[0]
        for _ in range(_PASSES):
            product = sum(block.T @ (block @ directions) for block in blocks(points, self.mean_))
            directions = np.linalg.qr(product)[0]
        singular, inside = _decomposed(block @ directions for block in blocks(points, self.mean_))
        return singular[:n_components], (inside @ directions.T)[:n_components]

    def _check_parameters(self, sets: SampleSets) -> int | None:
        """The number of components, if it was given as one."""
        asked, (n_points, d) = self.n_components, sets.points.shape
        if self.svd_solver not in SOLVERS:
            raise InputError(f"svd_solver={self.svd_solver!r} is not known; choose {', '.join(map(repr, SOLVERS))}.")
        if not isinstance(self.whiten, bool | np.bool_):
            raise InputError(f"whiten={self.whiten!r} is not known; choose True or False.")
        if n_points < 2:
            raise InputError(f"set {sets.ids[0]!r} is a single point, which has no components; give more points.")
        if is_whole(asked) and asked is not None and asked >= 1:
            if asked > min(n_points, d):
                of = f"{d} dimensions" if d <= n_points else f"{n_points} points"
                raise InputError(
                    f"n_components={asked} is more than the {of} of the sets; give at most {min(n_points, d)}."
                )
            return int(asked)
        if asked is not None and (is_whole(asked) or not is_number(asked) or not 0 < asked < 1):
            raise InputError(
                f"n_components={asked!r} is not known; give a whole number of at least 1, a share of the variance "
                "between 0 and 1, or None for all."
            )
        if self.svd_solver == "randomized":
            raise InputError(
                f"n_components={asked!r} needs all components, which svd_solver='randomized' does not find; give a "
                "whole number, or choose 'full'."
            )
        return None


def _decomposed(parts: Any) -> tuple[Array, Array]:
    """Singular values, falling, and right singular vectors (rows) of a matrix that comes in blocks of rows.

    By the R of its QR decomposition, block by block: as exact as of the whole, where the covariance would lose what is
    smaller than 1e-8 of the largest.
    """
    triangle: Array | None = None
    for part in parts:
        rows = part if triangle is None else np.concatenate([triangle, part])
        triangle = np.asarray(np.linalg.qr(rows, mode="r"))
    assert triangle is not None
    _, singular, vectors = np.linalg.svd(triangle, full_matrices=False)
    return singular, vectors


def _turned(components: Array) -> Array:
    """With the largest entry of each component positive."""
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    return components * np.where(largest < 0, -1.0, 1.0)
