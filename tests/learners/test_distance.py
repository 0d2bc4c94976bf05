"""SetDistance, and scikit-learn's estimators behind it."""

import numpy as np
import pytest
from sklearn.manifold import TSNE, Isomap
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import setwise as sw
from tests.learners.explicit import MeanKernel, means, rotated_gaussians, scattered_sets


def labelled_sets(n_sets=24, n_points=40):
    rng = np.random.default_rng(0)
    classes = np.arange(n_sets) % 2
    sets = [rng.normal(size=(n_points, 2)) * (1 + c) for c in classes]
    return sw.SampleSets(sets, ids=[f"p{i}" for i in range(n_sets)]), classes


def new_sets(n_sets=5):
    rng = np.random.default_rng(1)
    return sw.SampleSets([rng.normal(size=(30, 2)) * (1 + i % 2) for i in range(n_sets)])


def test_distances_in_a_known_feature_space():
    sets, new = scattered_sets(), scattered_sets(4, seed=1)
    model = sw.SetDistance(kernel=MeanKernel())
    found = model.fit_transform(sets)
    features = means(sets)
    np.testing.assert_allclose(found, np.linalg.norm(features[:, None] - features[None], axis=2), atol=1e-7)
    expected = np.linalg.norm(means(new)[:, None] - features[None], axis=2)
    np.testing.assert_allclose(model.transform(new), expected, atol=1e-12)


@pytest.mark.parametrize("psd", ["clip", "flip", "shift"])
@pytest.mark.parametrize("kernel", ["gaussian", "linear", "polynomial"])
def test_distances_are_those_of_the_gram_matrix(psd, kernel):
    sets, _ = labelled_sets()
    gram = sw.gram_matrix(sets, kernel=sw.SetKernel(psd=psd, kernel=kernel)).values
    found = sw.SetDistance(psd=psd, kernel=kernel).fit_transform(sets)
    squared = gram.diagonal()[:, None] + gram.diagonal()[None] - 2 * gram
    np.testing.assert_allclose(found**2, squared, atol=1e-12 * np.abs(gram).max())
    np.testing.assert_array_equal(np.diag(found), 0)
    np.testing.assert_array_equal(found, found.T)
    # A distance, as the matrix is positive semi-definite; three sides, each rounded.
    assert (found[:, None] <= found[:, :, None] + found[None] + 1e-12).all()


MODELS = [
    sw.SetDistance(),
    sw.SetDistance(psd="flip", test_rows="raw"),
    sw.SetDistance(psd="shift"),
    sw.SetDistance(psd="none", divergence="js"),
    sw.SetDistance(kernel="linear"),
    sw.SetDistance(kernel="polynomial", divergence="bhattacharyya", coef0=0.0),
    sw.SetDistance("divergence"),
    sw.SetDistance("divergence", "js", squared=True),
    sw.SetDistance("divergence", "kl", squared=False),
    sw.SetDistance(kernel=MeanKernel()),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.filterwarnings("ignore::setwise.errors.SpectrumWarning")
def test_fit_then_transform_is_fit_transform(model):
    sets, _ = labelled_sets(12)
    together = model.fit_transform(sets)
    np.testing.assert_allclose(model.fit(sets).transform(sets), together, atol=1e-7)
    np.testing.assert_allclose(model.transform(sets[[7, 2]]), together[[7, 2]], atol=1e-7)
    assert (together >= 0).all()
    # A root of rounding; exact below, where fitted sets are known again.
    np.testing.assert_allclose(np.diag(together), 0, atol=1e-7)
    if not isinstance(model.kernel, MeanKernel):
        np.testing.assert_array_equal(np.diag(together), 0)
        np.testing.assert_array_equal(np.diag(model.transform(sets)), 0)
    assert (model.transform(new_sets()) >= 0).all()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"divergence": "kl"}, lambda D: D),
        ({"divergence": "kl", "squared": False}, np.sqrt),
        ({"divergence": "js"}, np.sqrt),
        ({"divergence": "js", "squared": True}, lambda D: D),
        ({"divergence": "hellinger"}, lambda D: D),
    ],
    ids=str,
)
def test_divergences_are_symmetrised_and_then_clamped(given, expected):
    sets, _ = labelled_sets(8)
    directed = sw.pairwise_divergences(sets, divergence=given["divergence"])
    symmetric = np.maximum((directed + directed.T) / 2, 0)
    found = sw.SetDistance("divergence", **given).fit(sets)
    np.testing.assert_allclose(found.transform(sets), expected(symmetric), atol=1e-12)
    there = sw.pairwise_divergences(new_sets(), sets, divergence=given["divergence"])
    back = sw.pairwise_divergences(sets, new_sets(), divergence=given["divergence"]).T
    np.testing.assert_allclose(found.transform(new_sets()), expected(np.maximum((there + back) / 2, 0)), atol=1e-12)


