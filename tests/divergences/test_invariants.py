"""What no estimate may depend on: the order of points and sets, where the origin lies, which way the axes point."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import setwise as sw
from setwise.divergences import scale_free
from tests.divergences.examples import EVERY, IDS, atoms

K = 6
few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
pytestmark = pytest.mark.filterwarnings("ignore::setwise.errors.SetwiseWarning")


@st.composite
def sample_sets(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    dim = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(K + 1, 24), min_size=2, max_size=3))
    rng = np.random.default_rng(seed)
    heavy = draw(st.booleans())
    noise = rng.standard_t(1.5, (sum(sizes), dim)) if heavy else rng.normal(size=(sum(sizes), dim))
    return np.split(noise, np.cumsum(sizes)[:-1]), seed


def table(arrays):
    return sw.divergence_table(arrays, divergences=EVERY, k=K)


def assert_same(first, second, choose=lambda matrix: matrix, only=EVERY, tolerance=1e-9):
    for divergence in only:
        one, other = choose(first[divergence, K]), second[divergence, K]
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=str(divergence))


@few
@given(sample_sets())
def test_the_order_of_the_points(case):
    arrays, seed = case
    rng = np.random.default_rng(seed)
    assert_same(table(arrays), table([rng.permutation(array) for array in arrays]))


@few
@given(sample_sets())
def test_the_order_of_the_sets(case):
    arrays, seed = case
    order = np.random.default_rng(seed).permutation(len(arrays))
    assert_same(table(arrays), table([arrays[i] for i in order]), lambda matrix: matrix[np.ix_(order, order)])


@few
@given(sample_sets(), st.floats(-100, 100))
def test_where_the_origin_lies(case, shift):
    arrays, _ = case
    assert_same(table(arrays), table([array + shift for array in arrays]), tolerance=1e-6)


@few
@given(sample_sets())
def test_which_way_the_axes_point(case):
    arrays, seed = case
    dim = arrays[0].shape[1]
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    assert_same(table(arrays), table([array @ rotation for array in arrays]), tolerance=1e-6)


@few
@given(sample_sets(), st.floats(1e-3, 1e3))
def test_the_scaling_law(case, scale):
    """x -> c x leaves ratios as they are, and multiplies D_ab by c^(-d (a + b))."""
    arrays, _ = case
    dim = arrays[0].shape[1]
    before, after = table(arrays), table([scale * array for array in arrays])
    assert_same(before, after, only=[one for one in EVERY if scale_free(one)])
    powers = {"linear": 1.0, "l2": 0.5, "l2:cross": 0.5, "alphabeta:0.2:0.3": 0.5}
    assert set(powers) == {str(one) for one in EVERY if not scale_free(one)}
    for name, power in powers.items():
        expected = before[name, K] * scale ** (-dim * power)
        np.testing.assert_allclose(after[name, K], expected, rtol=1e-6, err_msg=name)


@few
@given(sample_sets(), st.floats(0.5, 50), st.floats(-10, 10))
def test_ties_survive_a_change_of_unit(case, scale, shift):
    arrays, _ = case
    rounded = [np.round(array, 1) for array in arrays]
    free = [one for one in EVERY if scale_free(one)]
    before = sw.divergence_table(rounded, divergences=free, k=K)
    after = sw.divergence_table([scale * array + shift for array in rounded], divergences=free, k=K)
    assert_same(before, after, only=free)


@few
@given(sample_sets())
def test_symmetric_estimates_are_symmetric(case):
    arrays, _ = case
    found = table(arrays)
    for divergence in (one for one in EVERY if one.both):
        np.testing.assert_allclose(found[divergence, K], found[divergence, K].T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("divergence", [one for one in EVERY if one.symmetric], ids=str)
def test_symmetric_quantities_agree_both_ways_in_the_limit(divergence):
    """A part in so many: a root magnifies the error of what is small under it."""
    part = {"linear": 0.04, "l2": 0.1, "bhattacharyya": 0.04, "hellinger": 0.25, "js": 1e-12}[divergence.name]
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3000, 2)), rng.normal(size=(2000, 2)) * 1.3 + 0.5
    there, back = (sw.pairwise_divergences([a], [b], divergence, k=K)[0, 0] for a, b in ((x, y), (y, x)))
    assert there == pytest.approx(back, rel=part)


def test_a_pair_does_not_depend_on_the_other_sets():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(20 + 5 * i, 3)) for i in range(4)]
    whole, pair = table(arrays), table(arrays[1:3])
    for divergence in EVERY:
        np.testing.assert_array_equal(whole[divergence, K][1:3, 1:3], pair[divergence, K], err_msg=str(divergence))


def test_a_pair_with_a_set_of_one_repeated_point_does_not_depend_on_the_other_sets():
    sets = atoms()
    whole = table([*sets, 1e-3 * sets[4]])
    for i in range(len(sets)):
        for j in range(i):
            pair = table([sets[i], sets[j]])
            for divergence in EVERY:
                block = whole[divergence, K][np.ix_([i, j], [i, j])]
                np.testing.assert_array_equal(block, pair[divergence, K], err_msg=f"{divergence} of {i}, {j}")


@pytest.mark.parametrize("scale", [2.0**-30, 2.0**30])
@pytest.mark.parametrize("count", [3, 5], ids=["alone", "among others"])
def test_the_scaling_law_holds_for_sets_of_one_repeated_point(scale, count):
    arrays = list(atoms())[:count]
    before, after = table(arrays), table([scale * points for points in arrays])
    for name, power in {"linear": 1.0, "l2": 0.5, "l2:cross": 0.5, "alphabeta:0.2:0.3": 0.5}.items():
        np.testing.assert_allclose(after[name, K], before[name, K] * scale ** (-2 * power), rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("divergence", EVERY, ids=IDS)
def test_several_k_are_the_single_ones(divergence):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(20 + 5 * i, 3)) for i in range(3)]
    both = sw.divergence_table(arrays, divergences=[divergence], k=(K, 10))
    for k in (K, 10):
        np.testing.assert_array_equal(both[divergence, k], sw.pairwise_divergences(arrays, None, divergence, k=k))
