"""`setwise fit`: the model is what the estimators make of the same sets, and says what it did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

import setwise as sw
from tests.commands.conftest import HEADER, Call, cells_of, write_table

LABELLED = ["--by", "patient", "--columns", "x,y", "--label", "disease"]
SMALL = ["--width", 1, "--width", 4, "--C", 1, "--C", 64]  # a grid of four


def sets_in(path: Path) -> sw.SampleSets:
    return sw.read_sets(path, by="patient", columns=["x", "y"])


@pytest.fixture
def model(cells: Path) -> Path:
    return cells.with_name("model.skops")


def test_the_model_is_that_of_the_tuner(call: Call, cells: Path, later: Path, model: Path) -> None:
    done = call("fit", cells, *LABELLED, *SMALL, "-d", "renyi:.9", "-d", "kl", "--seed", 4, "-o", model).succeeded()
    sets, labels = sets_in(cells), ["falling", "rising"] * 12
    folds = StratifiedKFold(3, shuffle=True, random_state=4)
    tuner = sw.SetSVCCV(["renyi:.9", "kl"], widths=[1, 4], Cs=[1, 64], cv=folds, random_state=4)
    expected = make_pipeline(sw.SetScaler(), tuner).fit(sets, labels)
    found = sw.load(model)
    assert [type(step).__name__ for _, step in found.steps] == ["SetScaler", "SetSVC"]
    np.testing.assert_array_equal(found.decision_function(sets_in(later)), expected.decision_function(sets_in(later)))
    best = tuner.best_params_
    for part in (
        "24 sets, 600 points, 2 dimensions: x, y",
        "'disease' is one of 2 classes: falling (12), rising (12); each coordinate scaled to variance 1",
        f"chosen: {best['divergence']} at k = 5, gaussian kernel of width {best['width']:g} x median",
        f"; C = {best['C']:g}\n",
        f"accuracy {tuner.best_score_:.1%} +- ",
        "over 3 folds, the best of 8 candidates and so too good",
        found[-1].projection_.summary(),
        f"written to {model}",
    ):
        assert part in done.out


def test_without_tuning_what_is_not_given_is_the_default(call: Call, cells: Path, later: Path, model: Path) -> None:
    options = ["--no-tune", "--no-scale", "--pca", 1, "--width", 2, "-k", 3, "--squared", "no"]
    done = call("fit", cells, *LABELLED, *options, "-o", model).succeeded()
    expected = make_pipeline(sw.SetPCA(1), sw.SetSVC(k=3, width=2.0, squared=False))
    expected.fit(sets_in(cells), ["falling", "rising"] * 12)
    found = sw.load(model).decision_function(sets_in(later))
    np.testing.assert_array_equal(found, expected.decision_function(sets_in(later)))
    assert "not tuned: renyi:0.9 at k = 3, gaussian kernel of width 2 x median, not squared; C = 1" in done.out
    assert "coordinates as they are, not scaled; 1 principal component kept" in done.out


def test_numbers_are_learned_in_their_own_units(call: Call, cells: Path, later: Path, model: Path) -> None:
    """Numbers near -.95 and .95, moved to a scale of thousands: the predictions move with them."""
    write_table(cells, HEADER, [[*row[:4], 5000.5 + 1000 * row[4], row[5]] for row in cells_of(IDS, seed=0)])
    labelled = ["--by", "patient", "--columns", "x,y", "--label", "slope"]
    done = call("fit", cells, *labelled, *SMALL, "-o", model).succeeded()
    assert "'slope' is a number, 4050.5 to 5973.5; each coordinate scaled" in done.out
    assert "\nR2 0.9" in done.out and "epsilon = 0.01" in done.out
    predicted = sw.load(model).predict(sets_in(later))
    np.testing.assert_allclose(predicted, 5000.5 + 950 * np.array([-1, 1] * 3), atol=300)


IDS = [f"p{i:02d}" for i in range(24)]


def test_a_number_without_decimals_is_a_class_unless_told_otherwise(call: Call, cells: Path, model: Path) -> None:
    rows = [[*row[:4], 40 + 20 * (row[3] == "rising")] for row in cells_of(IDS, seed=0)]
    write_table(cells, "patient,x,y,disease,age", rows)
    labelled = ["--by", "patient", "--label", "age", *SMALL, "-o", model]
    done = call("fit", cells, *labelled).succeeded()
    assert "'age' is one of 2 classes: 40 (12), 60 (12)" in done.out
    assert sw.load(model).classes_.tolist() == [40, 60]
    assert "'age' is a number, 40 to 60" in call("fit", cells, *labelled, "--regress").succeeded().out
    call("fit", cells, "--by", "patient", "--label", "disease", "--columns", "x,y", "--regress", "-o", model).refused(
        "'falling', which is no number"
    )


def test_decimals_may_be_classes_when_told_so(call: Call, cells: Path, model: Path) -> None:
    rows = [[*row[:3], 0.5 if row[3] == "rising" else 1.5] for row in cells_of(IDS, seed=0)]
    write_table(cells, "patient,x,y,grade", rows)
    done = call("fit", cells, "--by", "patient", "--label", "grade", "--classify", *SMALL, "-o", model).succeeded()
    assert "'grade' is one of 2 classes: 0.5 (12), 1.5 (12)" in done.out


def test_labels_of_another_file(call: Call, cells: Path, model: Path) -> None:
    """The table's own column of that name is no coordinate either."""
    rows = [[i, *row[1:3], 7.0 * i] for i, row in enumerate(cells_of(IDS, seed=0))]
    write_table(cells, "patient,x,y,slope", [[f"p{i // 25:02d}", *row[1:]] for i, row in enumerate(rows)])
    names = [*reversed(IDS), "p97", "p98"]
    clinic = [["rising" if int(name[1:]) % 2 else "falling", name] for name in names]
    write_table(cells.with_name("clinic.csv"), "slope,patient", clinic)
    options = ["--by", "patient", "--label", "slope", "--labels", cells.with_name("clinic.csv"), *SMALL]
    done = call("fit", cells, *options, "-o", model).succeeded()
    assert "2 dimensions: x, y; 2 other sets in clinic.csv not used" in done.out
    assert sw.load(model).score(sets_in(cells), ["falling", "rising"] * 12) == 1


