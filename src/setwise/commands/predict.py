"""`setwise predict`: the labels of new sets, by a model from a file."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from setwise.commands.interrupt import computing
from setwise.commands.model import columns_in, last_of, sets_in, use_threads
from setwise.commands.options import DATA, RESULT, Data, Threads
from setwise.commands.output import to_output
from setwise.commands.reading import Reading
from setwise.commands.result import check_output, write_csv
from setwise.commands.speech import count, on_coordinates, plain_warnings, print_table
from setwise.errors import InputError
from setwise.io import columns_of
from setwise.learners import load
from setwise.progress import track
from setwise.refusals import listed
from setwise.sets import SampleSets


def predict(
    model: Annotated[Path, Parameter(group=DATA)],
    data: Data,
    /,
    reading: Reading = Reading(),  # noqa: B008  frozen
    *,
    output: Annotated[Path | None, Parameter(alias="-o", metavar="FILE", group=RESULT)] = None,
    threads: Threads = None,
) -> None:
    """Predict the label of each set.

    Parameters
    ----------
    model
        A file that `setwise fit`, or `setwise.save` in Python, wrote.
    output
        Where to write the predictions, a row a set, with probabilities if the model gives them and decision values
        otherwise: .csv. Without it, they are printed.
    """
    if output is not None:
        check_output(output, (".csv",), data, model)
    start = time.perf_counter()
    with plain_warnings():
        with track(f"loading {model.name}"):
            fitted = load(model)
        kind = type(last_of(fitted)).__name__
        if not hasattr(fitted, "predict"):
            raise InputError(
                f"'{model}' holds a {kind}, which predicts nothing; give a model that `setwise fit` wrote."
            )
        use_threads(fitted, threads)
        with track(f"reading {data.name}"):
            sets = _read(reading, data, fitted)
        with computing(f"comparing {count(len(sets), 'set')}"):
            columns = dict(_columns(fitted, sets))
        names = [str(name) for name in sets.ids]
        header = [sets.by, *columns]
        rows = list(zip(names, *(values.tolist() for values in columns.values()), strict=True))
        if output is not None:
            write_csv(output, header, rows)
    seconds = time.perf_counter() - start

    with to_output():
        if output is None:
            shown = [[f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
            print_table("", header, shown)
        print(f"{on_coordinates(sets)}; {seconds:.1f} s")
        print(f"predicted by a {kind}: {_in_short(columns['prediction'])}")
        if output is not None:
            print(f"written to {output}")


def _read(reading: Reading, data: Path, model: Any) -> SampleSets:
    """The sets in the model's columns; and, unless --by says it, by the column that the model's sets went by."""
    known = sets_in(model)
    if reading.by is None and known is not None and known.by in (columns_of(data) or ()):
        reading = replace(reading, by=known.by)
    sets = reading.sets_like(data, columns_in(model), "the model")
    if sets.dim != model.n_features_in_:
        more = f": {listed(sets.feature_names)}" if sets.feature_names else ""
        raise InputError(
            f"'{data}' has {count(sets.dim, 'column')}{more}; the model was fitted on {model.n_features_in_}. "
            "Give the same columns in the same order (--columns for a table)."
        )
    return sets


def _columns(model: Any, sets: SampleSets) -> Iterator[tuple[str, NDArray[Any]]]:
    """The prediction, and how sure of it the model is."""
    yield "prediction", model.predict(sets)
    if hasattr(model, "predict_proba"):
        yield from zip((f"probability_{name}" for name in model.classes_), model.predict_proba(sets).T, strict=True)
    elif hasattr(model, "decision_function"):
        decisions = model.decision_function(sets)
        if decisions.ndim == 2:
            yield from zip((f"decision_{name}" for name in model.classes_), decisions.T, strict=True)
        else:
            yield f"decision_{model.classes_[1]}" if hasattr(model, "classes_") else "decision", decisions


def _in_short(predictions: NDArray[Any]) -> str:
    """How many of each class, or the range of numbers."""
    if predictions.dtype.kind == "f":
        return f"{predictions.min():.4g} to {predictions.max():.4g}, mean {np.mean(predictions):.4g}"
    return listed((f"{times} {name}" for name, times in Counter(predictions.tolist()).most_common()), 10)
