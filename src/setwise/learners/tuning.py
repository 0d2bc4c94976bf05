"""SetSVC and SetSVR with parameters chosen by cross-validation, from one neighbour pass, as RidgeCV is to Ridge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from setwise.divergences.pairwise import Progress
from setwise.kernels.matrix import Array
from setwise.learners.candidates import COEF0S, CS, DEGREES, WIDTHS, machine_parameters
from setwise.learners.machine import check_positive
from setwise.learners.on_gram import GramSVC, GramSVR
from setwise.learners.svc import SetSVC, check_class_weight, has_probability
from setwise.learners.svr import SetSVR, check_epsilon
from setwise.learners.targets import as_labels, as_mask, as_numbers, as_weights
from setwise.learners.tuned import Divergences, Kernels, TunedEstimator
from setwise.sets import Sets, as_sets


class SetSVCCV(ClassifierMixin, TunedEstimator):  # type: ignore[misc]
    """`SetSVC` with its parameters chosen by cross-validation on the training sets, from one neighbour pass.

    All combinations are tried on all folds, and the best is fitted on all the sets. Of candidates that score alike one
    is chosen at random. What a kernel learns of sets, its scale and its projection, it learns in each fold from the
    training sets alone.

    Parameters
    ----------
    divergences : divergence or several, or their spellings, optional
        Default: that of each kernel, Renyi(0.9) for the Gaussian, Linear() for the others.
    ks : int or several
        Which neighbours.
    radii : "paper", "matched", or both, optional
        For the divergences that have a radius. Default: as each divergence says.
    kernels : "gaussian", "polynomial", "linear", a kernel such as `GaussianKernel`, a transformer of sets into a Gram \
matrix, or several
        Each with the divergences of its kind. A transformer is fitted anew on each training set.
    squared, widths : values to try of `squared` and `width` of the Gaussian kernel
    degrees, coef0s : values to try of `degree` and `coef0` of the polynomial kernel
    psd, test_rows : see `SetKernel`
    Cs : values to try of `C`
    class_weight, probability, transductive : see `SetSVC`
        If transductive, all the sets, with labels and without, are projected together in each fold as well.
    cv : int or splitter
        Folds, stratified where it is a number.
    scoring : name of a score or callable, optional
        Default: accuracy. A callable is given the machine, rows of kernel values in the place of sets, and labels.
    progress : True for a bar on a terminal, or a callable(done, total); of the neighbours, and then of the search
    n_jobs : int, optional
        Number of threads; None or -1 for all cores.
    random_state : int or RandomState, optional
        Settles ties; seeds the folds of `probability`.

    Attributes
    ----------
    best_params_ : dict
        As SetSVC takes them.
    best_estimator_ : SetSVC
    best_score_ : float
        Its mean score over the folds: the best of many, and so too good. Score the whole tuner in folds of their own.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        As GridSearchCV's, without times.
    n_splits_ : int
    classes_ : array
    transduction_ : array, if transductive
    n_features_in_ : int
    """

    def __init__(
        self,
        divergences: Divergences = None,
        ks: int | Iterable[int] = (5,),
        *,
        radii: Any = None,
        kernels: Kernels = ("gaussian",),
        squared: Any = ("paper",),
        widths: Any = WIDTHS,
        degrees: Any = DEGREES,
        coef0s: Any = COEF0S,
        psd: Literal["clip", "flip", "shift", "none"] = "clip",
        test_rows: Literal["projected", "raw"] = "projected",
        Cs: Any = CS,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        probability: bool = False,
        transductive: bool = False,
        cv: Any = 3,
        scoring: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            divergences,
            ks,
            radii,
            kernels,
            squared,
            widths,
            degrees,
            coef0s,
            psd,
            test_rows,
            cv,
            scoring,
            n_jobs,
            progress,
            random_state,
        )
        self.Cs = Cs
        self.class_weight = class_weight
        self.probability = probability
        self.transductive = transductive

    def fit(
        self, X: Sets, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> SetSVCCV:
        """Choose the parameters, and learn the labels of the sets.

        `groups`, one a set, are for a `cv` that takes them.
        """
        sets = as_sets(X)
        labels, known = as_labels(y, sets, transductive=self.transductive)
        weights = as_weights(sample_weight, sets)
        machines = machine_parameters(C=self.Cs)
        for one in machines:
            check_positive("C", one["C"])
        check_class_weight(self.class_weight)
        shared: dict[str, Any] = {"class_weight": self.class_weight, "random_state": self.random_state}
        machine = GramSVC(probability=self.probability and self.scoring is not None, **shared)
        if isinstance(self.random_state, np.random.RandomState):  # whose draws would depend on which thread comes first
            machine.random_state = self.random_state.randint(2**31 - 1)
        every = np.empty(len(sets), dtype=labels.dtype)
        every[known] = labels
        chosen, divergences = self._tune(sets, every, known, weights, groups, machine, machines, self.transductive)
        best = SetSVC(
            **chosen,
            **shared,
            probability=self.probability,
            psd=self.psd,
            test_rows=self.test_rows,
            transductive=self.transductive,
            n_jobs=self.n_jobs,
        )
        self.best_estimator_ = best._fit(sets, y, sample_weight, divergences)
        self.classes_: NDArray[Any] = best.classes_
        self._remember(sets)
        self.__dict__.pop("transduction_", None)
        if self.transductive:
            self.transduction_: NDArray[Any] = best.transduction_
        return self

    def decision_function(self, X: Sets) -> Array:
        """As the chosen model."""
        check_is_fitted(self, "best_estimator_")
        found: Array = self.best_estimator_.decision_function(X)
        return found

    def score(self, X: Sets, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The chosen model's score by `scoring`."""
        return self._score(X, y, sample_weight)

    @available_if(has_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Sets) -> Array:
        """As the chosen model."""
        check_is_fitted(self, "best_estimator_")
        found: Array = self.best_estimator_.predict_proba(X)
        return found


