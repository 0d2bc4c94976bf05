"""Test rows of a kernel that squares to negative lengths: projected they agree with transduction, raw they mislead.

The planted case is that of flow.py; with SETWISE_DATA set to a folder that has turbulence/hit_dns_256.npz, a plane of
a simulated turbulent flow is asked too.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import setwise as sw
from tests.learners.by_hand import gaussian_sets
from tests.learners.flow import class_distance, plane, windows

PLANE = Path(os.environ.get("SETWISE_DATA", "")) / "turbulence" / "hit_dns_256.npz"


def aucs(drawn, **parameters):
    """Of the test windows: projected rows, transduction, raw rows; and whether raw rows are warned of."""
    score = {}
    for test_rows in ("projected", "raw"):
        model = sw.SetSVC(test_rows=test_rows, **parameters).fit(drawn.train, drawn.y_train)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            score[test_rows] = roc_auc_score(drawn.y_test, model.decision_function(drawn.test))
    y = np.concatenate([drawn.y_train, np.full(len(drawn.test), -1)])
    together = sw.SetSVC(transductive=True, **parameters).fit(drawn.train + drawn.test, y)
    transductive = roc_auc_score(drawn.y_test, together.decision_function(drawn.test))
    warned = any(issubclass(one.category, sw.SpectrumWarning) for one in caught)
    return score["projected"], transductive, score["raw"], warned


@pytest.mark.parametrize("seed", [6, 20, 32])
def test_a_negative_distance_between_classes(seed):
    """At the default kernel, Renyi .9 squared at width 1. Seeds whose class distance is negative, as asserted."""
    rng = np.random.default_rng(seed)
    drawn = windows(plane(rng), rng)
    estimated = sw.SetKernel(psd="none").fit_transform(drawn.train)
    assert class_distance(estimated, drawn.y_train) < -0.01
    projected, transductive, raw, warned = aucs(drawn)
    assert abs(projected - transductive) < 0.03
    assert projected > 0.95
    assert raw < 0.5, "upside down"
    assert warned


def test_unsquared_the_same_windows_are_harmless():
    rng = np.random.default_rng(6)
    drawn = windows(plane(rng), rng)
    projected, transductive, raw, warned = aucs(drawn, squared=False)
    assert projected > 0.85
    assert abs(projected - transductive) < 0.03
    assert abs(projected - raw) < 0.03
    assert not warned


def test_noise_in_the_spectrum_is_harmless():
    """A quarter of the spectrum of small sets is negative noise; raw rows lose next to nothing, and nothing is said."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    sets = sw.SampleSets([rng.normal(size=(60, 2)) * (1 + 0.4 * c) for c in y])
    train, test = sets[:40], sets[40:]
    raw = sw.SetSVC(width=4, test_rows="raw").fit(train, y[:40])
    projected = sw.SetSVC(width=4).fit(train, y[:40])
    assert raw.projection_.n_negative_ >= 15
    found = roc_auc_score(y[40:], raw.decision_function(test))  # a warning would be an error
    assert found > roc_auc_score(y[40:], projected.decision_function(test)) - 0.02


def test_the_warning_points_at_the_call_and_says_what_to_do():
    rng = np.random.default_rng(6)
    drawn = windows(plane(rng), rng)
    model = sw.SetSVC(test_rows="raw").fit(drawn.train, drawn.y_train)
    with pytest.warns(sw.SpectrumWarning, match='negative.*upside down.*test_rows="projected"') as caught:
        model.predict(drawn.test)
    assert [warning.filename for warning in caught] == [__file__]
    model.predict(drawn.train)  # their rows are of the projection: nothing to warn of


@pytest.mark.parametrize("psd", ["shift", "none"])
def test_where_nothing_is_projected_nothing_is_said_of_raw_rows(psd):
    train, y = gaussian_sets()
    sw.SetSVC(k=3, psd=psd, test_rows="raw").fit(train, y).predict(gaussian_sets(4, seed=1)[0])


@pytest.mark.skipif(not PLANE.is_file(), reason="SETWISE_DATA names no folder with turbulence/hit_dns_256.npz")
@pytest.mark.parametrize(("divergence", "squared"), [("renyi:.9", True), ("renyi:.9", False), ("hellinger", True)])
def test_a_turbulent_flow(divergence, squared):
    """At the width of .25, which cross-validation favours: inductive and transductive AUC agree in each draw."""
    flow = np.load(PLANE)
    velocity = np.stack([flow["u"], flow["v"]], axis=-1).astype(float)
    velocity -= velocity.mean(axis=(0, 1))
    found = []
    for seed in range(5):
        drawn = windows(velocity, np.random.default_rng(seed), speed=2.0)
        found.append(aucs(drawn, divergence=divergence, squared=squared, width=0.25)[:2])
    projected, transductive = np.array(found).T
    assert projected.mean() > 0.93
    assert np.abs(projected - transductive).max() < 0.03


@pytest.mark.skipif(not PLANE.is_file(), reason="SETWISE_DATA names no folder with turbulence/hit_dns_256.npz")
def test_a_turbulent_flow_at_a_width_that_inverts():
    """Width 2: a negative distance between the classes in about half of the draws, and raw rows below chance."""
    flow = np.load(PLANE)
    velocity = np.stack([flow["u"], flow["v"]], axis=-1).astype(float)
    velocity -= velocity.mean(axis=(0, 1))
    found = [aucs(windows(velocity, np.random.default_rng(seed), speed=1.4), width=2.0, C=64.0) for seed in range(10)]
    projected, transductive, raw, warned = np.array(found).T
    assert raw.mean() < 0.4
    assert projected.mean() > 0.8
    assert abs(projected.mean() - transductive.mean()) < 0.03
    assert warned.all()
