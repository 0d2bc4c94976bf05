"""Integrals of densities themselves, which carry the unit of 1/volume: they change with the scale of the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

import numpy as np

from setwise.divergences.protocol import Divergence, Kind, Terms
from setwise.divergences.spelling import check_fields
from setwise.neighbours.moments import Array, Own, Power

_INNER = Power(0.0, 1.0)
_CROSS_SQUARE = Power(-1.0, 2.0)
_SQUARE = Own(1.0)


@dataclass(frozen=True)
class Linear(Divergence):
    """int p q = D_{0,1}: the inner product of the densities, of a set with itself int p^2 = D_{1,0}(p)."""

    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = "int p q"
    examples: ClassVar[tuple[str, ...]] = ("linear",)
    kind: ClassVar[Kind] = "similarity"
    symmetric: ClassVar[bool] = True

    @property
    def moments(self) -> tuple[Power]:
        return (_INNER,)

    @property
    def own_of_self(self) -> tuple[Own]:
        return (_SQUARE,)

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, inf)

    def value(self, terms: Terms) -> Array:
        return np.exp(terms.log_power(_INNER))

    def self_value(self, terms: Terms) -> Array:
        return np.exp(terms.log_own_x(_SQUARE))


@dataclass(frozen=True)
class L2(Divergence):
    """sqrt(int (p - q)^2) = sqrt(D_{1,0}(p) - 2 D_{0,1} + int q^2); a negative v under the root gives sign(v) sqrt|v|.

    int q^2 comes from q's own sample, D_{1,0}(q); with `cross`, it is the paper's D_{-1,2}(p||q), which needs k > 5.
    """

    name: ClassVar[str] = "l2"
    formula: ClassVar[str] = "sqrt(int (p - q)^2)"
    examples: ClassVar[tuple[str, ...]] = ("l2", "l2:cross")
    kind: ClassVar[Kind] = "distance"
    symmetric: ClassVar[bool] = True

    cross: bool = field(default=False, metadata={"words": {"cross": True}})

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def moments(self) -> tuple[Power, ...]:
        return (_INNER, _CROSS_SQUARE) if self.cross else (_INNER,)

    @property
    def own(self) -> tuple[Own]:
        return (_SQUARE,)

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, inf)

    def value(self, terms: Terms) -> Array:
        pp, pq = terms.log_own_x(_SQUARE), terms.log_power(_INNER)
        qq = terms.log_power(_CROSS_SQUARE) if self.cross else terms.log_own_y(_SQUARE)
        return _root_of_sum(pp, pq, qq)


def _root_of_sum(pp: Array, pq: Array, qq: Array) -> Array:
    """sign(v) sqrt|v| for v = e^pp - 2 e^pq + e^qq, relative to the largest of the three so that v may overflow."""
    top = np.maximum(np.maximum(pp, pq), qq)
    base = np.where(np.isfinite(top), top, 0.0)
    parts = [np.where(np.isposinf(top), np.isposinf(part), np.exp(part - base)) for part in (pp, pq, qq)]
    total = parts[0] - 2 * parts[1] + parts[2]
    size = np.exp(0.5 * (np.log(np.abs(total)) + top))
    return np.where(total == 0, 0.0, np.sign(total) * size)


@dataclass(frozen=True)
class AlphaBeta(Divergence):
    """int p^a q^b p = D_{a,b}, the term that everything else is made of; of a set with itself D_{a+b,0}(p)."""

    name: ClassVar[str] = "alphabeta"
    formula: ClassVar[str] = "int p^a q^b p"
    examples: ClassVar[tuple[str, ...]] = ("alphabeta:0.2:0.3", "alphabeta:-0.5:0.5")
    kind: ClassVar[Kind] = "moment"
    symmetric: ClassVar[bool] = False

    a: float
    b: float

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def moments(self) -> tuple[Power]:
        return (Power(self.a, self.b),)

    @property
    def own_of_self(self) -> tuple[Own, ...]:
        return (Own(self.a + self.b),) if self.a + self.b else ()

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, inf)

    def value(self, terms: Terms) -> Array:
        return np.exp(terms.log_power(self.moments[0]))

    def self_value(self, terms: Terms) -> Array | float:
        return np.exp(terms.log_own_x(*self.own_of_self)) if self.own_of_self else 1.0
