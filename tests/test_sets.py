"""SampleSets: what it holds, what it refuses, how it is indexed, and that scikit-learn can split it."""

from __future__ import annotations

import copy
import pickle
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import resample

from setwise.errors import InputError
from setwise.sets import SampleSets


def ragged(sizes=(4, 5, 6), dim=3, seed=0, dtype=np.float64, **kwargs):
    rng = np.random.default_rng(seed)
    return SampleSets([rng.normal(size=(n, dim)).astype(dtype) for n in sizes], **kwargs)


members = st.integers(1, 4).flatmap(
    lambda dim: st.lists(
        st.integers(1, 6).flatmap(lambda n: arrays(np.float64, (n, dim), elements=st.floats(-9, 9, width=16))),
        min_size=1,
        max_size=6,
    )
)


class TestHolding:
    def test_what_went_in_comes_out(self):
        given = [np.arange(6.0).reshape(2, 3), np.ones((4, 3))]
        sets = SampleSets(given, ids=["a", "b"], feature_names=["x", "y", "z"])
        assert len(sets) == 2
        assert sets.shape == (2,)
        assert sets.dim == 3
        assert sets.ids == ("a", "b")
        assert sets.feature_names == ("x", "y", "z")
        assert sets.sizes.tolist() == [2, 4]
        assert sets.offsets.tolist() == [0, 2, 6]
        assert sets.sizes.dtype == sets.offsets.dtype == np.int64
        assert sets.points.flags.c_contiguous
        for one, other in zip(sets, given, strict=True):
            np.testing.assert_array_equal(one, other)

    def test_ids_count_up_when_left_out(self):
        assert ragged().ids == (0, 1, 2)

    @pytest.mark.parametrize(
        ("ids", "kept"),
        [
            (np.array([7, 3]), (7, 3)),
            (np.array(["a", "b"]), ("a", "b")),
            (["a", 1], ("a", "1")),
            ([True, False], ("True", "False")),
            (pd.Series(["u", "v"]), ("u", "v")),
            ([2**63 - 1, -(2**63)], (2**63 - 1, -(2**63))),
            ([2**63, 1], ("9223372036854775808", "1")),
            (np.array([2**63, 1], dtype=np.uint64), ("9223372036854775808", "1")),
        ],
    )
    def test_ids_are_all_integers_or_all_text(self, ids, kept):
        sets = ragged(sizes=(2, 2), ids=ids)
        assert sets.ids == kept
        assert {type(name) for name in sets.ids} == {type(kept[0])}

    @pytest.mark.parametrize(
        ("dtypes", "kept"),
        [
            ((np.float32, np.float32), np.float32),
            ((np.float32, np.float64), np.float64),
            ((np.float16, np.float16), np.float64),
            ((np.int32, np.float32), np.float64),
            ((bool, bool), np.float64),
        ],
    )
    def test_only_float32_throughout_stays_float32(self, dtypes, kept):
        assert SampleSets([np.ones((2, 2), dtype=dtype) for dtype in dtypes]).points.dtype == kept

    def test_the_given_arrays_are_copied_and_the_held_ones_read_only(self):
        mine = np.zeros((3, 2))
        sets = SampleSets([mine])
        mine[0] = 1
        assert (sets.points == 0).all()
        for held in (sets.points, sets.offsets, sets.sizes, sets[0]):
            with pytest.raises(ValueError, match="read-only"):
                held[0] = 1
        with pytest.raises(AttributeError):
            sets.ids = ("b",)

    def test_equal_sizes_as_a_list_or_as_three_dimensions(self):
        block = np.random.default_rng(0).normal(size=(4, 5, 2)).astype(np.float32)
        assert SampleSets(block) == SampleSets(list(block))
        assert SampleSets(block).points.dtype == np.float32
        assert SampleSets(block).sizes.tolist() == [5] * 4

    def test_an_object_array_of_ragged_arrays(self):
        stacked = np.empty(2, dtype=object)
        stacked[:] = [np.ones((2, 2)), np.ones((3, 2))]
        assert SampleSets(stacked).sizes.tolist() == [2, 3]

    def test_never_becomes_one_array_by_accident(self):
        with pytest.raises(InputError, match=r"\.points"):
            np.asarray(ragged(sizes=(2, 2)))

    def test_from_flat_takes_floats_without_a_copy(self):
        points = np.ones((5, 2), dtype=np.float32)
        sets = SampleSets.from_flat(points, [0, 2, 5])
        assert np.shares_memory(sets.points, points)
        assert sets == SampleSets([np.ones((2, 2)), np.ones((3, 2))])
        assert points.flags.writeable

    @pytest.mark.parametrize(
        "offsets", [[0, 2], [1, 5], [0, 3, 2, 5], [0, 2, 2, 5], [], [[0, 5]], ["0", "5"], [0.0, 2.5, 5.0], 5]
    )
    def test_from_flat_refuses_offsets_that_do_not_fit(self, offsets):
        with pytest.raises(InputError):
            SampleSets.from_flat(np.ones((5, 2)), offsets)


