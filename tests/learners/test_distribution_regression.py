"""DistributionRegression: planted weights, predicted distributions against the true, and how samples are drawn."""

import numpy as np
import pytest
from scipy.stats import norm

import setwise as sw
from tests.learners.explicit import MeanKernel, turned

KINDS = ("convex", "affine", "free")
CENTRES = np.array([[0, 0], [3, 0], [0, 3], [3, 3], [6, 1]], dtype=float)


def mixture(weights, n_points, rng):
    """Points of the mixture of unit Gaussians at the centres."""
    return CENTRES[rng.choice(5, size=n_points, p=weights)] + rng.normal(size=(n_points, 2))


def densities(points):
    return norm.pdf(points[:, None] - CENTRES[None]).prod(axis=2)


@pytest.mark.parametrize("kind", KINDS)
def test_planted_convex_weights_are_recovered_within_monte_carlo_error(kind):
    """Under the linear kernel, a mixture of training distributions is that combination of their phi. Whoever knows the
    training densities takes their means over a new set's points for its row, and for G the integrals; the error that
    is left is that of drawing the new set. Here training sets are drawn as well, and densities estimated: twice it."""
    n_points, errors, references = 2000, [], []
    products = norm.pdf((CENTRES[:, None] - CENTRES[None]) / np.sqrt(2)).prod(axis=2) / 2
    for seed in range(4):
        rng = np.random.default_rng(seed)
        planted = np.vstack([rng.dirichlet(np.ones(5), size=6), np.eye(5)[1]])
        new = [mixture(weights, n_points, rng) for weights in planted]
        model = sw.DistributionRegression(kind, kernel="linear")
        found = model.fit([mixture(one, n_points, rng) for one in np.eye(5)]).predict_weights(new)
        errors.append(found - planted)
        rows = np.array([densities(points).mean(axis=0) for points in new])
        references.append(rows @ np.linalg.inv(products) - planted)
    assert np.std(errors) < 2 * np.std(references)
    assert abs(np.mean(errors)) < 0.01


def turned_density(points, angle):
    along = points @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return norm.pdf(along, scale=[3.0, 1.0]).prod(axis=1)


def rotated_task(n_points=1000):
    """Inputs turned by eight angles of half a turn; outputs a quarter further, and elsewhere. New ones lie between."""
    rng = np.random.default_rng(0)
    angles = np.arange(8) * np.pi / 8
    inputs = sw.SampleSets([turned(angle, n_points, rng) for angle in angles])
    elsewhere = np.array([5.0, 0.0])
    outputs = sw.SampleSets([elsewhere + turned(angle + np.pi / 2, n_points, rng) for angle in angles])
    between = angles + np.pi / 16
    new = sw.SampleSets([turned(angle, n_points, rng) for angle in between], ids=[f"t{i}" for i in range(8)])
    truths = sw.SampleSets([elsewhere + turned(angle + np.pi / 2, n_points, rng) for angle in between])
    return inputs, outputs, new, truths


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_rotated_outputs_are_predicted_better_than_by_any_training_output(kernel):
    """KL(truth || prediction) by the densities: exact, but for a mean over many draws of the truth."""
    rng = np.random.default_rng(1)
    inputs, outputs, new, _ = rotated_task()
    weights = sw.DistributionRegression(kernel=kernel).fit(inputs, outputs).predict_weights(new)
    for i, alpha in enumerate(weights):
        angle = (i + 0.5) * np.pi / 8 + np.pi / 2
        draws = turned(angle, 20_000, rng)
        each = np.column_stack([turned_density(draws, np.pi / 2 + j * np.pi / 8) for j in range(8)])
        truth = np.log(turned_density(draws, angle)).mean()
        singles = truth - np.log(each).mean(axis=0)
        assert truth - np.log(each @ alpha).mean() < 0.6 * singles.min()


