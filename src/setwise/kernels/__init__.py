"""From divergences to Gram matrices.

gaussian.py, polynomial.py    kernels, element by element of a matrix of divergences
spectrum.py                   the eigenvalues of a Gram matrix, and the remedies for negative ones
psd.py                        the projection to positive semi-definite, of a matrix and of rows that come later
set_kernel.py                 sets -> Gram: the divergences and these steps as one transformer
feature_space.py              distances in the space of a kernel
gram.py                       a Gram matrix with its ids
"""

from setwise.kernels.gaussian import GaussianKernel
from setwise.kernels.gram import Gram, gram_matrix
from setwise.kernels.polynomial import PolynomialKernel
from setwise.kernels.psd import PSDProjection
from setwise.kernels.set_kernel import SetKernel

__all__ = ["GaussianKernel", "Gram", "PSDProjection", "PolynomialKernel", "SetKernel", "gram_matrix"]