class TestRefusing:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([], "no sets given"),
            ("text", "arrays is a str"),
            (5, "arrays is a int"),
            (ragged(), r"arrays is SampleSets already.*list\(sets\)"),
            ({"a": np.ones((2, 2))}, r"ids=list\(arrays\)"),
            (pd.DataFrame({"x": [1.0]}), "from_frame"),
            (pa.table({"x": [1.0]}), "from_frame"),
            (np.ones((3, 4)), r"one array of shape \(3, 4\)"),
            (np.array([np.ones((2, 2))] * 3, dtype=object), "stacked by accident"),
            ([np.ones(5)], r"set 0 is 1-D with 5 values.*reshape\(-1, 1\)"),
            ([np.ones((2, 2)), np.ones((2, 2, 2))], r"set 1 has shape \(2, 2, 2\)"),
            ([np.ones((2, 2)), np.ones((0, 2))], "set 1 is empty"),
            ([[]], "set 0 is empty"),
            ([np.ones((2, 0))], "at least one column"),
            ([np.ones((2, 2)), np.ones((2, 3))], "set 1 has 3 columns; set 0 has 2"),
            ([[["a"]]], "holds <U1, not real numbers"),
            ([np.ones((2, 2), dtype=complex)], "holds complex128"),
            ([np.array([[1.0, 2.0]], dtype=object)], "holds object"),
            ([[[1, 2], [3]]], "set 0 is no"),
            ([np.ma.masked_equal([[1.0, 2.0]], 2)], "masked"),
        ],
    )
    def test_what_is_no_list_of_sets(self, given, message):
        with pytest.raises(InputError, match=message) as caught:
            SampleSets(given)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_non_finite_points_with_their_set_and_count(self, value, dtype):
        bad = np.ones((4, 2), dtype=dtype)
        bad[[1, 3], [0, 1]] = value
        expected = r"set 'b' has NaN or inf in 2 of its 4 points \(and 1 other set\); drop or impute"
        with pytest.raises(InputError, match=expected):
            SampleSets([np.ones((2, 2)), bad, bad], ids=["a", "b", "c"])
        with pytest.raises(InputError, match="columns x, y"):
            SampleSets([bad], feature_names=["x", "y"])

    def test_large_finite_values_are_fine(self):
        SampleSets([np.full((3, 2), 1e308)])

    @pytest.mark.parametrize(
        ("kwargs", "message"),
        [
            ({"ids": ["a"]}, "1 ids for 2 sets"),
            ({"ids": ["a", "a"]}, "two sets have the id 'a'"),
            ({"ids": ["1", 1]}, "two sets have the id '1'"),
            ({"ids": "ab"}, "ids is 'ab'; give a list of one id a set"),
            ({"ids": 3}, "ids is 3; give a list"),
            ({"ids": np.array(3)}, r"ids is array\(3\); give a list"),
            ({"ids": ["a", None]}, "the id at place 1 is missing: None; give every set an id"),
            ({"ids": [float("nan"), 1.0]}, "place 0 is missing: nan"),
            ({"ids": pd.array([pd.NA, 1])}, "place 0 is missing: <NA>"),
            ({"ids": pd.to_datetime(["2020-01-01", None])}, "place 1 is missing: NaT"),
            ({"ids": ["a", "a\0"]}, r"the id 'a\\x00' ends in a NUL"),
            ({"feature_names": ["x"]}, "1 feature names for 3 dimensions"),
            ({"feature_names": ["x", "y", "x"]}, "repeats a name"),
            ({"feature_names": "xyz"}, "feature_names is 'xyz'; give a list of one name a dimension"),
            ({"feature_names": 3}, "feature_names is 3"),
        ],
    )
    def test_names_that_do_not_fit(self, kwargs, message):
        with pytest.raises(InputError, match=message):
            ragged(sizes=(2, 2), **kwargs)