def test_samples_of_rotated_outputs_are_nearer_to_the_truth_than_any_training_output():
    inputs, outputs, new, truths = rotated_task()
    predicted = sw.DistributionRegression(random_state=0).fit(inputs, outputs).predict(new)
    assert predicted.ids == new.ids
    assert predicted.sizes.tolist() == [1000] * 8
    best = sw.pairwise_divergences(truths, outputs, "kl").min(axis=1)
    ours = np.diag(sw.pairwise_divergences(truths, predicted, "kl"))
    assert (ours < best).all()
    assert ours.mean() < 0.6 * best.mean()


@pytest.mark.parametrize("kind", KINDS)
def test_weights_solve_the_programme_on_the_projected_gram_matrix(kind):
    rng = np.random.default_rng(0)
    sets = sw.SampleSets([rng.normal(size=(40, 2)) * (1 + i / 8) for i in range(12)])
    new = sw.SampleSets([rng.normal(size=(40, 2)) * (1.1 + i / 4) for i in range(5)])
    model = sw.DistributionRegression(kind, reg=0.01).fit(sets)
    gram = sw.gram_matrix(sets).values
    ridged = gram + 0.01 * gram.diagonal().mean() * np.eye(12)
    rows = sw.gram_matrix(new, sets).values
    weights = model.predict_weights(new)
    gradients = weights @ ridged - rows
    if kind == "free":
        np.testing.assert_allclose(gradients, 0, atol=1e-10)
        return
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    if kind == "affine":
        np.testing.assert_allclose(gradients, np.repeat(gradients[:, :1], 12, axis=1), atol=1e-10)
    else:
        level = (gradients * weights).sum(axis=1, keepdims=True)
        assert weights.min() == 0
        assert gradients.min(axis=1) == pytest.approx(level[:, 0], abs=1e-10)
        np.testing.assert_allclose(np.where(weights > 0, gradients - level, 0), 0, atol=1e-10)


def tagged_task(sizes=(30, 20, 10)):
    """Inputs whose means are the unit vectors, and outputs whose points say which they are of."""
    inputs = sw.SampleSets([np.tile(row, (4, 1)) for row in np.eye(3)])
    outputs = [np.column_stack([np.full(size, i), np.arange(size)]) for i, size in enumerate(sizes)]
    return inputs, sw.SampleSets(outputs, feature_names=["output", "point"])


def test_a_sample_is_drawn_by_weight():
    inputs, outputs = tagged_task((3000, 2000, 1000))
    new = sw.SampleSets([np.tile([0.5, 0.3, 0.2], (4, 1)), np.tile([0.0, 0.0, 1.0], (4, 1))])
    model = sw.DistributionRegression(reg=1e-9, kernel=MeanKernel(), n_points=1000, random_state=0)
    drawn = model.fit(inputs, outputs).predict(new)
    assert drawn.feature_names == ("output", "point")
    shares = np.bincount(drawn[0][:, 0].astype(int), minlength=3) / 1000
    assert (np.abs(shares - [0.5, 0.3, 0.2]) < 4 * np.sqrt(0.25 / 1000)).all()
    assert (drawn[1][:, 0] == 2).all()
    assert drawn.duplicates.tolist() == [0, 0], "without replacement"
    larger = model.set_params(n_points=2500).fit(inputs, outputs).predict(new[[1]])
    _, times = np.unique(larger[0][:, 1], return_counts=True)
    assert times.tolist().count(3) == 500 and times.tolist().count(2) == 500, "as far as there are enough"


def test_sizes_by_default_are_the_median_of_the_outputs():
    inputs, outputs = tagged_task()
    assert (
        sw.DistributionRegression(kernel=MeanKernel()).fit(inputs, outputs).predict(inputs).sizes.tolist() == [20] * 3
    )


