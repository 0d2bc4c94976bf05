"""The set estimators that test_estimators.py holds to scikit-learn's manners: a line each, and the sets they see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import setwise as sw


@dataclass(frozen=True)
class Case:
    """An estimator as the suite runs it.

    kind: what its y is, and so how it is scored: "classifier", "regressor", "outlier", or "transformer" (neither y nor
    a score), or "distribution" (y is sets).
    by_place: whether the order of the training sets matters, as it does to random folds.
    grid: two values of one parameter, for a GridSearchCV over a classifier or regressor.
    """

    name: str
    make: Callable[[], Any]
    kind: str
    by_place: bool = False
    grid: dict[str, list[Any]] = field(default_factory=lambda: {"k": [4, 6]})


ESTIMATORS = [
    Case("SetSVC", lambda: sw.SetSVC(k=3), "classifier"),
    Case("SetSVC, probability", lambda: sw.SetSVC(k=3, probability=True, random_state=0), "classifier", by_place=True),
    Case("SetSVC, raw rows", lambda: sw.SetSVC("js", k=3, test_rows="raw"), "classifier"),
    Case("SetSVC, flip", lambda: sw.SetSVC("kl", k=3, psd="flip", class_weight="balanced"), "classifier"),
    Case("SetSVC, shift", lambda: sw.SetSVC("hellinger", k=3, psd="shift"), "classifier"),
    Case("SetSVC, linear", lambda: sw.SetSVC(k=4, kernel="linear"), "classifier"),
    Case("SetSVR", lambda: sw.SetSVR(k=3), "regressor"),
    Case("SetSVR, polynomial", lambda: sw.SetSVR(k=4, kernel="polynomial", psd="none", C=0.1), "regressor"),
    Case(
        "SetSVCCV",
        lambda: sw.SetSVCCV(ks=3, widths=[0.5, 2.0], Cs=[1.0, 64.0], cv=2, random_state=0),
        "classifier",
        by_place=True,
        grid={"ks": [(4,), (6,)]},
    ),
    Case(
        "SetSVRCV",
        lambda: sw.SetSVRCV(["kl", "js"], 3, widths=1.0, Cs=[1.0, 64.0], cv=2, random_state=0),
        "regressor",
        by_place=True,
        grid={"ks": [(4,), (6,)]},
    ),
    Case("SetOneClassSVM", lambda: sw.SetOneClassSVM(k=3, nu=0.3), "outlier"),
    Case("SetNearest", lambda: sw.SetNearest(k=3, n_neighbors=2), "outlier"),
    Case("SetDistance", lambda: sw.SetDistance(k=3), "transformer"),
    Case("SetDistance, shift", lambda: sw.SetDistance(k=4, psd="shift", kernel="linear"), "transformer"),
    Case("SetDistance, divergence", lambda: sw.SetDistance("divergence", "js", k=3), "transformer"),
    Case("SetLLE", lambda: sw.SetLLE(5, k=3), "transformer"),
    Case("SetMDS", lambda: sw.SetMDS(k=3), "transformer"),
    Case("DistributionRegression", lambda: sw.DistributionRegression(k=3, random_state=0), "distribution"),
    Case("DistributionRegression, free", lambda: sw.DistributionRegression("free", k=3), "distribution"),
]


def training_sets(dtype: Any = np.float64) -> sw.SampleSets:
    """Eighteen sets, whose points spread the wider the later their class comes."""
    rng = np.random.default_rng(0)
    return sw.SampleSets(
        [(rng.normal(size=(12 + i % 3, 2)) * (1 + i % 3)).astype(dtype) for i in range(18)],
        ids=[f"s{i}" for i in range(18)],
    )


def new_sets() -> sw.SampleSets:
    rng = np.random.default_rng(1)
    return sw.SampleSets([rng.normal(size=(13, 2)) * (1 + i % 3) for i in range(7)])


def targets(kind: str) -> Any:
    """y for the training sets."""
    classes = np.arange(18) % 3
    if kind == "classifier":
        return np.array(["narrow", "middle", "wide"])[classes]
    if kind == "regressor":
        return classes + 0.1 * np.random.default_rng(2).normal(size=18)
    if kind == "distribution":
        return sw.SampleSets([points[:, ::-1] * 2 for points in training_sets()])
    return None


OUTPUTS = ("predict", "predict_proba", "decision_function", "score_samples", "predict_weights", "transform")


def outputs(model: Any, sets: Any) -> dict[str, Any]:
    """All that a fitted model says of sets, as arrays."""
    found = {name: getattr(model, name)(sets) for name in OUTPUTS if hasattr(model, name)}
    return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