class TestIndexing:
    def test_an_integer_gives_the_points(self):
        sets = ragged()
        for key in (1, -2, np.int64(1)):
            assert isinstance(sets[key], np.ndarray)
            np.testing.assert_array_equal(sets[key], sets.points[4:9])
        assert np.shares_memory(sets[1], sets.points)

    @given(members, st.data())
    def test_every_other_key_chooses_as_numpy_does(self, given, data):
        sets = SampleSets(given, ids=[f"s{i}" for i in range(len(given))])
        places = np.arange(len(given))
        whole = st.integers(-len(given), len(given) - 1)
        key = data.draw(
            st.one_of(
                st.slices(len(given)),
                st.lists(whole, max_size=8),
                st.lists(whole, max_size=8).map(lambda key: np.array(key, dtype=np.int64)),
                st.lists(st.booleans(), min_size=len(given), max_size=len(given)),
                arrays(bool, len(given)),
            )
        )
        chosen = places[key if isinstance(key, slice) else np.asarray(key, dtype=None if len(key) else np.int64)]
        part = sets[key]
        assert part.ids == tuple(f"s{i}" for i in chosen)
        assert part.sizes.tolist() == [len(given[i]) for i in chosen]
        assert part.dim == sets.dim
        assert not part.points.flags.writeable
        for one, i in zip(part, chosen, strict=True):
            np.testing.assert_array_equal(one, given[i])

    @pytest.mark.parametrize("key", [slice(1, 3), slice(None), [1, 2], np.array([False, True, True, False])])
    def test_neighbouring_sets_share_memory(self, key):
        sets = ragged(sizes=(3, 4, 5, 6))
        assert np.shares_memory(sets[key].points, sets.points)

    def test_apart_sets_do_not(self):
        sets = ragged(sizes=(3, 4, 5, 6))
        assert not np.shares_memory(sets[[0, 2]].points, sets.points)

    def test_none_left(self):
        sets = ragged(feature_names=["x", "y", "z"])
        none = sets[[]]
        assert (len(none), none.dim, none.ids, none.feature_names) == (0, 3, (), ("x", "y", "z"))
        assert none == sets[5:]
        assert repr(none) == "<SampleSets: 0 sets in 3 dimensions (x, y, z); no duplicate points; float64>"

    @pytest.mark.parametrize(
        "key", [3, -4, [5], [0.5], "a", None, np.array([True, False]), np.zeros((2, 2), dtype=int), True]
    )
    def test_what_is_no_index(self, key):
        with pytest.raises(IndexError):
            ragged()[key]


class TestComparing:
    def test_equal_means_points_sizes_ids_and_names(self):
        sets = ragged(ids=["a", "b", "c"])
        assert sets == ragged(ids=["a", "b", "c"])
        assert sets == sets[[2, 1, 0]][::-1]
        assert sets != ragged(ids=["a", "b", "d"])
        assert sets != ragged(ids=["a", "b", "c"], seed=1)
        assert sets != ragged(ids=["a", "b", "c"], feature_names=["x", "y", "z"])
        assert SampleSets.from_flat(np.ones((5, 1)), [0, 2, 5]) != SampleSets.from_flat(np.ones((5, 1)), [0, 3, 5])
        assert sets != [1]

    def test_is_not_hashable(self):
        with pytest.raises(TypeError):
            hash(ragged())

    def test_pickles_and_copies_stay_read_only(self):
        sets = ragged(sizes=(3, 4, 500), ids=["a", "b", "c"], feature_names=["x", "y", "z"])
        for back in (pickle.loads(pickle.dumps(sets)), copy.deepcopy(sets), copy.copy(sets)):
            assert back == sets
            assert not back.points.flags.writeable
        assert len(pickle.dumps(sets[:2])) < 2_000

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_pickles_sets_that_repeat_and_none_at_all(self, protocol):
        sets = ragged(sizes=(3, 4), ids=[7, 8])
        for some in (sets[[1, 0, 1]], sets[[]]):
            assert pickle.loads(pickle.dumps(some, protocol)) == some

    @pytest.mark.parametrize(
        ("part", "wrong", "said"),
        [
            ("offsets", [0, 3, 900], "must rise from 0 to 7"),
            ("offsets", [0, -3, 7], "must rise"),
            ("points", np.full((7, 3), np.nan), "NaN"),
            ("ids", np.array(["a"]), "1 ids for 2 sets"),
        ],
    )
    def test_a_state_that_was_tampered_with_is_refused(self, part, wrong, said):
        state = ragged(sizes=(3, 4)).__getstate__()
        with pytest.raises(InputError, match=said):
            SampleSets.__new__(SampleSets).__setstate__(state | {part: wrong})


