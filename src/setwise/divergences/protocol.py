"""What a divergence is: which means it needs from the engine, and the formula that makes a value of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import lgamma, log, pi
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from setwise.divergences.spelling import spell
from setwise.errors import InputError
from setwise.neighbours.moments import Array, LogRatio, Mixture, Moment, Own, Power

BLOCK = 1 << 16  # pairs whose values are made together
Kind = Literal["distance", "squared distance", "divergence", "similarity", "moment"]


@dataclass(frozen=True)
class Terms:
    """The engine's answers for one k and all pairs (X_i, Y_j): arrays that broadcast to (len(X), len(Y)).

    `backward` is Y_j against X_i, already transposed; `own_x` is a column, `own_y` a row. `n` and `m` are the sizes.
    """

    dim: int
    n: Array
    m: Array
    forward: Mapping[Moment, Array]
    backward: Mapping[Moment, Array]
    own_x: Mapping[Own, Array]
    own_y: Mapping[Own, Array]

    def rows(self, part: slice) -> Terms:
        """Those of some sets of X."""
        return replace(
            self,
            n=self.n[part],
            forward={moment: values[part] for moment, values in self.forward.items()},
            backward={moment: values[part] for moment, values in self.backward.items()},
            own_x={moment: values[part] for moment, values in self.own_x.items()},
        )

    @cached_property
    def log_ball(self) -> float:
        """log c, the volume of the unit ball."""
        return 0.5 * self.dim * log(pi) - lgamma(0.5 * self.dim + 1)

    def reversed(self) -> Terms:
        """The same for all pairs (Y_j, X_i), still with a row for each X_i."""
        return Terms(self.dim, self.m, self.n, self.backward, self.forward, self.own_y, self.own_x)

    def log_power(self, moment: Power) -> Array:
        """log Dhat_ab(p||q), with the constants c^(-a-b) (n-1)^(-a) m^(-b) that the engine leaves out."""
        a, b = moment.a, moment.b
        return self.forward[moment] - a * np.log(self.n - 1) - b * np.log(self.m) - (a + b) * self.log_ball

    def log_own_x(self, moment: Own) -> Array:
        """log Dhat_a0(p): integral of p^a p, from X alone."""
        return self.own_x[moment] - moment.a * (np.log(self.n - 1) + self.log_ball)

    def log_own_y(self, moment: Own) -> Array:
        """log Dhat_a0(q), from Y alone."""
        return self.own_y[moment] - moment.a * (np.log(self.m - 1) + self.log_ball)


@runtime_checkable
class Divergence(Protocol):
    """One divergence. A new one is a frozen dataclass of this shape and a line in the registry.

    Its fields are the spelling: floats first (`renyi:0.9`), then options that have a word (`renyi:0.9:matched`).
    """

    name: ClassVar[str]
    """The first word of the spelling."""
    formula: ClassVar[str]
    """What is estimated, as the documentation's table shows it."""
    examples: ClassVar[tuple[str, ...]]
    """Spellings of instances, all options among them: what the tests run over."""
    kind: ClassVar[Kind]
    """Which of the cases of `squared_in_kernel` it is."""
    symmetric: ClassVar[bool]
    """The quantity is the same both ways (an estimate of it is so only where `both` is set)."""
    both: ClassVar[bool] = False
    """The formula needs the moments of Y against X too."""

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The means over the points of X against Y."""
        ...

    @property
    def own(self) -> tuple[Own, ...]:
        """The means of each set on its own that `value` needs."""
        return ()

    @property
    def own_of_self(self) -> tuple[Own, ...]:
        """The means of each set on its own that `self_value` needs."""
        return ()

    @property
    def valid_range(self) -> tuple[float, float]:
        """Where the quantity lies; an estimate may fall outside."""
        ...

    def value(self, terms: Terms) -> Array:
        """The estimates, signed and never clamped. They may leave float64's range: the caller silences NumPy on it."""
        ...

    def self_value(self, terms: Terms) -> Array | float:
        """The divergence of each set of X from itself: exact, or from the set alone; a column or one number."""
        return 0.0

    def __str__(self) -> str:
        return spell(self)


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Rows of a matrix, some at a time: what is made of them on the way takes little memory."""
    step = max(1, BLOCK // max(1, columns))
    return (slice(start, start + step) for start in range(0, rows, step))


def squared_in_kernel(divergence: Divergence) -> bool:
    """Whether the Gaussian kernel takes the square of the values for mu^2, by the paper's Table 1."""
    if divergence.kind in ("distance", "divergence"):
        return True
    if divergence.kind == "squared distance":
        return False
    raise InputError(f"{divergence} is a {divergence.kind}, not a distance; choose renyi, kl, hellinger, l2 or js.")


def scale_free(divergence: Divergence) -> bool:
    """Whether x -> c x + b leaves the value as it is: every term is a ratio of densities."""
    ratios = (isinstance(moment, LogRatio | Mixture) or moment.a + moment.b == 0 for moment in divergence.moments)
    return all(ratios) and not divergence.own


def smallest_k(divergence: Divergence, of_itself: bool = False) -> int:
    """The smallest k for which the estimator exists: Gamma(k - a) needs k > a for every exponent a."""
    own = divergence.own + (divergence.own_of_self if of_itself else ())
    return max(1, 1 + int(np.floor(max(_exponents(divergence.moments + own), default=0.0))))


def consistent_above(divergence: Divergence) -> float:
    """2 max(|a|, |b|) + 1: the paper proves consistency for k above it; 0 where no power of a distance is taken."""
    largest = max((abs(a) for a in _exponents(divergence.moments + divergence.own)), default=0.0)
    return 2 * largest + 1 if largest else 0.0


def _exponents(moments: tuple[Moment | Own, ...]) -> list[float]:
    pairs = ((m.a, m.b) if isinstance(m, Power) else (m.a,) if isinstance(m, Own) else () for m in moments)
    return [exponent for pair in pairs for exponent in pair]