@pytest.mark.parametrize("kernel", [sw.GaussianKernel(scale=0.5), sw.PolynomialKernel(2), "linear"], ids=str)
@pytest.mark.parametrize("psd", ["none", "shift"])
def test_a_new_set_is_as_far_as_among_all_where_nothing_is_projected(kernel, psd):
    """With a scale of its own, the kernel of two sets does not depend on the others, nor then does their distance, but
    for what shift adds to both K(p, p)."""
    sets, _ = labelled_sets(10)
    new = new_sets()
    everything = sw.SampleSets([*sets, *new])
    gram = sw.gram_matrix(everything, kernel=sw.SetKernel(kernel=kernel, psd="none")).values
    lifted = 0.0 if psd == "none" else max(0.0, -np.linalg.eigvalsh(gram[:10, :10])[0])
    expected = gram.diagonal()[10:, None] + gram.diagonal()[None, :10] - 2 * gram[10:, :10] + 2 * lifted
    found = sw.SetDistance(kernel=kernel, psd=psd).fit(sets).transform(new)
    np.testing.assert_allclose(found**2, np.maximum(expected, 0), atol=1e-10 * np.abs(gram).max())


def test_new_sets_are_as_far_as_if_they_had_been_fitted():
    """A fifth of 60 small sets is left out, and then compared to the others in the projection of all. With g' G^+ g,
    the squared norm of what the fitted sets see of a set, in the place of K(p, p), the error is several times that."""
    rng = np.random.default_rng(0)
    sets = sw.SampleSets([rng.normal(size=(50, 2)) * np.exp(0.3 * rng.normal()) for _ in range(60)])
    left_out = np.arange(60) % 5 == 0
    model = sw.SetDistance().fit(sets[~left_out])
    among_all = sw.SetDistance().fit_transform(sets)[np.ix_(left_out, ~left_out)] ** 2
    error = np.median(np.abs(model.transform(sets[left_out]) ** 2 / among_all - 1))
    assert error < 0.1

    rows, gram = model.kernel_.transform(sets[left_out]), model.projection_.gram_
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-10 * values[-1]
    seen = ((rows @ vectors[:, kept]) ** 2 / values[kept]).sum(axis=1)
    by_what_is_seen = seen[:, None] + gram.diagonal() - 2 * rows
    assert np.median(np.abs(by_what_is_seen / among_all - 1)) > 3 * error


@pytest.mark.parametrize("model", [sw.SetDistance(), sw.SetDistance("divergence", "kl")], ids=str)
@pytest.mark.parametrize("given", [list, lambda sets: sets], ids=["list", "SampleSets"])
def test_nearest_neighbours_in_cross_validation(model, given):
    sets, classes = labelled_sets()
    pipeline = make_pipeline(model, KNeighborsClassifier(3, metric="precomputed"))
    found = cross_val_score(pipeline, given(sets), classes, cv=4)
    by_hand = []
    for fold in range(4):
        test = np.zeros(24, dtype=bool)
        test[6 * fold : 6 * fold + 6] = True
        near = np.argsort(model.fit(sets[~test]).transform(sets[test]), axis=1)[:, :3]
        by_hand.append(((classes[~test][near].mean(axis=1) > 0.5) == classes[test]).mean())
    np.testing.assert_allclose(found, by_hand)
    assert found.mean() > 0.9


def test_a_grid_search():
    sets, classes = labelled_sets()
    pipeline = make_pipeline(sw.SetDistance(), KNeighborsClassifier(3, metric="precomputed"))
    grid = {"setdistance__metric": ["rkhs", "divergence"], "setdistance__divergence": ["renyi:0.9", "js"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(sets, classes)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(new_sets()).shape == (5,)


@pytest.mark.parametrize("model", [sw.SetDistance(), sw.SetDistance("divergence", squared=False)], ids=str)
def test_isomap(model):
    sets = rotated_gaussians(0, n_sets=30, n_points=1000, step=np.pi / 60)
    pipeline = make_pipeline(model, Isomap(n_neighbors=4, n_components=1, metric="precomputed"))
    line = pipeline.fit_transform(sets)[:, 0]
    order = np.argsort(np.argsort(line))
    assert abs(np.corrcoef(order, np.arange(30))[0, 1]) > 0.99, "a quarter turn, in order"
    between = pipeline.transform(rotated_gaussians(1, n_sets=30, n_points=1000, step=np.pi / 60))[:, 0]
    assert abs(np.corrcoef(between, line)[0, 1]) > 0.95


def test_tsne():
    sets, classes = labelled_sets(20)
    settings = {"perplexity": 5, "max_iter": 250, "random_state": 0}
    places = make_pipeline(sw.SetDistance(), TSNE(metric="precomputed", init="random", **settings)).fit_transform(sets)
    nearest = np.argsort(np.linalg.norm(places[:, None] - places[None], axis=2), axis=1)[:, 1]
    assert (classes[nearest] == classes).mean() > 0.9


def test_columns_are_named_by_the_fitted_sets():
    pytest.importorskip("pandas")
    sets, _ = labelled_sets(4)
    model = sw.SetDistance().set_output(transform="pandas").fit(sets)
    assert list(model.transform(sets).columns) == ["p0", "p1", "p2", "p3"]


def test_what_cannot_be_is_refused():
    sets, _ = labelled_sets(4)
    for wrong, said in (
        ({"metric": "euclidean"}, "metric='euclidean' is not known; choose 'rkhs', 'divergence'"),
        ({"metric": "divergence", "divergence": "linear"}, "not a distance"),
        ({"metric": "divergence", "squared": "yes"}, "squared='yes'"),
        ({"metric": "divergence", "k": 0}, "k=0"),
    ):
        with pytest.raises(sw.InputError, match=said) as refused:
            sw.SetDistance(**wrong).fit(sets)
        assert "\n" not in str(refused.value)
