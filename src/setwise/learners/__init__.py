"""From Gram matrices to predictions and embeddings, in scikit-learn's manner, with sets in the place of rows.

base.py                       what estimators on sets share: a kernel, named by their parameters
machine.py                    what support vector machines keep of their training sets to predict
svc.py, svr.py, one_class.py  classification, regression, anomalies
nearest.py                    anomalies by the distance to the nearest training sets
targets.py, folds.py          labels, numbers and weights, and folds of them, checked; platt.py: probabilities
tuning.py, tuned.py           classification and regression with parameters chosen by cross-validation
candidates.py, sources.py     what is tried, and where its Gram matrices come from
search.py, on_gram.py         the grid over folds, on Gram matrices
doctor.py, diagnosis.py       what remedies for negative eigenvalues do to a score
distance.py                   distances, for estimators with metric="precomputed"
lle.py, mds.py                places in a few dimensions; loop.py scores those of sets on a loop
distribution_regression.py    sets as outputs
reconstruction.py             weights that reconstruct a set from others, for these and LLE
files.py                      models to files and back: save, load
"""

from setwise.learners.distance import SetDistance
from setwise.learners.distribution_regression import DistributionRegression
from setwise.learners.doctor import kernel_doctor
from setwise.learners.files import load, save
from setwise.learners.lle import SetLLE
from setwise.learners.mds import SetMDS
from setwise.learners.nearest import SetNearest
from setwise.learners.one_class import SetOneClassSVM
from setwise.learners.svc import SetSVC
from setwise.learners.svr import SetSVR
from setwise.learners.tuning import SetSVCCV, SetSVRCV

__all__ = [
    "DistributionRegression",
    "SetDistance",
    "SetLLE",
    "SetMDS",
    "SetNearest",
    "SetOneClassSVM",
    "SetSVC",
    "SetSVCCV",
    "SetSVR",
    "SetSVRCV",
    "kernel_doctor",
    "load",
    "save",
]
