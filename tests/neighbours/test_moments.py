"""The engine's moments against the reference, and what must not change them.

Logarithms of means over points agree to the rounding of d logarithms: 1e-12 d.
"""

from __future__ import annotations

import numpy as np
import pytest

from setwise.neighbours import pair_moments, reference
from setwise.neighbours.moments import LogRatio, Mixture, Own, Power
from setwise.sets import SampleSets
from tests.neighbours.families import SMOOTH, TIED

PLAIN = (Power(-0.2, 0.2), Power(-0.5, 0.5), Power(0.0, 1.0), LogRatio())
MATCHED = (Power(-0.1, 0.1, True), LogRatio(True), Mixture())
SIZES = (7, 12, 64, 130, 33, 300)


def sets_of(family, d, seed=0, sizes=SIZES):
    rng = np.random.default_rng(seed)
    return SampleSets([family(rng, n, d) for n in sizes])


def check(x, y, moments, ks, **options):
    d = x.dim
    found = pair_moments(x, y, moments, ks, own=[Own(0.5)], **options)
    others = x if y is None else y
    for moment in moments:
        for k in ks:
            for i in range(len(x)):
                for j in range(len(others)):
                    if y is None and i == j:
                        continue
                    expected = reference.pair_moment(moment, x[i].astype(float), others[j].astype(float), k)
                    assert found.forward[moment, k][i, j] == pytest.approx(expected, abs=1e-12 * d, rel=1e-12), (
                        moment,
                        k,
                        i,
                        j,
                    )
                    if found.backward:
                        expected = reference.pair_moment(moment, others[j].astype(float), x[i].astype(float), k)
                        assert found.backward[moment, k][j, i] == pytest.approx(expected, abs=1e-12 * d, rel=1e-12)
    for i in range(len(x)):
        expected = reference.own_moment(Own(0.5), x[i].astype(float), ks[-1])
        assert found.own_x[Own(0.5), ks[-1]][i] == pytest.approx(expected, abs=1e-12 * d, rel=1e-12)
    return found


@pytest.mark.parametrize("family", (*SMOOTH, *TIED), ids=lambda f: f.__name__)
@pytest.mark.parametrize("d", (1, 2, 3, 5, 8, 54))
def test_equal_the_reference(family, d):
    x = sets_of(family, d)
    check(x, None, PLAIN, (5,))
    check(x, None, PLAIN + MATCHED, (3, 5))


@pytest.mark.parametrize("d", (2, 9))
def test_x_against_y_both_ways(d):
    x, y = sets_of(SMOOTH[0], d, seed=1), sets_of(SMOOTH[0], d, seed=2, sizes=(20, 8, 99))
    check(x, y, PLAIN + MATCHED, (5,), both=True)
    assert not check(x, y, PLAIN, (5,)).backward


@pytest.mark.parametrize("d", (1, 2, 4, 9))
def test_one_set_against_many(d):
    """Several targets side by side, and the last register of the one set not full."""
    rng = np.random.default_rng(d)
    x, y = SampleSets([rng.normal(size=(37, d))]), sets_of(SMOOTH[0], d, seed=3, sizes=(20, 31, 44) * 12)
    check(x, y, MATCHED, (3, 5), n_jobs=1)


@pytest.mark.parametrize("d", (2, 9))
def test_y_inside_x(d):
    x = sets_of(SMOOTH[0], d, seed=1, sizes=(60, 90))
    y = SampleSets([x[0][::2], x[1][:30]])
    check(x, y, (*PLAIN, Mixture()), (2, 5), both=True)
    check(x, y, (Power(-0.5, 0.5), LogRatio(), Mixture()), (1,), both=True)


@pytest.mark.parametrize("d", (2, 9))
def test_large_k_takes_the_scan(d):
    x = sets_of(SMOOTH[0], d, sizes=(70, 90, 120))
    found = check(x, None, PLAIN + MATCHED, (60,))
    assert found.diagnostics["path"] == "scan"


@pytest.mark.parametrize("matched", (False, True))
@pytest.mark.parametrize("d", (2, 10))
def test_bit_identical_for_any_threads_and_blocking(d, matched):
    rng = np.random.default_rng(d)
    x = SampleSets([rng.normal(size=(n, d)) for n in rng.integers(20, 400, 40)])
    moments = (*PLAIN, *(MATCHED if matched else ()))
    first = pair_moments(x, None, moments, (5,), n_jobs=1)
    for options in ({"n_jobs": 2}, {"n_jobs": 1, "memory": 2_000_000}, {"n_jobs": 2, "memory": 9_000_000}):
        again = pair_moments(x, None, moments, (5,), **options)
        for key, values in first.forward.items():
            np.testing.assert_array_equal(values, again.forward[key])


@pytest.mark.parametrize("d", (2, 10))
def test_a_pair_does_not_depend_on_its_company(d):
    x = sets_of(SMOOTH[0], d)
    alone = pair_moments(x[[1, 4]], None, PLAIN + MATCHED, (5,))
    together = pair_moments(x, None, PLAIN + MATCHED, (5,))
    for key, values in alone.forward.items():
        # the reduction is the same, and so are the distances, whatever frame found them
        assert values[0, 1] == together.forward[key][1, 4]


@pytest.mark.parametrize("d", (2, 10))
def test_a_set_of_one_repeated_point_is_finite_where_a_ratio_is(d):
    rng = np.random.default_rng(d)
    x = SampleSets([np.full((20, d), 0.5), rng.normal(size=(30, d)), np.full((9, d), 0.5), np.zeros((8, d))])
    found = pair_moments(x, None, PLAIN + MATCHED, (5,), own=[Own(0.5)])
    off = ~np.eye(4, dtype=bool)
    for (moment, _), values in found.forward.items():
        infinite = [[0, 2], [2, 0]] if moment == Power(0.0, 1.0) else []
        assert np.argwhere(~np.isfinite(values) & off).tolist() == infinite
    np.testing.assert_array_equal(np.isposinf(found.own_x[Own(0.5), 5]), [True, False, True, True])
    np.testing.assert_array_equal(found.diagnostics["ties"], [20, 0, 9, 8])


def test_says_how_far_it_is():
    x = sets_of(SMOOTH[0], 2)
    seen = []
    pair_moments(x, None, PLAIN, (5,), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == len(seen)


def test_wide_terms_do_not_leave_the_range():
    rng = np.random.default_rng(0)
    x = SampleSets([rng.normal(size=(40, 2000)) * scale for scale in (1e-3, 1.0, 1e3)])
    check(x, None, (*PLAIN, Power(-1.0, 2.0)), (5,))
