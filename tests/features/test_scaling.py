"""SetScaler and SetPCA: as scikit-learn's on the stacked points, and as steps of sets."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import setwise as sw
from setwise.features import pooled

STEPS = [sw.SetScaler(), sw.SetScaler(with_mean=False), sw.SetPCA(), sw.SetPCA(2, whiten=True), sw.SetPCA(0.9)]


def some_sets(sizes=(30, 7, 45, 12), dim=4, seed=0, dtype=np.float64, names=True):
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(dim, dim)) * np.geomspace(5, 0.3, dim)
    arrays = [(rng.normal(size=(n, dim)) @ mixing + i).astype(dtype) for i, n in enumerate(sizes)]
    columns = [f"c{j}" for j in range(dim)] if names else None
    return sw.SampleSets(arrays, ids=[f"s{i}" for i in range(len(sizes))], feature_names=columns)


@pytest.fixture(params=[None, 20], ids=["one block", "many blocks"])
def block_size(request, monkeypatch):
    """Few values a block, so that the sets here take several."""
    if request.param:
        monkeypatch.setattr(pooled, "_VALUES", request.param)


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("with_mean", (True, False))
@pytest.mark.parametrize("with_std", (True, False))
def test_scaler_is_scikit_learns_on_the_stacked_points(with_mean, with_std):
    sets, new = some_sets(), some_sets((9, 20), seed=1)
    model = sw.SetScaler(with_mean=with_mean, with_std=with_std).fit(sets)
    theirs = StandardScaler(with_mean=with_mean, with_std=with_std).fit(sets.points)
    for given in (sets, new):
        np.testing.assert_allclose(
            model.transform(given).points, theirs.transform(given.points), rtol=1e-12, atol=1e-12
        )
    np.testing.assert_allclose(model.inverse_transform(model.transform(new)).points, new.points, atol=1e-13)
    np.testing.assert_allclose(model.var_, sets.points.var(axis=0))
    np.testing.assert_allclose(model.mean_, sets.points.mean(axis=0) if with_mean else 0, atol=1e-13)
    np.testing.assert_allclose(model.scale_, sets.points.std(axis=0) if with_std else 1)


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("offset", (0.1, 1e8, -1e15))
@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_what_does_not_vary_is_left_at_its_scale(dtype, offset):
    rng = np.random.default_rng(0)
    points = np.column_stack([np.full(50, offset), np.zeros(50), rng.normal(size=50)]).astype(dtype)
    points[:, 2] += dtype(3)
    model = sw.SetScaler().fit([points[:20], points[20:]])
    np.testing.assert_array_equal(model.scale_[:2], 1)
    assert model.scale_[2] == pytest.approx(points[:, 2].astype(float).std())
    scaled = model.transform([points]).points
    np.testing.assert_allclose(scaled[:, :2], 0, atol=1e-7 * abs(offset))


def test_a_large_offset_costs_no_more_than_it_must():
    """The spacing of numbers at 1e9 is 1e-7: so much is lost of each point, and no more of their variance."""
    points = np.random.default_rng(0).normal(size=(400, 2))
    model = sw.SetScaler().fit([points + 1e9])
    np.testing.assert_allclose(model.scale_, points.std(axis=0), rtol=1e-7)
    np.testing.assert_allclose(model.transform([points + 1e9]).points.mean(axis=0), 0, atol=1e-7)


def close_up_to_sign(found, expected, **tolerance):
    np.testing.assert_allclose(found * np.sign((found * expected).sum(axis=0)), expected, **tolerance)


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("whiten", (True, False))
@pytest.mark.parametrize("n_components", (None, 1, 3, 4, 0.5, 0.9, 0.99, np.int64(2)))
def test_pca_is_scikit_learns_on_the_stacked_points(n_components, whiten):
    sets, new = some_sets(), some_sets((9, 20), seed=1)
    model = sw.SetPCA(n_components, whiten=whiten).fit(sets)
    theirs = PCA(n_components, whiten=whiten, svd_solver="full").fit(sets.points)
    assert model.n_components_ == theirs.n_components_ == len(model.components_)
    np.testing.assert_allclose(model.components_, theirs.components_, atol=1e-12)
    np.testing.assert_allclose(model.explained_variance_, theirs.explained_variance_, rtol=1e-12)
    np.testing.assert_allclose(model.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-12)
    np.testing.assert_allclose(model.mean_, theirs.mean_, rtol=1e-12)
    for given in (sets, new):
        mapped = model.transform(given)
        np.testing.assert_allclose(mapped.points, theirs.transform(given.points), atol=1e-10)
        back = model.inverse_transform(mapped)
        np.testing.assert_allclose(back.points, theirs.inverse_transform(theirs.transform(given.points)), atol=1e-10)
        assert back.feature_names == given.feature_names


@pytest.mark.usefixtures("block_size")
def test_fewer_points_than_dimensions():
    sets = some_sets((3, 2), dim=8)
    model = sw.SetPCA(whiten=True).fit(sets)
    assert model.components_.shape == (5, 8)
    found = model.transform(sets).points
    np.testing.assert_allclose(found[:, :4].std(axis=0, ddof=1), 1)
    np.testing.assert_allclose(found[:, 4], 0, atol=1e-12)  # five points span four directions: rounding is not whitened


def test_small_components_beside_large_ones_are_found():
    """Nine orders of magnitude apart, where the covariance would hold nothing of the smaller."""
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = rng.normal(size=(200, 3)) * [1e6, 1.0, 1e-3] @ turn
    model = sw.SetPCA().fit([points])
    theirs = np.linalg.svd(points - points.mean(axis=0))[1]
    np.testing.assert_allclose(np.sqrt(model.explained_variance_ * 199), theirs, rtol=1e-5)


@pytest.mark.usefixtures("block_size")
def test_randomized_finds_what_the_full_one_does():
    sets = some_sets((60, 50, 70), dim=40)
    exact = sw.SetPCA(6, svd_solver="full").fit(sets)
    model = sw.SetPCA(6, svd_solver="randomized", random_state=0).fit(sets)
    np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=1e-4)
    np.testing.assert_allclose(model.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-4)
    np.testing.assert_allclose(np.abs((model.components_ * exact.components_).sum(axis=1)), 1, atol=1e-3)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(6), atol=1e-12)
    again = sw.SetPCA(6, svd_solver="randomized", random_state=0).fit(sets)
    np.testing.assert_array_equal(again.components_, model.components_)


def test_auto_is_randomized_for_few_of_many_dimensions():
    sets = some_sets((40, 30), dim=501)
    for n_components, solver in ((3, "randomized"), (69, "full"), (None, "full"), (0.5, "full")):
        found = sw.SetPCA(n_components, random_state=0).fit(sets)
        expected = sw.SetPCA(n_components, svd_solver=solver, random_state=0).fit(sets)
        np.testing.assert_array_equal(found.components_, expected.components_)
    few = some_sets((40, 30), dim=20)
    expected = sw.SetPCA(3, svd_solver="full").fit(few)
    np.testing.assert_array_equal(sw.SetPCA(3).fit(few).components_, expected.components_)


@pytest.mark.parametrize("step", [sw.SetScaler(), sw.SetPCA(3), sw.SetPCA(3, svd_solver="randomized")], ids=repr)
def test_fitting_copies_no_pool(step):
    points = np.random.default_rng(0).normal(size=(200_000, 10)).astype(np.float32)
    sets = sw.SampleSets.from_flat(points, np.arange(0, 200_001, 500))
    clone(step).fit(sets[:2])  # what is loaded at first use
    tracemalloc.start()
    try:
        clone(step).fit(sets)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < points.nbytes / 2


# As steps of sets.


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_ids_sizes_and_names_stay(step):
    sets = some_sets()
    found = clone(step).fit_transform(sets)
    assert isinstance(found, sw.SampleSets)
    assert found.ids == sets.ids and found.by == sets.by
    np.testing.assert_array_equal(found.sizes, sets.sizes)
    if isinstance(step, sw.SetPCA):
        assert found.feature_names == tuple(f"pca{i}" for i in range(found.dim))
    else:
        assert found.feature_names == sets.feature_names
    model = clone(step).fit(sets)
    assert model.get_feature_names_out().tolist() == list(found.feature_names)
    assert model.n_features_in_ == 4 and model.feature_names_in_.tolist() == ["c0", "c1", "c2", "c3"]
    assert not found.points.flags.writeable
    assert not hasattr(model.fit(some_sets(names=False)), "feature_names_in_")
    if isinstance(step, sw.SetScaler):
        assert model.transform(some_sets(names=False)).feature_names is None
        assert model.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_float32_stays(step):
    narrow, wide = some_sets(dtype=np.float32), some_sets()
    model = clone(step).fit(narrow)
    found = model.transform(narrow)
    assert found.points.dtype == np.float32 and model.inverse_transform(found).points.dtype == np.float32
    assert model.transform(wide).points.dtype == np.float64
    expected = clone(step).fit(wide).transform(wide).points
    np.testing.assert_allclose(found.points, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_a_set_is_mapped_the_same_in_any_company(step):
    """To the bit: else a fitted set that comes again would not be known for itself by the divergences."""
    sets = some_sets((30, 7, 45, 12, 1, 640), dim=40)
    model = clone(step).fit(sets)
    together = model.transform(sets)
    bootstrap = model.transform(sets[[3, 3, 0]])
    assert bootstrap.ids == ("s3", "s3", "s0")
    for found, place in zip(bootstrap, (3, 3, 0), strict=True):
        np.testing.assert_array_equal(found, together[place])
    for i in range(len(sets)):
        np.testing.assert_array_equal(model.transform(sets[[i]])[0], together[i])
    np.testing.assert_array_equal(clone(step).fit_transform(list(sets)).points, together.points)


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_manners(step):
    sets = some_sets()
    kept = sets.points.copy()
    model = clone(step).fit(sets)
    assert clone(model).get_params() == step.get_params()
    before = pickle.dumps(model)
    found = model.transform(sets)
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(sets.points, kept)
    np.testing.assert_array_equal(pickle.loads(before).transform(sets).points, found.points)
    assert repr(model) == repr(step)
    with pytest.raises(NotFittedError):
        clone(step).transform(sets)
    with pytest.raises(NotFittedError):
        clone(step).inverse_transform(sets)
    with pytest.raises(NotFittedError):
        clone(step).get_feature_names_out()


def test_in_a_pipeline():
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    sets = sw.SampleSets([rng.normal(size=(25, 3)) * [1e3 * (1 + c), 1.0, 1e-3] + 50 for c in y])
    model = make_pipeline(sw.SetScaler(), sw.SetPCA(2), sw.SetSVC(k=3))
    scores = cross_val_score(model, sets, y, cv=KFold(3))
    for score, (train, test) in zip(scores, KFold(3).split(y), strict=True):
        steps = [sw.SetScaler().fit(sets[train])]
        steps.append(sw.SetPCA(2).fit(steps[0].transform(sets[train])))
        fitted = sw.SetSVC(k=3).fit(steps[1].transform(steps[0].transform(sets[train])), y[train])
        assert score == fitted.score(steps[1].transform(steps[0].transform(sets[test])), y[test])
    model.fit(sets, y)
    np.testing.assert_allclose(model.decision_function(sets[[4, 9]]), model.decision_function(sets)[[4, 9]], rtol=1e-9)
    assert model[:-1].get_feature_names_out().tolist() == ["pca0", "pca1"]


def test_sets_come_out_whatever_container_is_asked_for():
    pytest.importorskip("pandas")
    sets = some_sets()
    steps = make_pipeline(sw.SetScaler(), sw.SetPCA(2)).set_output(transform="pandas")
    assert isinstance(steps.fit_transform(sets), sw.SampleSets)
    with config_context(transform_output="pandas"):
        assert isinstance(sw.SetPCA(2).fit_transform(sets), sw.SampleSets)
    frame = make_pipeline(sw.SetScaler(), sw.KNNDivergence()).set_output(transform="pandas").fit_transform(sets)
    assert list(frame.columns) == list(sets.ids)


# Refusals.


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_other_columns_are_refused(step):
    model = clone(step).fit(some_sets())
    with pytest.raises(sw.InputError, match=r"set 's0' has 3 columns; this .* was fitted on sets with 4\. Give"):
        model.transform(some_sets(dim=3))
    turned = sw.SampleSets(list(some_sets()), feature_names=["c1", "c0", "c2", "c3"])
    with pytest.raises(
        sw.InputError, match=r"the sets' columns are c1, c0, c2, c3; this .* was fitted on c0, c1, c2, c3"
    ):
        model.transform(turned)
    model.transform(some_sets(names=False))
    with pytest.raises(
        sw.InputError, match=r"set 's0' has 5 columns; this .* (has \d components|was fitted on sets with 4)"
    ):
        model.inverse_transform(some_sets(dim=5))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n_components": 0}, "n_components=0 is not known; give a whole number of at least 1, a share"),
        ({"n_components": -1}, "n_components=-1 is not known"),
        ({"n_components": 1.0}, "n_components=1.0 is not known"),
        ({"n_components": 1.5}, "n_components=1.5 is not known"),
        ({"n_components": 0.0}, "n_components=0.0 is not known"),
        ({"n_components": True}, "n_components=True is not known"),
        ({"n_components": "mle"}, "n_components='mle' is not known"),
        ({"n_components": np.nan}, "n_components=nan is not known"),
        ({"n_components": 5}, "n_components=5 is more than the 4 dimensions of the sets; give at most 4"),
        ({"svd_solver": "arpack"}, "svd_solver='arpack' is not known; choose 'auto', 'full', 'randomized'"),
        (
            {"svd_solver": "randomized"},
            "n_components=None needs all components, which svd_solver='randomized' does not",
        ),
        ({"svd_solver": "randomized", "n_components": 0.5}, "n_components=0.5 needs all components"),
        ({"whiten": "yes"}, "whiten='yes' is not known; choose True or False"),
    ],
)
def test_pca_parameters_are_checked_when_fitting(given, said):
    model = sw.SetPCA(**given)
    with pytest.raises(sw.InputError, match=said):
        model.fit(some_sets())


def test_scaler_parameters_are_checked_when_fitting():
    for name in ("with_mean", "with_std"):
        model = sw.SetScaler(**{name: 1})
        with pytest.raises(sw.InputError, match=f"{name}=1 is not known"):
            model.fit(some_sets())


def test_points_that_have_no_components():
    with pytest.raises(sw.InputError, match="n_components=4 is more than the 3 points of the sets"):
        sw.SetPCA(4).fit(some_sets((2, 1), dim=6))
    with pytest.raises(sw.InputError, match="set 's0' is a single point"):
        sw.SetPCA().fit(some_sets((1,)))
    with pytest.raises(sw.InputError, match="the 7 points of all sets are the same"):
        sw.SetPCA().fit([np.full((3, 2), 0.1), np.full((4, 2), 0.1)])


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_what_are_no_sets(step):
    with pytest.raises(sw.InputError):
        clone(step).fit(np.ones((5, 3)))
    with pytest.raises(sw.InputError, match="NaN"):
        clone(step).fit([np.array([[0.0, np.nan]])])


@pytest.mark.parametrize("names", (True, False))
def test_models_keep_the_steps(tmp_path, names):
    sets = some_sets(names=names)
    model = make_pipeline(sw.SetScaler(), sw.SetPCA(2), sw.SetNearest(n_neighbors=2, k=3)).fit(sets)
    sw.save(model, tmp_path / "model.skops")
    back = sw.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(back.score_samples(sets), model.score_samples(sets))
    assert back[:-1].transform(sets).points.tobytes() == model[:-1].transform(sets).points.tobytes()
