"""From Gram matrices to predictions and embeddings, in scikit-learn's manner, with sets in the place of rows.

base.py                       what estimators on sets share: a kernel, named by their parameters
machine.py                    what support vector machines keep of their training sets to predict
svc.py, svr.py, one_class.py  classification, regression, anomalies
nearest.py                    anomalies by the distance to the nearest training sets
targets.py, platt.py          labels, numbers and weights, checked; probabilities
files.py                      models to files and back: save, load
"""

from setwise.learners.files import load, save
from setwise.learners.nearest import SetNearest
from setwise.learners.one_class import SetOneClassSVM
from setwise.learners.svc import SetSVC
from setwise.learners.svr import SetSVR

__all__ = ["SetNearest", "SetOneClassSVM", "SetSVC", "SetSVR", "load", "save"]
