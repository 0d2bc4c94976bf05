"""The cases, as data: names, what to draw, truths, and (in known.py) what bias and spread to expect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from setwise.conformance.case import Case, Draw, Finite, Truth, Unchanged
from setwise.conformance.honesty import Slope
from setwise.conformance.known import KNOWN
from setwise.conformance.pairs import Atoms, Changed, Gaussians, Subset, Uniforms, duplicated, floored, rounded
from setwise.divergences import REGISTRY, parse, scale_free
from setwise.neighbours.moments import Array

SIZES = ((1000, 1000), (1000, 4000), (4000, 1000))
RATIO = ("kl", "kl:matched", "renyi:0.5", "renyi:0.5:matched", "renyi:0.9", "renyi:0.9:matched")
SHIFTED = (
    *RATIO,
    "tsallis:0.9",
    "tsallis:0.9:matched",
    "hellinger",
    "hellinger:matched",
    "bhattacharyya",
    "bhattacharyya:matched",
    "js",
    "linear",
    "l2",
)


def truths() -> Iterator[tuple[str, str, Draw, float, int]]:
    """Name, divergence, pair, true value and k of the cases with a closed form whose bias and spread are measured."""
    for n, m in SIZES:
        shifted, wider = Gaussians(n, m, dim=2, shift=1), Gaussians(2 * n, 2 * m, dim=2, scale=2)
        nested = Uniforms(n, m, dim=2, side=1.5)
        for text in SHIFTED:
            yield f"gaussian shift d=2 n={n} m={m} {text}", text, shifted, shifted.truth(parse(text)), 5
        for text in RATIO:
            yield f"gaussian scale d=2 n={wider.n} m={wider.m} {text}", text, wider, wider.truth(parse(text)), 5
        for text in (*RATIO, "hellinger", "js", "linear", "l2"):
            yield f"uniform nested d=2 n={n} m={m} {text}", text, nested, nested.truth(parse(text)), 5
    for label, change, n, dim, shift, k in (
        ("rounded to .1", rounded, 1000, 2, 1.0, 5),
        ("60 % duplicates", duplicated, 2000, 3, 1.0, 20),  # 5 neighbours would be some 2 points
        ("30 % at a floor", floored, 1000, 4, 0.0, 5),
    ):
        pair = Gaussians(n, n, dim, shift)
        for text in ("kl:matched", "renyi:0.5:matched"):
            yield f"ties, {label} d={dim} n=m={n} k={k} {text}", text, Changed(pair, change), pair.truth(parse(text)), k


def _truth(name: str, divergence: str, draw: Draw, truth: float, k: int) -> Truth:
    bias, spread = KNOWN.get(name, (np.nan, np.nan))  # not measured yet: it fails until known.py has it
    return Truth(name, divergence, draw, truth, bias, spread, k)


def _far_and_small(points: Array) -> Array:
    return 1e-4 * points + 3.0


def _others() -> Iterator[Case]:
    for text in ("kl", "kl:matched"):  # no chance in it: digamma(199) - digamma(200) + log(400 / 199) = ln 2 - 1.26e-5
        name, draw = f"ties, an atom against half an atom {text}", Atoms(200, 400, dim=2)
        yield Truth(name, text, draw, float(np.log(2)), bias=-1.3e-5, spread=0.0, draws=1)
    every = [text for kind in REGISTRY.values() for text in kind.examples]
    free = [text for text in every if scale_free(parse(text))]
    plain, tied = Gaussians(60, 90, dim=3, shift=1), Changed(Gaussians(120, 90, dim=2, shift=1), rounded)
    for text in free:
        yield Unchanged(f"scaling {text}", text, plain, _far_and_small, tolerance=1e-9)
    for text in (*RATIO, "js"):
        yield Unchanged(f"scaling, rounded {text}", text, tied, _far_and_small, tolerance=1e-9)
    for text in every:
        yield Finite(f"subset n=100 m=300 k=6 {text}", text, Subset(100, 300, dim=3), k=6)
    for text in (*RATIO, "hellinger", "js"):
        yield Finite(f"subset n=100 m=300 k=1 {text}", text, Subset(100, 300, dim=3), k=1)
        for dim in (200, 2000):
            yield Finite(f"high dimension d={dim} {text}", text, Gaussians(40, 60, dim, shift=1))
        yield Finite(f"ties, 60 % duplicates k=1 {text}", text, Changed(Gaussians(100, 100, 3, 1.0), duplicated), k=1)
    for text in ("kl:matched", "renyi:0.5:matched", "hellinger:matched"):
        yield Slope(f"size-honesty d=10 {text}", text)


def measured() -> Iterator[Truth]:
    """The closed-form cases without what is known of them, to measure it."""
    return (Truth(*case[:-1], bias=0.0, spread=0.0, k=case[-1]) for case in truths())


CASES: tuple[Case, ...] = (*(_truth(*case) for case in truths()), *_others())
