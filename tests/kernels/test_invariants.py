"""What holds of the projection for any square matrix.

Clipping is a projection on a convex cone, so that it moves no two matrices apart; whatever rounds S by n eps |S| moves
the result by no more.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import setwise as sw
from setwise.kernels.psd import METHODS, TEST_ROWS


def squares(n):
    """Of all scales at once, with many zeros and ties among them."""
    value = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, -1.0])
    return arrays(np.float64, (n, n), elements=value)


matrices = st.integers(1, 7).flatmap(squares)
pairs = st.integers(1, 7).flatmap(lambda n: st.tuples(squares(n), squares(n)))
thorough = settings(deadline=None, max_examples=150)


def rounding(matrix):
    return 1e-13 * len(matrix) * (np.linalg.norm(matrix) + 1e-300)


@thorough
@given(matrices, st.sampled_from(METHODS[:3]))
def test_symmetric_and_positive(matrix, method):
    found = sw.PSDProjection(method).fit_transform(matrix)
    np.testing.assert_array_equal(found, found.T)
    assert np.linalg.eigvalsh(found)[0] >= -rounding(matrix)


@thorough
@given(matrices, st.sampled_from(METHODS), st.sampled_from(TEST_ROWS))
def test_fit_then_transform_is_fit_transform(matrix, method, test_rows):
    model = sw.PSDProjection(method, test_rows)
    together = model.fit_transform(matrix)
    np.testing.assert_array_equal(model.transform(matrix), together)


@thorough
@given(matrices, st.sampled_from(METHODS))
def test_idempotent(matrix, method):
    once = sw.PSDProjection(method).fit_transform(matrix)
    twice = sw.PSDProjection(method).fit_transform(once)
    np.testing.assert_allclose(twice, once, rtol=0, atol=rounding(matrix))


@thorough
@given(matrices, st.sampled_from(METHODS))
def test_indifferent_to_the_antisymmetric_part(matrix, method):
    found = sw.PSDProjection(method).fit_transform(matrix)
    np.testing.assert_array_equal(sw.PSDProjection(method).fit_transform(matrix.T), found)


@thorough
@given(matrices, st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_indifferent_to_the_order_of_the_sets(matrix, method, random):
    order = random.sample(range(len(matrix)), len(matrix))
    found = sw.PSDProjection(method).fit_transform(matrix[np.ix_(order, order)])
    expected = sw.PSDProjection(method).fit_transform(matrix)[np.ix_(order, order)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=rounding(matrix))


@thorough
@given(pairs)
def test_clip_moves_no_two_matrices_apart(two):
    one, other = two
    found = [sw.PSDProjection().fit_transform(matrix) for matrix in two]
    apart = np.linalg.norm((one + one.T - other - other.T) / 2)
    assert np.linalg.norm(found[0] - found[1]) <= apart + rounding(one) + rounding(other)


@thorough
@given(matrices)
def test_the_account_adds_up(matrix):
    """Clip keeps the positive eigenvalues, flip all magnitudes; the negative mass is what lies between."""
    clipped, flipped = (sw.PSDProjection(method).fit(matrix) for method in ("clip", "flip"))
    total, kept = np.trace(flipped.gram_), np.trace(clipped.gram_)
    assert 0 <= clipped.negative_mass_ <= 1 and 0 <= clipped.n_negative_ <= len(matrix)
    assert (clipped.n_negative_ > 0) == (clipped.negative_mass_ > 0)
    np.testing.assert_allclose(total - kept, clipped.negative_mass_ * total, atol=len(matrix) * rounding(matrix))
