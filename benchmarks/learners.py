"""What learning from sets costs, whether tuning chooses as an exhaustive search does, and whether anything leaks.

    python -m benchmarks.learners [--only tuning,leakage] [--permutations 200] [--threads 2]

One table: what was measured, on how much, and what it has to be. All data are drawn anew from seeds.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.svm import SVC

import setwise as sw
from benchmarks import leakage
from benchmarks.engine import instruction_set, processor
from setwise.divergences.pairwise import compute
from setwise.learners.candidates import CS, WIDTHS, steps_of
from setwise.learners.on_gram import GramSVC
from setwise.learners.sources import OnDivergences


class Row(NamedTuple):
    """A line of the table; `met` is None where nothing was promised."""

    what: str
    size: str
    measured: str
    bar: str = ""
    met: bool | None = None


def turned(T: int, classes: int, seed: int) -> tuple[sw.SampleSets, NDArray[np.int64]]:
    """Gaussians of one shape, turned by an angle that is a class's but for some noise; 100 points in 2 dimensions."""
    rng = np.random.default_rng(seed)
    y = np.arange(T) % classes
    sets = []
    for label in y:
        angle = np.pi * label / classes + rng.normal(0, 0.06)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        sets.append(rng.normal(size=(100, 2)) * [3, 1] @ turn.T + rng.normal(0, 0.3, 2))
    return sw.SampleSets(sets), y


class Spent(NamedTuple):
    """Seconds on the clock, and of the processor; on a busy machine the latter tell more."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:.1f} s ({self.processor:.1f} of the processor)"


def spent(call: Callable[[], Any]) -> tuple[Spent, Any]:
    clock, of_processor = time.perf_counter(), time.process_time()
    found = call()
    return Spent(time.perf_counter() - clock, time.process_time() - of_processor), found


def tuning(threads: int) -> Iterator[Row]:
    """The paper's whole grid."""
    X, y = turned(1000, 10, seed=0)
    grid = f"{len(WIDTHS)} widths x {len(CS)} C x 3 folds"
    size = f"1000 sets x 100 points x 2, 10 classes, {grid}"
    took, tuner = spent(lambda: sw.SetSVCCV(n_jobs=threads, random_state=0).fit(X, y))
    measured = f"{took}; best score {tuner.best_score_:.3f}"
    yield Row("SetSVCCV, from sets to model", size, measured, "under 20 s", took.clock < 20)
    labels = np.random.default_rng(1).integers(0, 2, len(y))
    took, _ = spent(lambda: sw.SetSVCCV(n_jobs=threads, random_state=0).fit(X, labels))
    size = f"1000 sets x 100 points x 2, 2 classes at random, {grid}"
    yield Row("the same where nothing separates the classes", size, str(took))


def projecting(threads: int) -> Iterator[Row]:
    """A machine on many sets, from their divergences on."""
    X, y = turned(2000, 10, seed=2)
    searched, table = spent(lambda: compute(X, None, ["renyi:.9"], (5,), threads, symmetrize=True))
    steps = steps_of({"kernel": "gaussian", "divergence": sw.Renyi(0.9)}, "clip", "projected")
    source = OnDivergences(table["renyi:.9", 5], steps)
    projected, (gram, _) = spent(lambda: source.fit(np.arange(len(X))))
    fitted, _ = spent(lambda: GramSVC(C=64.0).fit(gram, y))
    size = "2000 sets x 100 points x 2, 10 classes, C = 64"
    measured = f"{projected}, {fitted}; neighbours before: {searched}"
    yield Row(
        "projecting the Gram matrix, fitting one SVC", size, measured, "seconds", projected.clock + fitted.clock < 10
    )


