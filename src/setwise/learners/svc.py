"""Support vector classification of sets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, check_random_state

from setwise.divergences import Divergence
from setwise.errors import InputError
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.set_kernel import KernelName
from setwise.learners.machine import SupportMachine, check_positive
from setwise.learners.platt import fit_sigmoid, sigmoid
from setwise.learners.solver import Classifier, by_classes, classify, quietly
from setwise.learners.targets import as_labels, as_weights
from setwise.sets import SampleSets, Sets, as_sets

FOLDS = 5  # for the decisions that probabilities are fitted to


def has_probability(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba needs probability=True, set before fit.")
    return True


class SetSVC(ClassifierMixin, SupportMachine):  # type: ignore[misc]
    """Support vector classification of sets, by the votes of all pairs of classes.

    Parameters
    ----------
    divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs : see `SetKernel`
    C : float
        The price of a margin violated; the smaller, the smoother.
    class_weight : "balanced" or dict, optional
        Factors of C, a class.
    probability : bool
        Learn to give probabilities: Platt's sigmoid on the decisions of five folds of the training sets.
    transductive : bool
        Project the kernel of labelled and unlabelled sets together, and learn from the labelled. Unlabelled is, as
        elsewhere in scikit-learn, y = -1; with texts for labels, "-1" or None.
    random_state : int or RandomState, optional
        Seeds the folds of `probability`.

    Attributes
    ----------
    classes_ : array
    class_weight_ : array
        The factor of C, a class.
    support_ : array
        Places of the support sets among those given to fit.
    n_support_ : array
        How many in each class.
    dual_coef_, intercept_ : arrays
        As those of scikit-learn's SVC.
    transduction_ : array, if transductive
        The label of each set given to fit: its own, or what is predicted.
    probA_, probB_ : arrays, if probability
        P(class | f) = 1 / (1 + exp(A f + B)), a class; for two classes, of the second alone.
    kernel_, projection_, n_features_in_ : see `SetEstimator`
    """

    def __init__(
        self,
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
        C: float = 1.0,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        probability: bool = False,
        transductive: bool = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(divergence, k, kernel, width, squared, degree, coef0, psd, test_rows, n_jobs)
        self.C = C
        self.class_weight = class_weight
        self.probability = probability
        self.transductive = transductive
        self.random_state = random_state

    def fit(self, X: Sets, y: ArrayLike, sample_weight: ArrayLike | None = None) -> SetSVC:
        """Learn the labels of the sets, one a set."""
        return self._fit(as_sets(X), y, sample_weight)

    def _fit(
        self, sets: SampleSets, y: ArrayLike, sample_weight: ArrayLike | None, divergences: Array | None = None
    ) -> SetSVC:
        labels, known = as_labels(y, sets, transductive=self.transductive)
        weights = as_weights(sample_weight, sets)
        check_positive("C", self.C)
        check_class_weight(self.class_weight)
        if self.probability:
            _n_folds(labels)
        gram = self._fit_gram(sets, divergences)
        with quietly():
            return self._fit_on_gram(sets, gram, labels, known, weights)

    def _fit_on_gram(
        self, sets: SampleSets, gram: Array, labels: NDArray[Any], known: NDArray[np.bool_], weights: Array | None
    ) -> SetSVC:
        """Learn from the Gram matrix of the sets the labels of those `known`."""
        for left_over in ("transduction_", "probA_", "probB_"):
            self.__dict__.pop(left_over, None)
        block = gram if known.all() else gram[np.ix_(known, known)]
        block_weights = None if weights is None else weights[known]
        found = self._solve(block, labels, block_weights)
        self.classes_: NDArray[Any] = found.classes
        self.class_weight_: Array = found.class_weight
        self.intercept_: Array = found.intercept
        by_class = np.argsort(labels, kind="stable")
        support = by_class[np.abs(found.dual).sum(axis=1)[by_class] > 0]
        self.support_: NDArray[np.intp] = np.flatnonzero(known)[support]
        self.n_support_: NDArray[np.int32] = np.array(
            [np.count_nonzero(labels[support] == name) for name in self.classes_], dtype=np.int32
        )
        self.dual_coef_: Array = by_classes(found.dual[support], self.n_support_)
        dual = np.zeros((len(sets), len(self.intercept_)))
        dual[known] = found.dual
        if self.probability:
            self._fit_probability(block, labels, block_weights)
        if self.transductive:
            self.transduction_: NDArray[Any] = self._vote(gram @ dual + self.intercept_)
            self.transduction_[known] = labels
        self._keep(sets, gram, dual, self.intercept_)
        return self

    def _solve(self, gram: Array, labels: NDArray[Any], weights: Array | None) -> Classifier:
        return classify(gram, labels, self.C, self.class_weight, weights)

    def _fit_probability(self, gram: Array, labels: NDArray[Any], weights: Array | None) -> None:
        """Sigmoids on decisions about sets that the deciding machine was not fitted on."""
        folds = StratifiedKFold(_n_folds(labels), shuffle=True, random_state=check_random_state(self.random_state))
        of_class = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        decisions = np.empty((len(labels), len(of_class)))
        for train, test in folds.split(gram, labels):
            machine = self._solve(
                gram[np.ix_(train, train)], labels[train], None if weights is None else weights[train]
            )
            values = gram[np.ix_(test, train)] @ machine.dual + machine.intercept
            decisions[test] = _decisions(values, len(self.classes_)).reshape(len(test), -1)
        fitted = [fit_sigmoid(f, labels == name, weights) for f, name in zip(decisions.T, of_class, strict=True)]
        self.probA_, self.probB_ = np.array(fitted).T

    def decision_function(self, X: Sets) -> Array:
        """For two classes, f of each set, positive for the second; for more, (n, classes), votes with a tie-break."""
        return _decisions(self._values(X), len(self.classes_))

    def predict(self, X: Sets) -> NDArray[Any]:
        """The class with most votes, the first of those that tie."""
        return self._vote(self._values(X))

    def _vote(self, values: Array) -> NDArray[Any]:
        two = len(self.classes_) == 2
        places = values[:, 0] > 0 if two else _votes(values, len(self.classes_)).argmax(axis=1)
        return np.asarray(self.classes_[places.astype(np.intp)])

    @available_if(has_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Sets) -> Array:
        """The probability of each class, in the order of `classes_`."""
        check_is_fitted(self, "probA_")
        decisions = self.decision_function(X).reshape(-1, len(self.probA_))
        found = sigmoid(decisions, self.probA_, self.probB_)
        if len(self.classes_) == 2:
            return np.hstack([1 - found, found])
        sums = found.sum(axis=1, keepdims=True)
        return np.where(sums > 0, found / np.where(sums > 0, sums, 1), 1 / len(self.classes_))


def check_class_weight(class_weight: object) -> None:
    """Refuse what is neither "balanced", None nor a dict of numbers above 0."""
    if isinstance(class_weight, Mapping):
        for name, weight in class_weight.items():
            check_positive(f"class_weight[{name!r}]", weight)
    elif class_weight is not None and class_weight != "balanced":
        raise InputError(f"class_weight={class_weight!r} is not known; choose 'balanced', None or a dict.")


def _n_folds(labels: NDArray[Any]) -> int:
    names, counts = np.unique(labels, return_counts=True)
    if counts.min() < 2:
        raise InputError(
            f"class {names[counts.argmin()].item()!r} has one set; probability=True needs two of each class."
        )
    return min(FOLDS, int(counts.min()))


def _decisions(values: Array, n_classes: int) -> Array:
    return values[:, 0] if n_classes == 2 else _votes(values, n_classes, ties=True)


def _votes(values: Array, n_classes: int, ties: bool = False) -> Array:
    """How many pairs each class wins; with `ties`, plus less than a half by how clearly."""
    votes, confidence = np.zeros((2, len(values), n_classes))
    for value, (i, j) in zip(values.T, combinations(range(n_classes), 2), strict=True):
        votes[:, i] += value > 0
        votes[:, j] += value <= 0
        confidence[:, i] += value
        confidence[:, j] -= value
    return votes + confidence / (3 * (np.abs(confidence) + 1)) if ties else votes
