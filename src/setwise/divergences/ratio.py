"""The ratio family: functions of D_{a,-a}(p||q), the integral of (p/q)^a p. Free of scale; `radius` on all."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

import numpy as np

from setwise.divergences.protocol import Divergence, Kind, Terms
from setwise.divergences.spelling import RADIUS, Radius, check_fields
from setwise.errors import InputError
from setwise.neighbours.moments import Array, Power


def _ratio(a: float, radius: Radius) -> Power:
    return Power(a, -a, matched=radius == "matched")


def _refuse_one(name: str, alpha: float) -> None:
    if alpha == 1:
        raise InputError(f"{name} got alpha=1, where it is the Kullback-Leibler divergence; use kl, KL().")


def _signed_root(values: Array) -> Array:
    return np.sign(values) * np.sqrt(np.abs(values))


@dataclass(frozen=True)
class Renyi(Divergence):
    """log(int p^alpha q^(1-alpha)) / (alpha - 1) = log D_{alpha-1,1-alpha} / (alpha - 1), for alpha other than 1."""

    name: ClassVar[str] = "renyi"
    formula: ClassVar[str] = "log(int p^alpha q^(1-alpha)) / (alpha-1)"
    examples: ClassVar[tuple[str, ...]] = ("renyi:0.9", "renyi:0.5:matched", "renyi:2")
    kind: ClassVar[Kind] = "divergence"
    symmetric: ClassVar[bool] = False

    alpha: float
    radius: Radius = field(default="paper", metadata=RADIUS)

    def __post_init__(self) -> None:
        check_fields(self)
        _refuse_one(self.name, self.alpha)

    @property
    def moments(self) -> tuple[Power]:
        return (_ratio(self.alpha - 1, self.radius),)

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, inf) if self.alpha >= 0 else (-inf, 0.0)

    def value(self, terms: Terms) -> Array:
        return terms.log_power(self.moments[0]) / (self.alpha - 1)


@dataclass(frozen=True)
class Tsallis(Divergence):
    """(int p^alpha q^(1-alpha) - 1) / (alpha - 1) = (D_{alpha-1,1-alpha} - 1) / (alpha - 1), for alpha other than 1."""

    name: ClassVar[str] = "tsallis"
    formula: ClassVar[str] = "(int p^alpha q^(1-alpha) - 1) / (alpha-1)"
    examples: ClassVar[tuple[str, ...]] = ("tsallis:0.9", "tsallis:0.5:matched")
    kind: ClassVar[Kind] = "divergence"
    symmetric: ClassVar[bool] = False

    alpha: float
    radius: Radius = field(default="paper", metadata=RADIUS)

    def __post_init__(self) -> None:
        check_fields(self)
        _refuse_one(self.name, self.alpha)

    @property
    def moments(self) -> tuple[Power]:
        return (_ratio(self.alpha - 1, self.radius),)

    @property
    def valid_range(self) -> tuple[float, float]:
        if self.alpha < 0:
            return (-inf, 0.0)
        return (0.0, 1 / (1 - self.alpha) if self.alpha < 1 else inf)

    def value(self, terms: Terms) -> Array:
        return np.expm1(terms.log_power(self.moments[0])) / (self.alpha - 1)


@dataclass(frozen=True)
class Bhattacharyya(Divergence):
    """int sqrt(p q) = D_{-1/2,1/2}: the Bhattacharyya coefficient, 1 for equal distributions."""

    name: ClassVar[str] = "bhattacharyya"
    formula: ClassVar[str] = "int sqrt(p q)"
    examples: ClassVar[tuple[str, ...]] = ("bhattacharyya", "bhattacharyya:matched")
    kind: ClassVar[Kind] = "similarity"
    symmetric: ClassVar[bool] = True

    radius: Radius = field(default="paper", metadata=RADIUS)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def moments(self) -> tuple[Power]:
        return (_ratio(-0.5, self.radius),)

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, 1.0)

    def value(self, terms: Terms) -> Array:
        return np.exp(terms.log_power(self.moments[0]))

    def self_value(self, terms: Terms) -> float:
        return 1.0


@dataclass(frozen=True)
class Hellinger(Divergence):
    """sqrt(1 - int sqrt(p q)); a negative estimate v under the root gives sign(v) sqrt|v|."""

    name: ClassVar[str] = "hellinger"
    formula: ClassVar[str] = "sqrt(1 - int sqrt(p q))"
    examples: ClassVar[tuple[str, ...]] = ("hellinger", "hellinger:matched")
    kind: ClassVar[Kind] = "distance"
    symmetric: ClassVar[bool] = True

    radius: Radius = field(default="paper", metadata=RADIUS)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def moments(self) -> tuple[Power]:
        return (_ratio(-0.5, self.radius),)

    @property
    def valid_range(self) -> tuple[float, float]:
        return (0.0, 1.0)

    def value(self, terms: Terms) -> Array:
        return _signed_root(-np.expm1(terms.log_power(self.moments[0])))