class SetSVRCV(RegressorMixin, TunedEstimator):  # type: ignore[misc]
    """`SetSVR` with its parameters chosen by cross-validation on the training sets, from one neighbour pass.

    Parameters
    ----------
    divergences, ks, radii, kernels, squared, widths, degrees, coef0s, psd, test_rows, cv, n_jobs, progress, \
random_state : see `SetSVCCV`
    Cs, epsilons : values to try of `C` and `epsilon`
        In units of y: scale y where it is far from 1 (TransformedTargetRegressor).
    scoring : name of a score or callable, optional
        Default: R^2.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_, n_splits_, n_features_in_ : see `SetSVCCV`
    best_estimator_ : SetSVR
    transduction_ : array, if unlabelled sets were given
    """

    def __init__(
        self,
        divergences: Divergences = None,
        ks: int | Iterable[int] = (5,),
        *,
        radii: Any = None,
        kernels: Kernels = ("gaussian",),
        squared: Any = ("paper",),
        widths: Any = WIDTHS,
        degrees: Any = DEGREES,
        coef0s: Any = COEF0S,
        psd: Literal["clip", "flip", "shift", "none"] = "clip",
        test_rows: Literal["projected", "raw"] = "projected",
        Cs: Any = CS,
        epsilons: Any = (0.01,),
        cv: Any = 3,
        scoring: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            divergences,
            ks,
            radii,
            kernels,
            squared,
            widths,
            degrees,
            coef0s,
            psd,
            test_rows,
            cv,
            scoring,
            n_jobs,
            progress,
            random_state,
        )
        self.Cs = Cs
        self.epsilons = epsilons

    def fit(
        self,
        X: Sets,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        unlabelled: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> SetSVRCV:
        """Choose the parameters, and learn the numbers y, one a set.

        `unlabelled` marks sets whose y is not known: all sets are projected together, in each fold as well. `groups`,
        one a set, are for a `cv` that takes them.
        """
        sets = as_sets(X)
        known = ~as_mask(unlabelled, sets, "unlabelled")
        targets, weights = as_numbers(y, sets, known), as_weights(sample_weight, sets)
        machines = machine_parameters(C=self.Cs, epsilon=self.epsilons)
        for one in machines:
            check_positive("C", one["C"])
            check_epsilon(one["epsilon"])
        every = np.zeros(len(sets))
        every[known] = targets
        transductive = unlabelled is not None
        chosen, divergences = self._tune(sets, every, known, weights, groups, GramSVR(), machines, transductive)
        best = SetSVR(**chosen, psd=self.psd, test_rows=self.test_rows, n_jobs=self.n_jobs)
        self.best_estimator_ = best._fit(sets, y, sample_weight, unlabelled, divergences)
        self._remember(sets)
        self.__dict__.pop("transduction_", None)
        if transductive:
            self.transduction_: Array = best.transduction_
        return self

    def score(self, X: Sets, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The chosen model's score by `scoring`."""
        return self._score(X, y, sample_weight)
