"""What commands ask of a model: its last estimator, its columns, the threads it is to use."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from setwise.sets import SampleSets


def last_of(model: Any) -> Any:
    """The estimator that predicts, within a Pipeline, a search, or what scales the numbers to predict."""
    model = getattr(model, "regressor_", model)
    last = model[-1] if isinstance(model, Pipeline) else model
    return getattr(last, "best_estimator_", last)


def columns_in(model: Any) -> list[str] | None:
    """The columns a model was fitted on, where they had names."""
    names = getattr(getattr(model, "regressor_", model), "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def sets_in(model: Any) -> SampleSets | None:
    """The sets that a model compares others with."""
    for where in (getattr(last_of(model), "kernel_", None), last_of(model)):
        sets = getattr(getattr(where, "divergences_", None), "sets_", None)
        if isinstance(sets, SampleSets):
            return sets
    return None


def use_threads(model: Any, threads: int | None) -> None:
    """Give every part of a fitted model this many threads; None for all cores, wherever it will run."""
    parts: list[Any] = [model]
    while parts:
        part = parts.pop()
        held = vars(part)
        if "n_jobs" in held:
            part.n_jobs = threads
        parts += [value for value in held.values() if isinstance(value, BaseEstimator)]
        parts += [step for _, step in held.get("steps", []) if isinstance(step, BaseEstimator)]
