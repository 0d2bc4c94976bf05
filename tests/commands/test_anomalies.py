"""`setwise anomalies`: both scores are those of the estimators, from one search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import setwise as sw
from tests.commands.conftest import Call
from tests.commands.tables import numbers, table

FEATURES = ["--by", "patient", "--columns", "x,y"]


@pytest.mark.parametrize(
    "options", [[], ["-d", "kl:matched", "-k", 3, "--width", 0.5, "--squared", "no", "--no-scale"]]
)
@pytest.mark.parametrize("against", [[], ["--train"]])
def test_scores_are_those_of_the_estimators(call: Call, cells: Path, later: Path, options, against) -> None:
    out = cells.with_name("out.csv")
    train = sw.read_sets(cells, by="patient", columns=["x", "y"])
    scored = [later, "--by", "patient", "--train", cells, "--columns", "x,y"] if against else [cells, *FEATURES]
    sets = sw.read_sets(later, by="patient", columns=["x", "y"]) if against else train
    call("anomalies", *scored, *options, "--neighbors", 3, "--share", 0.2, "-o", out).succeeded()

    kernel = {"divergence": "kl:matched", "k": 3} if options else {}
    squared = {"width": 0.5, "squared": False} if options else {}
    svm = sw.SetOneClassSVM(**kernel, **squared)
    nearest = sw.SetNearest(**kernel, n_neighbors=3, contamination=0.2)
    models = [model if options else make_pipeline(sw.SetScaler(), model) for model in (svm, nearest)]
    by_svm, by_distance = (model.fit(train) for model in models)

    assert table(out)["patient"] == list(sets.ids)
    scores = by_svm.score_samples(sets)
    np.testing.assert_allclose(numbers(out, "svm_score")[:, 0], scores, rtol=1e-9)
    below = scores < np.percentile(by_svm.score_samples(train), 20)
    assert table(out)["svm_flagged"] == [str(value) for value in below.tolist()]
    np.testing.assert_allclose(numbers(out, "distance")[:, 0], -by_distance.score_samples(sets), rtol=1e-12)
    assert table(out)["distance_flagged"] == [str(value) for value in (by_distance.predict(sets) == -1).tolist()]
    for rank, score in numbers(out, "distance_rank", "distance").tolist():
        assert rank == 1 + (numbers(out, "distance") > score).sum()
    for rank, score in numbers(out, "svm_rank", "svm_score").tolist():
        assert rank == 1 + (numbers(out, "svm_score") < score).sum()


def test_a_strange_set_is_on_top(call: Call, cells: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [f"odd,{x},{y},rising,1,g0" for x, y in (rng.normal(size=(25, 2)) * [8, 800]).tolist()]
    cells.write_text(cells.read_text() + "\n".join(rows) + "\n")
    done = call("anomalies", cells, *FEATURES).succeeded()
    first = next(line.split() for line in done.out.splitlines() if line.split()[:1] == ["1"])
    assert first[1] == "odd" and first.count("odd") == 2
    assert "25 sets, 625 points, 2 dimensions: x, y; compared with one another" in done.out
    assert "renyi:0.9, k = 5; each coordinate scaled to variance 1" in done.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--share", "0"], ["--share is 0", "above 0"]),
        (["--share", "0.6"], ["--share is 0.6", "0.5"]),
        (["--neighbors", "24"], ["--neighbors is 24", "23"]),
        (["--neighbors", "0"], ["--neighbors", "1 or more"]),
        (["--width", "-1"], ["--width", "above 0"]),
        (["-d", "linear"], ["linear is a similarity"]),
        (["-d", "nothing"], ["nothing"]),
        (["-d", "kl", "-d", "js"], ["-d", "multiple times"]),
        (["--pca", "3"], ["3", "2"]),
        (["--pca", "many"], ["--pca", "many"]),
        (["--train", "none.csv"], ["none.csv"]),
        (["-o", "out.txt"], ["out.txt", ".csv"]),
    ],
)
def test_a_mistake_is_one_line(call: Call, cells: Path, arguments: list[str], expected: list[str]) -> None:
    call("anomalies", cells, *FEATURES, *arguments).refused(*expected)


def test_sets_of_other_columns_are_refused(call: Call, cells: Path, later: Path) -> None:
    call("anomalies", later, "--by", "patient", "--train", cells).refused("'slope' is the same number", "--columns x,y")
    later.write_text(later.read_text().replace("remark", "x2").replace(",x\n", ",z\n", 1))
    call("anomalies", later, "--by", "patient", "--columns", "x,y", "--train", cells).refused(
        "cells.csv' has the columns x, y", "no 'x' here"
    )


def test_the_training_sets_are_not_overwritten(call: Call, cells: Path, later: Path) -> None:
    call("anomalies", later, "--by", "patient", "--train", cells, "-o", cells).refused("is an input too")
