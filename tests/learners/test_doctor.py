"""The kernel doctor: its scores are those of the estimators it advises on, fold by fold."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_val_score

import setwise as sw
from tests.divergences.examples import atoms

REMEDIES = [("clip", "projected"), ("clip", "raw"), ("flip", "projected"), ("flip", "raw"), ("shift", "projected")]
REMEDIES += [("none", "projected")]


def some_sets(n=18):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(15 + i, 2)) * (1 + 0.5 * (i % 3)) for i in range(n)]
    return sw.SampleSets(arrays, ids=[f"s{i}" for i in range(n)])


CLASSES = np.array(["narrow", "middle", "wide"])[np.arange(18) % 3]
NUMBERS = 100 + 30.0 * (np.arange(18) % 3) + np.random.default_rng(1).normal(size=18)


@pytest.fixture(scope="module")
def table():
    return sw.divergence_table(some_sets(), divergences=["renyi:0.9", "js", "linear"], k=(4, 5))


def made_up(matrix, divergence=None):
    T = len(matrix)
    return sw.DivergenceTable({(divergence or sw.Renyi(0.9), 5): np.asarray(matrix, float)}, range(T), range(T))


@pytest.mark.filterwarnings("ignore::setwise.SpectrumWarning")
@pytest.mark.parametrize("y", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_scores_are_those_of_the_estimators_fold_by_fold(table, y):
    """From sets, by SetSVC or SetSVR with the parameters that it gives, in the same folds."""
    folds = list(KFold(3, shuffle=True, random_state=0).split(y))
    estimator = sw.SetSVC() if y is CLASSES else sw.SetSVR()
    for divergence in ("renyi:0.9", "js", "linear"):
        found = sw.kernel_doctor(table, y, divergence=divergence, k=4, C=7.0, cv=folds)
        assert [(one.psd, one.test_rows) for one in found.treatments] == REMEDIES * 2
        for one in found.treatments:
            model = clone(estimator).set_params(**one.params)
            np.testing.assert_allclose(one.scores, cross_val_score(model, some_sets(), y, cv=folds), atol=1e-3)
            assert one.score == np.mean(one.scores) and one.spread == np.std(one.scores)


def test_every_kernel_with_the_divergences_of_its_kind(table):
    found = sw.kernel_doctor(table, CLASSES, random_state=0)
    rows = {(str(one.divergence), one.k, repr(one.kernel)) for one in found.treatments}
    gaussian = [f"GaussianKernel(squared={squared})" for squared in (True, False)]
    polynomial = ["PolynomialKernel(coef0=0.0, degree=1)", "PolynomialKernel()"]
    expected = {(name, k, kernel) for name in ("renyi:0.9", "js") for k in (4, 5) for kernel in gaussian}
    assert rows == expected | {("linear", k, kernel) for k in (4, 5) for kernel in polynomial}
    assert len(found.treatments) == len(REMEDIES) * len(rows)


def test_the_spectrum_is_that_of_all_sets(table):
    for one in sw.kernel_doctor(table, CLASSES, divergence="js", random_state=0).treatments:
        parameters = {name: value for name, value in one.params.items() if name != "C"}
        projection = sw.SetKernel(**parameters).fit(some_sets()).projection_
        assert one.n_negative == projection.n_negative_ > 0
        assert one.negative_mass == pytest.approx(projection.negative_mass_)


def test_kernels_of_ones_own(table):
    kernel = sw.GaussianKernel(0.5)
    found = sw.kernel_doctor(table, CLASSES, divergence=["js", sw.Renyi(0.9)], k=[5], kernels=kernel, random_state=0)
    assert [(str(one.divergence), one.kernel.width, one.kernel.squared) for one in found.treatments[::6]] == [
        ("js", 0.5, False),
        ("renyi:0.9", 0.5, True),
    ]
    assert kernel.squared == "paper"
    assert found.treatments[0].params["kernel"] is kernel
    sw.SetSVC(**found.treatments[0].params).fit(some_sets(), CLASSES)


def test_the_best_C_counts(table):
    """Where nothing is at its bound a larger C changes nothing, and is not fitted."""
    folds = list(KFold(3, shuffle=True, random_state=0).split(CLASSES))
    Cs = (1e6, 0.01, 1.0, 1e3)
    alone = [sw.kernel_doctor(table, CLASSES, divergence="js", k=4, C=C, cv=folds).treatments for C in sorted(Cs)]
    together = sw.kernel_doctor(table, CLASSES, divergence="js", k=4, C=Cs, cv=folds).treatments
    for one, each in zip(together, zip(*alone, strict=True), strict=True):
        best = max(each, key=lambda found: found.score)
        assert (one.scores, one.params) == (best.scores, best.params)


def test_the_best_is_the_first_of_the_best(table):
    found = sw.kernel_doctor(table, CLASSES, random_state=0)
    highest = max(one.score for one in found.treatments)
    assert found.best is next(one for one in found.treatments if one.score == highest)
    definite = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    apart = made_up(np.where(np.add.outer(np.arange(12), np.arange(12)) % 2, 5.0, 0.1 * definite))
    best = sw.kernel_doctor(apart, np.arange(12) % 2, random_state=0).best
    assert (best.score, best.psd, best.test_rows) == (1.0, "clip", "projected")


def test_raw_rows_that_answer_upside_down():
    """Two kinds of sets, each nearer to the other kind than to its own: the difference of the classes has a negative
    length, which clipping takes away from the training sets and not from raw rows."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    noise = rng.uniform(0, 0.1, (40, 40))
    distances = np.where(y[:, None] == y[None, :], 1.1, 0.9) + (noise + noise.T) / 2
    np.fill_diagonal(distances, 0.0)
    found = sw.kernel_doctor(made_up(distances), y, random_state=0)
    by_remedy = {(one.kernel.squared, one.psd, one.test_rows): one.score for one in found.treatments}
    for squared in (True, False):
        assert by_remedy[squared, "flip", "projected"] == 1.0
        assert by_remedy[squared, "flip", "raw"] == 0.0
    assert found.best.test_rows == "projected"


