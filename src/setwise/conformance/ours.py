"""The implementation in this package, as the suite takes one."""

from __future__ import annotations

import warnings

from setwise.divergences import Divergence, pairwise_divergences
from setwise.errors import SetwiseWarning
from setwise.neighbours.moments import Array
from setwise.sets import SampleSets


def ours(x: Array, y: Array, divergence: Divergence, k: int) -> float:
    """`pairwise_divergences` of one pair; the cases provoke every warning there is, so none is passed on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SetwiseWarning)
        return float(pairwise_divergences(SampleSets([x]), SampleSets([y]), divergence, k=k)[0, 0])
