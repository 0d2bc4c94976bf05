"""What may be passed, what is refused, what is warned of, and what is kept."""

import json
import os
import warnings

import numpy as np
import pytest

import setwise as sw
from setwise.divergences import scale_free
from setwise.divergences.checks import as_bytes, as_ks, as_n_jobs
from setwise.progress import watched_by
from tests.divergences.examples import EVERY, atoms, gaussian_sets


def one_line(error):
    assert "\n" not in str(error.value)
    return str(error.value)


def test_lists_of_arrays_and_spellings_are_taken():
    sets = gaussian_sets()
    expected = sw.pairwise_divergences(sets, divergence=sw.KL(), k=4)
    assert expected.shape == (3, 3)
    assert expected.dtype == np.float64
    np.testing.assert_array_equal(sw.pairwise_divergences(list(sets), None, "kl", k=4), expected)
    table = sw.divergence_table(list(sets), divergences="kl", k=4)
    np.testing.assert_array_equal(table["KL", 4], expected)
    assert table.ids_x == table.ids_y == (0, 1, 2)


def test_the_default_is_renyi():
    sets = gaussian_sets()
    np.testing.assert_array_equal(sw.pairwise_divergences(sets), sw.divergence_table(sets)[sw.Renyi(0.9), 5])


def test_repeated_requests_are_answered_once():
    table = sw.divergence_table(gaussian_sets(), divergences=["kl", sw.KL(), "renyi:.9"], k=(5, 3, 5))
    assert table.divergences == (sw.KL(), sw.Renyi(0.9))
    assert table.ks == (5, 3)


@pytest.mark.parametrize("both_sides", [False, True])
def test_too_few_points_name_the_set_and_the_remedy(both_sides):
    sets = sw.SampleSets([np.ones((9, 2)), np.ones((4, 2))], ids=["img_06", "img_07"])
    with pytest.raises(sw.InputError) as error:
        sw.pairwise_divergences(*((sets[:1], sets) if both_sides else (sets,)))
    assert one_line(error) == "set 'img_07' has 4 points; k=5 needs at least 6. Lower k or drop the set."


def test_too_few_points_in_several_sets():
    with pytest.raises(sw.InputError) as error:
        sw.pairwise_divergences([np.ones((n, 2)) for n in (3, 9, 4, 1)])
    assert "set 0 has 3 points (2 other sets have too few as well); k=5 needs at least 6." in one_line(error)


def test_dimensions_must_agree():
    with pytest.raises(sw.InputError, match="set 0 of Y has 3 columns; set 0 of X has 2"):
        sw.pairwise_divergences([np.ones((9, 2))], [np.ones((9, 3))])


@pytest.mark.parametrize("k", [0, -1, 2.5, 5.0, True, "5", [], [5, 0]])
def test_bad_k(k):
    with pytest.raises(sw.InputError, match="k"):
        sw.divergence_table(gaussian_sets(), divergences=["kl"], k=k)


def test_ks():
    assert as_ks(np.int64(3)) == (3,)
    assert as_ks(range(1, 4)) == (1, 2, 3)
    assert as_ks(np.array([5, 1])) == (5, 1)


@pytest.mark.parametrize("divergences", [[], ["nothing"], [sw.KL], sw.KL, [5], 5])
def test_bad_divergences(divergences):
    with pytest.raises(sw.InputError) as error:
        sw.divergence_table(gaussian_sets(), divergences=divergences)
    one_line(error)


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True, "all"])
def test_bad_n_jobs(n_jobs):
    with pytest.raises(sw.InputError, match="n_jobs"):
        sw.pairwise_divergences(gaussian_sets(), n_jobs=n_jobs)


def test_threads():
    assert as_n_jobs(None) is as_n_jobs(-1) is None
    assert as_n_jobs(np.int64(2)) == 2


@pytest.mark.parametrize(
    ("text", "size"),
    [(None, None), (1000, 1000), ("500MB", 5 * 10**8), ("1.5 GiB", 3 * 2**29), ("64k", 64000), ("12", 12)],
)
def test_memory(text, size):
    assert as_bytes(text) == size


@pytest.mark.parametrize("memory", ["much", "-5MB", 0, "0", 1.5, "5 XB", True])
def test_bad_memory(memory):
    with pytest.raises(sw.InputError, match="memory="):
        sw.pairwise_divergences(gaussian_sets(), memory=memory)


def test_bad_ties_and_no_sets():
    with pytest.raises(sw.InputError, match="ties='drop'"):
        sw.pairwise_divergences(gaussian_sets(), ties="drop")
    with pytest.raises(sw.InputError, match="no sets"):
        sw.pairwise_divergences(gaussian_sets()[:0])


