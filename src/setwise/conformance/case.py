"""A case, what came of it, and the report over many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from setwise.divergences import Divergence, parse
from setwise.neighbours.moments import Array

Implementation: TypeAlias = Callable[[Array, Array, Divergence, int], float]
"""implementation(x, y, divergence, k): the estimate of D(p || q) from x drawn from p and y drawn from q."""

Draw: TypeAlias = Callable[[np.random.Generator], tuple[Array, Array]]
"""A pair of sets (x, y) from a generator."""


@dataclass(frozen=True)
class Outcome:
    """What one case gave: the value, what was expected, how far off it may be, and how that was settled."""

    case: str
    value: float
    expected: float
    tolerance: float
    passed: bool
    note: str

    def __str__(self) -> str:
        verdict = "pass" if self.passed else "FAIL"
        within = f"{self.expected:.6g} +- {self.tolerance:.2g}"
        return f"{verdict} {self.case}: {self.value:.6g}, expected {within}; {self.note}"


class Case(Protocol):
    """Anything with a name and a divergence that can be run against an implementation."""

    @property
    def name(self) -> str: ...

    @property
    def divergence(self) -> str: ...

    def run(self, implementation: Implementation) -> Outcome:
        """Judge the implementation; one that raises has failed."""
        ...


@dataclass(frozen=True)
class Truth:
    """The mean estimate over some draws is the true value, within the known bias and the Monte-Carlo error.

    `bias` and `spread` (the standard deviation of one estimate) were measured with the formulas written by hand over
    100 draws of other seeds; `measure` repeats that. The tolerance is |bias| + 4 spread / sqrt(draws).
    """

    name: str
    divergence: str
    draw: Draw
    truth: float
    bias: float
    spread: float
    k: int = 5
    draws: int = 20
    seed: int = 0

    @cached_property
    def tolerance(self) -> float:
        return abs(self.bias) + 4 * self.spread / math.sqrt(self.draws)

    def estimates(self, implementation: Implementation, draws: int, seed: int) -> Array:
        divergence = parse(self.divergence)
        pairs = (self.draw(np.random.default_rng([seed, i])) for i in range(draws))
        return np.array([implementation(x, y, divergence, self.k) for x, y in pairs])

    def measure(self, implementation: Implementation, draws: int = 100, seed: int = 1) -> tuple[float, float]:
        """Bias and spread, from seeds other than the case's own."""
        found = self.estimates(implementation, draws, seed)
        return float(found.mean() - self.truth), float(found.std(ddof=1))

    def run(self, implementation: Implementation) -> Outcome:
        try:
            with np.errstate(invalid="ignore"):  # infinities of both signs have no mean
                value = float(self.estimates(implementation, self.draws, self.seed).mean())
        except Exception as error:  # whatever another implementation raises is its answer
            return failure(self.name, error, self.truth, self.tolerance)
        note = f"mean of {self.draws}; |bias {self.bias:+.3f}| + 4 x {self.spread:.3f} / sqrt({self.draws})"
        return Outcome(self.name, value, self.truth, self.tolerance, abs(value - self.truth) <= self.tolerance, note)


@dataclass(frozen=True)
class Unchanged:
    """The estimate stays as it is when the data are changed in a way that changes no divergence."""

    name: str
    divergence: str
    draw: Draw
    change: Callable[[Array], Array]
    tolerance: float
    k: int = 5
    seed: int = 0

    def run(self, implementation: Implementation) -> Outcome:
        divergence = parse(self.divergence)
        x, y = self.draw(np.random.default_rng(self.seed))
        try:
            before = float(implementation(x, y, divergence, self.k))
            after = float(implementation(self.change(x), self.change(y), divergence, self.k))
        except Exception as error:
            return failure(self.name, error, math.nan, self.tolerance)
        passed = abs(after - before) <= self.tolerance * max(1.0, abs(before))
        return Outcome(self.name, after, before, self.tolerance, passed, "the same estimate, relative")


@dataclass(frozen=True)
class Finite:
    """The estimate is a finite number, where a formula on distances may not be."""

    name: str
    divergence: str
    draw: Draw
    k: int = 5
    seed: int = 0

    def run(self, implementation: Implementation) -> Outcome:
        x, y = self.draw(np.random.default_rng(self.seed))
        try:
            value = float(implementation(x, y, parse(self.divergence), self.k))
        except Exception as error:
            return failure(self.name, error, math.nan, math.inf)
        return Outcome(self.name, value, math.nan, math.inf, math.isfinite(value), "finite")


def failure(name: str, error: Exception, expected: float, tolerance: float) -> Outcome:
    """The outcome of an implementation that raised."""
    text = (str(error).strip().splitlines() or [""])[0]
    return Outcome(name, math.nan, expected, tolerance, False, f"raised {type(error).__name__}: {text}")


@dataclass(frozen=True)
class Report:
    """The outcomes of one implementation; prints as a table."""

    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The cases that did not."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)

    def __str__(self) -> str:
        width = max((len(outcome.case) for outcome in self.outcomes), default=0)
        lines = [f"{'':4}  {'case':{width}}  {'value':>10}  {'expected':>10}  {'within':>8}  how"]
        for o in self.outcomes:
            verdict = "pass" if o.passed else "FAIL"
            lines.append(
                f"{verdict}  {o.case:{width}}  {o.value:10.4f}  {o.expected:10.4f}  {o.tolerance:8.2g}  {o.note}"
            )
        lines.append(f"{len(self.outcomes) - len(self.failed)} of {len(self.outcomes)} cases pass")
        return "\n".join(lines)


def run(implementation: Implementation, cases: Iterable[Case]) -> Report:
    """Every case against an implementation."""
    return Report(tuple(case.run(implementation) for case in cases))


def select(cases: Sequence[Case], text: str) -> tuple[Case, ...]:
    """The cases whose name contains a text."""
    return tuple(case for case in cases if text in case.name)
