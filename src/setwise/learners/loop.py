"""How well an embedding shows that the sets, in the order given, lie on one closed loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from setwise.kernels.matrix import Array


class LoopScores(NamedTuple):
    """Three ways in which an embedding of a loop can fail: torn, folded, or crossed."""

    adjacent: float
    """The share of sets whose two nearest in the embedding are both within two steps along the loop."""
    spearman: float
    """Rank correlation of distances in the embedding with steps along the loop, over all pairs."""
    winding: int
    """How often the loop goes around its centre, either way: 1 for a plain closed curve."""


def loop_scores(embedding: ArrayLike) -> LoopScores:
    """Score an embedding (T, 2) of sets 0 .. T-1, whose neighbours on the loop are t-1 and t+1, modulo T."""
    places: Array = np.asarray(embedding, dtype=np.float64)
    T = len(places)
    along = np.abs(np.subtract.outer(np.arange(T), np.arange(T)))
    along = np.minimum(along, T - along)
    apart = cdist(places, places)
    pairs = np.triu_indices(T, 1)
    correlation = float(spearmanr(apart[pairs], along[pairs]).statistic)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1)[:, :2]
    adjacent = float((np.take_along_axis(along, nearest, axis=1) <= 2).all(axis=1).mean())
    centred = places - places.mean(axis=0)
    angles = np.arctan2(centred[:, 1], centred[:, 0])
    turns = np.angle(np.exp(1j * np.diff(angles, append=angles[:1])))
    return LoopScores(adjacent, correlation, abs(round(float(turns.sum()) / (2 * np.pi))))
