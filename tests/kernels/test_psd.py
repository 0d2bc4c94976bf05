"""The projection to positive semi-definite: against Higham's formula and the conditions of the nearest matrix, by the
spectra that were planted, and for the rows of other sets.

Eigenvalues and vectors are good to some multiple of n eps |S|; 1e-12 |S| leaves that room for the sizes here.
"""

from itertools import product

import numpy as np
import pytest
from scipy.linalg import polar
from sklearn.exceptions import NotFittedError

import setwise as sw
from setwise.kernels.psd import METHODS, TEST_ROWS
from tests.kernels.planted import orthogonal, random_square, with_spectrum

EVERY = list(product(METHODS, TEST_ROWS))
SEEDS = range(4)


def close(found, expected, of):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(of).max() * len(of))


@pytest.mark.parametrize("seed", SEEDS)
def test_clip_is_the_nearest_by_highams_formula(seed):
    """(B + H)/2, where H is the polar factor of B = (G + G')/2 (Higham 1988, theorem 2.1)."""
    matrix = random_square(3 + 4 * seed, seed)
    symmetric = (matrix + matrix.T) / 2
    close(sw.PSDProjection().fit_transform(matrix), (symmetric + polar(symmetric)[1]) / 2, matrix)
    close(sw.PSDProjection("flip").fit_transform(matrix), polar(symmetric)[1], matrix)


@pytest.mark.parametrize("seed", SEEDS)
def test_clip_meets_the_conditions_of_the_nearest(seed):
    """X is nearest to S in the cone if X and X - S are in it, and orthogonal to one another; no formula is needed."""
    matrix = random_square(12, seed)
    projected = sw.PSDProjection().fit_transform(matrix)
    beyond = projected - (matrix + matrix.T) / 2
    assert np.linalg.eigvalsh(projected)[0] >= -1e-12 * 12
    assert np.linalg.eigvalsh(beyond)[0] >= -1e-12 * 12
    assert abs((projected * beyond).sum()) <= 1e-12 * (matrix**2).sum()


@pytest.mark.parametrize("scale", (1e-200, 1e-12, 1.0, 1e12, 1e150))
@pytest.mark.parametrize("method", ("clip", "flip", "shift"))
def test_no_eigenvalue_is_left_below_zero(method, scale):
    for n in (1, 2, 30):
        found = np.linalg.eigvalsh(sw.PSDProjection(method).fit_transform(random_square(n) * scale))
        assert found[0] >= -1e-10 * np.abs(found).max()


def test_shift_adds_the_smallest_to_the_diagonal():
    matrix = with_spectrum([-3, -1, 2, 4])
    close(sw.PSDProjection("shift").fit_transform(matrix), matrix + 3 * np.eye(4), matrix)
    definite = with_spectrum([1, 2, 3])
    np.testing.assert_array_equal(sw.PSDProjection("shift").fit_transform(definite), definite)


def test_none_makes_symmetric_and_no_more():
    matrix = random_square(5)
    np.testing.assert_array_equal(sw.PSDProjection("none").fit_transform(matrix), (matrix + matrix.T) / 2)


@pytest.mark.parametrize("method", METHODS)
def test_a_kernel_that_is_one_stays_as_it_is(method):
    matrix = with_spectrum([0.5, 1, 2, 4])
    close(sw.PSDProjection(method).fit_transform(matrix), matrix, matrix)
    close(sw.PSDProjection(method).fit(matrix).operator_, np.eye(4), np.eye(4))


@pytest.mark.parametrize(("method", "test_rows"), EVERY)
@pytest.mark.parametrize("symmetric", (True, False))
def test_fit_then_transform_is_fit_transform(method, test_rows, symmetric):
    """To the bit, whatever the spectrum, and without a warning of raw rows, as all are the fitted sets' own."""
    matrix = random_square(9)
    matrix = (matrix + matrix.T) / 2 if symmetric else matrix
    model = sw.PSDProjection(method, test_rows)
    together = model.fit_transform(matrix)
    np.testing.assert_array_equal(model.fit(matrix).transform(matrix), together)
    np.testing.assert_array_equal(together, together.T)
    chosen = [7, 2, 2, 0]
    np.testing.assert_array_equal(model.transform(matrix[chosen]), together[chosen])
    np.testing.assert_array_equal(model.transform(np.asfortranarray(matrix)), together)


