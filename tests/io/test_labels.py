"""Labels: found for every set, one a set, and never taken for features."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import setwise as sw
from setwise.io import as_target, read_labels


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Sets b, a and c, in this order, whose rows are mixed, with a label as text and one as a number."""
    path = tmp_path / "cells.csv"
    rows = [f"{name},{x},{-x},{label},{age}" for x in (1, 2, 3) for name, label, age in LABELLED]
    path.write_text("\n".join(["patient,x,y,disease,age", *rows]) + "\n")
    return path


LABELLED = [("b", "AML", 61), ("a", "normal", 40), ("c", "AML", 55)]


def sets_of(table: Path) -> sw.SampleSets:
    return sw.read_sets(table, by="patient", exclude=["disease", "age"])


def test_excluded_columns_are_no_features(table: Path) -> None:
    assert sets_of(table).feature_names == ("x", "y")
    assert sw.read_sets(table, by="patient", exclude="age").feature_names == ("x", "y")
    assert sw.read_sets(table, by="patient").feature_names == ("x", "y", "age")
    assert sw.read_sets(table, by="patient", exclude=["no such"]).feature_names == ("x", "y", "age")


def test_an_excluded_column_may_mix_numbers_and_text(table: Path) -> None:
    table.write_text(table.read_text().replace("normal", "0"))
    with pytest.raises(sw.InputError, match="disease"):
        sw.read_sets(table, by="patient")
    assert sets_of(table).feature_names == ("x", "y")


def test_excluded_columns_of_parquet(table: Path) -> None:
    pd.read_csv(table).to_parquet(table.with_suffix(".parquet"))
    assert sw.read_sets(table.with_suffix(".parquet"), by="patient", exclude=["age"]).feature_names == ("x", "y")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_labels_of_a_long_table_come_in_the_order_of_the_sets(table: Path, suffix: str) -> None:
    pd.read_csv(table).to_parquet(table.with_suffix(".parquet"))
    sets = sets_of(table)
    found = read_labels(table.with_suffix(suffix), sets, ["disease", "age"])
    assert found.values == {"disease": ["AML", "normal", "AML"], "age": ["61", "40", "55"]}
    assert found.others == 0
    assert read_labels(table.with_suffix(suffix), sets[[2, 1]], ["age"]).values == {"age": ["55", "40"]}


def test_labels_of_a_file_with_a_row_a_set(table: Path) -> None:
    path = table.with_name("clinic.csv")
    path.write_text("disease,patient\nAML,a\nnormal, b \nAML,c\nnormal,d\nAML,e\n")
    found = read_labels(path, sets_of(table), ["disease"])
    assert found.values == {
        "disease": ["normal", "AML", "AML"]
    }  # the ids are where the sets' column is called the same
    assert found.others == 2


def test_ids_in_the_first_column_where_none_has_the_name(table: Path) -> None:
    path = table.with_name("clinic.csv")
    path.write_text("sample,disease\nc,AML\nb,normal\na,AML\n")
    assert read_labels(path, sets_of(table), ["disease"]).values == {"disease": ["normal", "AML", "AML"]}


def test_whole_ids_are_found_by_their_digits(tmp_path: Path) -> None:
    (tmp_path / "clinic.csv").write_text("set,disease\n10,a\n9,b\n")
    sets = sw.SampleSets([np.zeros((2, 1))] * 2, ids=[9, 10])
    assert read_labels(tmp_path / "clinic.csv", sets, ["disease"]).values == {"disease": ["b", "a"]}


def test_labels_of_categories_and_of_truth(tmp_path: Path) -> None:
    frame = pd.DataFrame({"set": [0, 0, 1], "kind": pd.Categorical(["u", "u", "v"]), "ill": [True, True, False]})
    frame.to_parquet(tmp_path / "labels.parquet")
    found = read_labels(tmp_path / "labels.parquet", sw.SampleSets([np.zeros((2, 1))] * 2), ["kind", "ill"])
    assert found.values == {"kind": ["u", "v"], "ill": ["True", "False"]}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("replaced", "by", "said"),
    [
        ("b,3,-3,AML", "b,3,-3,normal", "set 'b' has both 'AML' and 'normal' in column 'disease'"),
        ("b,1,-1,AML", "b,1,-1,", "set 'b' has both '' and 'AML' in column 'disease'"),
        (",normal", ",", "set 'a' has no value in column 'disease'"),
        (",AML", ",NA", r"set 'b' has no value in column 'disease' .* \(nor have 1 more\)"),
        ("disease", "illness", r"no column 'disease'.*illness"),
    ],
)
def test_labels_that_cannot_be_used(table: Path, suffix: str, replaced: str, by: str, said: str) -> None:
    sets = sets_of(table)
    table.write_text(table.read_text().replace(replaced, by))
    if suffix == ".parquet":
        pd.read_csv(table, na_values=["NA"]).to_parquet(table.with_suffix(".parquet"))
        said = said.replace("has both '' and 'AML'", "has both .* and .*")
    with pytest.raises(sw.InputError, match=said):
        read_labels(table.with_suffix(suffix), sets, ["disease"])


def test_sets_that_are_not_there(table: Path) -> None:
    path = table.with_name("clinic.csv")
    path.write_text("disease,number\nAML,a\nnormal,b\n")
    with pytest.raises(
        sw.InputError, match=r"set 'b' has no value .* \(nor have 2 more\); ids there are like AML, norm"
    ):
        read_labels(path, sets_of(table), ["number"])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.csv", None, "cannot read .*none.csv.*No such file"),
        ("labels.npz", "text", "read from a table"),
        ("folder.csv", None, "Is a directory"),
        ("empty.csv", "", "is empty"),
        ("ragged.csv", "patient,disease\na,AML\nb\n", "a row has 1 fields, the header 2"),
        ("text.parquet", "not parquet", "not a readable .parquet"),
    ],
)
def test_files_that_cannot_be_used(table: Path, name: str, content: str | None, said: str) -> None:
    table.with_name("folder.csv").mkdir()
    if content is not None:
        table.with_name(name).write_text(content)
    with pytest.raises(sw.InputError, match=said):
        read_labels(table.with_name(name), sets_of(table), ["disease"])


def test_what_a_column_asks_to_be_predicted() -> None:
    for labels, expected in (
        (["AML", "normal", "AML"], ["AML", "normal", "AML"]),
        (["0", "1", "-1"], [0, 1, -1]),
        (["007", "7", "8"], ["007", "7", "8"]),
        (["1.0", "2.0", "1.0"], ["1.0", "2.0", "1.0"]),
        (["1.5", "2", "none"], ["1.5", "2", "none"]),
        (["inf", "1.5", "2"], ["inf", "1.5", "2"]),
    ):
        found, task = as_target(labels, "disease")
        assert (found.tolist(), task) == (expected, "classes")
    found, task = as_target(["1", "2.5", "-3e1"], "age")
    assert (found.tolist(), task, found.dtype) == ([1.0, 2.5, -30.0], "numbers", np.float64)


def test_the_task_may_be_said() -> None:
    found, task = as_target(["1", "2", "3"], "age", "numbers")
    assert (found.tolist(), found.dtype, task) == ([1, 2, 3], np.float64, "numbers")
    found, task = as_target(["1.5", "2.5"], "grade", "classes")
    assert (found.tolist(), task) == (["1.5", "2.5"], "classes")
    with pytest.raises(sw.InputError, match="'old', which is no number"):
        as_target(["1", "old"], "age", "numbers")
