"""What setwise raises, and what it warns of."""


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
