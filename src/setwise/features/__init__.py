"""From sets to sets: what is learned from the points of all training sets together, and applied to each set.

takes_sets.py what an estimator on sets knows of its input: the columns
pooled.py     sets in, sets out: the dimensions, blocks of points, moments
scaling.py    SetScaler: each dimension to mean 0 and variance 1
pca.py        SetPCA: the principal components
"""

from setwise.features.pca import SetPCA
from setwise.features.scaling import SetScaler

__all__ = ["SetPCA", "SetScaler"]
