"""SetSVC against machines written by hand, and what it alone does: votes, probabilities, unlabelled sets."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import setwise as sw
from setwise.learners.platt import fit_sigmoid, sigmoid
from tests.learners import by_hand
from tests.learners.by_hand import gaussian_sets

PROJECTIONS = [(psd, rows) for psd in ("clip", "flip", "shift", "none") for rows in ("projected", "raw")]


@pytest.mark.parametrize("C", [0.5, 5.0])
@pytest.mark.parametrize("psd", ["clip", "flip"])
def test_decisions_of_the_quadratic_programme(psd, C):
    (train, y), (new, _) = gaussian_sets(), gaussian_sets(8, seed=1)
    projected, rows, _ = by_hand.gram(train, new, psd=psd)
    expected = by_hand.svc(projected, rows, 2 * y - 1, np.full(len(y), C))
    found = sw.SetSVC(k=3, psd=psd, C=C).fit(train, y).decision_function(new)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_weights_are_prices():
    (train, y), (new, _) = gaussian_sets(), gaussian_sets(8, seed=1)
    projected, rows, _ = by_hand.gram(train, new)
    weights = np.random.default_rng(2).uniform(0.2, 2, size=len(y))
    price = 1.5 * weights * np.where(y == 1, 3.0, 1.0)
    model = sw.SetSVC(k=3, C=1.5, class_weight={0: 1, 1: 3}).fit(train, y, sample_weight=weights)
    expected = by_hand.svc(projected, rows, 2 * y - 1, price)
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=0, atol=1e-4)
    even = sw.SetSVC(k=3, C=1.5).fit(train, y).decision_function(new)
    assert np.abs(even - expected).max() > 0.01, "the weights matter here"


def test_balanced_weights_count_the_sets_of_a_class():
    train, y = gaussian_sets(20)
    y[:6] = 0
    counts = np.bincount(y)
    explicit = dict(enumerate(len(y) / (2 * counts)))
    balanced = sw.SetSVC(k=3, class_weight="balanced").fit(train, y).decision_function(train)
    np.testing.assert_array_equal(
        balanced, sw.SetSVC(k=3, class_weight=explicit).fit(train, y).decision_function(train)
    )


@pytest.mark.filterwarnings("ignore::setwise.errors.SpectrumWarning")
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(("psd", "test_rows"), PROJECTIONS)
def test_votes_of_all_pairs_on_a_gram_matrix_by_hand(psd, test_rows, classes):
    """With all training sets and the projection's operator, in the place of what the model keeps of them."""
    (train, y), (new, _) = gaussian_sets(24, classes=classes), gaussian_sets(12, classes=classes, seed=1)
    projected, rows, _ = by_hand.gram(train, new, psd=psd, test_rows=test_rows)
    names = np.array(["d", "c", "b", "a"])[:classes]
    expected = SVC(kernel="precomputed", tol=1e-5).fit(projected, names[y])
    model = sw.SetSVC(k=3, psd=psd, test_rows=test_rows).fit(train, names[y])
    np.testing.assert_array_equal(model.classes_, sorted(names))
    np.testing.assert_array_equal(model.predict(new), expected.predict(rows))
    # Solutions on matrices equal to rounding differ by the solver's tolerance.
    np.testing.assert_allclose(model.decision_function(new), expected.decision_function(rows), rtol=0, atol=1e-4)
    np.testing.assert_allclose(model.decision_function(train), expected.decision_function(projected), rtol=0, atol=1e-4)
    np.testing.assert_array_equal(np.sort(model.support_), np.sort(expected.support_))


def test_votes_that_tie_go_to_the_first_class():
    model = sw.SetSVC(k=3).fit(*gaussian_sets(12, classes=3))
    around = np.array([[0.5, -0.2, 0.1]])  # the first beats the second, the third the first, the second the third
    np.testing.assert_array_equal(model._vote(around), model.classes_[:1])


