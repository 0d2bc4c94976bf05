"""SetKernel: by hand from the divergences, as one transformer, and in scikit-learn's machinery."""

import pickle

import numpy as np
import pytest
from scipy.linalg import polar
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import setwise as sw
from setwise.kernels.psd import METHODS, TEST_ROWS
from setwise.kernels.set_kernel import gram_steps
from tests.divergences.examples import atoms

SPELLINGS = ("renyi:0.9", "renyi:0.5:matched", "kl", "hellinger", "l2", "js")


def some_sets(n=9, seed=0, dim=2):
    rng = np.random.default_rng(seed)
    return sw.SampleSets(
        [rng.normal(size=(20 + i, dim)) * (1 + i % 3) for i in range(n)], ids=[f"s{i}" for i in range(n)]
    )


def means(X, Y=None, divergence="renyi:0.9", k=5):
    """Of both directions."""
    forward = sw.pairwise_divergences(X, Y, divergence, k=k)
    backward = forward if Y is None else sw.pairwise_divergences(Y, X, divergence, k=k)
    return (forward + backward.T) / 2


def clipped(gram):
    return (gram + polar(gram)[1]) / 2


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_gaussian_by_hand(spelling):
    """Jensen-Shannon is mu^2 itself, the others are mu."""
    sets, new = some_sets(), some_sets(3, seed=5)
    power = 1 if spelling == "js" else 2
    model = sw.SetKernel(spelling, k=4, width=0.8)
    D, rows = means(sets, None, spelling, 4), means(new, sets, spelling, 4)
    twice_variance = 2 * 0.8**2 * np.median(D[D > 0]) ** power
    gram = np.exp(-(np.maximum(D, 0) ** power) / twice_variance)
    np.testing.assert_allclose(model.fit_transform(sets), clipped(gram), rtol=0, atol=1e-12)
    raw = np.exp(-(np.maximum(rows, 0) ** power) / twice_variance)
    operator = (np.eye(9) + polar(gram)[0]) / 2
    np.testing.assert_allclose(model.transform(new), raw @ operator, rtol=0, atol=1e-11)


@pytest.mark.parametrize("spelling", ["renyi:0.9", "js"])
@pytest.mark.parametrize("squared", [True, False])
def test_squared_or_not_says_it_outright(spelling, squared):
    D = np.maximum(means(some_sets(), None, spelling), 0)
    model = sw.SetKernel(spelling, squared=squared, psd="none").fit(some_sets())
    expected = sw.GaussianKernel(squared=squared).fit_transform(D)
    np.testing.assert_allclose(model.projection_.gram_, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "degree", "coef0"),
    [
        ({"kernel": "linear", "degree": 5}, 1, 0),
        ({"kernel": "polynomial"}, 2, 1),
        ({"kernel": sw.PolynomialKernel(3, 0.5), "degree": 7}, 3, 0.5),
    ],
)
def test_polynomial_by_hand(given, degree, coef0):
    sets, new = some_sets(), some_sets(3, seed=5)
    model = sw.SetKernel(psd="none", **given)
    np.testing.assert_allclose(model.fit_transform(sets), (means(sets, None, "linear") + coef0) ** degree, rtol=1e-12)
    np.testing.assert_allclose(model.transform(new), (means(new, sets, "linear") + coef0) ** degree, rtol=1e-12)


def test_what_was_fitted():
    sets = some_sets()
    model = sw.SetKernel().fit(sets)
    assert model.divergence_ == sw.Renyi(0.9) and sw.SetKernel(kernel="linear").fit(sets).divergence_ == sw.Linear()
    assert isinstance(model.divergences_, sw.KNNDivergence) and model.divergences_.symmetrize
    assert [type(step) for _, step in model.steps_.steps] == [sw.GaussianKernel, sw.PSDProjection]
    assert model.projection_ is model.steps_[-1]
    assert model.n_features_in_ == 2
    D = model.divergences_.transform(sets)
    np.testing.assert_array_equal(model.steps_.transform(D), model.transform(sets))


