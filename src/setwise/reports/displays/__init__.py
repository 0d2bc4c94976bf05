"""Displays in scikit-learn's manner: `from_estimator` computes, `from_predictions` takes what is computed.

drawing.py      axes, colours and markers that all of them share
gram.py         kernel values between sets, ordered by class
spectrum.py     eigenvalues of a Gram matrix, and what became of the negative ones
embedding.py    sets as points of a plane
anomalies.py    sets ranked by their score
tuning.py       scores over two parameters of a grid

A confusion matrix is scikit-learn's own: ConfusionMatrixDisplay.from_estimator(model, sets, y). Each display has
`plot(ax=None)`, which draws on the axes that are given, or on a new figure, and returns the display, with `ax_` and
`figure_`. matplotlib is imported then, and none of its settings is changed.
"""

from setwise.reports.displays.anomalies import AnomalyDisplay
from setwise.reports.displays.embedding import EmbeddingDisplay
from setwise.reports.displays.gram import GramDisplay
from setwise.reports.displays.spectrum import SpectrumDisplay
from setwise.reports.displays.tuning import TuningDisplay

__all__ = ["AnomalyDisplay", "EmbeddingDisplay", "GramDisplay", "SpectrumDisplay", "TuningDisplay"]
