"""What the tests of the divergences run over: every example of the registry, and small seeded sets."""

from __future__ import annotations

import numpy as np

import setwise as sw
from setwise.divergences import REGISTRY, parse

EVERY = [parse(text) for kind in REGISTRY.values() for text in kind.examples]
IDS = [str(divergence) for divergence in EVERY]


def atoms(dim=2, seed=0):
    """Sets of one point, repeated: two at one place, one elsewhere; one that is half of it; and one of other points."""
    rng = np.random.default_rng(seed)
    half = np.concatenate([np.full((9, dim), 0.5), rng.normal(size=(11, dim))])
    arrays = [np.full((9, dim), 0.5), np.full((12, dim), 0.5), np.zeros((10, dim)), half, rng.normal(size=(30, dim))]
    return sw.SampleSets(arrays, ids=["one", "same", "elsewhere", "half", "none"])


def gaussian_sets(sizes=(40, 55, 70), dim=3, shift=0.3, seed=0):
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(size, dim)) + shift * i for i, size in enumerate(sizes)]
    return sw.SampleSets(arrays, ids=[f"s{i}" for i in range(len(sizes))])