class TestPrinting:
    def test_sets_dimension_sizes_and_duplicates(self):
        sets = SampleSets([np.zeros((3, 2)), np.arange(4.0).reshape(2, 2), [[1.0, 2.0], [1.0, 2.0]]])
        assert repr(sets) == (
            "<SampleSets: 3 sets in 2 dimensions; 2 to 3 points each (7 in all); 3 duplicate points in 2 sets; float64>"
        )
        names = [f"PC{j}" for j in range(8)]
        assert "(PC0, PC1, PC2, PC3, PC4, PC5, ...); 5 points" in repr(ragged((5,), dim=8, feature_names=names))

    @given(members)
    def test_duplicates_are_counted_within_each_set(self, given):
        assert SampleSets(given).duplicates.tolist() == [len(one) - len(np.unique(one, axis=0)) for one in given]

    def test_duplicates_of_negative_zero_and_of_float32(self):
        assert SampleSets([[[0.0, 1.0], [-0.0, 1.0]]]).duplicates.tolist() == [1]
        rounded = np.random.default_rng(0).normal(size=(3, 2_000, 2)).round(1).astype(np.float32)
        assert SampleSets(rounded).duplicates.tolist() == [2_000 - len(np.unique(one, axis=0)) for one in rounded]

    def test_printing_never_takes_long(self, monkeypatch):
        monkeypatch.setattr("setwise.sets._DUPLICATES_SHOWN_UP_TO", 10)
        sets = ragged()
        assert "not counted yet" in repr(sets)
        assert sets.duplicates.tolist() == [0, 0, 0]
        assert "no duplicate points" in repr(sets)


FRAME = pd.DataFrame(
    {
        "x": [1, 2, 3, 4],
        "patient": ["b", "b", "a", "b"],
        "y": [1.5, 2.5, 3.5, 4.5],
        "text": list("wxyz"),
        "flag": [True, False, True, False],
    }
)
FRAMES = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "lazy": pl.from_pandas(FRAME).lazy(),
    "pyarrow": pa.Table.from_pandas(FRAME),
    "categories": FRAME.astype({"patient": "category"}),
    "nullable": FRAME.convert_dtypes(),
}