@pytest.mark.parametrize("weights", [None, np.linspace(0.2, 2, 30)], ids=["even", "weighted"])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_of_platt(classes, weights):
    """Those of scikit-learn's calibration of the same folds' decisions on the Gram matrix."""
    (train, y), (new, _) = gaussian_sets(30, spread=0.5, classes=classes), gaussian_sets(9, seed=1, classes=classes)
    model = sw.SetSVC(k=3, probability=True, random_state=3).fit(train, y, sample_weight=weights)
    kernel = sw.SetKernel(k=3)
    machine = SVC(kernel="precomputed", tol=1e-5)
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    calibrated = CalibratedClassifierCV(machine, ensemble=False, cv=folds)
    expected = calibrated.fit(kernel.fit_transform(train), y, sample_weight=weights)
    found = model.predict_proba(new)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(found, expected.predict_proba(kernel.transform(new)), rtol=0, atol=1e-3)
    assert found.std(axis=0).min() > 0.05


def test_probabilities_follow_their_seed():
    train, y = gaussian_sets(20, spread=0.5)

    def probabilities(seed):
        return sw.SetSVC(k=3, probability=True, random_state=seed).fit(train, y).predict_proba(train)

    np.testing.assert_array_equal(probabilities(0), probabilities(0))
    assert not np.array_equal(probabilities(0), probabilities(1))


def test_a_sigmoid_at_the_largest_likelihood():
    """On many decisions drawn from a known sigmoid, in any unit, it is found; weights count as repetitions."""
    rng = np.random.default_rng(0)
    f = rng.normal(size=4000)
    positive = rng.random(4000) < sigmoid(f, -1.5, 0.4)
    a, b = fit_sigmoid(f, positive)
    # The error of a logistic slope from 4000 points is near .05.
    assert abs(a + 1.5) < 0.2
    assert abs(b - 0.4) < 0.15
    scaled, same = fit_sigmoid(1e6 * f, positive)
    np.testing.assert_allclose([scaled * 1e6, same], [a, b], rtol=1e-4)
    few, times = slice(0, 50), np.arange(50) % 3
    repeated = np.repeat(np.arange(50), times)
    weighted = fit_sigmoid(f[few], positive[few], times.astype(float))
    np.testing.assert_allclose(weighted, fit_sigmoid(f[repeated], positive[repeated]), rtol=1e-5)


