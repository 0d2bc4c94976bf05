"""`setwise cv`: how well labels of unseen sets are told, beside what the means of the sets tell."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor

from setwise.commands.folds import TUNING, Fold, check_target, repeated_folds
from setwise.commands.interrupt import computing
from setwise.commands.learning import Learning, learn, model_of, parameters_in_words, target_in_words
from setwise.commands.model import last_of
from setwise.commands.options import (
    DATA,
    RESULT,
    RUN,
    Count,
    Data,
    Label,
    LabelsFile,
    Preparation,
    Regress,
    Seed,
    Threads,
)
from setwise.commands.output import to_output
from setwise.commands.reading import Reading
from setwise.commands.result import check_output, write_csv
from setwise.commands.speech import count, on_coordinates, plain_warnings, print_table
from setwise.errors import InputError
from setwise.io import Task, as_target
from setwise.kernels.matrix import Array
from setwise.progress import Progress, track, watched_by
from setwise.sets import SampleSets

OURS, MEANS = "divergences + SVM", "set means + the same SVM"


def cv(
    data: Data,
    /,
    reading: Reading = Reading(),  # noqa: B008  frozen
    *,
    label: Label,
    labels: LabelsFile = None,
    regress: Regress = None,
    groups: Annotated[str | None, Parameter(metavar="COLUMN", group=DATA)] = None,
    learning: Learning = Learning(),  # noqa: B008
    preparation: Preparation = Preparation(),  # noqa: B008
    folds: Annotated[Count, Parameter(group=RUN)] = 5,
    repeats: Annotated[Count, Parameter(group=RUN)] = 1,
    output: Annotated[Path | None, Parameter(alias="-o", metavar="FILE", group=RESULT)] = None,
    threads: Threads = None,
    seed: Seed = 0,
) -> None:
    """Predict each set from models that have not seen it, and compare with its label.

    Parameters
    ----------
    groups
        Sets of one group, such as the samples of one donor, are never on both sides of a fold.
    folds
        Into how many parts the sets are divided: each is predicted from all others.
    repeats
        How many times all that is done, divided anew each time.
    output
        Where to write each set's label and what was predicted for it, repeat by repeat: .csv.
    """
    learning.check()
    if groups is not None and groups == label:
        raise InputError(f"--groups and --label are both {groups!r}; a group is what must not tell the label.")
    if output is not None:
        check_output(output, (".csv",), data, labels)
    start = time.perf_counter()
    with plain_warnings():
        with track(f"reading {data.name}"):
            columns = [label] if groups is None else [label, groups]
            sets, values, unused = reading.labelled_sets(data, labels, columns)
        task: Task | None = None if regress is None else "numbers" if regress else "classes"
        y, task = as_target(values[label], label, task)
        each = TUNING if learning.tune else 1
        check_target(y, label, each)
        of_groups = None if groups is None else np.array(values[groups])
        divided = repeated_folds(y, label, of_groups, folds, repeats, seed, each)
        grouped = groups is not None
        ours = learning.estimator(task, seed, threads, grouped=grouped, probability=False)
        models = {
            OURS: model_of(preparation.steps(seed), ours, task),
            MEANS: model_of([], learning.baseline(task, seed, threads, grouped=grouped), task),
        }
        if task == "numbers":
            models["the mean of the others"] = DummyRegressor()
        else:
            models["the largest class"] = DummyClassifier()
        with computing(f"{count(len(divided), 'fold')} of {count(len(sets), 'set')}") as progress:
            predicted, chosen = predict_folds(models, sets, y, of_groups, divided, progress)
        if output is not None:
            _write(output, sets, label, y, folds, divided, predicted)
    seconds = time.perf_counter() - start

    with to_output():
        print(on_coordinates(sets) + (f"; {unused}" if unused else ""))
        print(f"{target_in_words(label, y, task)}; {preparation.in_words()}")
        if of_groups is not None:
            print(f"{count(len(np.unique(of_groups)), 'group')} by {groups!r}, each whole in a fold")
        print()
        _print_scores(y, task, divided, predicted, repeats)
        if learning.tune:
            words, times = Counter(chosen).most_common(1)[0]
            print(f"chosen most often: {words} (in {times} of {count(len(divided), 'fold')})")
        print(f"{seconds:.1f} s" + (f", written to {output}" if output is not None else ""))


def predict_folds(
    models: Mapping[str, Any],
    sets: SampleSets,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    divided: Sequence[Fold],
    progress: Progress,
) -> tuple[dict[str, list[NDArray[Any]]], list[str]]:
    """What each model, learned anew from the others, predicts for each fold; and the kernels that ours chose."""
    found: dict[str, list[NDArray[Any]]] = {name: [] for name in models}
    chosen: list[str] = []
    stages = [(fold, name) for fold in divided for name in models]
    for number, ((train, test), name) in enumerate(stages):
        with watched_by(_stage(progress, number, len(stages))):
            model = clone(models[name])
            if isinstance(model, DummyClassifier | DummyRegressor):
                model.fit(np.zeros((len(train), 1)), y[train])
                found[name].append(model.predict(np.zeros((len(test), 1))))
                continue
            learn(model, sets[train], y[train], None if groups is None else groups[train])
            found[name].append(model.predict(sets[test]))
        if name == OURS:
            chosen.append(parameters_in_words({**last_of(model).get_params(), "C": None}))
    return found, chosen


def _stage(progress: Progress, number: int, total: int) -> Progress:
    """One of several stages, each made of searches whose number is not known: it only ever goes forward."""
    furthest = 0.0

    def report(done: int, of: int) -> None:
        nonlocal furthest
        furthest = max(furthest, done / of if of else 0.0)
        progress(round(1000 * (number + furthest)), 1000 * total)

    return report


def _print_scores(
    y: NDArray[Any], task: Task, divided: Sequence[Fold], predicted: Mapping[str, list[NDArray[Any]]], repeats: int
) -> None:
    scores = {name: _scores(y, task, divided, values) for name, values in predicted.items()}
    shown = "{:.1%}" if task == "classes" else "{:.4g}"
    header = ["", "accuracy" if task == "classes" else "RMSE", "sd", "worst", "best"]
    rows = []
    for name, of_folds in scores.items():
        ends = (of_folds.min(), of_folds.max()) if task == "classes" else (of_folds.max(), of_folds.min())
        rows.append([name, *(shown.format(value) for value in (of_folds.mean(), of_folds.std(), *ends))])
        if task == "numbers":
            truth, guess = np.concatenate([y[test] for _, test in divided]), np.concatenate(predicted[name])
            rows[-1].append(f"{1 - ((truth - guess) ** 2).sum() / ((truth - truth.mean()) ** 2).sum():.3f}")
    of = f"{count(len(divided), 'fold')}" + (f" ({repeats} times {len(divided) // repeats})" if repeats > 1 else "")
    print_table(f"on sets that were not learned from, over {of}", header + ["R2"] * (task == "numbers"), rows)
    gain = scores[OURS] - scores[MEANS] if task == "classes" else scores[MEANS] - scores[OURS]
    better, worse = int((gain > 0).sum()), int((gain < 0).sum())
    print(f"divergences do better than means on {better} of {count(len(gain), 'fold')}, worse on {worse}")


def _scores(y: NDArray[Any], task: Task, divided: Sequence[Fold], predicted: Sequence[NDArray[Any]]) -> Array:
    """The accuracy, or the root mean squared error, of each fold."""
    pairs = [(y[test], values) for (_, test), values in zip(divided, predicted, strict=True)]
    if task == "classes":
        return np.array([(truth == values).mean() for truth, values in pairs])
    return np.array([np.sqrt(((truth - values) ** 2).mean()) for truth, values in pairs])


def _write(
    output: Path,
    sets: SampleSets,
    label: str,
    y: NDArray[Any],
    folds: int,
    divided: Sequence[Fold],
    predicted: Mapping[str, list[NDArray[Any]]],
) -> None:
    """A row for each set and repeat."""
    rows = []
    for number, (_, test) in enumerate(divided):
        ours, means = (predicted[name][number].tolist() for name in (OURS, MEANS))
        repeat, fold = divmod(number, folds)
        for place, one, other in zip(test.tolist(), ours, means, strict=True):
            rows.append((repeat + 1, place, fold + 1, one, other))
    rows.sort()
    header = [sets.by, "repeat", "fold", label, "prediction", "prediction_by_means"]
    truth = y.tolist()
    write_csv(
        output,
        header,
        ([str(sets.ids[place]), repeat, fold, truth[place], *both] for repeat, place, fold, *both in rows),
    )
