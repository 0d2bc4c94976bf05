"""scikit-learn's own checks, in full, of the steps from divergences to Gram matrices."""

from itertools import product

from sklearn.utils.estimator_checks import parametrize_with_checks

import setwise as sw
from setwise.kernels.psd import METHODS, TEST_ROWS

STEPS = [
    sw.GaussianKernel(),
    sw.GaussianKernel(squared=True),
    sw.GaussianKernel(squared=False),
    sw.GaussianKernel(width=2.0, scale=0.5),
    sw.PolynomialKernel(),
    sw.PolynomialKernel(1, 0.0),
    *(sw.PSDProjection(method, test_rows) for method, test_rows in product(METHODS, TEST_ROWS)),
]


@parametrize_with_checks(STEPS)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)