def test_probabilities_only_if_asked_for():
    train, y = gaussian_sets(12)
    model = sw.SetSVC(k=3).fit(train, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(train)
    model.set_params(probability=True)
    with pytest.raises(NotFittedError):
        model.predict_proba(train)
    model.fit(train, y).set_params(probability=False).fit(train, y)
    assert not hasattr(model, "probA_")


@pytest.mark.parametrize(
    ("names", "unlabelled"),
    [
        (np.array([3, 5]), -1),
        (np.array([3.0, 5.0]), -1),
        (np.array(["cat", "owl"]), "-1"),
        (np.array(["cat", "owl"], dtype=object), None),
    ],
    ids=["whole", "float", "text", "None"],
)
def test_transduction(names, unlabelled):
    """All are projected together; the machine is trained on the labelled block; their labels are kept."""
    (train, y), (new, _) = gaussian_sets(16), gaussian_sets(6, seed=1)
    everything, place = train + new, np.random.default_rng(0).permutation(22)
    partly = np.concatenate([names[y], np.full(6, unlabelled, dtype=names.dtype)])
    projected, _, _ = by_hand.gram(everything, gaussian_sets(1, seed=2)[0])
    machine = SVC(kernel="precomputed", tol=1e-5).fit(projected[:16, :16], y)
    expected = names[np.concatenate([y, machine.predict(projected[16:, :16])])]
    model = sw.SetSVC(k=3, transductive=True).fit([everything[i] for i in place], partly[place])
    np.testing.assert_array_equal(model.classes_, sorted(names))
    np.testing.assert_array_equal(model.transduction_, expected[place])
    np.testing.assert_array_equal(model.predict(new), expected[16:])
    np.testing.assert_allclose(
        model.decision_function(new), machine.decision_function(projected[16:, :16]), rtol=0, atol=1e-4
    )
    assert set(place[model.support_]) <= set(range(16)), "only labelled sets are learned from"


def test_transduction_keeps_the_labels_that_were_given():
    train, y = gaussian_sets(16)
    y[2] = 1
    model = sw.SetSVC(k=3, C=0.1, transductive=True).fit(train, np.concatenate([y[:12], np.full(4, -1)]))
    assert (model.predict(train[:12]) != y[:12]).any(), "the case has labels that are not learned"
    np.testing.assert_array_equal(model.transduction_[:12], y[:12])
    np.testing.assert_array_equal(model.transduction_[12:], model.predict(train[12:]))


def test_unlabelled_sets_change_the_projection_alone():
    (train, y), (new, _) = gaussian_sets(16), gaussian_sets(6, seed=1)
    partly = np.concatenate([y, np.full(6, -1)])
    model = sw.SetSVC(k=3, transductive=True).fit(train + new, partly)
    inductive = sw.SetSVC(k=3, transductive=True).fit(train, y)
    np.testing.assert_array_equal(inductive.transduction_, y)
    np.testing.assert_array_equal(inductive.decision_function(new), sw.SetSVC(k=3).fit(train, y).decision_function(new))
    assert np.abs(model.decision_function(new) - inductive.decision_function(new)).max() > 1e-4
    weights = np.ones(22)
    weights[16:] = 7.0
    weighed = sw.SetSVC(k=3, transductive=True).fit(train + new, partly, sample_weight=weights)
    np.testing.assert_array_equal(weighed.decision_function(new), model.decision_function(new))
    again = model.set_params(transductive=False).fit(train, y)
    assert not hasattr(again, "transduction_")


def test_without_transduction_minus_one_is_a_label():
    train, y = gaussian_sets(16)
    model = sw.SetSVC(k=3).fit(train, 2 * y - 1)
    np.testing.assert_array_equal(model.classes_, [-1, 1])


def test_a_pipeline_as_kernel():
    """A transformer of sets into a Gram matrix that is not ours is kept whole."""
    (train, y), (new, _) = gaussian_sets(), gaussian_sets(8, seed=1)
    steps = make_pipeline(sw.KNNDivergence("kl", k=3, symmetrize=True), sw.GaussianKernel(), sw.PSDProjection())
    found = sw.SetSVC(kernel=steps).fit(train, y)
    assert found.projection_ is None
    expected = sw.SetSVC("kl", k=3).fit(train, y)
    np.testing.assert_allclose(found.decision_function(new), expected.decision_function(new), rtol=0, atol=1e-9)


def test_weights_and_groups_are_routed():
    train, y = gaussian_sets(24)
    sets, weights = sw.SampleSets(train), np.random.default_rng(0).uniform(0.1, 3, 24)
    folds = StratifiedKFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        model = sw.SetSVC(k=3, C=0.5, probability=True, random_state=0)
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found = cross_validate(model, sets, y, cv=folds, params={"sample_weight": weights}, return_estimator=True)
    for (rows, test), fitted in zip(folds.split(train, y), found["estimator"], strict=True):
        model = sw.SetSVC(k=3, C=0.5, probability=True, random_state=0)
        expected = model.fit(sets[rows], y[rows], sample_weight=weights[rows])
        np.testing.assert_array_equal(fitted.predict_proba(sets[test]), expected.predict_proba(sets[test]))
        even = sw.SetSVC(k=3, C=0.5).fit(sets[rows], y[rows])
        assert np.abs(even.decision_function(sets[test]) - expected.decision_function(sets[test])).max() > 1e-3
    groups = np.arange(24) // 2
    assert len(cross_val_score(sw.SetSVC(k=3), sets, y, groups=groups, cv=GroupKFold(4))) == 4


@pytest.mark.parametrize(
    ("parameters", "y", "said"),
    [
        ({}, [0] * 12, "all labels are 0; give labels of at least two classes"),
        ({}, [0, 1] * 5, "10 labels for 12 sets"),
        ({}, [0.5, 1.5] * 6, "continuous values"),
        ({}, [[0, 1]] * 12, r"shape \(12, 2\)"),
        ({}, None, "no labels given"),
        ({}, [0, None] * 6, "set 's1' has no label"),
        ({}, [0.0, np.nan] * 6, "set 's1' has no label"),
        ({}, ["a", np.nan] * 6, "set 's1' has no label"),
        ({}, [[0], [0, 1]] * 6, "labels are lists of several lengths"),
        ({"transductive": True}, [-1] * 12, "no set has a label"),
        ({"transductive": True}, [-1, 1] * 6, "all labels are 1; -1 marks unlabelled sets"),
        ({"probability": True}, [0] * 11 + [1], "class 1 has one set; probability=True needs two"),
        ({"C": 0}, [0, 1] * 6, "C=0 must be a number above 0"),
        ({"C": "1"}, [0, 1] * 6, "C='1'"),
        ({"class_weight": "even"}, [0, 1] * 6, "class_weight='even'"),
        ({"class_weight": {0: -1.0}}, [0, 1] * 6, r"class_weight\[0\]=-1.0 must be a number above 0"),
        ({"kernel": "rbf"}, [0, 1] * 6, "kernel='rbf' is not known"),
        ({"kernel": SVC}, [0, 1] * 6, "is not known; choose"),
        ({"k": 12}, [0, 1] * 6, "k=12 needs"),
        ({"psd": "cut"}, [0, 1] * 6, "'cut' is not known"),
        ({"divergence": "linear"}, [0, 1] * 6, "linear"),
    ],
)
def test_what_cannot_be_learned_is_said_in_a_line(parameters, y, said):
    sets = sw.SampleSets([points[:12] for points in gaussian_sets(12)[0]], ids=[f"s{i}" for i in range(12)])
    with pytest.raises(sw.InputError, match=said) as caught:
        sw.SetSVC(**{"k": 3, **parameters}).fit(sets, y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0] * 11, "11 sample weights for 12 sets"),
        ([1.0] * 11 + [-1], "the sample weight of set 11 is -1"),
        ([1.0] * 11 + [np.nan], "the sample weight of set 11 is nan"),
        ([0.0] * 12, "all sample weights are 0"),
        (["much"] * 12, "give one number"),
    ],
)
def test_weights_that_are_none(weights, said):
    with pytest.raises(sw.InputError, match=said):
        sw.SetSVC(k=3).fit(*gaussian_sets(12), sample_weight=weights)


