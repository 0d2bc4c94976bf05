"""The solver against the conditions that a solution meets, where libsvm's steps suffice and where they do not."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

import setwise as sw
from setwise.learners import interior, solver

# libsvm's tolerance, and as much for what single precision makes of coefficients near 100.
BOTH_SOLVED = 5e-5


def problem(n=60, seed=0, spread=1.0, classes=2):
    """A Gaussian Gram matrix on points of two dimensions, and labels that have nothing to do with it."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2)) * spread
    gram = np.exp(-0.5 * ((points[:, None] - points[None]) ** 2).sum(axis=2))
    return gram, rng.integers(0, classes, n), rng.uniform(0.2, 2, n)


def violation(gram, sign, x, bound, intercept):
    """How far margins are from where the coefficients say they are: at 1, beyond it, or short of it."""
    margin = sign * (gram @ (sign * x) + intercept) - 1
    inside = (x > 0) & (x < bound)
    wrong = np.where(inside, np.abs(margin), np.where(x == 0, -margin, margin))
    return max(wrong.max(), 0)


@pytest.fixture
def without_libsvm(monkeypatch):
    monkeypatch.setattr(solver, "STEPS", 1)
    monkeypatch.setattr(solver, "STEPS_A_SET", 0)


@pytest.mark.parametrize("spread", [10.0, 1.0, 0.1, 0.001], ids=lambda s: f"spread {s}")
@pytest.mark.parametrize("C", [2.0**-9, 1.0, 2.0**9, 2.0**21], ids=lambda C: f"C {C:g}")
def test_whatever_the_price_and_the_width(C, spread):
    gram, y, _ = problem(spread=spread)
    sign, bound = 2.0 * y - 1, np.full(len(y), C)
    found = interior.solve(gram, np.arange(len(y)), sign, -np.ones(len(y)), bound)
    assert (found.x >= 0).all() and (found.x <= bound).all()
    assert abs(sign @ found.x) <= 1e-6 * C
    # Twice the accuracy asked for: what is nearly at a bound is put there.
    assert violation(gram, sign, found.x, bound, found.intercept) <= 2 * interior.ACCURACY


@pytest.mark.parametrize("weighted", [False, True], ids=["alike", "weighted"])
@pytest.mark.parametrize("classes", [2, 3])
def test_both_ways_to_a_classifier(without_libsvm, monkeypatch, classes, weighted):
    gram, y, weights = problem(classes=classes)
    names = np.array(["a", "b", "c"])[y]
    given = {"C": 5.0, "class_weight": {"a": 2.0} if weighted else None, "weights": weights if weighted else None}
    with solver.quietly():
        found = solver.classify(gram, names, **given)
    monkeypatch.undo()
    expected = solver.classify(gram, names, **given)
    assert (expected.classes == found.classes).all()
    np.testing.assert_allclose(
        gram @ found.dual + found.intercept, gram @ expected.dual + expected.intercept, rtol=0, atol=BOTH_SOLVED
    )
    theirs = SVC(
        C=5.0, kernel="precomputed", class_weight=given["class_weight"], tol=1e-6, decision_function_shape="ovo"
    ).fit(gram, names, sample_weight=given["weights"])
    np.testing.assert_allclose(
        gram @ found.dual + found.intercept,
        theirs.decision_function(gram).reshape(len(y), -1),
        rtol=0,
        atol=BOTH_SOLVED,
    )


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True], ids=["alike", "weighted"])
def test_both_ways_to_a_regression(without_libsvm, monkeypatch, weighted, epsilon):
    gram, y, weights = problem()
    targets = y + np.random.default_rng(1).normal(size=len(y))
    weights = weights if weighted else None
    with solver.quietly():
        dual, intercept = solver.regress(gram, targets, 5.0, epsilon, weights)
    monkeypatch.undo()
    expected, expected_intercept = solver.regress(gram, targets, 5.0, epsilon, weights)
    theirs = SVR(C=5.0, epsilon=epsilon, kernel="precomputed", tol=1e-6).fit(gram, targets, sample_weight=weights)
    for one in ((gram @ expected + expected_intercept)[:, 0], theirs.predict(gram)):
        np.testing.assert_allclose((gram @ dual + intercept)[:, 0], one, rtol=0, atol=BOTH_SOLVED)