@pytest.mark.filterwarnings("ignore::setwise.SpectrumWarning")
@pytest.mark.parametrize("test_rows", TEST_ROWS)
@pytest.mark.parametrize("psd", METHODS)
def test_fit_then_transform_is_fit_transform(psd, test_rows):
    """To the bit: all sets, some of them in another order, one alone, under other ids, and by any number of threads."""
    sets = some_sets()
    model = sw.SetKernel("kl", k=2, psd=psd, test_rows=test_rows)
    together = model.fit_transform(sets)
    assert model.projection_.n_negative_ > 0
    np.testing.assert_array_equal(together, together.T)
    np.testing.assert_array_equal(model.fit(sets).transform(sets), together)
    np.testing.assert_array_equal(model.transform(sets[[5, 0, 7]]), together[[5, 0, 7]])
    np.testing.assert_array_equal(model.transform(list(sets[3:4])), together[3:4])
    np.testing.assert_array_equal(model.set_params(n_jobs=1).fit_transform(list(sets)), together)


@pytest.mark.parametrize("spelling", ["renyi:0.9", "renyi:0.9:matched"])
@pytest.mark.parametrize("dim", [1, 2, 9])
def test_a_row_does_not_depend_on_its_company(dim, spelling):
    new = some_sets(6, seed=5, dim=dim)
    model = sw.SetKernel(spelling, test_rows="raw").fit(some_sets(dim=dim))
    with np.testing.suppress_warnings() as quiet:
        quiet.filter(sw.SpectrumWarning)
        together = model.transform(new)
        for i in range(6):
            np.testing.assert_array_equal(model.transform(new[[i]]), together[[i]])


def test_transform_changes_no_state():
    model = sw.SetKernel().fit(some_sets())
    before = pickle.dumps(model)
    found = model.transform(some_sets(3, seed=5))
    found[:] = 0
    model.transform(some_sets())
    assert pickle.dumps(model) == before


def test_raw_rows_warn_where_they_are_asked_for():
    model = sw.SetKernel("kl", k=1, width=4.0, test_rows="raw").fit(some_sets(12))
    with pytest.warns(sw.SpectrumWarning, match="of 12 eigenvalues negative") as caught:
        model.transform(some_sets(1, seed=5))
    assert [warning.filename for warning in caught] == [__file__]
    model.set_params(test_rows="projected").fit(some_sets(12)).transform(some_sets(1, seed=5))


# What a kernel takes.


@pytest.mark.parametrize("kernel", ["polynomial", "linear", sw.PolynomialKernel(2)], ids=str)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_polynomials_refuse_distances(kernel, spelling):
    with pytest.raises(sw.InputError, match=f"{spelling} is no inner product, .* choose linear"):
        sw.SetKernel(spelling, kernel=kernel).fit(some_sets())


@pytest.mark.parametrize("kernel", ["gaussian", sw.GaussianKernel(squared=True)], ids=str)
@pytest.mark.parametrize("spelling", ["linear", "bhattacharyya", "alphabeta:-0.5:0.5"])
def test_gaussians_refuse_inner_products(kernel, spelling):
    with pytest.raises(sw.InputError, match=f"{spelling} is a .*, not a distance"):
        sw.SetKernel(spelling, kernel=kernel).fit(some_sets())


@pytest.mark.parametrize("kernel", ["cubic", None, sw.GaussianKernel, sw.PSDProjection()], ids=str)
def test_what_is_no_kernel(kernel):
    with pytest.raises(sw.InputError, match="is not known; choose 'gaussian', 'polynomial', 'linear', or give a Gauss"):
        sw.SetKernel(kernel=kernel).fit(some_sets())


def test_kernels_that_are_given_stay_as_they_are():
    kernel = sw.GaussianKernel(3.0)
    for divergence, squared in ((sw.Renyi(0.9), True), (sw.JensenShannon(), False)):
        steps = gram_steps(kernel, divergence, "clip", "projected")
        assert steps[0].squared is squared and steps[0].width == 3.0
    sw.SetKernel(kernel=kernel, width=0.1).fit(some_sets())
    assert kernel.get_params() == sw.GaussianKernel(3.0).get_params() and not hasattr(kernel, "sigma_")


@pytest.mark.filterwarnings("ignore::setwise.SetwiseWarning")
@pytest.mark.parametrize(
    ("spelling", "kernel", "said"),
    [
        ("l2", "gaussian", "l2 at k=5 of set 'elsewhere' from set 'one' is inf (and from 3 others), and no kernel"),
        ("linear", "linear", "linear at k=5 of set 'one' from itself is inf (and from 1 others), and no kernel"),
    ],
)
def test_divergences_that_are_none_are_named(spelling, kernel, said):
    """A set of one point repeated is an atom, whose density is infinite. The set with most of them is at fault."""
    model = sw.SetKernel(spelling, kernel=kernel)
    with pytest.raises(sw.InputError) as caught:
        model.fit(atoms())
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::setwise.SetwiseWarning")
def test_divergences_of_new_sets_that_are_none_are_named():
    model = sw.SetKernel("l2").fit(some_sets())
    with pytest.raises(sw.InputError, match=r"of set 'one' from set 's0' is inf \(and from 8 others\)"):
        model.transform(atoms()[[4, 0]])