@pytest.mark.parametrize(("name", "k"), [("l2", 1), ("linear", 1), ("l2:cross", 2), ("renyi:4", 3)])
def test_k_for_which_no_estimator_exists(name, k):
    with pytest.raises(sw.InputError, match=f"k={k} is too small for {name}.*from k={k + 1} on"):
        sw.pairwise_divergences(gaussian_sets(), divergence=name, k=k)


def test_the_diagonal_may_need_a_larger_k():
    sets = gaussian_sets()
    with pytest.warns(sw.ConditionWarning):
        sw.pairwise_divergences(sets[:1], sets[1:], "alphabeta:1:1", k=2)
    with pytest.warns(sw.ConditionWarning, match=r"against itself .* nan: alphabeta:1:1 \(k < 3\)"):
        values = sw.pairwise_divergences(sets, divergence="alphabeta:1:1", k=2)
    assert np.isnan(np.diag(values)).all() and np.isfinite(values[~np.eye(3, dtype=bool)]).all()
    with pytest.warns(sw.ConditionWarning, match="consistent") as caught_:
        assert np.isfinite(sw.pairwise_divergences(sets, divergence="alphabeta:1:1", k=3)).all()
    assert "nan" not in str(caught_[0].message)


def caught(category, *arguments, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = sw.divergence_table(*arguments, **options)
    chosen = [warning for warning in found if issubclass(warning.category, sw.SetwiseWarning)]
    assert all("\n" not in str(warning.message) for warning in chosen)
    assert all(warning.filename == __file__ for warning in chosen)
    assert result.diagnostics["warnings"] == [str(warning.message) for warning in chosen]
    mine = [str(warning.message) for warning in chosen if warning.category is category]
    return mine, result


def test_the_condition_on_k_is_warned_of_once():
    said, _ = caught(sw.ConditionWarning, gaussian_sets(), divergences=EVERY, k=(3, 4, 10))
    assert len(said) == 1
    assert "l2 (k > 3)" in said[0]
    assert "l2:cross (k > 5)" in said[0]
    assert "kl" not in said[0]
    assert caught(sw.ConditionWarning, gaussian_sets(), divergences=["renyi:.9", "kl", "js"], k=2)[0] == []


def test_unequal_sizes_are_warned_of_once():
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(size, 5)) for size in (20, 20, 81)]
    said, _ = caught(sw.SizeWarning, sets, divergences=["renyi:.9", "kl", "kl:matched", "linear"], k=(4, 6))
    assert len(said) == 1
    assert "from 20 to 81 in 5 dimensions, which biases renyi:0.9, kl by size" in said[0]
    assert "renyi:0.9:matched, kl:matched" in said[0]
    assert caught(sw.SizeWarning, sets, divergences=["kl:matched", "js"])[0] == []
    assert caught(sw.SizeWarning, sets[:2], divergences=["kl"])[0] == []
    assert caught(sw.SizeWarning, [points[:, :4] for points in sets], divergences=["kl"], k=(4, 6))[0] == []
    assert len(caught(sw.SizeWarning, sets[:1], sets[2:], divergences=["kl"])[0]) == 1


def tied_sets():
    rng = np.random.default_rng(0)
    repeated = np.repeat(rng.normal(size=(5, 2)), 7, axis=0)
    return sw.SampleSets([rng.normal(size=(30, 2)), repeated, repeated + 1], ids=["whole", "double", "triple"])


def test_ties_are_warned_of_once_with_counts_and_ids():
    divergences = ["renyi:.9", "kl", "js", "kl:matched", "linear", "alphabeta:0.2:0.3"]
    said, table = caught(sw.TieWarning, tied_sets(), divergences=divergences, k=(4, 5))
    assert len(said) == 1
    assert "60 points repeat one of their own set, in set 'double' (30), 'triple' (30)" in said[0]
    assert "70 coincide with their neighbour k=5, in set 'double' (35), 'triple' (35)" in said[0]
    assert table.diagnostics["ties"] == {"double": 35, "triple": 35}
    assert table.diagnostics["repeated"] == {"double": 30, "triple": 30}
    assert table.diagnostics["shared"] == {}
    assert all(np.isfinite(table[name, k]).all() for name in divergences for k in (4, 5))


def test_ties_of_y_are_counted_too():
    said, table = caught(sw.TieWarning, gaussian_sets(dim=2), tied_sets()[1:], divergences=["kl", "js"])
    assert len(said) == 1
    assert table.diagnostics["ties"] == {}
    assert table.diagnostics["ties_y"] == {"double": 35, "triple": 35}
    assert table.diagnostics["repeated_y"] == {"double": 30, "triple": 30}


