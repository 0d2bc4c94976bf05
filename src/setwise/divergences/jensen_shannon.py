"""The Jensen-Shannon divergence, bounded and symmetric, from counts in matched balls."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import ClassVar

from setwise.divergences.protocol import Divergence, Kind, Terms
from setwise.neighbours.moments import Array, Mixture


@dataclass(frozen=True)
class JensenShannon(Divergence):
    """H(m) - (H(p) + H(q))/2 = (int p log(p/m) + int q log(q/m)) / 2 with m = (p + q)/2, in [0, ln 2].

    Both means are over the points of one set, from the counts of both sets in the matched ball around each: no
    distance is left in the value. docs/decisions/jensen-shannon.md compares it with Hino and Murata's estimator.
    """

    name: ClassVar[str] = "js"
    formula: ClassVar[str] = "H((p+q)/2) - (H(p) + H(q))/2"
    examples: ClassVar[tuple[str, ...]] = ("js",)
    kind: ClassVar[Kind] = "squared distance"
    symmetric: ClassVar[bool] = True
    both: ClassVar[bool] = True

    @property
    def moments(self) -> tuple[Mixture]:
        return (Mixture(),)

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, log(2))

    def value(self, terms: Terms) -> Array:
        return 0.5 * (terms.forward[Mixture()] + terms.backward[Mixture()])
