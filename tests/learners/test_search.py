"""A search on a table of divergences that serves folds around it: what experiments with many runs use."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

import setwise as sw
from setwise.divergences.pairwise import compute
from setwise.learners.candidates import kernel_parameters, steps_of
from setwise.learners.on_gram import GramSVC
from setwise.learners.search import Candidate, search
from setwise.learners.sources import OnDivergences, OnGram, OnSets, together
from tests.learners.by_hand import gaussian_sets

pytestmark = pytest.mark.filterwarnings("ignore::setwise.errors.SpectrumWarning")

WIDTHS, CS = (0.5, 2.0), (1.0, 100.0)


def labelled():
    sets, y = gaussian_sets(24, size=10, spread=0.5)
    return sw.SampleSets(sets), y


def candidates_on(sets, psd="clip", test_rows="projected"):
    table = compute(sets, None, ["renyi:.9"], (3,), symmetrize=True)
    parameters = kernel_parameters(None, (3,), None, "gaussian", "paper", WIDTHS, 1, 0.0)
    return [
        Candidate(one, OnDivergences(table[one["divergence"], one["k"]], steps_of(one, psd, test_rows)))
        for one in parameters
    ]


def tuned_on(candidates, y, train, seed=0, **given):
    inner = [(train[a], train[b]) for a, b in StratifiedKFold(3).split(train, y[train])]
    machines = [{"C": C} for C in CS]
    return search(candidates, GramSVC(), machines, y, inner, random_state=np.random.RandomState(seed), **given)


@pytest.mark.parametrize("test_rows", ["projected", "raw"])
def test_one_table_serves_the_folds_around(test_rows):
    sets, y = labelled()
    candidates = candidates_on(sets, test_rows=test_rows)
    for train, test in StratifiedKFold(2, shuffle=True, random_state=1).split(y, y):
        found = tuned_on(candidates, y, train)
        tuner = sw.SetSVCCV(ks=3, widths=WIDTHS, Cs=CS, test_rows=test_rows, random_state=0).fit(sets[train], y[train])
        np.testing.assert_array_equal(found.results["mean_test_score"], tuner.cv_results_["mean_test_score"])
        assert (found.index, found.parameters, found.score) == (
            tuner.best_index_,
            tuner.best_params_,
            tuner.best_score_,
        )
        np.testing.assert_array_equal(found.predict(y, train, test), tuner.predict(sets[test]))


def test_transduction_on_the_same_table():
    sets, y = labelled()
    candidates = candidates_on(sets)
    train, test = next(StratifiedKFold(2, shuffle=True, random_state=1).split(y, y))
    found = tuned_on(candidates, y, train)
    partly = np.full(len(y), -1)
    partly[train] = y[train]
    model = sw.SetSVC(**found.parameters, transductive=True).fit(sets, partly)
    kept = together(found.candidate.source)
    np.testing.assert_array_equal(found.predict(y, train, test, kept), model.transduction_[test])


def test_sources_agree():
    """A kernel on the table, the same from the sets, and the Gram matrix of all fitted together on all."""
    sets, _ = labelled()
    on_divergences = candidates_on(sets)[0].source
    on_sets = OnSets(sets, sw.SetKernel(k=3, width=WIDTHS[0]))
    assert len(on_divergences) == len(on_sets) == len(sets)
    train, test = np.arange(16)[::-1], np.arange(14, 24)
    for (gram, rows), (expected, expected_rows) in [(on_sets.fit(train), on_divergences.fit(train))]:
        np.testing.assert_allclose(gram, expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(rows(test), expected_rows(test), rtol=0, atol=1e-10)
        np.testing.assert_array_equal(rows(train), gram)
    all_of_them = together(on_divergences)
    assert isinstance(all_of_them, OnGram)
    assert len(all_of_them) == len(sets)
    gram, rows = all_of_them.fit(train)
    np.testing.assert_array_equal(gram, all_of_them.gram[train][:, train])
    np.testing.assert_array_equal(rows(test), all_of_them.gram[test][:, train])


def test_labels_of_other_sets_are_not_looked_at():
    sets, y = labelled()
    candidates = candidates_on(sets)
    train, test = next(StratifiedKFold(2, shuffle=True, random_state=1).split(y, y))
    elsewhere = y.copy()
    elsewhere[test] = 1 - y[test]
    for given in ({}, {"transductive": True}):
        found, other = (tuned_on(candidates, labels, train, **given) for labels in (y, elsewhere))
        np.testing.assert_array_equal(found.results["mean_test_score"], other.results["mean_test_score"])


def test_distances_of_any_kind():
    """Such as those between pictures, which no divergence names."""
    sets, y = labelled()
    spreads = np.array([points.std() for points in sets])
    apart = np.abs(spreads[:, None] - spreads[None])
    candidates = [
        Candidate({"width": width}, OnDivergences(apart, make_pipeline(sw.GaussianKernel(width), sw.PSDProjection())))
        for width in WIDTHS
    ]
    found = tuned_on(candidates, y, np.arange(len(y)))
    assert set(found.parameters) == {"width", "C"}
    assert found.score > 0.8, "spreads are what the classes differ in"