@pytest.mark.parametrize("method", ("clip", "flip"))
def test_the_operator_maps_the_fitted_rows_to_the_projection(method):
    """By the algebra, not because the rows are known again: they are given a rounding apart."""
    matrix = with_spectrum(np.linspace(-2, 3, 10))
    model = sw.PSDProjection(method).fit(matrix)
    close(matrix @ model.operator_, model.gram_, matrix)
    close(model.transform(matrix * (1 + 1e-15)), model.gram_, matrix)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_operator_by_the_polar_factor(seed):
    """S = U H makes U = V sign(l) V', so that the rows of other sets are mapped by U for flip, (1 + U)/2 for clip."""
    matrix, rows = random_square(8, seed), np.random.default_rng(seed + 9).normal(size=(3, 8))
    signs = polar((matrix + matrix.T) / 2)[0]
    close(sw.PSDProjection("flip").fit(matrix).transform(rows), rows @ signs, matrix)
    close(sw.PSDProjection("clip").fit(matrix).transform(rows), rows @ (np.eye(8) + signs) / 2, matrix)


@pytest.mark.filterwarnings("ignore::setwise.SpectrumWarning")
@pytest.mark.parametrize(("method", "test_rows"), [*product(METHODS, ["raw"]), ("shift", "projected")])
def test_rows_that_stay_as_they_are(method, test_rows):
    rows = np.random.default_rng(1).normal(size=(3, 6))
    found = sw.PSDProjection(method, test_rows).fit(random_square(6)).transform(rows)
    np.testing.assert_array_equal(found, rows)


@pytest.mark.parametrize("method", ("clip", "flip"))
def test_what_is_left_of_a_singular_kernel_is_not_noise(method):
    """Of rank 3: rounding gives the other five eigenvalues either sign, and neither may let rows through."""
    vectors = orthogonal(8)[:, :3]
    matrix = (vectors * [1.0, 2.0, 50.0]) @ vectors.T
    model = sw.PSDProjection(method).fit(matrix)
    assert (model.n_negative_, model.negative_mass_) == (0, 0.0)
    np.testing.assert_allclose(model.operator_, vectors @ vectors.T, atol=1e-12)


def test_the_account_of_a_planted_spectrum():
    values = np.array([-3.0, -1.0, 0.0, 2.0, 4.0])
    model = sw.PSDProjection().fit(with_spectrum(values))
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-13)
    assert model.n_negative_ == 2
    assert model.negative_mass_ == pytest.approx(0.4)
    assert model.n_features_in_ == 5


@pytest.mark.parametrize(
    ("method", "done"), [("clip", "discarded"), ("flip", "flipped"), ("shift", "lifted"), ("none", "left")]
)
def test_repr_says_what_was_done(method, done):
    model = sw.PSDProjection(method)
    assert "eigenvalues" not in repr(model)
    assert repr(model.fit(with_spectrum([-3, -1, 2, 4]))).endswith(
        f"# 2 of 4 eigenvalues negative, 40.0% of the spectrum, {done}"
    )


@pytest.mark.parametrize("method", METHODS)
def test_nothing_at_all(method):
    model = sw.PSDProjection(method)
    np.testing.assert_array_equal(model.fit_transform(np.zeros((3, 3))), 0)
    assert (model.n_negative_, model.negative_mass_) == (0, 0.0)


def test_one_set():
    assert sw.PSDProjection("clip").fit_transform([[-2.0]]).tolist() == [[0.0]]
    assert sw.PSDProjection("flip").fit_transform([[-2.0]]).tolist() == [[2.0]]
    assert sw.PSDProjection("shift").fit_transform([[-2.0]]).tolist() == [[0.0]]


# Raw rows.


@pytest.mark.parametrize("method", ("clip", "flip"))
def test_raw_rows_warn_where_the_spectrum_is_negative(method):
    model = sw.PSDProjection(method, "raw").fit(with_spectrum([-3, 2, 4, 5]))
    with pytest.warns(sw.SpectrumWarning, match="1 of 4 eigenvalues negative, 21.4% .*projected") as caught:
        model.transform(np.ones((1, 4)))
    assert [warning.filename for warning in caught] == [__file__]


