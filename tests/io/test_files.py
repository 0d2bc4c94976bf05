"""Files to sets and back, and every way in which a file can be wrong: one line, and nothing written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from setwise.divergences import KL, DivergenceTable
from setwise.errors import InputError
from setwise.io import read_sets, write_sets
from setwise.sets import SampleSets

KINDS = [".npz", ".csv", ".parquet"]


@pytest.fixture
def sets():
    rng = np.random.default_rng(0)
    blocks = [rng.normal(size=(n, 3)) for n in (4, 5, 6)]
    return SampleSets(blocks, ids=["a", 'b,"x', "ü"], feature_names=["u", "v", "w"])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read_back(path, by="set"):
    return read_sets(path) if str(path).endswith(".npz") else read_sets(path, by=by)


def refusal(*args, **kwargs) -> str:
    with pytest.raises(InputError) as caught:
        read_sets(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestThereAndBack:
    @pytest.mark.parametrize("kind", KINDS)
    def test_sets(self, sets, kind):
        write_sets(sets, f"s{kind}")
        assert read_back(f"s{kind}") == sets
        assert os.listdir() == [f"s{kind}"]

    @pytest.mark.parametrize("kind", KINDS)
    def test_integer_ids_and_the_name_of_the_sets_column(self, kind):
        sets = SampleSets.from_columns([30, 4, 30], {"x": [1.0, 2.0, 3.0]}, by="halo")
        write_sets(sets, f"s{kind}")
        back = read_back(f"s{kind}", by="halo")
        assert back == sets
        assert back.by == "halo"

    @pytest.mark.parametrize("kind", [".npz", ".parquet"])
    def test_float32(self, kind):
        blocks = np.random.default_rng(0).normal(size=(2, 5, 2)).astype(np.float32)
        sets = SampleSets(blocks, feature_names=["x", "y"])
        write_sets(sets, f"s{kind}")
        assert read_back(f"s{kind}").points.dtype == np.float32

    @pytest.mark.parametrize("kind", KINDS)
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
    @given(values=arrays(np.float64, (2, 3, 2), elements=st.floats(allow_nan=False, allow_infinity=False)))
    def test_every_finite_number(self, kind, values):
        sets = SampleSets(values, feature_names=["x", "y"])
        write_sets(sets, f"s{kind}")
        assert read_back(f"s{kind}") == sets

    def test_npz_without_feature_names_or_sets(self, sets):
        plain = SampleSets(list(sets))
        for one in (plain, plain[:0]):
            write_sets(one, "s.npz")
            assert read_sets("s.npz") == one

    def test_a_path_object(self, sets, tmp_path):
        write_sets(sets, tmp_path / "s.npz")
        assert read_sets(tmp_path / "s.npz") == sets


class TestNpz:
    def test_a_plain_dict_of_arrays(self):
        np.savez("s.npz", b=np.ones((3, 2)), a=np.zeros((2, 2)))
        sets = read_sets("s.npz")
        assert sets.ids == ("b", "a")
        assert sets.sizes.tolist() == [3, 2]

    def test_pickles_are_never_read(self):
        np.savez("s.npz", X=np.array([np.ones((2, 2)), np.ones((3, 2))], dtype=object))
        assert "array 'X' holds Python objects" in refusal("s.npz")

    def test_what_is_no_archive(self, sets):
        Path("text.npz").write_text("a,b\n1,2\n")
        assert "something else under that name (a text table needs .csv)" in refusal("text.npz")
        Path("empty.npz").touch()
        assert "it is empty" in refusal("empty.npz")
        np.save("one.npy", np.ones((3, 2)))
        Path("one.npy").rename("one.npz")
        assert "a single array" in refusal("one.npz")
        np.savez("none.npz")
        assert "without arrays" in refusal("none.npz")

    def test_damage_at_any_place(self, sets):
        write_sets(sets, "s.npz")
        whole = Path("s.npz").read_bytes()
        for cut in range(0, len(whole), 97):
            Path("cut.npz").write_bytes(whole[:cut])
            refusal("cut.npz")
        for at in range(0, len(whole), 97):
            Path("flipped.npz").write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
            try:
                assert read_sets("flipped.npz") == sets  # the byte was padding or a date
            except InputError as error:
                assert "\n" not in str(error)

    def test_other_layouts_and_later_versions(self):
        np.savez("table.npz", setwise="divergences 1", value=np.ones(2))
        assert "holds a setwise divergences, not sets" in refusal("table.npz")
        np.savez("later.npz", setwise="sets 2", points=np.ones((2, 2)))
        assert "layout version 2; this setwise reads up to 1. Update" in refusal("later.npz")
        np.savez("lacking.npz", setwise="sets 1", points=np.ones((2, 2)))
        assert "lacks 'offsets'" in refusal("lacking.npz")
        table = DivergenceTable({(KL(), 5): np.zeros((1, 1))}, ["a"], ["a"])
        table.save("saved.npz")
        assert "'saved.npz' holds a saved DivergenceTable, not sets" in refusal("saved.npz")

    @pytest.mark.parametrize(
        "damage",
        [
            {"offsets": np.array(["0", "2"])},
            {"offsets": np.array(2)},
            {"ids": np.array(3)},
            {"ids": np.array("a")},
            {"points": np.array(3.0)},
            {"points": np.array([["1"], ["2"]])},
            {"feature_names": np.array(3)},
        ],
    )
    def test_our_layout_with_something_else_in_it(self, damage):
        whole = {"points": np.ones((2, 1)), "offsets": np.array([0, 2]), "ids": np.array(["a"]), "by": np.array("set")}
        np.savez("s.npz", setwise="sets 1", **{**whole, **damage})
        refusal("s.npz")

    def test_table_options_are_refused(self, sets):
        write_sets(sets, "s.npz")
        assert "by and columns are for .csv and .parquet" in refusal("s.npz", by="set")


class TestCsv:
    def test_text_columns_and_unnamed_indices_are_no_features(self):
        pd.DataFrame({"p": ["a", "b"], "x": [1, 2], "t": ["u", "v"], "y": [0.5, 1.5]}).to_csv("s.csv")
        sets = read_sets("s.csv", by="p")
        assert sets.feature_names == ("x", "y")
        assert read_sets("s.csv", by="p", columns=["y"]).feature_names == ("y",)
        assert read_sets("s.csv", by="p", columns="y")[1].tolist() == [[1.5]]

    @pytest.mark.parametrize(("written", "ids"), [("10,2", (10, 2)), ("007,8", ("007", "8")), ("-1,0", (-1, 0))])
    def test_ids_are_integers_if_they_write_back_as_they_were(self, written, ids):
        Path("s.csv").write_text("p,x\n" + "".join(f"{name},1\n" for name in written.split(",")))
        assert read_sets("s.csv", by="p").ids == ids

    def test_what_spreadsheets_write(self):
        Path("s.csv").write_bytes('\ufeff\r\np, x\r\n"a, b", 1.5\r\n\r\nc,2e3\r\n'.encode())
        sets = read_sets("s.csv", by="p")
        assert sets.ids == ("a, b", "c")
        assert sets.points.tolist() == [[1.5], [2000.0]]

    def test_a_column_that_stops_being_numeric_far_down(self, monkeypatch):
        monkeypatch.setattr("setwise.io.tables._ROWS", 3)
        Path("s.csv").write_text("p,x,y\n" + "a,1,2\n" * 7 + "a,1,oops\n" * 2)
        said = "column 'y' holds no number in 2 of 9 rows, first 'oops' in row 8; mend them, or leave it out"
        assert said in refusal("s.csv", by="p")
        assert said in refusal("s.csv", by="p", columns=["x", "y"])
        assert read_sets("s.csv", by="p", columns=["x"]).sizes.tolist() == [9]

    @pytest.mark.parametrize("bad", ["-", ".", "<0.1", "1;5", "12.3.4", "1_000", "u"])
    def test_a_number_that_is_none_never_takes_its_column_along(self, bad):
        Path("s.csv").write_text(f"p,x,y\na,1,2\na,1,{bad}\n")
        assert f"column 'y' holds no number in 1 of 2 rows, first '{bad}' in row 2" in refusal("s.csv", by="p")

    @pytest.mark.parametrize("missing", ["#N/A", "n/a", "<NA>", "NaT"])
    def test_a_missing_number_is_called_one(self, missing):
        Path("s.csv").write_text(f"p,x,y\na,1,2\na,1,{missing}\n")
        assert "NaN or inf in 1 of its 2 points, columns y" in refusal("s.csv", by="p")

    def test_a_text_column_may_have_gaps_and_long_ones(self, monkeypatch):
        monkeypatch.setattr("setwise.io.tables._ROWS", 2)
        Path("s.csv").write_text("p,x,t\n" + "a,1,\n" * 4 + "a,1,u\na,1,NA\n")
        assert read_sets("s.csv", by="p").feature_names == ("x",)
        assert "column 't' holds no number in 1 of 6 rows, first 'u'" in refusal("s.csv", by="p", columns=["t"])

    def test_ids_beyond_64_bits_are_text(self):
        Path("s.csv").write_text("p,x\n123456789012345678901,1\n7,2\n")
        sets = read_sets("s.csv", by="p")
        assert sets.ids == ("123456789012345678901", "7")
        write_sets(sets, "s.npz")
        assert read_sets("s.npz") == sets

    @pytest.mark.parametrize("name", ["NA", "", " a", "a\t"])
    def test_names_that_would_not_come_back_are_not_written(self, name):
        sets = SampleSets([[[1.0]]], ids=[name])
        with pytest.raises(InputError, match=r"would not give .* back as it is; rename it, or write \.npz"):
            write_sets(sets, "s.csv")
        write_sets(sets, "s.npz")
        assert read_sets("s.npz") == sets

    def test_feature_names_that_would_not_come_back_are_not_written(self):
        for name in ("", " a"):
            with pytest.raises(InputError, match="rename it"):
                write_sets(SampleSets([[[1.0]]], feature_names=[name]), "s.csv")
        sets = SampleSets([[[1.0]]], ids=["a"], feature_names=["NA"])
        write_sets(sets, "s.csv")
        assert read_sets("s.csv", by="set") == sets

    def test_it_needs_neither_pandas_nor_pyarrow(self, sets, monkeypatch):
        for name in ("pandas", "polars", "pyarrow"):
            monkeypatch.setitem(sys.modules, name, None)
        write_sets(sets, "s.csv")
        assert read_sets("s.csv", by="set") == sets
        assert "pip install 'setwise[tables]'" in _parquet_refusal()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "is empty"),
            ("p,x\n", "no rows"),
            ("p,x,x\na,1,2\n", "two columns called 'x'"),
            ("p,x\na,1\nb\n", "a row has 1 fields, the header 2"),
            ("p,x\na,1\n,2\nNA,2\n", "2 of 3 rows have no set id"),
            ("p,x\na,1\nb,NA\nb,\n", "set 'b' has NaN or inf in 2 of its 2 points, columns x"),
            ("p,x\na,inf\n", "set 'a' has NaN or inf"),
            ('p,x\na,"1\n', "not a comma-separated table"),
            ("p,x\na,u\n", "no numeric column"),
            ("q,x\na,1\n", "no column 'p'"),
            ("p;x\na;1\n", "separates its columns by ';'; save it with commas"),
            ("p\tx\na\t1\n", r"separates its columns by '\t'"),
        ],
    )
    def test_tables_that_hold_no_sets(self, text, message):
        Path("s.csv").write_text(text)
        assert message in refusal("s.csv", by="p")

    def test_another_encoding(self):
        Path("s.csv").write_bytes("p,x\né,1\n".encode("latin-1"))
        assert "not text in UTF-8" in refusal("s.csv", by="p")


def _parquet_refusal() -> str:
    Path("s.parquet").touch()
    return refusal("s.parquet", by="p")


class TestParquet:
    def test_the_index_that_pandas_stores_is_no_feature(self):
        frame = pd.DataFrame({"p": [1, 1, 2], "x": [1.0, 2, 3]}, index=pd.Index([5, 6, 7], name="cell"))
        frame.to_parquet("s.parquet")
        assert read_sets("s.parquet", by="p").feature_names == ("x",)
        assert read_sets("s.parquet", by="p", columns=["cell", "x"]).feature_names == ("cell", "x")
        assert read_sets("s.parquet", by="cell").ids == (5, 6, 7)

    def test_damage(self, sets):
        write_sets(sets, "s.parquet")
        whole = Path("s.parquet").read_bytes()
        for cut in (0, 3, len(whole) // 2, len(whole) - 1):
            Path("cut.parquet").write_bytes(whole[:cut])
            assert "not a readable .parquet file, or is cut short" in refusal("cut.parquet", by="set")
        Path("text.parquet").write_text("p,x\na,1\n" * 10)
        assert "not a readable .parquet file" in refusal("text.parquet", by="p")


class TestTables:
    @pytest.mark.parametrize("kind", [".csv", ".parquet"])
    @pytest.mark.parametrize("several", [tuple, np.array, pd.Index, iter])
    def test_columns_of_any_kind(self, sets, kind, several):
        write_sets(sets, f"s{kind}")
        assert read_sets(f"s{kind}", by="set", columns=several(["w", "u"])).feature_names == ("w", "u")

    @pytest.mark.parametrize("kind", [".csv", ".parquet"])
    def test_columns_that_are_not_there(self, sets, kind):
        write_sets(sets, f"s{kind}")
        assert "name the column" in refusal(f"s{kind}")
        assert "the columns are: set, u, v, w" in refusal(f"s{kind}")
        assert "no column 'Set' (did you mean 'set'?); the columns are: set, u" in refusal(f"s{kind}", by="Set")
        assert "no column 'U' (did you mean 'u'?)" in refusal(f"s{kind}", by="set", columns=["v", "U"])
        assert "cannot be a feature too" in refusal(f"s{kind}", by="set", columns=["set"])


class TestFolder:
    def test_natural_order_and_stems(self):
        Path("cells").mkdir()
        for i in (1, 10, 2):
            np.save(f"cells/c_{i}.npy", np.full((3, 2), i))
        Path("cells/notes.txt").touch()
        Path("cells/._c_1.npy").touch()
        sets = read_sets("cells")
        assert sets.ids == ("c_1", "c_2", "c_10")
        assert sets[2][0, 0] == 10

    def test_files_that_are_no_arrays(self):
        Path("cells").mkdir()
        assert "no .npy files" in refusal("cells")
        np.save("cells/a.npy", np.ones((3, 2)))
        assert "not a table" in refusal("cells", by="p")
        for content in (b"", b"text", Path("cells/a.npy").read_bytes()[:-5]):
            Path("cells/bad.npy").write_bytes(content)
            assert "'cells/bad.npy' is no whole .npy array" in refusal("cells")
        np.save("cells/bad.npy", np.array([{}], dtype=object))
        assert "holds objects" in refusal("cells")
        np.save("cells/bad.npy", np.ones(4))
        assert "set 'bad' is 1-D" in refusal("cells")
        np.savez("cells/bad.npz", np.ones((3, 2)))
        Path("cells/bad.npz").rename("cells/bad.npy")
        assert "'cells/bad.npy' is no whole .npy array" in refusal("cells")

    def test_what_is_no_file_is_named(self):
        Path("cells/b.npy").mkdir(parents=True)
        np.save("cells/a.npy", np.ones((3, 2)))
        assert refusal("cells") == "cannot read 'cells/b.npy': Is a directory."
        Path("cells/b.npy").rmdir()
        Path("cells/b.npy").symlink_to("nowhere")
        assert refusal("cells") == "cannot read 'cells/b.npy': No such file or directory."

    def test_an_unreadable_folder(self, monkeypatch):
        Path("cells").mkdir()

        def refuse(self):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "iterdir", refuse)
        assert refusal("cells") == "cannot read 'cells': Permission denied."


class TestPlaces:
    @pytest.mark.parametrize("kind", [".NPZ", ".CSV", ".Parquet"])
    def test_endings_in_capitals_are_read(self, sets, kind):
        write_sets(sets, f"s{kind.lower()}")
        Path(f"s{kind.lower()}").rename(f"t{kind}")
        assert (read_sets(f"t{kind}") if kind == ".NPZ" else read_sets(f"t{kind}", by="set")) == sets

    def test_what_is_no_path(self, sets):
        assert "path is 3; give the name of a file or folder" in refusal(3)
        with pytest.raises(InputError, match="path is None"):
            write_sets(sets, None)

    def test_nothing_there_and_unknown_endings(self, sets):
        assert refusal("nowhere.csv", by="p") == "there is no file or folder 'nowhere.csv'."
        Path("s.txt").touch()
        Path("s").touch()
        assert "the ending '.txt'; sets are kept in .npz, .csv, .parquet" in refusal("s.txt")
        assert "it has no ending" in refusal("s")
        for path in ("s.txt", "s", "nowhere/s.npz", "nowhere/s.csv"):
            with pytest.raises(InputError):
                write_sets(sets, path)
        assert sorted(os.listdir()) == ["s", "s.txt"]

    @pytest.mark.parametrize("kind", KINDS)
    def test_what_cannot_be_written_leaves_the_old_file(self, sets, kind):
        Path(f"s{kind}").write_text("old")
        with pytest.raises(InputError, match="more than once"):
            write_sets(sets[[0, 0]], f"s{kind}")
        assert Path(f"s{kind}").read_text() == "old"
