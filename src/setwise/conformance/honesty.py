"""Size-honesty: between sets of one distribution, no divergence may tell the sizes apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from setwise.conformance.case import Implementation, Outcome, failure
from setwise.divergences import parse
from setwise.neighbours.moments import Array


@dataclass(frozen=True)
class Slope:
    """The regression of D(X_i || X_j) on log(n_i / n_j), over all pairs of sets of one Gaussian, has slope 0.

    Its standard error is a jackknife over the sets, as pairs that share a set are not independent: the usual one
    would be several times too small.
    """

    name: str
    divergence: str
    sets: int = 16
    smallest: int = 50
    largest: int = 5000
    dim: int = 10
    k: int = 5
    seed: int = 0
    confidence: float = 0.95

    def sizes(self) -> list[int]:
        """Evenly spread on the logarithmic scale."""
        return [round(size) for size in np.geomspace(self.smallest, self.largest, self.sets)]

    def matrix(self, implementation: Implementation) -> Array:
        """All the estimates, nan on the diagonal."""
        rng = np.random.default_rng(self.seed)
        sets = [rng.normal(size=(size, self.dim)) for size in self.sizes()]
        divergence = parse(self.divergence)
        values = np.full((len(sets), len(sets)), np.nan)
        for i, x in enumerate(sets):
            for j, y in enumerate(sets):
                if i != j:
                    values[i, j] = implementation(x, y, divergence, self.k)
        return values

    def slope(self, values: Array) -> tuple[float, float]:
        """The slope and its jackknife standard error."""
        log_sizes = np.log(self.sizes())
        everyone = np.arange(len(log_sizes), dtype=np.intp)
        without = [_slope(values, log_sizes, np.delete(everyone, i)) for i in everyone]
        variance = (len(without) - 1) * np.var(without)
        return _slope(values, log_sizes, everyone), float(np.sqrt(variance))

    def run(self, implementation: Implementation) -> Outcome:
        try:
            slope, error = self.slope(self.matrix(implementation))
        except Exception as exception:
            return failure(self.name, exception, 0.0, math.nan)
        reach = float(student.ppf(0.5 + self.confidence / 2, self.sets - 1)) * error
        sets = f"{self.sets} sets of {self.smallest} to {self.largest} points"
        note = f"slope on log(n/m), {sets}; {self.confidence:.0%} interval"
        return Outcome(self.name, slope, 0.0, reach, abs(slope) <= reach, note)


def _slope(values: Array, log_sizes: Array, chosen: NDArray[np.intp]) -> float:
    """Least squares over the ordered pairs of the chosen sets."""
    block = values[np.ix_(chosen, chosen)]
    x = log_sizes[chosen][:, None] - log_sizes[chosen]
    off = ~np.eye(len(chosen), dtype=bool)
    return float((x[off] * (block[off] - block[off].mean())).sum() / (x[off] ** 2).sum())
