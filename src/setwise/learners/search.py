"""A grid of kernels and machines over folds, from Gram matrices that each kernel and fold makes once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from setwise.errors import InputError
from setwise.kernels.matrix import Array
from setwise.learners.folds import Fold, Places
from setwise.learners.on_gram import GramSVC, GramSVR
from setwise.learners.solver import quietly
from setwise.learners.sources import Source, together
from setwise.neighbours.threads import Threads, threads_of

Machine: TypeAlias = GramSVC | GramSVR


@dataclass(frozen=True)
class Candidate:
    """A kernel to try: its parameters, as they are to be reported, and where its Gram matrices come from."""

    parameters: dict[str, Any]
    source: Source


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes
    ----------
    results : dict
        As GridSearchCV's `cv_results_`, the machines running fastest.
    index : int
        The choice: at random among the best.
    candidate, machine : the choice's kernel, and its machine, not fitted
    """

    results: dict[str, Any]
    index: int
    candidate: Candidate
    machine: Machine

    @property
    def parameters(self) -> dict[str, Any]:
        """Of the choice: kernel and machine."""
        chosen: dict[str, Any] = self.results["params"][self.index]
        return chosen

    @property
    def score(self) -> float:
        """The mean over the folds, of the choice."""
        return float(self.results["mean_test_score"][self.index])

    def predict(self, y: NDArray[Any], train: Places, test: Places, source: Source | None = None) -> NDArray[Any]:
        """What the choice, fitted on the training sets, says of the test sets.

        `source`: in place of the candidate's own, such as `together(candidate.source)` for transduction.
        """
        gram, rows = (source or self.candidate.source).fit(train)
        answers: NDArray[Any] = clone(self.machine).fit(gram, y[train]).predict(rows(test))
        return answers