def test_ties_of_x_and_y_are_told_apart_under_one_id():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 30, 2))
    x, y = np.concatenate([x, x[:3]]), np.concatenate([y, y[:7]])
    said, table = caught(sw.TieWarning, [x], [y], divergences=["kl"], k=1)
    assert "10 points repeat one of their own set, in set 0 (3) of X, 0 (7) of Y" in said[0]
    assert "20 coincide with their neighbour k=1, in set 0 (6) of X, 0 (14) of Y" in said[0]
    assert table.diagnostics["repeated"] == {"0": 3} and table.diagnostics["repeated_y"] == {"0": 7}
    assert table.diagnostics["ties"] == {"0": 6} and table.diagnostics["ties_y"] == {"0": 14}


def test_many_ties_recommend_the_matched_form():
    said, _ = caught(sw.TieWarning, tied_sets(), divergences=["kl", "renyi:.5", "js"])
    assert 'So many bias kl, renyi:0.5: use radius="matched" (kl:matched, renyi:0.5:matched), or a larger k.' in said[0]
    assert "matched" not in caught(sw.TieWarning, tied_sets(), divergences=["kl:matched", "linear"])[0][0]
    rng = np.random.default_rng(0)
    few = [np.concatenate([points, points[:2]]) for points in rng.normal(size=(2, 30, 2))]
    assert "matched" not in caught(sw.TieWarning, few, divergences=["kl"])[0][0]


@pytest.mark.parametrize("ties", ["repeated", "shared", "shared with y", "one point"])
def test_ties_may_be_refused(ties):
    sets, y = gaussian_sets(), None
    if ties == "repeated":
        sets = tied_sets()
    elif ties == "shared":
        sets = sw.SampleSets([sets[0], np.concatenate([sets[1], sets[0][:3]])], ids=["double", "other"])
    elif ties == "shared with y":
        sets, y = sw.SampleSets([sets[0]], ids=["double"]), gaussian_sets()
    else:
        sets = sw.SampleSets([np.ones((9, 3)), sets[0]], ids=["double", "other"])
    with pytest.raises(sw.InputError, match=r"'double' \(.*ties='warn'"):
        sw.pairwise_divergences(sets, y, ties="error")
    assert len(caught(sw.TieWarning, sets, y, divergences=["js", "kl:matched"])[0]) == 1


def test_sets_without_ties_are_not_refused():
    other = gaussian_sets(seed=7)
    assert np.isfinite(sw.pairwise_divergences(gaussian_sets(), ties="error")).all()
    assert np.isfinite(sw.pairwise_divergences(gaussian_sets(), other, ties="error")).all()


def test_shared_points_are_warned_of():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(200, 3)).astype(np.float32)
    sets = sw.SampleSets([y[:80], y, rng.normal(size=(50, 3)).astype(np.float32)], ids=["part", "whole", "other"])
    divergences = ["kl", "renyi:.5", "js", "linear", "l2"]
    said, table = caught(sw.TieWarning, sets, divergences=divergences)
    assert "160 points are in a set that theirs is compared to, in set 'part' (80), 'whole' (80)" in said[0]
    assert all(np.isfinite(table[name, 5]).all() for name in divergences)
    said, table = caught(sw.TieWarning, sets[:1], [y.astype(float)], divergences=divergences, k=5)
    assert table.diagnostics["shared"] == {"part": 80}
    assert caught(sw.TieWarning, sets[2:], sets[:2], divergences=divergences)[0] == []


def test_constant_sets_are_finite_where_a_ratio_is():
    rng = np.random.default_rng(0)
    sets = [np.ones((9, 2)), np.ones((12, 2)), np.zeros((10, 2)), rng.normal(size=(30, 2))]
    free = [one for one in EVERY if scale_free(one)]
    _, table = caught(sw.TieWarning, sets, divergences=free, k=6)
    assert all(np.isfinite(table[one, 6]).all() for one in free)


def test_an_atom_is_an_infinite_density():
    """Of one, same, elsewhere, half, none: int p q is infinite where both are one and the same point."""
    said, table = caught(sw.RangeWarning, atoms(), divergences=["linear", "l2", "alphabeta:-0.5:0.2"])
    assert len(said) == 1
    assert "a density is infinite: linear (5), l2 (" in said[0]
    assert np.argwhere(np.isinf(table["linear", 5])).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]
    distance = table["l2", 5]
    assert distance[0, 1] == distance[1, 0] == 0
    assert (np.isposinf(distance[:3]) | (distance[:3] == 0)).all() and np.isfinite(distance[3:, 3:]).all()
    assert table["alphabeta:-0.5:0.2", 5][0, 1] == table["alphabeta:-0.5:0.2", 5][0, 0] == 0


