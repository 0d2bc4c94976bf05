"""Permuted labels: whoever does better than chance on them has seen what it is tested on.

The labels are permuted and then divided, with equal shares of each class, so that those of the test sets say nothing of
those of the training sets: every score below has chance for its expectation exactly, whatever an honest estimator does.
Embeddings take no labels and so cannot leak them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import setwise as sw

SETS, POINTS, TEST = 60, 40, 20
Score = Callable[[Any, sw.SampleSets, NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]], float]


def labelled() -> tuple[sw.SampleSets, NDArray[np.int64]]:
    """Sets of two classes, which differ in their spread."""
    rng = np.random.default_rng(0)
    y = np.arange(SETS) % 2
    return sw.SampleSets([rng.normal(size=(POINTS, 2)) * (1 + 0.5 * label) for label in y]), y


def accuracy(model: Any, X: sw.SampleSets, y: Any, train: Any, test: Any) -> float:
    return float((model.fit(X[train], y[train]).predict(X[test]) == y[test]).mean())


def by_probability(model: Any, X: sw.SampleSets, y: Any, train: Any, test: Any) -> float:
    return float(roc_auc_score(y[test], model.fit(X[train], y[train]).predict_proba(X[test])[:, 1]))


def by_transduction(model: Any, X: sw.SampleSets, y: Any, train: Any, test: Any) -> float:
    partly = np.full(len(y), -1)
    partly[train] = y[train]
    return float((model.fit(X, partly).transduction_[test] == y[test]).mean())


def correlation(model: Any, X: sw.SampleSets, y: Any, train: Any, test: Any) -> float:
    return _correlation(model.fit(X[train], y[train].astype(float)).predict(X[test]), y[test])


def of_normal(model: Any, X: sw.SampleSets, y: Any, train: Any, test: Any) -> float:
    """The area under the curve of a detector that was fitted on one class."""
    return float(roc_auc_score(y[test] == 0, model.fit(X[train[y[train] == 0]]).score_samples(X[test])))


def of_outputs(model: Any, X: sw.SampleSets, y: Any, train: Any, test: Any) -> float:
    """Correlation with the outputs' means, where the mean of an output is the label of its set."""
    points = np.random.default_rng(1).normal(size=(8, 1))
    outputs = sw.SampleSets([points - points.mean() + label for label in y])
    weights = model.fit(X[train], outputs[train]).predict_weights(X[test])
    return _correlation(weights @ y[train], y[test])


def _correlation(found: Any, truth: Any) -> float:
    return float(np.corrcoef(found, truth)[0, 1]) if np.std(found) > 0 else 0.0


ESTIMATORS: dict[str, tuple[Callable[[], Any], Score, float]] = {
    "SetSVC": (lambda: sw.SetSVC(), accuracy, 0.5),
    "SetSVC, polynomial": (lambda: sw.SetSVC(kernel="polynomial"), accuracy, 0.5),
    "SetSVC, flip": (lambda: sw.SetSVC(psd="flip"), accuracy, 0.5),
    "SetSVC, raw rows": (lambda: sw.SetSVC(test_rows="raw"), accuracy, 0.5),
    "SetSVC, probabilities (AUC)": (lambda: sw.SetSVC(probability=True, random_state=0), by_probability, 0.5),
    "SetSVC, transduction": (lambda: sw.SetSVC(transductive=True), by_transduction, 0.5),
    "SetScaler, SetPCA, SetSVC": (lambda: make_pipeline(sw.SetScaler(), sw.SetPCA(1), sw.SetSVC()), accuracy, 0.5),
    "SetSVCCV, the paper's grid": (lambda: sw.SetSVCCV(random_state=0), accuracy, 0.5),
    "SetSVCCV, transduction": (lambda: sw.SetSVCCV(transductive=True, random_state=0), by_transduction, 0.5),
    "SetDistance, KNeighborsClassifier": (
        lambda: make_pipeline(sw.SetDistance(), KNeighborsClassifier(metric="precomputed")),
        accuracy,
        0.5,
    ),
    "SetSVR (correlation)": (lambda: sw.SetSVR(), correlation, 0.0),
    "SetSVRCV, the paper's grid (correlation)": (lambda: sw.SetSVRCV(random_state=0), correlation, 0.0),
    "SetOneClassSVM (AUC)": (lambda: sw.SetOneClassSVM(), of_normal, 0.5),
    "SetNearest (AUC)": (lambda: sw.SetNearest(), of_normal, 0.5),
    "DistributionRegression (correlation)": (lambda: sw.DistributionRegression(random_state=0), of_outputs, 0.0),
}


def measure(name: str, permutations: int) -> tuple[float, float, float, float]:
    """Mean score over the permutations, its standard error, chance, and the score on the labels as they are."""
    make, score, chance = ESTIMATORS[name]
    X, y = labelled()
    scores = []
    for seed in range(permutations + 1):
        labels = np.random.default_rng(seed).permutation(y) if seed else y
        split = StratifiedShuffleSplit(1, test_size=TEST, random_state=seed)
        train, test = next(split.split(labels, labels))
        scores.append(score(make(), X, labels, train, test))
    true, permuted = scores[0], np.array(scores[1:])
    return float(permuted.mean()), float(permuted.std(ddof=1) / len(permuted) ** 0.5), chance, true
