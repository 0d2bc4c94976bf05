"""`setwise predict`: what the model says, for sets whose columns it finds by their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import setwise as sw
from tests.commands.conftest import Call
from tests.commands.tables import numbers, table

LABELS = ["falling", "rising"] * 12


def sets_in(path: Path) -> sw.SampleSets:
    return sw.read_sets(path, by="patient", columns=["x", "y"])


@pytest.fixture
def model(cells: Path) -> Path:
    path = cells.with_name("model.skops")
    sw.save(make_pipeline(sw.SetScaler(), sw.SetSVC(C=10)).fit(sets_in(cells), LABELS), path)
    return path


def test_predictions_are_the_model_s(call: Call, model: Path, later: Path) -> None:
    """The columns of `later` are in another order, with one more among them."""
    out = later.with_name("out.csv")
    done = call("predict", model, later, "--by", "patient", "-o", out).succeeded()
    assert list(table(out)) == ["patient", "prediction", "decision_rising"]
    assert table(out)["patient"] == [f"n{i}" for i in range(6)]
    assert table(out)["prediction"] == ["falling", "rising"] * 3
    expected = sw.load(model).decision_function(sets_in(later))
    np.testing.assert_array_equal(numbers(out, "decision_rising")[:, 0], expected)
    assert "6 sets, 150 points, 2 dimensions: x, y" in done.out
    assert "predicted by a SetSVC: 3 falling, 3 rising" in done.out


def test_the_column_of_the_ids_is_the_model_s_unless_told_otherwise(call: Call, model: Path, later: Path) -> None:
    out = later.with_name("out.csv")
    call("predict", model, later, "-o", out).succeeded()
    assert table(out)["prediction"] == ["falling", "rising"] * 3
    later.write_text(later.read_text().replace("patient", "donor"))
    call("predict", model, later, "-o", out).refused("--by", "donor")
    call("predict", model, later, "--by", "donor", "-o", out).succeeded()
    assert next(iter(table(out))) == "donor"


def test_without_an_output_they_are_printed(call: Call, model: Path, later: Path) -> None:
    done = call("predict", model, later).succeeded()
    rows = [line.split() for line in done.out.splitlines()]
    decisions = sw.load(model).decision_function(sets_in(later))
    for name, label, decision in zip(["n0", "n1"], ["falling", "rising"], decisions.tolist(), strict=False):
        assert [name, label, f"{decision:.4g}"] in rows


def test_several_classes_and_probabilities(call: Call, cells: Path, later: Path) -> None:
    labels = ["a", "b", "c"] * 8
    out, path = later.with_name("out.csv"), later.with_name("three.skops")
    for probability, name in ((False, "decision"), (True, "probability")):
        fitted = sw.SetSVC(probability=probability, random_state=0).fit(sets_in(cells), labels)
        sw.save(fitted, path)
        call("predict", path, later, "-o", out).succeeded()
        columns = [f"{name}_{label}" for label in "abc"]
        assert list(table(out)) == ["patient", "prediction", *columns]
        expected = fitted.predict_proba if probability else fitted.decision_function
        np.testing.assert_array_equal(numbers(out, *columns), expected(sets_in(later)))


def test_numbers_and_outliers(call: Call, cells: Path, later: Path) -> None:
    out, path = later.with_name("out.csv"), later.with_name("other.skops")
    regressor = sw.SetSVR().fit(sets_in(cells), np.arange(24.0))
    sw.save(regressor, path)
    done = call("predict", path, later, "-o", out).succeeded()
    assert list(table(out)) == ["patient", "prediction"]
    np.testing.assert_array_equal(numbers(out, "prediction")[:, 0], regressor.predict(sets_in(later)))
    assert ", mean " in done.out
    sw.save(sw.SetNearest().fit(sets_in(cells)), path)
    call("predict", path, later, "-o", out).succeeded()
    assert list(table(out)) == ["patient", "prediction", "decision"]


def test_sets_of_other_files_and_without_names(call: Call, cells: Path, model: Path, later: Path) -> None:
    out, path = later.with_name("out.csv"), later.with_name("later.npz")
    sets = sets_in(later)
    for names, points in ((("y", "x"), [member[:, ::-1] for member in sets]), (None, list(sets))):
        sw.write_sets(sw.SampleSets(points, ids=sets.ids, feature_names=names), path)
        call("predict", model, path, "-o", out).succeeded()
        np.testing.assert_array_equal(numbers(out, "decision_rising")[:, 0], sw.load(model).decision_function(sets))
    nameless = later.with_name("nameless.skops")
    sw.save(make_pipeline(sw.SetScaler(), sw.SetSVC()).fit(list(sets_in(cells)), LABELS), nameless)
    call("predict", nameless, later, "--by", "patient", "--columns", "x,y", "-o", out).succeeded()
    assert table(out)["prediction"] == ["falling", "rising"] * 3


def test_a_model_of_fit_predicts_the_same_for_any_number_of_threads(call: Call, cells: Path, later: Path) -> None:
    path, out = cells.with_name("fitted.skops"), cells.with_name("out.csv")
    given = ["--by", "patient", "--columns", "x,y", "--label", "disease", "--no-tune"]
    call("fit", cells, *given, "--threads", 1, "-o", path).succeeded()
    assert sw.load(path)[-1].n_jobs is None and sw.load(path)[-1].kernel_.divergences_.n_jobs is None
    call("predict", path, later, "--threads", 1, "-o", out).succeeded()
    np.testing.assert_array_equal(
        numbers(out, "decision_rising")[:, 0], sw.load(path).decision_function(sets_in(later))
    )


@pytest.mark.parametrize(
    ("replaced", "by", "expected"),
    [
        (",x\n", ",z\n", ["the model has the columns x, y", "no 'x' here", "remark"]),
        ("patient", "donor", ["--by", "donor"]),
        ("n3,", ",", ["no set id", "'patient'"]),
    ],
)
def test_data_that_do_not_fit(call: Call, model: Path, later: Path, replaced: str, by: str, expected) -> None:
    later.write_text(later.read_text().replace(replaced, by, 1))
    call("predict", model, later).refused(*expected)


def test_columns_that_are_not_the_model_s(call: Call, cells: Path, model: Path, later: Path) -> None:
    call("predict", model, later, "--columns", "x").refused("--columns are x", "the model has x, y")
    sw.write_sets(sw.SampleSets([np.zeros((9, 3))], ids=["a"]), later.with_name("three.npz"))
    call("predict", model, later.with_name("three.npz")).refused("three.npz' has 3 columns", "fitted on 2")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("none.skops", None, ["none.skops", "No such file"]),
        ("text.skops", b"weights: 1, 2\n", ["text.skops", "no model file"]),
        ("empty.skops", b"", ["empty.skops"]),
        ("cut.skops", b"PK\x03\x04abc", ["cut.skops", "damaged"]),
    ],
)
def test_a_file_that_is_no_model(call: Call, later: Path, name: str, content: bytes | None, expected) -> None:
    if content is not None:
        later.with_name(name).write_bytes(content)
    call("predict", later.with_name(name), later).refused(*expected)


def test_a_model_that_predicts_nothing(call: Call, cells: Path, later: Path) -> None:
    path = later.with_name("map.skops")
    sw.save(sw.SetLLE(14).fit(sets_in(cells)), path)
    call("predict", path, later).refused("holds a SetLLE, which predicts nothing")


def test_outputs_are_checked_first(call: Call, model: Path, later: Path) -> None:
    for output, said in (("out.txt", ".csv"), (later, "is an input too"), ("none/out.csv", "no folder")):
        call("predict", model.with_name("not there.skops"), later, "-o", output).refused(said)