def test_many_clearly_negative_estimates_are_warned_of_once():
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(size, 10)) for size in (50, 50, 50, 600, 600, 600)]
    said, _ = caught(sw.RangeWarning, sets, divergences=["kl", "hellinger", "kl:matched", "js"], k=(4, 6))
    assert len(said) == 1
    assert "kl (" in said[0]
    assert "matched (" not in said[0]
    assert "js (" not in said[0]
    assert 'radius="matched" may help (kl:matched, hellinger:matched), or a larger k.' in said[0]


def test_a_form_that_is_used_already_is_not_recommended():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 2))
    sets = [points[rng.permutation(60)[:55]] for _ in range(4)]  # nearly the same points: too alike for two samples
    said, table = caught(sw.RangeWarning, sets, divergences=["kl:matched", "js"], k=1)
    assert (table["kl:matched", 1] < 0).any()
    assert said == [
        f"many estimates are clearly negative: {said[0].split(': ')[1].split(';')[0]}; a larger k may help."
    ]


def test_a_null_is_no_reason_for_a_warning():
    """Equal distributions: half of the estimates are negative, none of them clearly."""
    rng = np.random.default_rng(1)
    sets = [rng.normal(size=(60, 3)) for _ in range(8)]
    said, table = caught(sw.RangeWarning, sets, divergences=["kl", "renyi:.5", "hellinger", "tsallis:.9", "js"])
    assert said == []
    assert (table["kl", 5] < 0).mean() > 0.2