def test_sets_of_a_file_without_a_table(call: Call, cells: Path, model: Path) -> None:
    sw.write_sets(sets_in(cells), cells.with_name("cells.npz"))
    write_table(cells.with_name("clinic.csv"), "sample,disease", [[name, int(name[1:]) % 2] for name in IDS])
    call("fit", cells.with_name("cells.npz"), "--label", "disease", "-o", model).refused(
        "cells.npz' is no table", "--labels"
    )
    options = ["--label", "disease", "--labels", cells.with_name("clinic.csv"), *SMALL]
    call("fit", cells.with_name("cells.npz"), *options, "-o", model).succeeded()
    assert sw.load(model).classes_.tolist() == [0, 1]


def test_probabilities_are_learned_when_asked_for(call: Call, cells: Path, later: Path, model: Path) -> None:
    call("fit", cells, *LABELLED, *SMALL, "--probability", "-o", model).succeeded()
    found = sw.load(model).predict_proba(sets_in(later))
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--label", "diseas"], ["'diseas'", "did you mean 'disease'"]),
        (["--label", "patient"], ["'patient' holds the set ids"]),
        (["--label", "x", "--columns", "y"], ["both", "column 'x'", "'p00'"]),
        (["--label", "disease", "--columns", "x,disease"], ["'disease' is a label and cannot be a coordinate"]),
        (["--label", "disease"], ["'slope' is the same number throughout every set", "--columns x,y"]),
        (["--label", "centre", "--columns", "x,y", "--regress"], ["'g0', which is no number"]),
        (["--by", "patent"], ["'patent'", "did you mean 'patient'"]),
        (["-d", "nothing"], ["nothing", "Allowed"]),
        (["-d", "linear"], ["linear"]),
        (["-d", "kl", "--kernel", "polynomial"], ["kl is no inner product"]),
        (["-d", "l2", "-k", "1"], ["k=1 is too small for l2"]),
        (["-k", "2.5"], ["2.5", "-k"]),
        (["--C", "0"], ["--C", "above 0"]),
        (["--width", "nan"], ["--width", "above 0"]),
        (["--kernel", "rbf"], ["rbf", "gaussian"]),
        (["--no-tune", "--C", "1", "--C", "2"], ["--C has several values", "--no-tune"]),
        (["--no-tune", "-k", "4", "-k", "5"], ["-k has several values"]),
        (["--no-tune", "--squared", "both"], ["--squared has several values"]),
        (["-k", "25", "--columns", "x,y"], ["'p00' has 25 points", "k=25 needs"]),
        (["--pca", "3", "--columns", "x,y"], ["3", "2 dimensions"]),
        (["--pca", "0", "--columns", "x,y"], ["--pca", "whole number from 1"]),
        (["--labels", "none.csv", "--columns", "x,y"], ["none.csv"]),
        (["-o", "model.pkl"], ["model.pkl", ".skops"]),
        (["-o", "none/model.skops"], ["no folder"]),
        (["--threads", "0"], ["--threads"]),
        (["--seed", "x"], ["--seed"]),
    ],
)
def test_a_mistake_is_one_line(call: Call, cells: Path, arguments: list[str], expected: list[str]) -> None:
    given = {"--by": "patient", "--label": "disease", "-o": "model.skops"}
    others = [part for name, value in given.items() if name not in arguments for part in (name, value)]
    call("fit", cells, *others, *arguments).refused(*expected)
    assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]