def test_the_largest_eigenvalue_does_not_hide_the_others():
    """Where sigma is large all kernel values are near 1."""
    model = sw.PSDProjection("clip", "raw").fit(with_spectrum([-0.1, 0.2, 0.3, 100]))
    with pytest.warns(sw.SpectrumWarning):
        model.transform(np.ones((1, 4)))


@pytest.mark.parametrize(
    ("method", "test_rows", "spectrum"),
    [
        *((method, "projected", [-3, 2, 4, 5]) for method in METHODS),
        ("shift", "raw", [-3, 2, 4, 5]),
        ("none", "raw", [-3, 2, 4, 5]),
        ("clip", "raw", [-0.1, 2, 4, 5]),
        ("clip", "raw", [1, 2, 4, 5]),
        ("clip", "raw", [0, 0, 0, 5]),
    ],
)
def test_other_rows_do_not_warn(method, test_rows, spectrum):
    """Warnings are errors here. Shift and none leave the fitted rows beside the diagonal as they are, too."""
    sw.PSDProjection(method, test_rows).fit(with_spectrum(spectrum)).transform(np.ones((2, 4)))


# Rows that are known again.


@pytest.mark.parametrize("method", METHODS)
def test_equal_rows_keep_their_own_places(method):
    """A bootstrap holds a set twice; shift tells the two apart, as each is itself."""
    matrix = with_spectrum([-3, 2, 4, 5])[np.ix_([0, 1, 1, 2, 3], [0, 1, 1, 2, 3])]
    model = sw.PSDProjection(method)
    together = model.fit_transform(matrix)
    np.testing.assert_array_equal(model.transform(matrix), together)
    np.testing.assert_array_equal(model.transform(matrix[[3, 1]]), together[[3, 1]])


def test_both_zeros_are_one():
    matrix = np.array([[1.0, 0.0], [0.0, -1.0]])
    model = sw.PSDProjection("shift").fit(matrix)
    np.testing.assert_array_equal(model.transform([[1.0, -0.0]]), [[2.0, 0.0]])


def test_a_matrix_of_another_fit_is_forgotten():
    first, second = random_square(5, 1), random_square(5, 2)
    model = sw.PSDProjection("shift", "raw").fit(first).fit(second)
    np.testing.assert_array_equal(model.transform(first), first)
    assert hasattr(model.set_params(method="clip").fit(first), "symmetric_")
    assert not hasattr(model.set_params(method="none").fit(first), "symmetric_")


def test_nothing_is_shared_with_the_caller():
    matrix = random_square(5)
    kept = matrix.copy()
    model = sw.PSDProjection()
    together = model.fit_transform(matrix)
    expected = together.copy()
    together[:] = 0
    np.testing.assert_array_equal(matrix, kept)
    found = model.transform(matrix)
    np.testing.assert_array_equal(found, expected)
    found[:] = 0
    np.testing.assert_array_equal(model.transform(matrix), expected)


# Refusals.


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "cut"}, "method='cut' is not known; choose 'clip', 'flip', 'shift', 'none'"),
        ({"test_rows": "cooked"}, "test_rows='cooked' is not known; choose 'projected', 'raw'"),
    ],
)
def test_parameters_are_checked_when_fitting(given, said):
    model = sw.PSDProjection(**given)
    with pytest.raises(sw.InputError, match=said):
        model.fit(np.eye(2))


def test_what_is_no_matrix_among_sets():
    with pytest.raises(sw.InputError, match=r"square matrix, the sets among themselves; got \(2, 3\)"):
        sw.PSDProjection().fit(np.ones((2, 3)))
    with pytest.raises(NotFittedError):
        sw.PSDProjection().transform(np.eye(2))
    with pytest.raises(NotFittedError):
        _ = sw.PSDProjection().operator_
    with pytest.raises(ValueError, match="3 features"):
        sw.PSDProjection().fit(np.eye(2)).transform(np.ones((1, 3)))


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_a_value_that_is_none_is_named_in_one_line(value, word):
    matrix = np.eye(3)
    matrix[1, 2] = matrix[2, 1] = value
    for model in (sw.PSDProjection(), sw.GaussianKernel(), sw.PolynomialKernel()):
        with pytest.raises(sw.InputError) as caught:
            model.fit(matrix)
        text = str(caught.value)
        assert text.startswith(f"the value at row 1, column 2 is {word} (and 1 others); a {type(model).__name__} takes")
        assert "\n" not in text
