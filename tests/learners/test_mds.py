"""SetMDS, against known places and scikit-learn's."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import smacof

import setwise as sw
from setwise.learners.loop import loop_scores
from tests.learners.explicit import MeanKernel, means, rotated_gaussians, scattered_sets


@pytest.mark.parametrize("method", ["classical", "metric"])
def test_distances_that_fit_into_the_dimension_come_back(method):
    sets = scattered_sets(12, dim=2)
    model = sw.SetMDS(method=method, kernel=MeanKernel())
    places = model.fit_transform(sets)
    np.testing.assert_array_equal(places, model.embedding_)
    np.testing.assert_allclose(pdist(places), pdist(means(sets)), atol=1e-6)
    assert model.stress_ == pytest.approx(0, abs=1e-10)
    spread = np.linalg.svd(means(sets) - means(sets).mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose(model.eigenvalues_, [*spread, *np.zeros(10)], atol=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_classical_scaling_is_of_the_centred_gram_matrix(kernel):
    sets = rotated_gaussians(0, n_sets=15, n_points=60, step=np.pi / 15)
    gram = sw.gram_matrix(sets, kernel=sw.SetKernel(kernel=kernel)).values
    centring = np.eye(15) - 1 / 15
    values, vectors = np.linalg.eigh(centring @ gram @ centring)
    model = sw.SetMDS(3, kernel=kernel)
    places = model.fit_transform(sets)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1], atol=1e-12 * len(gram) * np.abs(gram).max())
    expected = vectors[:, :-4:-1] * np.sqrt(values[:-4:-1])
    np.testing.assert_allclose(places @ places.T, expected @ expected.T, atol=1e-10 * np.abs(gram).max())
    assert (places[np.abs(places).argmax(axis=0), range(3)] > 0).all()
    assert model.stress_ == pytest.approx(((pdist(places) - squareform(model.distance_.transform(sets))) ** 2).sum())


@pytest.mark.parametrize("dissimilarity", ["rkhs", "divergence"])
def test_metric_scaling_is_at_a_minimum_below_the_classical(dissimilarity):
    sets = rotated_gaussians(0, n_sets=15, n_points=60, step=np.pi / 15)
    classical = sw.SetMDS(dissimilarity=dissimilarity).fit(sets)
    metric = sw.SetMDS(method="metric", dissimilarity=dissimilarity).fit(sets)
    assert metric.stress_ < 0.95 * classical.stress_
    distances = metric.distance_.transform(sets)
    assert metric.stress_ == pytest.approx(((pdist(metric.embedding_) - squareform(distances)) ** 2).sum())
    _, further = smacof(distances, init=metric.embedding_, n_init=1, max_iter=5, eps=1e-12)
    assert further == pytest.approx(metric.stress_, rel=1e-3)


def test_more_starts_are_at_least_as_good_and_seeded():
    sets = rotated_gaussians(0, n_sets=15, n_points=60, step=np.pi / 15)
    one = sw.SetMDS(1, "metric").fit(sets)
    several = [sw.SetMDS(1, "metric", n_init=6, random_state=0).fit(sets) for _ in range(2)]
    assert several[0].stress_ <= one.stress_
    np.testing.assert_array_equal(several[0].embedding_, several[1].embedding_)


@pytest.mark.parametrize("method", ["classical", "metric"])
@pytest.mark.parametrize("dissimilarity", ["rkhs", "divergence"])
def test_rotated_gaussians_become_a_loop(method, dissimilarity):
    places = sw.SetMDS(method=method, dissimilarity=dissimilarity).fit_transform(rotated_gaussians(0))
    adjacent, spearman, winding = loop_scores(places)
    assert adjacent > 0.9
    assert spearman > 0.97
    assert winding == 1


def test_equal_sets_have_one_place():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2))
    for method in ("classical", "metric"):
        model = sw.SetMDS(method=method, kernel=MeanKernel()).fit([points] * 4)
        np.testing.assert_allclose(model.embedding_, 0, atol=1e-7)
        assert model.stress_ == pytest.approx(0, abs=1e-12)


def test_what_cannot_be_is_refused():
    sets = scattered_sets(5)
    for wrong, said in (
        ({"n_components": 5}, "n_components=5 .* less than the 5 sets"),
        ({"n_components": 0}, "n_components=0"),
        ({"method": "nonmetric"}, "choose 'classical', 'metric'"),
        ({"dissimilarity": "euclidean"}, "'euclidean' is not known; choose 'rkhs', 'divergence'"),
        ({"n_init": 0}, "n_init=0"),
        ({"max_iter": 1.5}, "max_iter=1.5"),
    ):
        with pytest.raises(sw.InputError, match=said) as refused:
            sw.SetMDS(**{"kernel": MeanKernel(), **wrong}).fit(sets)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("model", [sw.SetMDS(kernel=MeanKernel()), sw.SetLLE(3, kernel=MeanKernel())], ids=str)
def test_columns_are_named(model):
    pytest.importorskip("pandas")
    found = model.set_output(transform="pandas").fit_transform(scattered_sets(6))
    name = type(model).__name__.lower()
    assert list(found.columns) == [f"{name}0", f"{name}1"]