@pytest.mark.parametrize(
    ("labels", "options", "expected"),
    [
        (["a"] * 24, [], ["'label' says 'a' of every set"]),
        (["1.5"] * 24, [], ["'label' says 1.5 of every set"]),
        (["a"] * 22 + ["b"] * 2, [], ["class 'b' of 'label' has 2 of the 24 sets", "3 folds need 3 of each"]),
        (list(range(20, 44)), [], ["class 20 of 'label' has 1", "--regress"]),
        (["a"] * 23 + ["nan"], [], ["'p23' has no value in column 'label'"]),
        (["a"] * 23 + ["b"], ["--probability", "--no-tune"], ["'b'", "probability"]),
    ],
)
def test_labels_that_nothing_can_be_learned_from(call: Call, cells: Path, labels, options, expected) -> None:
    write_table(cells.with_name("clinic.csv"), "patient,label", list(zip(IDS, labels, strict=True)))
    given = ["--by", "patient", "--columns", "x,y", "--labels", cells.with_name("clinic.csv"), "--label", "label"]
    call("fit", cells, *given, *options, "-o", cells.with_name("m.skops")).refused(*expected)


def test_a_label_that_varies_within_a_set_is_refused_by_the_set_s_name(call: Call, cells: Path, model: Path) -> None:
    text = cells.read_text()
    place = text.rindex("p07")
    cells.write_text(text[:place] + text[place:].replace("rising", "falling", 1))
    call("fit", cells, *LABELLED, "-o", model).refused("set 'p07' has both 'rising' and 'falling'")
    call("fit", cells, "--by", "patient", "--columns", "x,y", "--label", "slope", "--classify", "-o", model).refused(
        "class", "3 folds"
    )


def test_points_that_are_no_numbers_are_refused(call: Call, cells: Path, model: Path) -> None:
    cells.write_text(cells.read_text() + "p23,nan,1,rising,1,g7\n")
    call("fit", cells, *LABELLED, "-o", model).refused("'p23'", "NaN")
