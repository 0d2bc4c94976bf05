"""SetSVR against a quadratic programme, and with sets whose number is not known."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVR

import setwise as sw
from tests.learners import by_hand
from tests.learners.by_hand import gaussian_sets


def numbered_sets(n=24, seed=0, size=14):
    sets, classes = gaussian_sets(n, size, seed, classes=4)
    return sets, classes + 0.2 * np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize(("C", "epsilon"), [(1.0, 0.1), (10.0, 0.5)])
def test_predictions_of_the_quadratic_programme(C, epsilon):
    (train, y), (new, _) = numbered_sets(), numbered_sets(8, seed=1)
    projected, rows, _ = by_hand.gram(train, new)
    expected = by_hand.svr(projected, rows, y, np.full(len(y), C), epsilon)
    found = sw.SetSVR(k=3, C=C, epsilon=epsilon).fit(train, y).predict(new)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_weights_are_prices():
    (train, y), (new, _) = numbered_sets(), numbered_sets(8, seed=1)
    projected, rows, _ = by_hand.gram(train, new)
    weights = np.random.default_rng(2).uniform(0.2, 2, size=len(y))
    expected = by_hand.svr(projected, rows, y, weights, 0.1)
    found = sw.SetSVR(k=3).fit(train, y, sample_weight=weights).predict(new)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)
    assert np.abs(sw.SetSVR(k=3).fit(train, y).predict(new) - expected).max() > 0.01


def test_transduction():
    (train, y), (new, _) = numbered_sets(), numbered_sets(6, seed=1)
    everything, place = train + new, np.random.default_rng(0).permutation(30)
    projected, _, _ = by_hand.gram(everything, numbered_sets(1, seed=2)[0])
    machine = SVR(kernel="precomputed", tol=1e-6).fit(projected[:24, :24], y)
    expected = machine.predict(projected[:, :24])
    numbers, mask = np.concatenate([y, np.full(6, np.nan)]), np.arange(30) >= 24
    model = sw.SetSVR(k=3).fit([everything[i] for i in place], numbers[place], unlabelled=mask[place])
    np.testing.assert_allclose(model.transduction_, expected[place], rtol=0, atol=1e-4)
    np.testing.assert_allclose(model.predict(new), expected[24:], rtol=0, atol=1e-4)
    assert not hasattr(model.fit(train, y), "transduction_")


def test_learns_a_number_and_no_permuted_one():
    """Predictions that know nothing of y have an R^2 below 0 on average."""
    rng = np.random.default_rng(0)
    sets, y = numbered_sets(40, size=60)
    sets = sw.SampleSets(sets)
    model = sw.SetSVR(k=3)
    assert cross_val_score(model, sets, y, cv=5).mean() > 0.7
    scores = [cross_val_score(model, sets, rng.permutation(y), cv=5).mean() for _ in range(4)]
    assert np.mean(scores) < 0.1


@pytest.mark.parametrize(
    ("parameters", "fitting", "said"),
    [
        ({}, {"y": np.zeros(11)}, "11 targets for 12 sets"),
        ({}, {"y": ["a"] * 12}, "not numbers"),
        ({}, {"y": [1.0] * 11 + [np.nan]}, "the target of set 's11' is nan"),
        ({}, {"y": np.zeros(12), "unlabelled": np.ones(12, dtype=bool)}, "every set is marked"),
        ({}, {"y": np.zeros(12), "unlabelled": np.ones(11, dtype=bool)}, "11 entries of unlabelled for 12 sets"),
        ({}, {"y": np.zeros(12), "unlabelled": [0, 1] * 6}, "give True or False"),
        ({"C": -1}, {"y": np.zeros(12)}, "C=-1"),
        ({"epsilon": -0.1}, {"y": np.zeros(12)}, "epsilon=-0.1"),
    ],
)
def test_what_cannot_be_learned_is_said_in_a_line(parameters, fitting, said):
    sets = sw.SampleSets(gaussian_sets(12)[0], ids=[f"s{i}" for i in range(12)])
    with pytest.raises(sw.InputError, match=said) as caught:
        sw.SetSVR(**{"k": 3, **parameters}).fit(sets, **fitting)
    assert "\n" not in str(caught.value)
