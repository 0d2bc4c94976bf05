"""What the machines keep of their training sets: enough to answer as the whole kernel would, and no more."""

import pickle

import numpy as np
import pytest

import setwise as sw
from tests.learners.by_hand import gaussian_sets

PROJECTIONS = [(psd, rows) for psd in ("clip", "flip", "shift", "none") for rows in ("projected", "raw")]
MACHINES = {
    "SetSVC": lambda **kernel: sw.SetSVC(k=3, **kernel),
    "SetSVR": lambda **kernel: sw.SetSVR(k=3, epsilon=0.3, **kernel),
    "SetOneClassSVM": lambda **kernel: sw.SetOneClassSVM(k=3, nu=0.4, **kernel),
}
pytestmark = pytest.mark.filterwarnings("ignore::setwise.errors.SpectrumWarning")


def values(model, sets):
    return model._values(sw.SampleSets(sets))


@pytest.mark.parametrize(("psd", "test_rows"), PROJECTIONS)
@pytest.mark.parametrize("name", MACHINES)
def test_answers_are_those_of_all_training_sets(name, psd, test_rows):
    """The whole kernel's rows with the dual coefficients; for training sets, in any order, their rows of the Gram."""
    (train, y), (new, _) = gaussian_sets(classes=3), gaussian_sets(7, seed=1, classes=3)
    kernel = sw.SetKernel(k=3, psd=psd, test_rows=test_rows)
    kernel.fit(train)
    model = MACHINES[name](psd=psd, test_rows=test_rows).fit(train, y)
    some = [train[5], new[0], train[2], new[3]]
    if name == "SetSVC":
        return _assert_svc(model, kernel, new, some)
    rows = kernel.transform(new)[:, model.support_], kernel.transform(some)[:, model.support_]
    for sets, row in zip((new, some), rows, strict=True):
        expected = row @ model.dual_coef_[0] + model.intercept_
        np.testing.assert_allclose(values(model, sets)[:, 0], expected, rtol=0, atol=1e-10)


def _assert_svc(model, kernel, new, some):
    """Pair (i, j), i < j: the coefficients of class i in row j-1 of dual_coef_, and those of class j in row i."""
    of_class = np.repeat(range(3), model.n_support_)
    pairs = [(0, 1), (0, 2), (1, 2)]
    for sets in (new, some):
        rows = kernel.transform(sets)[:, model.support_]
        for found, b, (i, j) in zip(values(model, sets).T, model.intercept_, pairs, strict=True):
            dual = np.where(of_class == i, model.dual_coef_[j - 1], 0) + np.where(of_class == j, model.dual_coef_[i], 0)
            np.testing.assert_allclose(found, rows @ dual + b, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("psd", "test_rows"), PROJECTIONS)
@pytest.mark.parametrize("name", MACHINES)
def test_only_what_prediction_needs_is_kept(name, psd, test_rows):
    train, y = gaussian_sets(30, spread=2.0)
    model = MACHINES[name](psd=psd, test_rows=test_rows).fit(sw.SampleSets(train), y)
    kept = model.kernel_.divergences_.sets_
    folded = psd in ("clip", "flip") and test_rows == "projected"
    assert kept.ids == (tuple(range(30)) if folded else tuple(np.sort(model.support_).tolist()))
    assert folded or len(kept) < 30, "the case has sets that are no support vectors"
    smaller = pickle.dumps(model)
    square = 30 * 30 * 8
    points = sum(points.nbytes for points in kept)
    assert len(smaller) < points + square, "no square matrix of the training sets"
    assert model.projection_.eigenvalues_.shape == (30,)
    assert "eigenvalues negative" in repr(model.projection_)
    assert not hasattr(model.projection_, "gram_")


def test_no_support_sets_at_all():
    train, _ = gaussian_sets(12)
    for test_rows in ("projected", "raw"):
        model = sw.SetSVR(k=3, epsilon=1.0, test_rows=test_rows).fit(train, np.linspace(0, 0.5, 12))
        assert len(model.support_) == 0
        np.testing.assert_array_equal(model.predict(gaussian_sets(5, seed=1)[0]), np.repeat(model.intercept_, 5))


def test_training_sets_that_are_copies():
    """A bootstrap holds sets twice; both places are the same set."""
    train, y = gaussian_sets(16)
    for psd, test_rows in PROJECTIONS:
        twice = [0, 0, *range(1, 16), 3]
        model = sw.SetSVC(k=3, psd=psd, test_rows=test_rows).fit([train[i] for i in twice], y[twice])
        found = model.decision_function(train)
        np.testing.assert_allclose(found, model.decision_function(train[::-1])[::-1], rtol=0, atol=1e-9)
        assert (model.predict(train) == y).mean() > 0.8