class TestFrames:
    @pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
    def test_every_numeric_column_in_order_of_first_appearance(self, frame):
        sets = SampleSets.from_frame(frame, by="patient")
        assert sets.ids == ("b", "a")
        assert sets.feature_names == ("x", "y")
        assert sets[0].tolist() == [[1, 1.5], [2, 2.5], [4, 4.5]]
        assert sets[1].tolist() == [[3, 3.5]]

    @pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
    def test_chosen_columns_keep_their_order(self, frame):
        assert SampleSets.from_frame(frame, by="patient", columns=["y", "x"])[1].tolist() == [[3.5, 3]]
        assert SampleSets.from_frame(frame, by="patient", columns="y").feature_names == ("y",)

    @pytest.mark.parametrize("several", [tuple, np.array, pd.Index, iter])
    def test_columns_of_any_kind(self, several):
        assert SampleSets.from_frame(FRAME, by="patient", columns=several(["y", "x"])).feature_names == ("y", "x")

    def test_columns_that_are_named_by_numbers(self):
        sets = SampleSets.from_frame(pd.DataFrame([["b", 1, 1.5], ["a", 2, 2.5]]), by=0)
        assert (sets.ids, sets.feature_names, sets.by) == (("b", "a"), ("1", "2"), "0")
        assert sets[1].tolist() == [[2, 2.5]]

    @pytest.mark.parametrize(
        ("kwargs", "message"),
        [
            ({"by": "patient", "columns": 5}, "columns is 5; give a list of column names"),
            ({"by": "Patient"}, "no column 'Patient' .did you mean 'patient'.*the columns are: x, patient"),
            ({"by": "patient", "columns": ["x", "z"]}, "no column 'z'"),
            ({"by": "patient", "columns": ["x", "text"]}, "not numeric: text;.*Numeric are: x, y"),
            ({"by": "patient", "columns": ["flag"]}, "not numeric: flag"),
            ({"by": "patient", "columns": ["patient"]}, "holds the set ids"),
            ({"by": "patient", "columns": ["x", "x"]}, "twice"),
        ],
    )
    @pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
    def test_columns_that_cannot_be_used(self, frame, kwargs, message):
        with pytest.raises(InputError, match=message):
            SampleSets.from_frame(frame, **kwargs)

    @pytest.mark.parametrize(
        "keys", [["b", None, "a", "b"], [1.0, np.nan, 2.0, 1.0], pd.to_datetime(["2020-01-01", None] * 2)]
    )
    @pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
    def test_missing_set_ids_are_refused(self, keys, convert):
        frame = convert(FRAME.assign(patient=keys))
        with pytest.raises(InputError, match="of 4 rows have no set id in column 'patient'"):
            SampleSets.from_frame(frame, by="patient")

    def test_a_float_nan_that_polars_does_not_call_null(self):
        frame = pl.DataFrame({"p": [1.0, float("nan")], "x": [1.0, 2.0]})
        with pytest.raises(InputError, match="1 of 2 rows have no set id"):
            SampleSets.from_frame(frame, by="p")

    @pytest.mark.parametrize(
        "frame",
        [
            FRAME.assign(x=[1, np.nan, 2, 3]),
            FRAME.assign(x=pd.array([1, None, 2, 3], dtype="Int64")),
            pl.from_pandas(FRAME).with_columns(x=pl.Series([1, None, 2, 3])),
            pa.table({"patient": list("bbab"), "x": [1, None, 2, 3]}),
        ],
    )
    def test_missing_numbers_are_refused_with_the_set(self, frame):
        with pytest.raises(InputError, match="set 'b' has NaN or inf in 1 of its 3 points, columns x"):
            SampleSets.from_frame(frame, by="patient")

    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            ([1, 2], "cannot be read as a table"),
            (FRAME.iloc[:0], "no rows"),
            (FRAME[["patient", "text"]], "no numeric column beside 'patient'"),
            (pd.DataFrame([[1, 2, 3]], columns=["patient", "x", "x"]), "cannot be read as a table: .*'x' 2 times"),
            (pd.DataFrame({"patient": [["a"], ["b"]], "x": [1, 2]}), "ids in 'patient' cannot be used: unhashable"),
        ],
    )
    def test_frames_that_hold_no_sets(self, frame, message):
        with pytest.raises(InputError, match=message) as caught:
            SampleSets.from_frame(frame, by="patient")
        assert "\n" not in str(caught.value)

    def test_ids_keep_integers_and_spell_the_rest(self):
        frame = pd.DataFrame({"p": [3, 1], "d": [date(2020, 1, 2), date(2020, 1, 3)], "x": [1.0, 2.0]})
        assert SampleSets.from_frame(frame, by="p").ids == (3, 1)
        assert SampleSets.from_frame(frame, by="d", columns=["x"]).ids == ("2020-01-02", "2020-01-03")

    def test_float32_columns_are_not_doubled(self):
        frame = pl.DataFrame({"p": [1, 1], "x": [1.0, 2.0], "y": [1.0, 2.0]}, schema_overrides={"x": pl.Float32})
        assert SampleSets.from_frame(frame, by="p").points.dtype == np.float64
        assert SampleSets.from_frame(frame, by="p", columns=["x"]).points.dtype == np.float32

    @pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
    @pytest.mark.parametrize("ids", [["a", "b", "c"], [10, 7, 8], [2**64, 7, 8]])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_there_and_back(self, backend, ids, dtype):
        sets = ragged(ids=ids, feature_names=["x", "y", "z"], dtype=dtype)
        back = SampleSets.from_frame(sets.to_frame(backend), by="set")
        assert back == sets
        assert back.points.dtype == dtype

    def test_the_sets_column_keeps_its_name(self):
        frame = SampleSets.from_frame(FRAME, by="patient")[::-1].to_frame()
        assert isinstance(frame, pd.DataFrame)
        assert frame.to_dict("list") == {"patient": list("abbb"), "x": [3, 1, 2, 4], "y": [3.5, 1.5, 2.5, 4.5]}
        assert list(ragged().to_frame().columns) == ["set", "x0", "x1", "x2"]

    def test_what_a_frame_cannot_hold(self):
        with pytest.raises(InputError, match="set 0 is here more than once"):
            ragged()[[0, 0, 1]].to_frame()
        with pytest.raises(InputError, match="both called 'set'"):
            ragged(dim=1, feature_names=["set"]).to_frame()
        with pytest.raises(InputError, match="backend 'excel'"):
            ragged().to_frame("excel")


