"""`setwise fit`: from labelled sets to a model in a file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from setwise.commands.folds import TUNING, check_target
from setwise.commands.interrupt import computing
from setwise.commands.learning import (
    Learning,
    chosen_in_words,
    learn,
    model_of,
    parameters_in_words,
    target_in_words,
    without_search,
)
from setwise.commands.model import last_of, use_threads
from setwise.commands.options import RESULT, Data, Label, LabelsFile, Preparation, Regress, Seed, Threads
from setwise.commands.output import to_output
from setwise.commands.reading import Reading
from setwise.commands.result import check_output
from setwise.commands.speech import count, on_coordinates, plain_warnings
from setwise.io import Task, as_target
from setwise.learners import save
from setwise.progress import track


def fit(
    data: Data,
    /,
    reading: Reading = Reading(),  # noqa: B008  frozen
    *,
    label: Label,
    labels: LabelsFile = None,
    regress: Regress = None,
    learning: Learning = Learning(),  # noqa: B008
    probability: Annotated[bool, Parameter(group=RESULT, negative=())] = False,
    preparation: Preparation = Preparation(),  # noqa: B008
    output: Annotated[Path, Parameter(alias="-o", metavar="FILE", group=RESULT)],
    threads: Threads = None,
    seed: Seed = 0,
) -> None:
    """Learn the labels of the sets, and write the model.

    Parameters
    ----------
    probability
        Learn to give the probability of each class too.
    output
        Where to write the model: .skops. `setwise predict` and, in Python, `setwise.load` read it.
    """
    learning.check()
    check_output(output, (".skops",), data, labels)
    start = time.perf_counter()
    with plain_warnings():
        with track(f"reading {data.name}"):
            sets, values, unused = reading.labelled_sets(data, labels, [label])
        task: Task | None = None if regress is None else "numbers" if regress else "classes"
        y, task = as_target(values[label], label, task)
        check_target(y, label, TUNING if learning.tune else 1)
        estimator = learning.estimator(task, seed, threads, grouped=False, probability=probability)
        model = model_of(preparation.steps(seed), estimator, task)
        with computing(f"learning from {count(len(sets), 'set')}"):
            learn(model, sets, y)
        found = chosen_in_words(model) if learning.tune else ""
        model = without_search(model)
        use_threads(model, None)  # on whatever machine it will be
        with track(f"writing {output.name}"):
            save(model, output)
    seconds = time.perf_counter() - start

    with to_output():
        print(on_coordinates(sets) + (f"; {unused}" if unused else ""))
        print(f"{target_in_words(label, y, task)}; {preparation.in_words()}")
        print(found or f"not tuned: {parameters_in_words(last_of(model).get_params())}")
        print(f"Gram matrix: {last_of(model).projection_.summary()}")
        print(f"fitted in {seconds:.1f} s, written to {output}")