def test_folds(table):
    seeded = [sw.kernel_doctor(table, CLASSES, divergence="js", random_state=0) for _ in range(2)]
    assert repr(seeded[0]) == repr(seeded[1])
    by_hand = StratifiedKFold(3, shuffle=True, random_state=0)
    assert repr(sw.kernel_doctor(table, CLASSES, divergence="js", cv=by_hand)) == repr(seeded[0])
    groups = np.repeat(np.arange(6), 3)
    grouped = sw.kernel_doctor(table, CLASSES, divergence="js", cv=GroupKFold(6), groups=groups)
    assert all(len(one.scores) == 6 for one in grouped.treatments)


def test_a_table_from_a_file(table, tmp_path):
    table.save(tmp_path / "table.npz")
    loaded = sw.DivergenceTable.load(tmp_path / "table.npz")
    found, expected = (sw.kernel_doctor(one, CLASSES, k=5, random_state=0) for one in (loaded, table))
    assert repr(found) == repr(expected)


def test_the_baseline(table):
    folds = list(KFold(3).split(CLASSES))
    unequal = np.array(list("aaaaaabbaaaabbbbbb"))  # what is common elsewhere is rare in the first and the last fold
    found = sw.kernel_doctor(table, unequal, divergence="js", k=5, cv=folds)
    assert found.baseline == pytest.approx(np.mean([0, 4 / 6, 0]))
    found = sw.kernel_doctor(table, NUMBERS, divergence="js", k=5, cv=folds)
    by_hand = [1 - np.mean((NUMBERS[test] - NUMBERS[train].mean()) ** 2) / NUMBERS[test].var() for train, test in folds]
    assert found.baseline == pytest.approx(np.mean(by_hand))


