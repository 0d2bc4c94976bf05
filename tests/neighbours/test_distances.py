"""k-th distances against float64 brute force, on data that breaks naive float32.

Both sides sum d squares in float64, so they agree to about d units in the last place: 1e-12 leaves room at d = 200.
"""

from __future__ import annotations

import numpy as np
import pytest

import setwise as sw
from setwise.neighbours.reference import sorted_distances
from tests.neighbours.families import EXTREME, SMOOTH, TIED

DIMENSIONS = (1, 2, 3, 4, 5, 8, 18, 54, 200)
CLOSE = 1e-12


def brute(x, y, k, own=False):
    return np.concatenate(
        [sorted_distances(part, y)[:, k - 1 + own] for part in np.array_split(x, max(1, len(x) // 64))]
    )


@pytest.mark.parametrize("family", (*SMOOTH, *TIED), ids=lambda f: f.__name__)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_equals_brute_force(family, d):
    rng = np.random.default_rng(d)
    for k in (1, 3, 5, 10):
        for n, m in ((1, k), (17, k + 1), (150, 64), (40, 333)):
            x, y = family(rng, n, d), family(rng, m, d)
            np.testing.assert_allclose(sw.kth_distances(x, y, k=k), brute(x, y, k), rtol=CLOSE, atol=0)
            if n > k:
                np.testing.assert_allclose(sw.kth_distances(x, k=k), brute(x, x, k, own=True), rtol=CLOSE, atol=0)


@pytest.mark.parametrize("d", DIMENSIONS)
def test_large_sets(d):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(300, d)), rng.normal(size=(3000, d))
    np.testing.assert_allclose(sw.kth_distances(x, y, k=5), brute(x, y, 5), rtol=CLOSE, atol=0)
    np.testing.assert_allclose(sw.kth_distances(y, x, k=5), brute(y, x, 5), rtol=CLOSE, atol=0)


@pytest.mark.parametrize("d", (2, 9))
def test_sets_whose_points_share_an_index(d):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(50, d)), rng.normal(size=(20_000, d))
    np.testing.assert_allclose(sw.kth_distances(x, y, k=5), brute(x, y, 5), rtol=CLOSE, atol=0)


@pytest.mark.parametrize("family", EXTREME, ids=lambda f: f.__name__)
@pytest.mark.parametrize("d", (2, 9))
def test_beyond_the_range_of_squares(family, d):
    rng = np.random.default_rng(d)
    x, y = family(rng, 60, d), family(rng, 80, d)
    scale = np.abs(y).max()
    np.testing.assert_allclose(sw.kth_distances(x, y, k=5), brute(x / scale, y / scale, 5) * scale, rtol=CLOSE, atol=0)


@pytest.mark.parametrize("d", (1, 3, 8, 60))
def test_x_inside_y(d):
    rng = np.random.default_rng(d)
    y = rng.normal(size=(200, d))
    x = y[::3]
    assert (sw.kth_distances(x, y, k=1) == 0).all()
    np.testing.assert_allclose(sw.kth_distances(x, y, k=4), brute(x, y, 4), rtol=CLOSE, atol=0)


@pytest.mark.parametrize("d", (2, 7))
@pytest.mark.parametrize("k", (20, 47, 120))
def test_large_k(d, k):
    rng = np.random.default_rng(k)
    x, y = rng.normal(size=(130, d)), rng.normal(size=(250, d))
    np.testing.assert_allclose(sw.kth_distances(x, y, k=k), brute(x, y, k), rtol=CLOSE, atol=0)
    np.testing.assert_allclose(sw.kth_distances(x, k=k), brute(x, x, k, own=True), rtol=CLOSE, atol=0)


def test_two_thousand_dimensions():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2000)), rng.normal(size=(40, 2000))
    np.testing.assert_allclose(sw.kth_distances(x, y, k=5), brute(x, y, 5), rtol=CLOSE, atol=0)


@pytest.mark.parametrize("d", (3, 12))
def test_float32_points_are_searched_as_they_are(d):
    rng = np.random.default_rng(d)
    x, y = (rng.normal(size=(n, d)).astype(np.float32) for n in (90, 70))
    np.testing.assert_array_equal(
        sw.kth_distances(x, y, k=3), sw.kth_distances(x.astype(np.float64), y.astype(np.float64), k=3)
    )


@pytest.mark.parametrize(
    ("x", "y", "k", "words"),
    [
        (np.zeros((4, 2)), None, 5, "x has 4 points; k=5 needs at least 6"),
        (np.zeros((9, 2)), np.zeros((4, 2)), 5, "y has 4 points; k=5 needs at least 5"),
        (np.zeros((9, 2)), np.zeros((9, 3)), 5, "2 columns"),
        (np.zeros((9, 2)), None, 0, "k=0"),
    ],
)
def test_refuses(x, y, k, words):
    with pytest.raises(sw.InputError, match=words):
        sw.kth_distances(x, y, k=k)
