"""Regression from distributions to distributions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from setwise.divergences import Divergence
from setwise.divergences.transformer import digest
from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KernelName
from setwise.learners.base import SetEstimator
from setwise.learners.reconstruction import affine_weights, convex_weights, free_weights
from setwise.refusals import is_number, is_whole
from setwise.sets import Points, SampleSets, Sets, as_sets

SOLVERS = {"free": free_weights, "affine": affine_weights, "convex": convex_weights}


class DistributionRegression(SetEstimator):
    """A set's output as the outputs of the training sets, weighted as the training sets that reconstruct it.

    The weights alpha of a set p minimise |phi(p) - sum_i alpha_i phi(p_i)|^2 in the space of the kernel (the paper,
    section "Distribution regression with distribution response (DRDR)"); the prediction is sum_i alpha_i q_i, where q_i
    is the output of p_i.

    Parameters
    ----------
    weights : "convex", "affine" or "free"
        At least zero and of sum one, so that the prediction is a distribution; of sum one; or any.
    reg : float
        Ridge on the weights, in units of the mean of K(p_i, p_i).
    divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs : see `SetKernel`
    n_points : int, optional
        The size of the sets that `predict` draws; default: the median of the outputs' sizes.
    random_state : int, RandomState instance or None
        For the draws; taken once, when fitting, so that `predict` repeats itself.

    Attributes
    ----------
    outputs_ : SampleSets
        The training sets' outputs.
    kernel_, projection_, n_features_in_ : see `SetEstimator`
    """

    def __init__(
        self,
        weights: Literal["convex", "affine", "free"] = "convex",
        reg: float = 1e-3,
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
        n_points: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs)
        self.weights = weights
        self.reg = reg
        self.n_points = n_points
        self.random_state = random_state

    def fit(self, X: Sets, Y: Sets | None = None) -> DistributionRegression:
        """Learn from sets X and their outputs Y, one set each, of any dimension; left out, X itself."""
        sets = as_sets(X)
        outputs = sets if Y is None else as_sets(Y)
        if len(outputs) != len(sets):
            raise InputError(f"{len(outputs)} outputs for {len(sets)} sets; give one output set a set.")
        if self.weights not in SOLVERS:
            raise InputError(f"weights={self.weights!r} is not known; choose {', '.join(map(repr, SOLVERS))}.")
        if not is_number(self.reg) or self.reg <= 0:
            raise InputError(f"reg={self.reg!r} must be a number above 0.")
        if self.n_points is not None and (not is_whole(self.n_points) or self.n_points < 1):
            raise InputError(f"n_points={self.n_points!r} must be a whole number of at least 1, or None.")
        gram = self._fit_gram(sets)
        self._ridged = gram + np.eye(len(sets)) * self.reg * gram.diagonal().mean()
        try:
            np.linalg.cholesky(self._ridged)
        except np.linalg.LinAlgError as error:
            raise InputError(
                'the kernel is indefinite: no weights are the best. Use psd="clip", or a larger reg.'
            ) from error
        self.outputs_: SampleSets = outputs
        self._n_points = int(np.median(outputs.sizes)) if self.n_points is None else int(self.n_points)
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return self

    def predict_weights(self, X: Sets) -> Array:
        """alpha: what each set is reconstructed with of each training set, (n, T)."""
        rows = self._rows(X)
        return SOLVERS[self.weights](self._ridged, rows)

    def predict(self, X: Sets) -> SampleSets:
        """A sample of each set's predicted output.

        Where weights are below zero, the prediction is no distribution; the sample is of the positive ones. Points are
        drawn without replacement within an output, as far as it has enough.
        """
        sets = self._of_known_dimension(X)
        drawn = [
            self._draw(weights, name, [self._seed, int.from_bytes(digest(points))])
            for weights, name, points in zip(self.predict_weights(sets), sets.ids, sets, strict=True)
        ]
        offsets = np.arange(len(sets) + 1) * self._n_points
        return SampleSets._of(np.concatenate(drawn), offsets, sets.ids, self.outputs_.feature_names, self.outputs_.by)

    def predict_weighted(self, X: Sets) -> list[tuple[Points, Array]]:
        """For each set, the points of the outputs that have weight, and their weights, alpha_i / n_i a point.

        The weights sum to what alpha sums to, and may be negative unless alpha is convex: a signed measure, against
        which means can be taken.
        """
        answer = []
        for weights in self.predict_weights(X):
            chosen = np.flatnonzero(weights)
            part = self.outputs_[chosen]
            answer.append((part.points, np.repeat(weights[chosen] / part.sizes, part.sizes)))
        return answer

    def _draw(self, weights: Array, name: object, seed: list[int]) -> Points:
        positive = np.maximum(weights, 0.0)
        if not positive.any():
            raise InputError(f'no training set has a positive weight for set {name!r}; use weights="convex".')
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(self._n_points, positive / positive.sum())
        return np.concatenate([_sample(self.outputs_[i], int(counts[i]), rng) for i in np.flatnonzero(counts)])


def _sample(points: Points, count: int, rng: np.random.Generator) -> Points:
    rounds = -(-count // len(points))
    places = np.concatenate([rng.permutation(len(points)) for _ in range(rounds)])[:count]
    drawn: Points = points[places]
    return drawn
