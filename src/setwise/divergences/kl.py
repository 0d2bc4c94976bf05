"""The Kullback-Leibler divergence, the limit of the ratio family."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

import numpy as np

from setwise.divergences.protocol import Divergence, Kind, Terms
from setwise.divergences.spelling import RADIUS, Radius, check_fields
from setwise.neighbours.moments import Array, LogRatio


@dataclass(frozen=True)
class KL(Divergence):
    """int p log(p/q), as d mean_i log(nu_k(i) / rho_k(i)) + log(m / (n-1)) (Wang, Kulkarni and Verdu, 2009).

    With radius="matched", mean_i digamma(l_i) - digamma(q_i) in place of the mean of the log ratios.
    """

    name: ClassVar[str] = "kl"
    formula: ClassVar[str] = "int p log(p/q)"
    examples: ClassVar[tuple[str, ...]] = ("kl", "kl:matched")
    kind: ClassVar[Kind] = "divergence"
    symmetric: ClassVar[bool] = False

    radius: Radius = field(default="paper", metadata=RADIUS)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def moments(self) -> tuple[LogRatio]:
        return (LogRatio(matched=self.radius == "matched"),)

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, inf)

    def value(self, terms: Terms) -> Array:
        return terms.forward[self.moments[0]] + np.log(terms.m / (terms.n - 1))
