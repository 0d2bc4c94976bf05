"""SetLLE: its weights against least squares in a known feature space, and the loop of rotated Gaussians."""

import numpy as np
import pytest
from sklearn.manifold import locally_linear_embedding

import setwise as sw
from setwise.learners.loop import loop_scores
from tests.learners.explicit import MeanKernel, means, rotated_gaussians, scattered_sets, turned


def constrained_least_squares(target, features, ridge):
    """w of sum one that minimises |target - w'features|^2 + ridge |w|^2, as 1/k plus vectors that sum to zero."""
    level = np.full(len(features), 1 / len(features))
    across = np.linalg.svd(np.ones((1, len(features))))[2][1:].T
    design = np.vstack([features.T, np.sqrt(ridge) * np.eye(len(features))])
    aim = np.append(target, np.zeros(len(features))) - design @ level
    return level + across @ np.linalg.lstsq(design @ across, aim, rcond=None)[0]


def nearest_others(target, features, count, itself=None):
    squared = ((features - target) ** 2).sum(axis=1)
    if itself is not None:
        squared[itself] = np.inf
    return np.argsort(squared)[:count]


@pytest.mark.parametrize("n_neighbors", [2, 5])
@pytest.mark.parametrize("reg", [1e-3, 0.1, 10.0])
def test_weights_are_constrained_least_squares_in_feature_space(n_neighbors, reg):
    sets = scattered_sets()
    features = means(sets)
    found = sw.SetLLE(n_neighbors, reg=reg, kernel=MeanKernel()).fit(sets).weights_
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    for i, weights in enumerate(found):
        near = nearest_others(features[i], features, n_neighbors, i)
        assert set(np.flatnonzero(weights)) == set(near)
        ridge = reg * ((features[near] - features[i]) ** 2).sum()
        np.testing.assert_allclose(
            weights[near], constrained_least_squares(features[i], features[near], ridge), atol=1e-9
        )


def test_places_of_new_sets_are_their_reconstructions():
    sets, new = scattered_sets(), scattered_sets(4, seed=1)
    features = means(sets)
    model = sw.SetLLE(5, kernel=MeanKernel()).fit(sets)
    for target, place in zip(means(new), model.transform(new), strict=True):
        near = nearest_others(target, features, 5)
        ridge = 0.1 * ((features[near] - target) ** 2).sum()
        weights = constrained_least_squares(target, features[near], ridge)
        np.testing.assert_allclose(place, weights @ model.embedding_[near], atol=1e-9)


def test_on_a_known_feature_space_it_is_scikit_learns():
    sets = scattered_sets(30, dim=2)
    model = sw.SetLLE(6, kernel=MeanKernel(), reg=1e-3)
    found = model.fit_transform(sets)
    expected, error = locally_linear_embedding(means(sets), n_neighbors=6, n_components=2, eigen_solver="dense")
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected * signs, atol=1e-6)
    assert model.reconstruction_error_ == pytest.approx(error, rel=1e-6)


def test_the_embedding_minimises_what_the_paper_says():
    sets = rotated_gaussians(0, n_sets=20, n_points=60, step=np.pi / 20)
    model = sw.SetLLE(4, n_components=3)
    Y = model.fit_transform(sets)
    assert Y.shape == (20, 3)
    np.testing.assert_array_equal(Y, model.embedding_)
    np.testing.assert_allclose(Y.sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(Y.T @ Y, np.eye(3), atol=1e-9)
    assert ((Y - model.weights_ @ Y) ** 2).sum() == pytest.approx(model.reconstruction_error_, abs=1e-12)
    residual = np.eye(20) - model.weights_
    lowest = np.linalg.eigvalsh(residual.T @ residual)[:4]
    assert lowest[0] == pytest.approx(0, abs=1e-12)
    assert model.reconstruction_error_ == pytest.approx(lowest[1:].sum(), rel=1e-6)
    assert (Y[np.abs(Y).argmax(axis=0), range(3)] > 0).all()


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
@pytest.mark.parametrize("seed", range(5))
def test_rotated_gaussians_become_a_loop(seed, kernel):
    """The bar is that of the experiment's protocol; without the projection the linear kernel does not reach it."""
    adjacent, spearman, winding = loop_scores(sw.SetLLE(kernel=kernel).fit_transform(rotated_gaussians(seed)))
    assert adjacent >= 0.98
    assert spearman >= 0.97
    assert winding == 1


def test_without_the_projection_the_loop_is_lost_and_that_is_said():
    sets = rotated_gaussians(0)
    with pytest.warns(sw.SpectrumWarning, match="of 63 sets the kernel is indefinite") as caught:
        raw = sw.SetLLE(kernel="linear", psd="none").fit_transform(sets)
    assert [warning.filename for warning in caught] == [__file__]
    assert loop_scores(raw).adjacent < 0.8


def test_a_new_set_comes_between_its_neighbours():
    """Sets turned by angles halfway between those of two fitted sets; the nearest of all is one of the closest."""
    step = np.pi / 40
    model = sw.SetLLE().fit(rotated_gaussians(0, n_sets=40, n_points=500, step=step))
    rng = np.random.default_rng(1)
    halfway = np.arange(0, 40, 5) + 0.5
    places = model.transform([turned(step * i, 500, rng) for i in halfway])
    nearest = np.linalg.norm(places[:, None] - model.embedding_[None], axis=2).argmin(axis=1)
    along = np.abs(nearest - halfway)
    assert np.minimum(along, 40 - along).max() < 3


@pytest.mark.parametrize("psd", ["clip", "flip", "shift"])
@pytest.mark.parametrize("kernel", ["gaussian", "linear", MeanKernel()], ids=str)
def test_fitted_sets_keep_their_places(psd, kernel):
    sets = rotated_gaussians(0, n_sets=12, n_points=50, step=np.pi / 12)
    model = sw.SetLLE(4, psd=psd, kernel=kernel)
    together = model.fit_transform(sets)
    np.testing.assert_allclose(model.transform(sets), together, atol=1e-12)
    np.testing.assert_allclose(model.transform(sets[[5, 2]]), together[[5, 2]], atol=1e-12)


def test_groups_that_nothing_connects_are_said():
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(30, 2)) + 50 * (i % 2) for i in range(12)]
    with pytest.warns(sw.GraphWarning, match="2 groups"):
        sw.SetLLE(3).fit(sets)


def test_what_cannot_be_is_refused():
    sets = scattered_sets(6)
    for wrong, said in (
        ({"n_neighbors": 6}, "n_neighbors=6 .* less than the 6 sets"),
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"n_neighbors": 2.5}, "n_neighbors=2.5"),
        ({"n_neighbors": 3, "n_components": 6}, "n_components=6"),
        ({"n_neighbors": 3, "reg": 0}, "reg=0"),
        ({"n_neighbors": 3, "reg": "much"}, "reg='much'"),
    ):
        with pytest.raises(sw.InputError, match=said) as refused:
            sw.SetLLE(**{"kernel": MeanKernel(), **wrong}).fit(sets)
        assert "\n" not in str(refused.value)


def test_a_kernel_that_knows_no_distances_of_new_sets_is_refused():
    from sklearn.preprocessing import FunctionTransformer

    sets = scattered_sets(6)
    model = sw.SetLLE(3, kernel=FunctionTransformer(lambda X: means(X) @ means(sets).T))
    assert model.fit_transform(sets).shape == (6, 2)
    with pytest.raises(sw.InputError, match="squared_distances"):
        model.transform(sets)
