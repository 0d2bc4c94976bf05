"""python -m setwise.conformance.jensen_shannon: our estimator of Jensen-Shannon beside Hino and Murata's.

The table of docs/decisions/jensen-shannon.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import digamma

from setwise.conformance.case import Draw
from setwise.conformance.ours import ours
from setwise.conformance.pairs import Changed, Gaussians, Uniforms, rounded
from setwise.divergences import JensenShannon
from setwise.neighbours.moments import Array

K = 5
DRAWS = 20
JS = JensenShannon()


def hino_murata(x: Array, y: Array, k: int) -> float:
    """JS from entropies of weighted observations (Hino and Murata, Neural Networks 46, 2013).

    The entropy of the mixture is a mean over the points of both sets, half the weight on each, of
    d log r - digamma(count) + digamma(k) + log(n + m - 1), where r is the radius of the largest ball around the point
    that holds no more than a share k / (n + m - 1) of the other points' weight, and count its points. Those of p and
    q are the same with equal weights, which leaves d log rho + log(n - 1).
    """
    (n, d), m = x.shape, len(y)
    own_x, own_y = _ascending(x, x)[:, 1:], _ascending(y, y)[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        mixture = 0.5 * _half(own_x, _ascending(x, y), n, m, k, d) + 0.5 * _half(own_y, _ascending(y, x), m, n, k, d)
        alone_x = d * np.log(own_x[:, k - 1]).mean() + np.log(n - 1)
        alone_y = d * np.log(own_y[:, k - 1]).mean() + np.log(m - 1)
    return float(mixture + digamma(k) + np.log(n + m - 1) - 0.5 * (alone_x + alone_y))


def _half(own: Array, cross: Array, n: int, m: int, k: int, d: int) -> float:
    """mean_i d log r_i - digamma(count_i); weights 1 / (2n - 1) on the set of n, n / (m (2n - 1)) on the other."""
    distances = np.concatenate([own, cross], axis=1)
    weights = np.concatenate([np.full(own.shape, 1 / (2 * n - 1)), np.full(cross.shape, n / (m * (2 * n - 1)))], axis=1)
    order = np.argsort(distances, axis=1, kind="stable")
    held = np.take_along_axis(weights, order, axis=1).cumsum(axis=1)
    count = np.maximum((held <= k / (n + m - 1) * (1 + 1e-9)).sum(axis=1), 1)
    radius = np.take_along_axis(distances, order, axis=1)[np.arange(len(own)), count - 1]
    return float((d * np.log(radius) - digamma(count)).mean())


def _ascending(x: Array, y: Array) -> Array:
    return np.sort(cdist(x, y), axis=1)


@dataclass(frozen=True)
class Comparison:
    """Bias and root mean square error of both estimators in one case."""

    label: str
    sizes: str
    truth: float
    ours: tuple[float, float]
    theirs: tuple[float, float]


def comparisons(draws: int = DRAWS) -> Iterator[Comparison]:
    """Gaussian and uniform pairs in 1 to 10 dimensions, equal and unequal sizes; rounded values."""
    for dim in (1, 2, 5, 10):
        for n, m in ((400, 400), (150, 1200), (50, 1000)):
            for shift in (0.0, 1.0, 3.0):
                pair = Gaussians(n, m, dim, shift)
                yield compare(f"Gaussians d={dim}, shift {shift:g}", pair, pair.truth(JS), (n, m), draws)
            nested = Uniforms(n, m, dim, 2 ** (1 / dim))
            yield compare(f"uniform in twice its volume d={dim}", nested, nested.truth(JS), (n, m), draws)
    for shift in (0.0, 1.0):
        pair = Gaussians(400, 400, 2, shift)
        label = f"Gaussians rounded to .1 d=2, shift {shift:g}"
        yield compare(label, Changed(pair, rounded), pair.truth(JS), (400, 400), draws)


def compare(label: str, draw: Draw, truth: float, sizes: tuple[int, int], draws: int) -> Comparison:
    """Both estimators on the same draws."""
    found = []
    for i in range(draws):
        x, y = draw(np.random.default_rng([2, i]))
        found.append((ours(x, y, JS, K), hino_murata(x, y, K)))
    with np.errstate(invalid="ignore"):
        error = np.array(found) - truth
        bias, rmse = error.mean(axis=0), np.sqrt((error**2).mean(axis=0))
    return Comparison(
        label, f"{sizes[0]}/{sizes[1]}", truth, (float(bias[0]), float(rmse[0])), (float(bias[1]), float(rmse[1]))
    )


def markdown(found: list[Comparison]) -> str:
    """The comparisons as a table, and how often which of the two has the smaller error."""
    lines = ["| case | n/m | JS | ours: bias | RMSE | Hino-Murata: bias | RMSE |", "|---|---|---|---|---|---|---|"]
    for one in found:
        a, b = (f"{bias:+.3f} | {rmse:.3f}" for bias, rmse in (one.ours, one.theirs))
        lines.append(f"| {one.label} | {one.sizes} | {one.truth:.3f} | {a} | {b} |")
    wins = sum(not one.theirs[1] < one.ours[1] for one in found)
    return "\n".join([*lines, "", f"Ours has the smaller RMSE in {wins} of {len(found)} cases."])


if __name__ == "__main__":
    print(markdown(list(comparisons())))
