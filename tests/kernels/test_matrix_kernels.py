"""The kernels on matrices, by their formulas."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import setwise as sw


def distances(n=7, seed=0):
    """Divergences with noise: some estimates lie below zero, each direction is its own."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=n)
    matrix = (places[:, None] - places[None, :]) ** 2 + 0.3 * rng.normal(size=(n, n))
    np.fill_diagonal(matrix, 0.0)
    return matrix


@pytest.mark.parametrize("width", (0.25, 1, 3.0))
def test_gaussian_of_squares(width):
    D = distances()
    sigma = width * np.median(D[D > 0])
    model = sw.GaussianKernel(width)
    expected = np.exp(-(np.maximum(D, 0) ** 2) / (2 * sigma**2))
    np.testing.assert_allclose(model.fit_transform(D), expected, rtol=1e-13)
    assert (D < 0).any() and expected[D < 0].min() == 1.0
    assert model.sigma_ == pytest.approx(sigma) and model.scale_ == pytest.approx(sigma / width)
    rows = distances(seed=1)[:2]
    np.testing.assert_allclose(model.transform(rows), np.exp(-0.5 * (np.maximum(rows, 0) / sigma) ** 2), rtol=1e-13)


@pytest.mark.parametrize("width", (0.25, 1, 3.0))
def test_gaussian_of_the_values_themselves(width):
    """mu^2 is the divergence, and sigma is as many medians of mu."""
    D = distances()
    median = np.median(D[D > 0])
    expected = np.exp(-np.maximum(D, 0) / (2 * width**2 * median))
    model = sw.GaussianKernel(width, squared=False)
    np.testing.assert_allclose(model.fit_transform(D), expected, rtol=1e-13)
    assert model.scale_ == pytest.approx(median**0.5)


def test_both_forms_are_one_kernel_on_mu():
    """Three pairs of sets: an odd number, so that the median of the squares is the square of the median."""
    mu = np.abs(distances(3))
    mu = mu + mu.T
    squared, plain = sw.GaussianKernel(0.7, squared=True), sw.GaussianKernel(0.7, squared=False)
    np.testing.assert_allclose(plain.fit_transform(mu**2), squared.fit_transform(mu), rtol=1e-13)
    assert plain.sigma_ == pytest.approx(squared.sigma_)


def test_paper_is_squared_for_a_matrix():
    D = distances()
    np.testing.assert_array_equal(
        sw.GaussianKernel().fit_transform(D), sw.GaussianKernel(squared=True).fit_transform(D)
    )
    assert (sw.GaussianKernel().fit_transform(D) != sw.GaussianKernel(squared=False).fit_transform(D)).any()


@pytest.mark.parametrize("squared", (True, False))
@pytest.mark.parametrize("unit", (1e-150, 1e-9, 1e9, 1e150))
def test_gaussian_has_no_unit(squared, unit):
    model = sw.GaussianKernel(2.0, squared=squared)
    np.testing.assert_allclose(model.fit_transform(distances() * unit), model.fit_transform(distances()), rtol=1e-12)


def test_a_scale_of_ones_own():
    D = np.abs(distances())
    np.testing.assert_allclose(sw.GaussianKernel(2, 1.5).fit_transform(D), np.exp(-(D**2) / (2 * 3**2)))
    np.testing.assert_allclose(sw.GaussianKernel(2, 1.5, False).fit_transform(D), np.exp(-D / (2 * 3**2)))
    assert sw.GaussianKernel(2, np.float32(1.5)).fit(D).sigma_ == 3.0


@pytest.mark.parametrize("squared", (True, False))
def test_sets_that_are_all_the_same(squared):
    """Nothing is above zero: the unit is 1."""
    model = sw.GaussianKernel(squared=squared).fit(np.full((3, 3), -0.1) + 0.1 * np.eye(3))
    assert model.scale_ == 1.0
    np.testing.assert_allclose(model.transform([[0.0, 1.0, -1.0]]), [[1.0, np.exp(-0.5), 1.0]])


@pytest.mark.parametrize("squared", (True, False))
def test_the_narrowest_kernel_is_the_identity(squared):
    found = sw.GaussianKernel(1e-200, squared=squared).fit_transform(np.abs(distances()))
    np.testing.assert_array_equal(found, np.eye(7))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"width": 0}, "width=0 is not a width"),
        ({"width": True}, "width=True"),
        ({"width": "1"}, "width='1'"),
        ({"width": np.nan}, "width=nan"),
        ({"scale": "mean"}, "scale='mean' is not a scale; choose 'median' or a number above 0"),
        ({"scale": -1.0}, "scale=-1.0"),
        ({"squared": "no"}, "squared='no' is not known; choose 'paper', True or False"),
        ({"squared": None}, "squared=None"),
    ],
)
def test_gaussian_parameters_are_checked_when_fitting(given, said):
    model = sw.GaussianKernel(**given)
    with pytest.raises(sw.InputError, match=said):
        model.fit(np.eye(2))


@pytest.mark.parametrize(("degree", "coef0"), [(1, 0), (2, 1.0), (3, 0.5), (9, 0.0)])
def test_polynomial(degree, coef0):
    products = np.random.default_rng(0).uniform(0, 2, (4, 4))
    model = sw.PolynomialKernel(degree, coef0)
    np.testing.assert_allclose(model.fit_transform(products), (coef0 + products) ** degree, rtol=1e-14)
    np.testing.assert_allclose(model.transform(products[:1] * 2), (coef0 + 2 * products[:1]) ** degree, rtol=1e-14)


def test_the_linear_kernel_is_the_inner_product():
    products = np.random.default_rng(0).uniform(0, 2, (4, 4))
    np.testing.assert_array_equal(sw.PolynomialKernel(1, 0.0).fit_transform(products), products)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"degree": 0}, "degree=0 is not a degree"),
        ({"degree": 2.5}, "degree=2.5"),
        ({"degree": True}, "degree=True"),
        ({"coef0": -0.1}, "coef0=-0.1 must be a number of at least 0"),
        ({"coef0": "1"}, "coef0='1'"),
    ],
)
def test_polynomial_parameters_are_checked_when_fitting(given, said):
    model = sw.PolynomialKernel(**given)
    with pytest.raises(sw.InputError, match=said):
        model.fit(np.eye(2))


def test_powers_that_overflow_are_refused():
    with pytest.raises(sw.InputError, match=r"inner products up to 1e\+50 to the power of 9 exceed"):
        sw.PolynomialKernel(9).fit_transform(np.full((2, 2), 1e50))


@pytest.mark.parametrize("model", [sw.GaussianKernel(), sw.PolynomialKernel()], ids=["gaussian", "polynomial"])
def test_rows_fit_the_fitted_matrix(model):
    with pytest.raises(sw.InputError, match=r"fitted on a square matrix, the sets among themselves; got \(3, 2\)"):
        model.fit(np.ones((3, 2)))
    with pytest.raises(NotFittedError):
        type(model)().transform(np.eye(3))
    with pytest.raises(ValueError, match="2 features"):
        model.fit(np.eye(3)).transform(np.ones((1, 2)))