def test_permuted_labels_are_learned_no_better_than_by_chance():
    """Five-fold accuracy of one permutation has a standard deviation near .5 / sqrt(60); of the mean of six, .026."""
    rng = np.random.default_rng(0)
    sets, y = gaussian_sets(60)
    sets = sw.SampleSets(sets)
    assert cross_val_score(sw.SetSVC(k=3), sets, y, cv=5).mean() > 0.9
    scores = [cross_val_score(sw.SetSVC(k=3), sets, rng.permutation(y), cv=5).mean() for _ in range(6)]
    assert abs(np.mean(scores) - 0.5) < 4 * 0.5 / np.sqrt(60 * 6)


def test_a_covariance_is_seen_where_means_see_nothing():
    """200 sets of 200 points: unit variances, correlated .6 or not, the means the same."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    spread = [np.eye(2), np.linalg.cholesky(np.array([[1, 0.6], [0.6, 1]])).T]
    sets = sw.SampleSets([rng.normal(size=(200, 2)) @ spread[c] for c in y])
    means = np.array([points.mean(axis=0) for points in sets])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(sw.SetSVC(), sets, y, cv=folds).mean() >= 0.95
    assert cross_val_score(SVC(), means, y, cv=folds).mean() < 0.5 + 3 * 0.5 / np.sqrt(200)


def test_no_warnings_on_plain_data():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train, y = gaussian_sets(12)
        sw.SetSVC(k=3, probability=True).fit(train, y).predict_proba(train)
