"""The shapes that the engine is measured on, each with seeded data of the kind that has this shape in practice.

Times depend on the data (a tree prunes clustered points better than a cloud), so a shape is more than three numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]


def strokes(rng: Generator, t: int, m: int, d: int) -> Array:
    """Ink of a handwritten digit: points along a bent line in the unit square, one line a class, ten classes."""
    corners = np.random.default_rng(t % 10).random((5, d)) + rng.normal(scale=0.05, size=(5, d))
    place = rng.uniform(0, 4, m)
    segment = place.astype(int)
    along = (place - segment)[:, None]
    ink = (1 - along) * corners[segment] + along * corners[segment + 1]
    return np.asarray(ink + rng.normal(scale=0.03, size=(m, d)))


def turned_gaussian(rng: Generator, t: int, m: int, d: int) -> Array:
    """A Gaussian of axes 1 and 0.3, turned a little further from set to set."""
    angle = np.pi * t / 63
    axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) * [[1.0], [0.3]]
    return np.asarray(rng.normal(size=(m, d)) @ axes)


def beta(rng: Generator, t: int, m: int, d: int) -> Array:
    """A beta distribution with both parameters between 1 and 20."""
    first, second = rng.uniform(1, 20, 2)
    return rng.beta(first, second, size=(m, d))


def vortex(rng: Generator, t: int, m: int, d: int) -> Array:
    """Velocities on an 11 x 11 window of a flow: a vortex somewhere in it, a background shear, noise."""
    line = np.linspace(-1, 1, 11)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)[:m]
    offset = grid - rng.normal(scale=0.5, size=2)
    decay = np.exp(-np.square(offset).sum(1))
    spin, lift, shear = rng.normal(size=3)
    velocity = np.stack([-spin * decay * offset[:, 1], spin * decay * offset[:, 0], lift * decay], axis=1)
    velocity[:, 2] += 0.2 * shear * offset[:, 0]
    return np.asarray(velocity + rng.normal(scale=0.02, size=(m, d)))


def clusters(rng: Generator, t: int, m: int, d: int) -> Array:
    """Cells or image features: 40 clusters that all sets share, in proportions of their own.

    A cluster spreads along 8 directions, with less noise in all the others; axes shrink as principal components do.
    """
    shared = np.random.default_rng(d)
    spectrum = 1 / np.sqrt(np.arange(1, d + 1))
    centres = 1.5 * spectrum * shared.normal(size=(40, d))
    directions = 0.42 * spectrum * shared.normal(size=(40, 8, d))
    member = rng.choice(40, size=m, p=rng.dirichlet(np.full(40, 0.3)))
    points = centres[member] + rng.normal(scale=0.05, size=d)  # the latter is what a batch effect looks like
    points += np.einsum("ml,mld->md", rng.normal(size=(m, 8)), directions[member])
    return np.asarray(points + 0.35 * spectrum * rng.normal(size=(m, d)))


@dataclass(frozen=True)
class Shape:
    """`full` sets of `low` to `high` points in d dimensions; `scaled` sets take a few seconds."""

    name: str
    draw: Callable[[Generator, int, int, int], Array]
    full: int
    scaled: int
    low: int
    high: int
    d: int

    def sets(self, count: int) -> list[Array]:
        """The first `count` sets; set t is the same whatever the count."""
        drawn = []
        for t in range(count):
            rng = np.random.default_rng([self.full, self.d, t])
            drawn.append(self.draw(rng, t, int(rng.integers(self.low, self.high + 1)), self.d))
        return drawn

    def title(self, count: int) -> str:
        """T x points x dimension, and T of the real data set where that is larger."""
        points = f"{self.low}" if self.low == self.high else f"{self.low}..{self.high}"
        return f"{count} x {points} x {self.d}" + (f" (of {self.full})" if count < self.full else "")


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("S1", strokes, 2000, 600, 500, 500, 2),
        Shape("S2", clusters, 400, 200, 576, 576, 18),
        Shape("S3", clusters, 2688, 60, 1815, 1815, 54),
        Shape("S4", clusters, 1040, 100, 295, 1542, 59),
        Shape("S5", turned_gaussian, 63, 63, 2000, 2000, 2),
        Shape("S6", beta, 350, 350, 500, 500, 1),
        Shape("S7", vortex, 2000, 1000, 121, 121, 3),
        Shape("S8", clusters, 200, 30, 5000, 5000, 10),
        Shape("S9", clusters, 200, 20, 5000, 5000, 50),
    )
}