def exhaustive(threads: int) -> Iterator[Row]:
    """Beside GridSearchCV over SetSVC, with the same grid."""
    X, y = turned(60, 3, seed=3)
    grid = {"width": WIDTHS, "C": CS}
    took, tuner = spent(lambda: sw.SetSVCCV(n_jobs=threads, random_state=0).fit(X, y))
    theirs, search = spent(lambda: GridSearchCV(sw.SetSVC(n_jobs=threads), grid, cv=3, refit=True).fit(X, y))
    places = {(one["width"], one["C"]): i for i, one in enumerate(search.cv_results_["params"])}
    ours = [places[one["width"], one["C"]] for one in tuner.cv_results_["params"]]
    apart = np.abs(tuner.cv_results_["mean_test_score"] - search.cv_results_["mean_test_score"][ours]).max()
    rank = search.cv_results_["rank_test_score"][ours[tuner.best_index_]]
    size = f"60 sets x 100 points x 2, 3 classes, {len(WIDTHS)} widths x {len(CS)} C x 3 folds"
    yield Row(
        "SetSVCCV beside GridSearchCV over SetSVC",
        size,
        f"{took.clock:.2f} s beside {theirs.clock:.1f} s: a {theirs.clock / took.clock:.0f}th",
        "under a tenth",
        theirs.clock > 10 * took.clock,
    )
    measured = f"scores differ by {apart:.0e} at most; the choice ranks {rank}"
    yield Row("their choices", size, measured, "equal; 1", apart < 1e-12 and rank == 1)


def covariance(threads: int) -> Iterator[Row]:
    """Labels that are a covariance, where the means are equal."""
    rng = np.random.default_rng(4)
    y = np.arange(200) % 2
    X = sw.SampleSets([rng.normal(size=(200, 2)) @ [[1, 0.5 * label], [0, 1]] for label in y])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    found = cross_val_score(sw.SetSVC(n_jobs=threads), X, y, cv=folds).mean()
    means = cross_val_score(SVC(), np.array([points.mean(axis=0) for points in X]), y, cv=folds).mean()
    size = "200 sets x 200 points x 2, 2 classes, 5 folds"
    yield Row("SetSVC where the label is the covariance", size, f"{found:.3f}", "at least .95", found >= 0.95)
    # The means scatter as the covariance says, which an SVM with a Gaussian kernel can see a little of.
    yield Row("an SVM on the sets' means, beside it", size, f"{means:.3f}", "near .5", means < 0.65)


def permuted(permutations: int) -> Iterator[Row]:
    """Labels that mean nothing."""
    size = f"{leakage.SETS} sets x {leakage.POINTS} points x 2, {leakage.TEST} to test on, {permutations} permutations"
    for name in leakage.ESTIMATORS:
        took, (mean, error, chance, true) = spent(partial(leakage.measure, name, permutations))
        print(f"{name}: {took}", file=sys.stderr)
        yield Row(
            f"permuted labels: {name}",
            size,
            f"{mean:.3f} +- {error:.3f} (true labels: {true:.2f})",
            f"{chance:g} within 3 standard errors",
            abs(mean - chance) < 3 * error,
        )


def report(rows: list[Row], threads: int) -> str:
    """The table in markdown, and what must be known to read it."""
    met = {True: "yes", False: "NO", None: ""}
    cells = [("what", "on", "measured", "has to be", "is")] + [(*row[:4], met[row.met]) for row in rows]
    lines = ["| " + " | ".join(line) + " |" for line in cells]
    lines.insert(1, "|" + " --- |" * len(cells[0]))
    installed = ", ".join(f"{package} {version(package)}" for package in ("numpy", "scipy", "scikit-learn"))
    command = " ".join(["python -m benchmarks.learners", *sys.argv[1:]])
    lines += [
        "",
        f"{threads} threads, {processor()} ({instruction_set()}), Python {platform.python_version()}, {installed}; "
        f"seeds 0 to 4, permutations by seeds from 1 on. `{command}`",
    ]
    return "\n".join(lines)


PARTS = {"tuning": tuning, "projecting": projecting, "exhaustive": exhaustive, "covariance": covariance}


def main() -> None:
    """Measure the parts asked for and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learners", description=(__doc__ or "").splitlines()[0])
    parts = [*PARTS, "leakage"]
    parser.add_argument("--only", default=",".join(parts), help="such as tuning,leakage (default: all)")
    parser.add_argument("--permutations", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    asked = arguments.only.split(",")
    if unknown := set(asked) - set(parts):
        parser.error(f"unknown parts {sorted(unknown)}; there are {', '.join(parts)}")
    warnings.simplefilter("ignore", sw.SetwiseWarning)
    warm, labels = turned(12, 2, seed=9)
    sw.SetSVC(n_jobs=arguments.threads).fit(warm, labels).predict(warm)  # compiles the search
    rows = [row for part in asked if part in PARTS for row in PARTS[part](arguments.threads)]
    if "leakage" in asked:
        rows += permuted(arguments.permutations)
    print(report(rows, arguments.threads))
    raise SystemExit(any(row.met is False for row in rows))


if __name__ == "__main__":
    main()
