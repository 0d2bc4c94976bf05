"""`setwise anomalies`: which sets are unlike the others, by two scores that need not agree."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray
from scipy.stats import rankdata, spearmanr

from setwise.commands.interrupt import computing
from setwise.commands.options import DATA, METHOD, RESULT, Count, Data, OneKernel, Preparation, Seed, Threads
from setwise.commands.output import to_output
from setwise.commands.reading import Reading
from setwise.commands.result import check_output, write_csv
from setwise.commands.speech import count, in_numbers, on_coordinates, ordinal, plain_warnings, print_table
from setwise.divergences import KNNDivergence
from setwise.divergences.transformer import same_sets
from setwise.errors import InputError
from setwise.kernels import GaussianKernel
from setwise.kernels.matrix import Array
from setwise.kernels.set_kernel import gram_steps
from setwise.learners.nearest import nearest_scores
from setwise.learners.one_class import one_class
from setwise.progress import track
from setwise.sets import SampleSets

SHOWN = 5  # strangest sets
NU = 0.5  # half of the sets are outside: with few, strange sets become support sets on the boundary, and hide there
HEADER = ["svm_score", "svm_rank", "svm_flagged", "distance", "distance_rank", "distance_flagged"]


def anomalies(
    data: Data,
    /,
    reading: Reading = Reading(),  # noqa: B008  frozen
    *,
    train: Annotated[Path | None, Parameter(metavar="FILE", group=DATA)] = None,
    method: OneKernel = OneKernel(),  # noqa: B008
    neighbors: Annotated[Count, Parameter(group=METHOD)] = 5,
    share: Annotated[float, Parameter(metavar="SHARE", group=METHOD)] = 0.1,
    preparation: Preparation = Preparation(),  # noqa: B008
    output: Annotated[Path | None, Parameter(alias="-o", metavar="FILE", group=RESULT)] = None,
    threads: Threads = None,
    seed: Seed = 0,
) -> None:
    """Score how unlike the others each set is.

    Parameters
    ----------
    train
        The sets to compare with, of the same columns. Default: the data themselves, with one another.
    neighbors
        Which of the nearest sets the distance is taken to.
    share
        The share of the sets compared with that counts as strange.
    output
        Where to write both scores of all sets, their ranks (1 is the strangest) and which are flagged: .csv.
    """
    if not 0 < share <= 0.5:
        raise InputError(f"--share is {share:g}; it must be above 0 and at most 0.5.")
    parameters = method.parameters(threads)
    if output is not None:
        check_output(output, (".csv",), data, train)
    start = time.perf_counter()
    with plain_warnings():
        with track(f"reading {data.name}"):
            others = reading.sets(data if train is None else train)
            sets = others if train is None else reading.sets_like(data, others.feature_names, f"'{train}'")
        known = len(others) - (train is None)
        if neighbors > known:
            raise InputError(
                f"--neighbors is {neighbors}, but there are only {known} sets to compare with; give fewer."
            )
        with computing(f"comparing {count(len(sets), 'set')}"):
            machine, nearest = score(others, sets, neighbors, share, parameters, preparation.steps(seed))
        names = [str(name) for name in sets.ids]
        if output is not None:
            columns = (
                machine.values,
                machine.ranks(),
                machine.flagged,
                -nearest.values,
                nearest.ranks(),
                nearest.flagged,
            )
            write_csv(output, [sets.by, *HEADER], zip(names, *(values.tolist() for values in columns), strict=True))
    seconds = time.perf_counter() - start

    agreement = float(spearmanr(machine.values, nearest.values).statistic)
    with to_output():
        against = "compared with one another" if train is None else f"compared with {in_numbers(others)} of {train}"
        print(f"{on_coordinates(sets)}; {against}")
        print(f"{parameters['divergence']}, k = {method.k}; {preparation.in_words()}; {seconds:.1f} s\n")
        print_table(
            "The strangest sets, by two scores; * is flagged",
            ["", "one-class SVM", "score", f"{ordinal(neighbors)} nearest set", "divergence"],
            [
                [str(place), *by_machine, *by_distance]
                for place, (by_machine, by_distance) in enumerate(
                    zip(machine.strangest(names, 1), nearest.strangest(names, -1), strict=True), 1
                )
            ],
        )
        print(
            f"flagged, as stranger than {1 - share:.0%} of the sets compared with: {machine.flagged.sum()} by the SVM, "
            f"{nearest.flagged.sum()} by distance"
        )
        print(f"rank correlation of the two scores: {agreement:.2f}")
        if output is not None:
            print(f"written to {output}")


class Scores(NamedTuple):
    """How normal the sets are by one estimator, and the limit below which they are flagged."""

    values: Array
    limit: float

    @property
    def flagged(self) -> NDArray[np.bool_]:
        return self.values < self.limit

    def ranks(self) -> NDArray[np.int64]:
        """1 for the strangest; equals share a rank."""
        return np.asarray(rankdata(self.values, method="min"), dtype=np.int64)

    def strangest(self, names: Sequence[str], sign: int) -> list[tuple[str, str]]:
        """The first places: the set, marked if it is flagged, and its score."""
        first = np.argsort(self.values, kind="stable")[:SHOWN].tolist()
        return [(names[i] + " *" * int(self.flagged[i]), f"{sign * self.values[i]:.4g}") for i in first]


def score(
    others: SampleSets,
    sets: SampleSets,
    neighbors: int,
    share: float,
    parameters: Mapping[str, Any],
    steps: Sequence[Any],
) -> tuple[Scores, Scores]:
    """What SetOneClassSVM and SetNearest, fitted on `others`, say of `sets`, from one search for both.

    Either flags what is below a quantile of the scores of the sets that it was fitted on.
    """
    itself = sets is others
    for step in steps:
        others = step.fit_transform(others)
        sets = others if itself else step.transform(sets)
    divergence = parameters["divergence"]
    compare = KNNDivergence(divergence, parameters["k"], symmetrize=True, n_jobs=parameters["n_jobs"])
    among = compare.fit_transform(others)
    rows = among if itself else compare.transform(sets)

    kernel = GaussianKernel(parameters["width"], squared=parameters["squared"])
    steps_to_gram = gram_steps(kernel, divergence, "clip", "projected")
    gram = steps_to_gram.fit_transform(among)
    support, coefficients, _ = one_class(gram, NU)

    same = same_sets(others, others)

    def flagging(values: Array, known: Array) -> Scores:
        return Scores(values, float(np.percentile(known, 100 * share)))

    rows_of_gram = gram if itself else steps_to_gram.transform(rows)
    by_machine = flagging(rows_of_gram[:, support] @ coefficients[0], gram[:, support] @ coefficients[0])
    by_distance = flagging(
        nearest_scores(rows, same if itself else same_sets(sets, others), neighbors),
        nearest_scores(among, same, neighbors),
    )
    return by_machine, by_distance