def search(
    candidates: Sequence[Candidate],
    machine: Machine,
    machine_parameters: Sequence[dict[str, Any]],
    y: NDArray[Any],
    folds: Sequence[Fold],
    *,
    scorer: Callable[..., float] | None = None,
    sample_weight: Array | None = None,
    weighted_scores: bool = True,
    transductive: bool = False,
    n_jobs: int | None = None,
    random_state: np.random.RandomState,
    progress: Callable[[int, int], None] | None = None,
) -> Found:
    """Score every machine on every kernel, over the folds, and choose.

    Where C binds no coefficient of a machine, any larger C has the same solution, and is not solved for.

    Parameters
    ----------
    candidates : the kernels
    machine : GramSVC or GramSVR
    machine_parameters : what is set on the machine, such as {"C": 8.0}, a combination each
    y : what is to be learned, by place
    folds : places of training and test sets; other places are left alone
    scorer : callable(machine, rows, y), with `sample_weight` if `weighted_scores`; default: accuracy, or R^2
    sample_weight : by place, for fitting and, if `weighted_scores`, for scoring
    transductive : fit each kernel on all the sets together, once, in place of the training sets of each fold
    random_state : settles ties among the best
    """
    scores = np.empty((len(candidates), len(machine_parameters), len(folds)))
    runs = _by_rising_C(machine_parameters)
    threads = Threads(threads_of(n_jobs))

    def work(task: tuple[int, Sequence[int]]) -> int:
        kernel, numbers = task
        source = candidates[kernel].source
        source = together(source) if transductive else source
        for number in numbers:
            if threads.stop[0]:
                return 0
            train, test = folds[number]
            gram, rows = source.fit(train)
            weights = None if sample_weight is None else sample_weight[train]
            asked: dict[str, Any] = {}
            if sample_weight is not None and weighted_scores:
                asked["sample_weight"] = sample_weight[test]
            scored = partial(_score, scorer, rows(test), y[test], asked)
            scores[kernel, :, number] = _over_machines(
                machine, machine_parameters, runs, gram, y[train], weights, scored, threads
            )
        return 0

    every = range(len(folds))
    tasks = [
        (kernel, numbers)
        for kernel in range(len(candidates))
        for numbers in ([every] if transductive else [[number] for number in every])
    ]
    ended = 0

    def done(task: object) -> None:
        nonlocal ended
        ended += 1
        if progress is not None:
            progress(ended, len(tasks))

    of_each = max(1, threads.count // len(tasks))
    with quietly(), threadpool_limits(of_each, user_api="blas"):
        threads.each(work, tasks, done)

    parameters = [one.parameters | more for one in candidates for more in machine_parameters]
    results = _results(parameters, scores.reshape(len(parameters), len(folds)))
    best = np.flatnonzero(results["rank_test_score"] == 1)
    if np.isnan(results["mean_test_score"][best]).any():
        raise InputError(
            "no candidate has a score: all are nan. Choose another scoring, or folds that it is defined on."
        )
    index = int(random_state.choice(best))
    kernel, chosen = divmod(index, len(machine_parameters))
    return Found(results, index, candidates[kernel], clone(machine).set_params(**machine_parameters[chosen]))


def _by_rising_C(machine_parameters: Sequence[dict[str, Any]]) -> list[list[int]]:
    """Places of combinations that differ in C alone, from the smallest C to the largest."""
    runs: dict[tuple[Any, ...], list[int]] = {}
    for place, one in enumerate(machine_parameters):
        runs.setdefault(tuple((name, value) for name, value in one.items() if name != "C"), []).append(place)
    return [sorted(run, key=lambda place: machine_parameters[place]["C"]) for run in runs.values()]


def _score(
    scorer: Callable[..., float] | None, rows: Array, truth: NDArray[Any], asked: dict[str, Any], machine: Machine
) -> float:
    return machine.score(rows, truth, **asked) if scorer is None else scorer(machine, rows, truth, **asked)


def _over_machines(
    machine: Machine,
    machine_parameters: Sequence[dict[str, Any]],
    runs: list[list[int]],
    gram: Array,
    y: NDArray[Any],
    weights: Array | None,
    score: Callable[[Machine], float],
    threads: Threads,
) -> Array:
    scores = np.full(len(machine_parameters), np.nan)
    for run in runs:
        value, settled = 0.0, False
        for place in run:
            if threads.stop[0]:  # an interruption, for which many sets and a large C would take long
                return scores
            if not settled:
                fitted = clone(machine).set_params(**machine_parameters[place]).fit(gram, y, weights)
                value = score(fitted)
                settled = not fitted.is_bound(weights)
            scores[place] = value
    return scores


def _results(parameters: list[dict[str, Any]], scores: Array) -> dict[str, Any]:
    """`cv_results_` as GridSearchCV lays it out, without times, which candidates share."""
    results: dict[str, Any] = {"params": parameters}
    for name in dict.fromkeys(name for one in parameters for name in one):
        results[f"param_{name}"] = _masked([one.get(name, np.ma.masked) for one in parameters])
    results |= {f"split{number}_test_score": scores[:, number] for number in range(scores.shape[1])}
    means = np.average(scores, axis=1)
    results["mean_test_score"], results["std_test_score"] = means, np.std(scores, axis=1)
    lowest = np.nanmin(means) - 1 if not np.isnan(means).all() else 0.0
    results["rank_test_score"] = rankdata(-np.nan_to_num(means, nan=lowest), method="min").astype(np.int32)
    return results


def _masked(values: list[Any]) -> np.ma.MaskedArray[Any, Any]:
    missing = np.array([value is np.ma.masked for value in values])
    present = [value for value in values if value is not np.ma.masked]
    kind = np.asarray(present).dtype if all(isinstance(value, int | float) for value in present) else np.dtype(object)
    found = np.ma.MaskedArray(np.zeros(len(values), dtype=kind), mask=missing)
    for place in np.flatnonzero(~missing):
        found[place] = values[place]
    return found
