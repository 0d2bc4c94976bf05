"""`setwise embed`: a map of the sets, as a table and as a picture."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from cyclopts import Parameter
from sklearn.manifold import TSNE, Isomap
from sklearn.pipeline import make_pipeline

from setwise.commands.interrupt import computing
from setwise.commands.options import (
    DATA,
    METHOD,
    RESULT,
    Count,
    Data,
    LabelsFile,
    OneKernel,
    Preparation,
    Seed,
    Threads,
)
from setwise.commands.output import to_output
from setwise.commands.reading import Reading
from setwise.commands.result import check_output, write_csv
from setwise.commands.speech import count, on_coordinates, plain_warnings
from setwise.errors import InputError
from setwise.io import as_target, write_whole
from setwise.kernels.matrix import Array
from setwise.learners import SetDistance, SetLLE, SetMDS
from setwise.progress import track
from setwise.reports.displays import EmbeddingDisplay

Method: TypeAlias = Literal["mds", "lle", "tsne", "isomap"]
PICTURES = (".png", ".svg", ".pdf")
NEIGHBORS = {"lle": 8, "isomap": 5}


def embed(
    data: Data,
    /,
    reading: Reading = Reading(),  # noqa: B008  frozen
    *,
    label: Annotated[str | None, Parameter(metavar="COLUMN", group=DATA)] = None,
    labels: LabelsFile = None,
    method: Annotated[Method, Parameter(group=METHOD)] = "mds",
    components: Annotated[Count, Parameter(group=METHOD)] = 2,
    neighbors: Annotated[Count | None, Parameter(group=METHOD)] = None,
    perplexity: Annotated[float | None, Parameter(metavar="P", group=METHOD)] = None,
    kernel: OneKernel = OneKernel(),  # noqa: B008
    preparation: Preparation = Preparation(),  # noqa: B008
    output: Annotated[Path, Parameter(alias="-o", metavar="FILE", group=RESULT)],
    plot: Annotated[Path | None, Parameter(metavar="FILE", group=RESULT)] = None,
    threads: Threads = None,
    seed: Seed = 0,
) -> None:
    """Give each set a place.

    Parameters
    ----------
    label
        A column that is the same throughout a set; it goes into the table and colours the picture.
    method
        mds keeps the distances between all sets; lle and isomap those between neighbours; tsne who is whose neighbour.
    components
        How many coordinates a place has.
    neighbors
        How many neighbouring sets lle (default 8) and isomap (default 5) look at.
    perplexity
        About how many neighbouring sets tsne looks at. Default: 30, or a third of the sets if that is less.
    output
        Where to write the places, a row a set: .csv.
    plot
        Where to draw the first two components: .png, .svg or .pdf.
    """
    if (neighbors is not None and method not in NEIGHBORS) or (perplexity is not None and method != "tsne"):
        given = "--neighbors is for lle and isomap" if neighbors is not None else "--perplexity is for tsne"
        raise InputError(f"{given}; leave it out with --method {method}.")
    if plot is not None and components < 2:
        raise InputError("--plot draws two components; --components is 1. Leave one of them out.")
    if labels is not None and label is None:
        raise InputError(f"--labels {labels} needs --label, the column to take from it.")
    parameters = kernel.parameters(threads)
    check_output(output, (".csv",), data, labels)
    if plot is not None:
        check_output(plot, PICTURES, data, labels)

    start = time.perf_counter()
    with plain_warnings():
        with track(f"reading {data.name}"):
            sets, values, unused = reading.labelled_sets(data, labels, [] if label is None else [label])
        steps = embedder(method, components, neighbors, perplexity, len(sets), parameters, seed)
        with computing(f"comparing {count(len(sets), 'set')}"):
            pipeline = make_pipeline(*preparation.steps(seed), *steps)
            places = pipeline.fit_transform(sets)
        names = [str(name) for name in sets.ids]
        header = [sets.by, *(f"{method}{place}" for place in range(1, components + 1)), *values]
        write_csv(output, header, zip(names, *places.T.tolist(), *values.values(), strict=True))
        if plot is not None:
            with track(f"drawing {plot.name}"):
                draw(plot, places, names, next(iter(values.items()), None))
    seconds = time.perf_counter() - start

    with to_output():
        print(on_coordinates(sets) + (f"; {unused}" if unused else ""))
        print(f"{parameters['divergence']}, k = {kernel.k}; {preparation.in_words()}; {seconds:.1f} s")
        if method == "mds":
            spectrum = np.maximum(pipeline[-1].eigenvalues_, 0.0)
            share = spectrum[:components].sum() / (spectrum.sum() or 1.0)
            print(f"{count(components, 'component')}: {share:.0%} of the variance among the sets")
        print(f"written to {output}" + (f" and {plot}" if plot is not None else ""))


def embedder(
    method: Method,
    components: int,
    neighbors: int | None,
    perplexity: float | None,
    n_sets: int,
    parameters: Mapping[str, Any],
    seed: int,
) -> list[Any]:
    """The last steps of the Pipeline, from sets to places."""
    if components >= n_sets:
        raise InputError(f"--components is {components}; {count(n_sets, 'set')} have room for at most {n_sets - 1}.")
    nearest = NEIGHBORS.get(method, 1) if neighbors is None else neighbors
    if nearest >= n_sets:
        raise InputError(f"--neighbors is {nearest}; a set has only {n_sets - 1} others here. Give fewer.")
    if method == "mds":
        return [SetMDS(components, **parameters)]
    if method == "lle":
        return [SetLLE(nearest, components, **parameters)]
    if method == "isomap":
        return [SetDistance(**parameters), Isomap(n_neighbors=nearest, n_components=components, metric="precomputed")]
    about = min(30.0, n_sets / 3) if perplexity is None else perplexity
    if not 0 < about < n_sets:
        raise InputError(f"--perplexity is {about:g}; it must be above 0 and below the number of sets, {n_sets}.")
    exact = "exact" if components > 3 else "barnes_hut"
    tsne = TSNE(components, perplexity=about, metric="precomputed", init="random", method=exact, random_state=seed)
    return [SetDistance(**parameters), tsne]


def draw(plot: Path, places: Array, names: Sequence[str], label: tuple[str, Sequence[str]] | None) -> None:
    """The first two components as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5.5), layout="constrained")  # its own, with no window and no global state
    known = None if label is None else as_target(label[1], label[0])[0]
    EmbeddingDisplay.from_predictions(places, known, ids=names, ax=figure.subplots())
    with write_whole(plot) as temporary:
        figure.savefig(temporary, dpi=150)