@pytest.mark.filterwarnings("ignore::setwise.ConditionWarning")
def test_a_value_with_itself_that_does_not_exist_is_named():
    model = sw.SetKernel("alphabeta:0.9:0.9", k=1, kernel="linear")
    with pytest.raises(sw.InputError, match="of set 's0' from itself is NaN"):
        model.fit(some_sets())


def test_other_refusals():
    model = sw.SetKernel()
    with pytest.raises(NotFittedError):
        model.transform(some_sets())
    with pytest.raises(NotFittedError):
        model.get_feature_names_out()
    with pytest.raises(sw.InputError, match="columns"):
        model.fit(some_sets()).transform(some_sets(dim=3))
    with pytest.raises(sw.InputError, match="k=50"):
        sw.SetKernel(k=50).fit(some_sets())
    with pytest.raises(sw.InputError, match="method='cut'"):
        sw.SetKernel(psd="cut").fit(some_sets())


# In scikit-learn's machinery.


def test_parameters():
    model = sw.SetKernel("js", k=3, kernel=sw.GaussianKernel(2.0), psd="flip")
    copy = clone(model)
    assert copy.get_params()["kernel__width"] == 2.0
    assert {**copy.get_params(), "kernel": None} == {**model.get_params(), "kernel": None}
    assert model.set_params(kernel__width=5.0).kernel.width == 5.0 and copy.kernel.width == 2.0
    assert repr(copy) == "SetKernel(divergence='js', k=3, kernel=GaussianKernel(width=2.0), psd='flip')"


def test_pickles():
    sets, new = some_sets(), some_sets(3, seed=5)
    model = sw.SetKernel().fit(sets)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.transform(new), model.transform(new))
    np.testing.assert_array_equal(back.transform(sets), model.transform(sets))


def test_columns_are_named_by_the_fitted_sets():
    pytest.importorskip("pandas")
    sets = some_sets()
    model = sw.SetKernel()
    gram = model.fit_transform(sets)
    names = [f"s{i}" for i in range(9)]
    assert model.get_feature_names_out().tolist() == names
    frame = clone(model).set_output(transform="pandas").fit_transform(sets)
    assert list(frame.columns) == names
    np.testing.assert_array_equal(frame.to_numpy(), gram)
    with config_context(transform_output="pandas"):
        np.testing.assert_array_equal(clone(model).fit(sets).transform(sets).to_numpy(), gram)


def test_cross_validation_is_a_refit_a_fold():
    """Fold by fold as by hand: divergences among the training sets alone, the test rows as the steps map them."""
    sets, y = some_sets(18), np.arange(18) % 3
    model = make_pipeline(sw.SetKernel(k=3), SVC(kernel="precomputed", C=10))
    folds = KFold(3)
    scores = cross_val_score(model, sets, y, cv=folds)
    D = means(sets, k=3)
    for score, (train, test) in zip(scores, folds.split(D), strict=True):
        steps = gram_steps(sw.GaussianKernel(), sw.Renyi(0.9), "clip", "projected")
        svc = SVC(kernel="precomputed", C=10).fit(steps.fit_transform(D[np.ix_(train, train)]), y[train])
        assert score == svc.score(steps.transform(D[np.ix_(test, train)]), y[test])
    assert scores.mean() > 0.6
    np.testing.assert_array_equal(cross_val_score(model, list(sets), y, cv=folds), scores)


def test_grid_search_through_the_pipeline():
    sets, y = some_sets(18), np.arange(18) % 3
    model = make_pipeline(sw.SetKernel(k=3), SVC(kernel="precomputed", C=10))
    grid = {"setkernel__divergence": ["js", sw.KL()], "setkernel__psd": ["clip", "shift"], "setkernel__width": [0.5, 2]}
    search = GridSearchCV(model, grid, cv=3).fit(sets, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(some_sets(4, seed=5)).shape == (4,)