def test_progress_is_reported():
    seen = []
    sw.divergence_table(gaussian_sets(), progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert seen[-1][0] == seen[-1][1]
    sw.divergence_table(gaussian_sets(), progress=True)


def test_progress_is_reported_to_who_watches():
    seen = []
    with watched_by(lambda done, total: seen.append((done, total))):
        sw.KNNDivergence().fit_transform(gaussian_sets())
        assert seen and seen[-1][0] == seen[-1][1]
        seen.clear()
        sw.divergence_table(gaussian_sets(), progress=False)
        sw.divergence_table(gaussian_sets(), progress=lambda done, total: None)
    sw.KNNDivergence().fit_transform(gaussian_sets())
    assert not seen


def test_diagnostics_say_what_was_done():
    table = sw.divergence_table(gaussian_sets(), divergences=["kl"], k=(3, 5), n_jobs=1, memory="500MB")
    said = table.diagnostics
    assert said["setwise"] == sw.__version__
    assert said["parameters"] == {
        "divergences": ["kl"],
        "k": [3, 5],
        "n_jobs": 1,
        "memory": 500_000_000,
        "ties": "warn",
    }
    assert said["sets"] == [3, 3]
    assert said["sizes_x"] == [40, 70]
    assert said["against_itself"]
    assert said["ties"] == {}
    assert said["warnings"] == []
    assert 0 < said["search_seconds"] <= said["seconds"]
    assert "safe_path" in said
    assert "path" in said


def test_a_table_is_read_only_and_says_what_it_has():
    table = sw.divergence_table(gaussian_sets(), gaussian_sets((30, 31), seed=5), divergences=["kl", "js"], k=(3, 5))
    assert table.shape == (3, 2)
    assert repr(table).startswith("<DivergenceTable: 3 x 2 sets; kl, js; k = 3, 5; ")
    with pytest.raises(ValueError, match="read-only"):
        table["kl", 3][0, 0] = 1
    values = sw.pairwise_divergences(gaussian_sets(), divergence="kl")
    np.fill_diagonal(values, 1)
    with pytest.raises(sw.InputError, match=r"no renyi:0.9 at k=5; it has kl, js at k = 3, 5"):
        table["renyi:.9", 5]
    with pytest.raises(sw.InputError, match="at k=4"):
        table["kl", 4]
    with pytest.raises(sw.InputError, match=r"table\['kl', 5\]"):
        table["kl"]


@pytest.mark.parametrize("ids", [["a", "b", "c"], [7, 8, 9]])
def test_saved_tables_come_back(tmp_path, ids):
    sets = sw.SampleSets(list(gaussian_sets()), ids=ids)
    with pytest.warns(sw.ConditionWarning):
        table = sw.divergence_table(sets, gaussian_sets((30, 41), shift=1, seed=9), divergences=EVERY, k=(4, 6))
    path = tmp_path / "table.npz"
    table.save(path)
    assert os.listdir(tmp_path) == ["table.npz"]
    back = sw.DivergenceTable.load(path)
    assert back.divergences == table.divergences
    assert back.ks == table.ks
    assert back.ids_x == table.ids_x == tuple(ids)
    assert back.ids_y == table.ids_y == ("s0", "s1")
    assert back.diagnostics == table.diagnostics
    for divergence in EVERY:
        for k in (4, 6):
            np.testing.assert_array_equal(back[divergence, k], table[divergence, k])


def test_unreadable_files_are_named(tmp_path):
    table = sw.divergence_table(gaussian_sets(), divergences=["kl"])
    table.save(tmp_path / "table.npz")
    whole = (tmp_path / "table.npz").read_bytes()
    (tmp_path / "text.npz").write_text("not an archive")
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    np.savez(tmp_path / "header.npz", header=np.array('{"format": "another"}'))
    np.savez(tmp_path / "newer.npz", header=np.array('{"format": "setwise.DivergenceTable", "version": 99}'))
    np.save(tmp_path / "array.npy", np.ones(3))
    with np.load(tmp_path / "table.npz") as stored:
        arrays = dict(stored)
    header = json.loads(str(arrays["header"]))
    wrong = [{"version": "x"}, {"version": None}, {"ks": 5}, {"ks": None}, {"diagnostics": 3}, {"divergences": [5]}]
    changed = [arrays | {"header": np.array(json.dumps(header | one))} for one in wrong]
    changed += [arrays | {"kl|5": np.ones((2, 2))}, arrays | {"ids_y": arrays["ids_y"][:2]}]
    for i, one in enumerate(changed):
        np.savez(tmp_path / f"malformed{i}.npz", **one)
        with pytest.raises(sw.InputError) as error:
            sw.DivergenceTable.load(tmp_path / f"malformed{i}.npz")
        one_line(error)
    for name in ("text.npz", "half.npz", "other.npz", "header.npz", "newer.npz", "array.npy", "absent.npz", "."):
        with pytest.raises(sw.InputError) as error:
            sw.DivergenceTable.load(tmp_path / name)
        assert f"{os.fspath(tmp_path / name)}'" in one_line(error)


def test_tables_are_saved_as_npz_in_a_folder_that_exists(tmp_path):
    table = sw.divergence_table(gaussian_sets(), divergences=["kl"])
    with pytest.raises(sw.InputError, match=r"ends in \.npz"):
        table.save(tmp_path / "table.csv")
    with pytest.raises(sw.InputError):
        table.save(tmp_path / "nowhere" / "table.npz")
    assert os.listdir(tmp_path) == []


def test_a_saved_table_holds_what_it_says(tmp_path):
    sw.divergence_table(gaussian_sets(), divergences=["kl"]).save(tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as stored:
        assert sorted(stored) == ["header", "ids_x", "ids_y", "kl|5"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("which", ["bootstrap", "set"])
def test_frames_lose_no_column(backend, which):
    pytest.importorskip(backend)
    sets = gaussian_sets()
    y = sets[[0, 0, 1]] if which == "bootstrap" else sw.SampleSets(list(sets), ids=["a", "set", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sw.TieWarning)
        table = sw.divergence_table(sets, y, divergences=["kl"])
    if backend == "pandas":
        np.testing.assert_array_equal(table.to_frame("kl", 5), table["kl", 5])
        return
    twice = "s0" if which == "bootstrap" else "set"
    with pytest.raises(sw.InputError, match=f"two columns would be called '{twice}'.*backend='pandas'"):
        table.to_frame("kl", 5, backend=backend)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_labelled_frames(backend):
    pytest.importorskip(backend)
    sets = gaussian_sets()
    table = sw.divergence_table(sets, gaussian_sets((30, 31), seed=5), divergences=["kl"])
    frame = table.to_frame("kl", 5, backend=backend)
    if backend == "pandas":
        assert list(frame.index) == ["s0", "s1", "s2"]
        assert list(frame.columns) == ["s0", "s1"]
        np.testing.assert_array_equal(frame.to_numpy(), table["kl", 5])
    else:
        names = list(frame.columns) if backend == "polars" else frame.column_names
        assert names == ["set", "s0", "s1"]
        assert frame["set"].to_pylist() == ["s0", "s1", "s2"] if backend == "pyarrow" else frame["set"].to_list()
        np.testing.assert_array_equal(frame["s1"].to_numpy(), table["kl", 5][:, 1])


def test_an_unknown_backend_is_named():
    table = sw.divergence_table(gaussian_sets(), divergences=["kl"])
    with pytest.raises(sw.InputError, match="'excel' is not known; choose 'pandas', 'polars' or 'pyarrow'"):
        table.to_frame("kl", 5, backend="excel")
