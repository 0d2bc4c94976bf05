"""KNNDivergence in scikit-learn's machinery: our own form of its estimator checks, whose sets are no 2-d array."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

import setwise as sw
from tests.divergences.examples import EVERY, IDS, gaussian_sets


def labelled_sets():
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1], 9)
    return sw.SampleSets(
        [rng.normal(size=(25, 2)) + 1.2 * c for c in classes], ids=[f"p{i}" for i in range(18)]
    ), classes


def gaussian_kernel(distances):
    return np.exp(-0.5 * distances**2)


@pytest.mark.parametrize("divergence", EVERY, ids=IDS)
def test_fit_then_transform_is_fit_transform(divergence):
    sets = gaussian_sets()
    model = sw.KNNDivergence(divergence, k=6)
    together = model.fit_transform(sets)
    np.testing.assert_array_equal(together, sw.pairwise_divergences(sets, divergence=divergence, k=6))
    np.testing.assert_array_equal(model.fit(sets).transform(sets), together)
    copy = sw.SampleSets(list(sets), ids=sets.ids)
    np.testing.assert_array_equal(model.transform(copy), together)
    np.testing.assert_allclose(model.transform(sets[[2, 0]]), together[[2, 0]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("given", [list, lambda sets: sets], ids=["list", "SampleSets"])
def test_fitted_sets_are_known_again_by_their_points(given):
    """No TieWarning either, which the suite would raise as an error."""
    sets = gaussian_sets()
    model = sw.KNNDivergence("kl")
    together = model.fit_transform(given(sets))
    np.testing.assert_array_equal(np.diag(together), 0)
    np.testing.assert_allclose(model.transform(given(sets)[1:]), together[1:], rtol=1e-12, atol=1e-12)
    found = model.fit_transform(sets[[0, 0, 1]])
    np.testing.assert_array_equal(found[:2, :2], 0)
    np.testing.assert_allclose(model.transform(sets[[0]]), found[:1], rtol=1e-12, atol=1e-12)
    assert model.transform(sets[[0]])[0, 0] == 0


def test_a_warning_points_at_the_call():
    sets = sw.SampleSets([np.repeat(points, 3, axis=0) for points in gaussian_sets()])
    model = sw.KNNDivergence()
    for call in (lambda: model.fit_transform(sets), lambda: model.transform(sets[:2])):
        with pytest.warns(sw.TieWarning) as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]


def test_new_sets_against_the_fitted():
    sets, new = gaussian_sets(), gaussian_sets((30, 31), seed=5)
    model = sw.KNNDivergence("kl", k=4).fit(sets)
    found = model.transform(new)
    assert found.shape == (2, 3)
    np.testing.assert_array_equal(found, sw.pairwise_divergences(new, sets, "kl", k=4))
    np.testing.assert_array_equal(model.transform(new[1:]), found[1:])


def test_transform_changes_no_state():
    sets = gaussian_sets()
    model = sw.KNNDivergence().fit(sets)
    before = dict(vars(model))
    model.transform(gaussian_sets((30,), seed=5))
    model.transform(sets)
    assert vars(model) == before
    found = model.transform(sets)
    found[:] = 0
    assert model.transform(sets).any()


def test_fitting_forgets_the_sets_before():
    model = sw.KNNDivergence().fit(gaussian_sets())
    again = gaussian_sets((30, 31), seed=5, dim=2)
    np.testing.assert_array_equal(model.fit(again).transform(again), sw.KNNDivergence().fit_transform(again))
    assert model.n_features_in_ == 2


def test_parameters():
    model = sw.KNNDivergence(sw.KL(), k=4, n_jobs=1)
    assert model.get_params() == {"divergence": sw.KL(), "k": 4, "symmetrize": False, "n_jobs": 1}
    assert clone(model).get_params() == model.get_params()
    assert clone(model.fit(gaussian_sets())).get_params() == model.get_params()
    assert not hasattr(clone(model), "sets_")
    assert model.set_params(divergence="renyi:.9", k=5).fit_transform(gaussian_sets()).shape == (3, 3)
    assert model.divergence == "renyi:.9"
    assert "KNNDivergence" in repr(model)


def test_wrong_parameters_are_said_when_fitting_not_when_constructing():
    sw.KNNDivergence("nothing", k=0)
    for wrong, said in (
        ({"divergence": "nothing"}, "nothing"),
        ({"k": 0}, "k=0"),
        ({"k": (3, 5)}, r"k=\(3, 5\)"),
        ({"k": 50}, "k=50 needs"),
        ({"divergence": "l2", "k": 1}, "too small for l2"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ):
        with pytest.raises(sw.InputError, match=said):
            sw.KNNDivergence(**wrong).fit(gaussian_sets())


def test_what_is_not_fitted_or_does_not_fit():
    with pytest.raises(NotFittedError):
        sw.KNNDivergence().transform(gaussian_sets())
    with pytest.raises(NotFittedError):
        sw.KNNDivergence().get_feature_names_out()
    with pytest.raises(sw.InputError, match="columns"):
        sw.KNNDivergence().fit(gaussian_sets(dim=3)).transform(gaussian_sets(dim=2))
    with pytest.raises(sw.InputError):
        sw.KNNDivergence().fit(np.ones((5, 3)))


def test_pickles():
    sets = gaussian_sets()
    model = sw.KNNDivergence(sw.Renyi(0.5, radius="matched")).fit(sets)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.transform(sets), model.transform(sets))


def test_columns_are_named_by_the_fitted_sets():
    pytest.importorskip("pandas")
    sets = gaussian_sets()
    model = sw.KNNDivergence().fit(sets)
    assert model.get_feature_names_out().tolist() == ["s0", "s1", "s2"]
    assert list(model.set_output(transform="pandas").transform(sets).columns) == ["s0", "s1", "s2"]


def test_a_pipeline_in_cross_validation():
    sets, classes = labelled_sets()
    model = make_pipeline(sw.KNNDivergence(), FunctionTransformer(gaussian_kernel), SVC(kernel="precomputed"))
    assert cross_val_score(model, sets, classes, cv=3).mean() > 0.85
    assert cross_val_score(model, list(sets), classes, cv=3).mean() > 0.85


def test_a_grid_search_over_divergence_and_k():
    sets, classes = labelled_sets()
    nearest = KNeighborsClassifier(1, metric="precomputed")
    model = make_pipeline(sw.KNNDivergence(), FunctionTransformer(np.abs), nearest)
    grid = {"knndivergence__divergence": [sw.KL(), "renyi:.9", sw.JensenShannon()], "knndivergence__k": [3, 5]}
    search = GridSearchCV(model, grid, cv=3).fit(sets, classes)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.7
    assert search.predict(sets[:4]).shape == (4,)


def test_fitting_keeps_arrays_that_the_caller_changes_afterwards():
    arrays = [array.copy() for array in gaussian_sets()]
    model = sw.KNNDivergence()
    before = model.fit_transform(arrays)
    for array in arrays:
        array[:] = 0
    np.testing.assert_array_equal(model.transform(list(gaussian_sets())), before)