def test_predictions_repeat_and_do_not_depend_on_the_company():
    inputs, outputs = tagged_task()
    new = sw.SampleSets([np.tile(row, (4, 1)) for row in np.random.default_rng(0).dirichlet(np.ones(3), size=6)])
    model = sw.DistributionRegression(kernel=MeanKernel(), random_state=0).fit(inputs, outputs)
    drawn = model.predict(new)
    assert model.predict(new) == drawn
    for places in ([4], [3, 1], [2, 2]):
        for place, points in zip(places, model.predict(new[places]), strict=True):
            np.testing.assert_array_equal(points, drawn[place])
    again = sw.DistributionRegression(kernel=MeanKernel(), random_state=0).fit(inputs, outputs)
    assert again.predict(new) == drawn
    other = sw.DistributionRegression(kernel=MeanKernel(), random_state=1).fit(inputs, outputs)
    assert other.predict(new) != drawn
    unseeded = sw.DistributionRegression(kernel=MeanKernel()).fit(inputs, outputs)
    assert unseeded.predict(new) == unseeded.predict(new), "one draw a fit"


@pytest.mark.parametrize("kind", KINDS)
def test_weighted_points_carry_the_weights(kind):
    inputs, outputs = tagged_task()
    model = sw.DistributionRegression(kind, reg=1e-3, kernel=MeanKernel()).fit(inputs, outputs)
    new = sw.SampleSets([np.tile(row, (4, 1)) for row in ([0.7, 0.2, 0.3], [1.5, -0.5, 0.0], [0.0, 0.0, 1.0])])
    for alpha, (points, weights) in zip(model.predict_weights(new), model.predict_weighted(new), strict=True):
        totals = np.bincount(points[:, 0].astype(int), weights, minlength=3)
        np.testing.assert_allclose(totals, alpha, atol=1e-12)
        means = np.array([output[:, 1].mean() for output in outputs])
        assert weights @ points[:, 1] == pytest.approx(alpha @ means), "means of the prediction are combinations"
    assert (model.predict_weights(new)[1] < 0).any() == (kind != "convex")


def test_a_sample_where_weights_are_negative_is_of_the_positive_ones():
    inputs, outputs = tagged_task()
    new = sw.SampleSets([np.tile([1.5, -0.5, 0.0], (4, 1))])
    model = sw.DistributionRegression("affine", reg=1e-9, kernel=MeanKernel(), n_points=50, random_state=0)
    assert (model.fit(inputs, outputs).predict(new)[0][:, 0] == 0).all()
    opposite = sw.SampleSets([np.tile([-1.0, -1.0, -1.0], (4, 1))], ids=["odd"])
    with pytest.raises(sw.InputError, match=r"no training set has a positive weight for set 'odd'; use weights="):
        model.set_params(weights="free").fit(inputs, outputs).predict(opposite)


def test_without_outputs_a_set_is_reconstructed_of_the_fitted():
    inputs, _ = tagged_task()
    model = sw.DistributionRegression(reg=1e-6, kernel=MeanKernel()).fit(inputs)
    assert model.outputs_ == inputs
    for points, given in zip(model.predict(inputs), inputs, strict=True):
        np.testing.assert_array_equal(points, given)


def test_what_cannot_be_is_refused():
    inputs, outputs = tagged_task()
    for wrong, said in (
        ({"weights": "positive"}, "choose 'free', 'affine', 'convex'"),
        ({"reg": 0}, "reg=0"),
        ({"n_points": 0}, "n_points=0"),
    ):
        with pytest.raises(sw.InputError, match=said) as refused:
            sw.DistributionRegression(**{"kernel": MeanKernel(), **wrong}).fit(inputs, outputs)
        assert "\n" not in str(refused.value)
    with pytest.raises(sw.InputError, match="2 outputs for 3 sets"):
        sw.DistributionRegression(kernel=MeanKernel()).fit(inputs, outputs[:2])
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(20, 2)) for _ in range(15)]
    with pytest.raises(sw.InputError, match="the kernel is indefinite: no weights are the best"):
        sw.DistributionRegression(psd="none").fit(sets)
    with pytest.raises(sw.InputError, match="2 columns; this DistributionRegression was fitted on sets with 3"):
        sw.DistributionRegression(kernel=MeanKernel()).fit(inputs, outputs).predict(outputs)
