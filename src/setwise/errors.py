"""What setwise raises, and what it warns of."""

from __future__ import annotations

import sys
import warnings

_PASSED_THROUGH = {"setwise", "sklearn", "joblib"}


class SetwiseError(Exception):
    """A fault that setwise names in one line; the base of all its errors."""


class InputError(SetwiseError, ValueError):
    """The data or an argument cannot be used: the message names the set or argument and the remedy."""


class SetwiseWarning(UserWarning):
    """Something was done to the data or the result that the reader should know."""


class TieWarning(SetwiseWarning):
    """Points coincide, so that some neighbour distances are zero."""


class SizeWarning(SetwiseWarning):
    """Set sizes differ so much that the paper's estimator is biased."""


class ConditionWarning(SetwiseWarning):
    """An estimator is used outside the conditions under which it is consistent."""


class RangeWarning(SetwiseWarning):
    """Estimates fall outside the range of their quantity, or of float64."""


class SpectrumWarning(SetwiseWarning):
    """A Gram matrix is so indefinite that what is done with it cannot be trusted."""


class GraphWarning(SetwiseWarning):
    """The sets and their nearest neighbours fall into groups that nothing connects."""


def warn(category: type[SetwiseWarning], text: str) -> None:
    """Issue a warning that points at the caller's line: the nearest outside setwise and what it runs under."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in _PASSED_THROUGH:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