class NearestMean(ClassifierMixin, BaseEstimator):
    """As little of an estimator on sets as there can be."""

    def __init__(self, shrink: float = 0.0):
        self.shrink = shrink

    def fit(self, X: SampleSets, y):
        assert isinstance(X, SampleSets)
        self.classes_ = np.unique(y)
        means = self._means(X)
        self.centres_ = np.array([means[y == one].mean(0) * (1 - self.shrink) for one in self.classes_])
        return self

    def predict(self, X: SampleSets):
        assert isinstance(X, SampleSets)
        return self.classes_[((self._means(X)[:, None] - self.centres_) ** 2).sum(-1).argmin(1)]

    @staticmethod
    def _means(X: SampleSets):
        return np.array([points.mean(0) for points in X])


class TestScikitLearn:
    @pytest.fixture(params=["ragged", "equal sizes"])
    def data(self, request):
        rng = np.random.default_rng(0)
        y = np.arange(30) % 2
        sizes = rng.integers(5, 20, 30) if request.param == "ragged" else np.full(30, 10)
        sets = SampleSets([rng.normal(5 * label, size=(n, 2)) for n, label in zip(sizes, y, strict=True)])
        return sets, y

    def test_train_test_split(self, data):
        sets, y = data
        train, test, y_train, y_test = train_test_split(sets, y, test_size=0.3, random_state=0, stratify=y)
        assert isinstance(train, SampleSets)
        assert sorted(train.ids + test.ids) == list(sets.ids)
        assert [y[i] for i in train.ids] == y_train.tolist()
        assert [y[i] for i in test.ids] == y_test.tolist()

    @pytest.mark.parametrize("splitter", [KFold(5), StratifiedKFold(3, shuffle=True, random_state=0)])
    def test_splitters(self, data, splitter):
        sets, y = data
        for train, test in splitter.split(sets, y):
            assert sets[train].ids == tuple(train.tolist())
            assert len(sets[train]) + len(sets[test]) == len(sets)

    def test_cross_validation_in_a_pipeline(self, data):
        model = make_pipeline(FunctionTransformer(validate=False), NearestMean())
        assert (cross_val_score(model, *data, cv=3, error_score="raise") == 1).all()

    def test_grid_search(self, data):
        search = GridSearchCV(NearestMean(), {"shrink": [0.0, 0.1]}, cv=3, error_score="raise").fit(*data)
        assert search.best_score_ == 1

    def test_in_other_processes(self, data):
        assert (cross_val_score(NearestMean(), *data, cv=2, n_jobs=2, error_score="raise") == 1).all()

    def test_a_bootstrap_repeats_sets(self, data):
        again, y = resample(*data, random_state=0)
        assert isinstance(again, SampleSets)
        assert len(set(again.ids)) < len(again.ids) == len(y)