def test_a_large_price_on_labels_of_noise_ends():
    """libsvm takes a hundred million steps and more for this; its limit hands over to the interior point method."""
    gram, y, _ = problem(n=40)
    with solver.quietly():
        found = solver.classify(gram, y, 2.0**21, None, None)
    sign = 2.0 * y - 1
    bound = np.full(len(y), 2.0**21)
    assert violation(gram, sign, sign * found.dual[:, 0], bound, found.intercept[0]) <= 1e-4


def test_a_kernel_that_is_nearly_constant():
    """In single precision all of it is 1 or nearly so; libsvm on it as it is answers far from the solution."""
    gram, y, _ = problem(spread=0.002)
    sign, bound = 2.0 * y - 1, np.full(len(y), 2.0**18)
    found = solver.classify(gram, y, 2.0**18, None, None)
    assert violation(gram, sign, sign * found.dual[:, 0], bound, found.intercept[0]) <= 1e-3
    theirs = SVC(C=2.0**18, kernel="precomputed", tol=1e-5).fit(gram, y)
    x = np.zeros(len(y))
    x[theirs.support_] = np.abs(theirs.dual_coef_[0])
    assert violation(gram, sign, x, bound, theirs.intercept_[0]) > 0.01, "the case is hard for single precision"


def test_sets_of_no_weight_have_no_part():
    gram, y, weights = problem()
    weights[::4] = 0
    kept = weights > 0
    among = gram[np.ix_(kept, kept)]
    found = solver.classify(gram, y, 5.0, "balanced", weights)
    expected = solver.classify(among, y[kept], 5.0, "balanced", weights[kept])
    assert not found.dual[~kept].any()
    np.testing.assert_array_equal(found.dual[kept], expected.dual)
    dual, intercept = solver.regress(gram, weights + y, 5.0, 0.1, weights)
    assert not dual[~kept].any()
    of_kept, of_kept_intercept = solver.regress(among, (weights + y)[kept], 5.0, 0.1, weights[kept])
    np.testing.assert_array_equal(dual[kept], of_kept)
    assert intercept == of_kept_intercept


def test_weights_that_leave_nothing():
    gram, y, _ = problem()
    with pytest.raises(sw.InputError, match="of one class"):
        solver.classify(gram, y, 1.0, None, (y == 0).astype(float))
    with pytest.raises(sw.InputError, match="every sample weight is 0"):
        solver.regress(gram, y, 1.0, 0.1, np.zeros(len(y)))


def test_an_indefinite_programme_that_is_not_solved_is_said(without_libsvm):
    gram, y, _ = problem()
    with pytest.warns(sw.SpectrumWarning, match="not solved to the end"), solver.quietly():
        solver.classify(-gram, y, 100.0, None, None)
    with pytest.warns(sw.SpectrumWarning, match="not solved to the end"), solver.quietly():
        solver.regress(-gram, y, 100.0, 0.1, None)


@pytest.mark.parametrize("n_support", [[3, 4], [2, 3, 1], [1, 2, 3, 2]], ids=str)
def test_coefficients_by_pairs_and_by_classes(n_support):
    n_support = np.array(n_support, dtype=np.int32)
    rows = 1 if len(n_support) == 2 else len(n_support) - 1
    dual = np.random.default_rng(0).normal(size=(rows, n_support.sum()))
    by_pairs = solver.by_pairs(dual, n_support)
    assert by_pairs.shape == (n_support.sum(), len(n_support) * (len(n_support) - 1) // 2)
    np.testing.assert_array_equal(solver.by_classes(by_pairs, n_support), dual)