def test_repr_and_frame(table):
    found = sw.kernel_doctor(table, CLASSES, divergence="renyi:0.9", k=5, random_state=0)
    header, blank, names, *rows = repr(found).splitlines()
    assert header == "18 sets, 3 folds; accuracy of SVC, 3 classes; the commonest class alone: 0.333" and blank == ""
    assert names.split() == ["divergence", "k", "kernel", "negative", "remedy", "score", "C"]
    first = found.treatments[0]
    assert rows[0].startswith(
        f"renyi:0.9   5  GaussianKernel(squared=True)   {first.n_negative} ({first.negative_mass:.1%})"
    )
    assert f"clip                 {first.score:.3f} +- {first.spread:.3f}  {first.params['C']:g}" in rows[0]
    assert rows[1].split()[:4] == ["clip,", "raw", "test", "rows"]
    assert [row.endswith("< best") for row in rows] == [one is found.best for one in found.treatments]
    assert "regress" not in header and "R^2 of SVR; the mean alone" in repr(
        sw.kernel_doctor(table, NUMBERS, divergence="js", random_state=0)
    )

    pytest.importorskip("pandas")
    frame = found.to_frame()
    assert list(frame.columns) == [
        *("divergence", "k", "kernel", "psd", "test_rows", "n_negative", "negative_mass", "C", "score", "spread")
    ]
    assert frame["score"].tolist() == [one.score for one in found.treatments]
    assert frame["kernel"][0] == "GaussianKernel(squared=True)"
    assert found.to_frame("pyarrow").column_names == list(frame.columns)
    with pytest.raises(sw.InputError, match="backend 'excel' is not known"):
        found.to_frame("excel")


# Refusals.


def test_what_is_no_table_of_sets_against_themselves(table):
    for wrong in (table["js", 4], None):
        with pytest.raises(sw.InputError, match="give a DivergenceTable, as divergence_table"):
            sw.kernel_doctor(wrong, CLASSES)
    sets = some_sets()
    again = sw.SampleSets([points + 0.1 for points in sets], ids=sets.ids)
    for X, Y in ((sets[9:], sets[:9]), (sets, again)):
        against = sw.divergence_table(X, Y)
        with pytest.raises(sw.InputError, match=r"sets against .* others; a kernel is fitted on sets against them"):
            sw.kernel_doctor(against, CLASSES[: len(X)])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"divergence": "kl"}, "the table has no kl"),
        ({"k": 3}, "the table has no renyi:0.9 at k=3"),
        ({"kernels": "cubic"}, "kernel='cubic' is not known"),
        ({"divergence": "js", "kernels": "linear"}, "js is no inner product"),
        ({"kernels": []}, "kernels is empty"),
        ({"C": 0}, "C=0 must be a number above 0"),
        ({"C": ()}, "C is empty"),
        ({"C": ["1", 2.0]}, "C='1' must be"),
        ({"cv": 1}, "cv=1 is no number of folds"),
        ({"cv": 7}, "cannot divide 18 sets: n_splits=7 cannot be greater"),
        ({"cv": GroupKFold(3)}, "cannot divide 18 sets: The 'groups' parameter"),
        ({"y": CLASSES[:5]}, "5 labels for 18 sets"),
        ({"y": np.full(18, "a")}, "all labels are 'a'"),
        ({"y": np.arange(18)}, "y holds 18 classes for 18 sets; .* given as floats"),
        ({"y": np.full(18, 2.5)}, r"all targets are 2\.5"),
        ({"y": np.r_[NUMBERS[:17], np.nan]}, "the target of set 's17' is nan"),
        ({"y": [*CLASSES[:17], None]}, "set 's17' has no label"),
    ],
)
def test_refusals(table, given, said):
    y = given.pop("y", CLASSES)
    with pytest.raises(sw.InputError, match=said):
        sw.kernel_doctor(table, y, **given)


@pytest.mark.filterwarnings("ignore::setwise.SetwiseWarning")
def test_divergences_that_are_none_are_named():
    table = sw.divergence_table(atoms(), divergences=["l2"])
    with pytest.raises(sw.InputError, match="l2 at k=5 of set 'elsewhere' from set 'one' is inf"):
        sw.kernel_doctor(table, np.array(list("aabbb")), cv=2)
