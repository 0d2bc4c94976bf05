"""What the tuners share: candidates, folds, the search, and the model that comes of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from inspect import signature
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils.validation import check_is_fitted, check_random_state

from setwise.divergences import Divergence
from setwise.divergences.checks import as_ks, as_n_jobs
from setwise.divergences.pairwise import Progress, compute
from setwise.divergences.transformer import same_sets
from setwise.errors import InputError, SpectrumWarning
from setwise.kernels.matrix import Array, MatrixStep, check_values
from setwise.kernels.set_kernel import KernelName
from setwise.learners.base import TakesSets
from setwise.learners.candidates import kernel_parameters, steps_of
from setwise.learners.folds import folds_of
from setwise.learners.search import Candidate, Machine, search
from setwise.learners.sources import OnDivergences, OnSets
from setwise.progress import reporting
from setwise.sets import SampleSets, Sets

Divergences = Divergence | str | Iterable[Divergence | str] | None
Kernels = KernelName | MatrixStep | Iterable[KernelName | MatrixStep | Any] | Any


class TunedEstimator(TakesSets):
    """An estimator whose parameters are lists of candidates for those of another, from one neighbour pass.

    Attributes
    ----------
    best_estimator_ : SetSVC or SetSVR
        Fitted on all the sets with the parameters that were chosen; it answers whatever is asked of the tuner.
    """

    best_estimator_: Any

    def __init__(
        self,
        divergences: Divergences,
        ks: int | Iterable[int],
        radii: Any,
        kernels: Kernels,
        squared: Any,
        widths: Any,
        degrees: Any,
        coef0s: Any,
        psd: Literal["clip", "flip", "shift", "none"],
        test_rows: Literal["projected", "raw"],
        cv: Any,
        scoring: Any,
        n_jobs: int | None,
        progress: Progress,
        random_state: int | np.random.RandomState | None,
    ) -> None:
        self.divergences = divergences
        self.ks = ks
        self.radii = radii
        self.kernels = kernels
        self.squared = squared
        self.widths = widths
        self.degrees = degrees
        self.coef0s = coef0s
        self.psd = psd
        self.test_rows = test_rows
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    def _tune(
        self,
        sets: SampleSets,
        targets: NDArray[Any],
        known: NDArray[np.bool_],
        weights: Array | None,
        groups: ArrayLike | None,
        machine: Machine,
        machines: list[dict[str, Any]],
        transductive: bool,
    ) -> tuple[dict[str, Any], Array | None]:
        """Choose. The parameters of the choice, and the divergences that its kernel is fitted to."""
        kernels = kernel_parameters(
            self.divergences,
            as_ks(self.ks),
            self.radii,
            self.kernels,
            self.squared,
            self.widths,
            self.degrees,
            self.coef0s,
        )
        steps = [None if "divergence" not in one else steps_of(one, self.psd, self.test_rows) for one in kernels]
        random_state = check_random_state(self.random_state)
        folds = folds_of(self.cv, targets, known, groups, sets, isinstance(self, ClassifierMixin))
        scorer = self._scorer(machine)
        if weights is not None:
            for number, (_, test) in enumerate(folds):
                if not weights[test].any():
                    raise InputError(f"fold {number} of cv has no set with a weight above 0 to test; use fewer folds.")

        divergences = self._divergences(sets, kernels)
        candidates = [
            Candidate(one, OnSets(sets, one["kernel"]) if step is None else OnDivergences(divergences[_key(one)], step))
            for one, step in zip(kernels, steps, strict=True)
        ]
        # Raw rows warn once, of the model that is chosen, when it is asked; not in every fold.
        with warnings.catch_warnings(), reporting(self.progress, "tuning") as report:
            warnings.simplefilter("ignore", SpectrumWarning)
            found = search(
                candidates,
                machine,
                machines,
                targets,
                folds,
                scorer=scorer,
                sample_weight=weights,
                weighted_scores=self._weighs(scorer),
                transductive=transductive,
                n_jobs=as_n_jobs(self.n_jobs),
                random_state=random_state,
                progress=report,
            )
        self.cv_results_ = found.results
        self.best_index_ = found.index
        self.best_params_ = found.parameters
        self.best_score_ = found.score
        self.n_splits_ = len(folds)
        return found.parameters, divergences.get(_key(found.parameters))

    def _divergences(self, sets: SampleSets, kernels: list[dict[str, Any]]) -> dict[tuple[Any, Any], Array]:
        """All the divergences that kernels are on, in the mean of both directions, from one pass."""
        keys = dict.fromkeys(_key(one) for one in kernels if "divergence" in one)
        if not keys:
            return {}
        table = compute(
            sets,
            None,
            [divergence for divergence, _ in keys],
            [k for _, k in keys],
            self.n_jobs,
            progress=self.progress,
            same=same_sets(sets, sets),
            symmetrize=True,
        )
        for divergence, k in keys:
            check_values(table[divergence, k], f"{divergence} at k={k}", sets.ids, sets.ids)
        return {key: table[key] for key in keys}

    def _scorer(self, machine: Machine) -> Any:
        if self.scoring is not None and not isinstance(self.scoring, str) and not callable(self.scoring):
            raise InputError(
                f"scoring={self.scoring!r} is not known; give one name, such as 'accuracy', or a callable."
            )
        try:
            return check_scoring(machine, scoring=self.scoring)
        except ValueError as error:
            raise InputError(
                f"scoring={self.scoring!r} is not known; choose one of sklearn.metrics.get_scorer_names()."
            ) from error

    def _weighs(self, scorer: Any) -> bool:
        """Whether scores take sample weights, as those of most names do."""
        return self.scoring is None or "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters

    def predict(self, X: Sets) -> NDArray[Any]:
        """As the chosen model."""
        check_is_fitted(self, "best_estimator_")
        found: NDArray[Any] = self.best_estimator_.predict(X)
        return found

    def _score(self, X: Sets, y: ArrayLike, sample_weight: ArrayLike | None) -> float:
        check_is_fitted(self, "best_estimator_")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._scorer(self.best_estimator_)(self.best_estimator_, X, y, **weights))


def _key(parameters: dict[str, Any]) -> tuple[Any, Any]:
    return parameters.get("divergence"), parameters.get("k")
