"""The two scores of how unlike the training sets a set is."""

import numpy as np
import pytest

import setwise as sw
from tests.learners import by_hand
from tests.learners.by_hand import gaussian_sets


def alike(n=24, seed=0):
    return gaussian_sets(n, seed=seed, spread=0.0)[0]


def odd(n=6, seed=5):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(14, 2)) * 0.2 + 3 for _ in range(n)]


def around(n=24):
    """Sets on a circle, each of a kind of its own."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=(40, 2)) * 0.5 + 2 * np.array([np.cos(a), np.sin(a)]) for a in np.arange(n) * 2 * np.pi / n]


@pytest.mark.parametrize("psd", ["clip", "flip"])
def test_scores_of_the_quadratic_programme(psd):
    train, new = alike(), alike(5, seed=1) + odd()
    projected, rows, _ = by_hand.gram(train, new, psd=psd)
    expected, offset = by_hand.one_class(projected, rows, 0.3, np.ones(24))
    model = sw.SetOneClassSVM(k=3, nu=0.3, psd=psd).fit(train)
    np.testing.assert_allclose(model.score_samples(new), expected, rtol=0, atol=1e-4)
    np.testing.assert_allclose(model.decision_function(new), expected - offset, rtol=0, atol=1e-4)
    assert abs(model.offset_ - offset) < 1e-4


def test_differences_in_kernel_values_near_one():
    """At sigma of 256 medians the scores differ by less than single precision holds beside what they share."""
    train, new = alike(), alike(5, seed=1) + odd()
    projected, rows, _ = by_hand.gram(train, new, width=256.0)
    shared, unit = projected.mean(), np.ptp(projected)
    expected, offset = by_hand.one_class((projected - shared) / unit, (rows - shared) / unit, 0.3, np.ones(24))
    found = sw.SetOneClassSVM(k=3, nu=0.3, width=256.0).fit(train).decision_function(new) / unit
    np.testing.assert_allclose(found, expected - offset, rtol=1e-4, atol=1e-4)


def test_nu_bounds_the_share_outside_and_the_share_of_support_sets():
    train = alike(40)
    for nu in (0.1, 0.3, 0.7):
        model = sw.SetOneClassSVM(k=3, nu=nu).fit(train)
        assert (model.predict(train) == -1).mean() <= nu <= len(model.support_) / 40 + 1e-9


def test_weights_are_bounds():
    train, new = alike(), alike(3, seed=1) + odd(3)
    weights = np.random.default_rng(2).uniform(0.2, 2, size=24)
    projected, rows, _ = by_hand.gram(train, new)
    expected, _ = by_hand.one_class(projected, rows, 0.3, weights)
    model = sw.SetOneClassSVM(k=3, nu=0.3)
    found = model.fit(train, sample_weight=weights).score_samples(new)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)
    assert np.abs(model.fit(train).score_samples(new) - expected).max() > 0.01
    with pytest.raises(sw.InputError, match="11 sample weights for 24 sets"):
        model.fit(train, sample_weight=np.ones(11))


def test_sets_of_weight_zero_set_no_boundary():
    train, new = alike(), alike(3, seed=1) + odd(3)
    weights = np.r_[np.zeros(8), np.random.default_rng(2).uniform(0.2, 2, size=16)]
    projected, rows, _ = by_hand.gram(train, new)
    expected, offset = by_hand.one_class(projected[8:, 8:], rows[:, 8:], 0.3, weights[8:])
    model = sw.SetOneClassSVM(k=3, nu=0.3).fit(train, sample_weight=weights)
    assert model.support_.min() >= 8
    np.testing.assert_allclose(model.decision_function(new), expected - offset, rtol=0, atol=1e-4)


def test_nu_of_one_is_the_mean_of_the_kernel():
    train, new = alike(), alike(3, seed=1) + odd(3)
    projected, rows, _ = by_hand.gram(train, new)
    model = sw.SetOneClassSVM(k=3, nu=1).fit(train)
    np.testing.assert_allclose(model.score_samples(new), rows.sum(axis=1), rtol=0, atol=1e-9)
    assert model.offset_ == pytest.approx(projected.sum(axis=1).max())
    assert model.predict(train).sum() <= 2 - 24, "all outside but one, which is on the border"


@pytest.mark.parametrize("make", [lambda: sw.SetOneClassSVM(k=3, nu=0.1), lambda: sw.SetNearest(k=3)])
def test_odd_sets_score_below_all_others(make):
    model = make().fit(alike())
    normal, unlike = model.score_samples(alike(12, seed=1)), model.score_samples(odd())
    assert unlike.max() < normal.min()
    np.testing.assert_array_equal(model.predict(odd()), -1)
    np.testing.assert_allclose(model.decision_function(odd()), unlike - model.offset_, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("divergence", ["renyi:.9", "js", "kl:matched", "hellinger"])
@pytest.mark.parametrize("n_neighbors", [1, 3])
def test_distance_to_the_nearest_by_hand(divergence, n_neighbors):
    train, new = alike(), alike(4, seed=1) + odd(2)
    forward = sw.pairwise_divergences(new, train, divergence, k=3)
    backward = sw.pairwise_divergences(train, new, divergence, k=3)
    expected = -np.sort((forward + backward.T) / 2, axis=1)[:, n_neighbors - 1]
    model = sw.SetNearest(divergence, k=3, n_neighbors=n_neighbors).fit(train)
    np.testing.assert_allclose(model.score_samples(new), expected, rtol=0, atol=1e-12)


def test_a_training_set_never_counts_itself():
    """Known by its points, in any company; the threshold comes from the same scores."""
    train = around()
    among = sw.pairwise_divergences(train, k=3)
    among = (among + among.T) / 2
    np.fill_diagonal(among, np.inf)
    expected = -np.sort(among, axis=1)[:, 1]
    model = sw.SetNearest(k=3, n_neighbors=2, contamination=0.25).fit(train)
    np.testing.assert_allclose(model.score_samples(train), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.score_samples([train[7], odd(1)[0]])[0], expected[7], rtol=0, atol=1e-12)
    assert model.offset_ == pytest.approx(np.percentile(expected, 25))
    assert (model.fit_predict(train) == -1).sum() == 6


def test_a_copy_of_a_training_set_counts():
    train = around(6)
    scores = sw.SetNearest(n_neighbors=1).fit([*train, train[0]]).score_samples(train)
    assert scores[0] == 0, "its copy is at no distance"
    assert (scores[1:] < -0.5).all()


def test_the_two_scores_can_disagree():
    """A set of a kind of its own, close to all of many kinds: most normal to the machine, odd by its nearest."""
    rng = np.random.default_rng(1)
    amid = [rng.normal(size=(40, 2)) * 0.5 for _ in range(3)]
    machine = sw.SetOneClassSVM(nu=0.2, width=2).fit(around())
    assert machine.score_samples(amid).min() > np.median(machine.score_samples(around()))
    np.testing.assert_array_equal(sw.SetNearest(n_neighbors=2).fit(around()).predict(amid), -1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sw.SetOneClassSVM(k=3, nu=0), "nu=0 "),
        (lambda: sw.SetOneClassSVM(k=3, nu=1.5), "nu=1.5"),
        (lambda: sw.SetNearest(k=3, n_neighbors=12), "n_neighbors=12 must be a whole number from 1 to 11"),
        (lambda: sw.SetNearest(k=3, n_neighbors=0), "n_neighbors=0"),
        (lambda: sw.SetNearest(k=3, n_neighbors=2.0), "n_neighbors=2.0"),
        (lambda: sw.SetNearest(k=3, contamination=0), "contamination=0 "),
        (lambda: sw.SetNearest(k=3, contamination=0.6), "contamination=0.6"),
        (lambda: sw.SetNearest("linear", k=4), "not a distance"),
        (lambda: sw.SetNearest("distance"), "distance"),
    ],
)
def test_wrong_parameters_are_said_in_a_line(make, said):
    with pytest.raises(sw.InputError, match=said) as caught:
        make().fit(alike(12))
    assert "\n" not in str(caught.value)
