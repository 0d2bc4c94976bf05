"""What is known of each set on its own, before any two are compared: its points' own k-th distances and their ties."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from setwise.neighbours.cloud import Cloud
from setwise.neighbours.compiled import kernel
from setwise.neighbours.exact import TIE, beyond_ties, count_within
from setwise.neighbours.memory import aligned
from setwise.neighbours.moments import Array, Own
from setwise.neighbours.paths import Dense, Low, Scan
from setwise.neighbours.reduction import gamma_ratio
from setwise.neighbours.threads import Threads

TOGETHER = 16  # sets that one task searches


def own_pass(
    path: Dense | Low | Scan, run: Threads, clouds: Sequence[Cloud], ks: tuple[int, ...], counting: bool
) -> tuple[list[Cloud], int]:
    """The clouds with what is known of each set on its own; how many points needed float64.

    Within its own set a point's k-th neighbour is the (k + 1)-th, itself being the first; counting asks for one more,
    which tells whether the k-th has ties.
    """
    deep = np.unique([k + step for k in ks for step in ((1, 2) if counting else (1,))])
    places = np.searchsorted(deep, np.array(ks) + 1)
    known, scans = [], 0
    for cloud in clouds:
        points, sizes = int(cloud.offsets[-1]), np.diff(cloud.offsets)
        shape = (len(ks), points)
        square_rho, log_rho = (aligned(shape, np.float64) for _ in range(2))
        k_rho, within = (aligned(s, np.int32) for s in (shape, shape if counting else (0, 0)))
        seen = cloud._replace(square_rho=square_rho, log_rho=log_rho, k_rho=k_rho, own_within=within)

        def job(task: tuple[int, int], seen: Cloud = seen, sizes: Array = sizes) -> int:
            wanted = deep[deep <= sizes[task[0]]] if task[1] - task[0] == 1 else deep
            own = np.full((len(deep), int(sizes[slice(*task)].sum())), np.inf)
            scans = path.own(seen, task, wanted, int(deep[-1]), own)
            _know(seen, *task, np.array(ks), places, own, counting)
            return scans

        scans += run.each(job, _tasks(sizes < deep[-1]))
        known.append(_summed_up(seen))
    return known, scans


def _tasks(small: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of sets; a small one, which has fewer points than are asked for, stands alone."""
    cuts = [0, *(np.flatnonzero(np.diff(small)) + 1).tolist(), len(small)]
    return [
        (start, min(start + TOGETHER, stop))
        for begin, stop in pairwise(cuts)
        for start in range(begin, stop, 1 if small[begin] else TOGETHER)
    ]


@kernel()
def _know(cloud, begin, end, ks, places, own, counting):
    """What the own k-th distances of some sets' points say, from the squared distances `own`, itself at rank 1, which
    begin with those of the first of these sets.

    A set that is one point, repeated, has no positive distance: log_rho = -inf, an infinite density.
    """
    base = cloud.offsets[begin]
    for s in range(begin, end):
        first, stop = cloud.offsets[s], cloud.offsets[s + 1]
        n = stop - first
        for i in range(first, stop):
            for t in range(len(ks)):
                k, square = ks[t], own[places[t], i - base]
                cloud.square_rho[t, i] = square
                if counting:
                    alone = k + 2 > n or own[places[t] + 1, i - base] > square * TIE
                    cloud.own_within[t, i] = (
                        k if alone else count_within(cloud.points, i, cloud.points, first, stop, cloud.d, square) - 1
                    )
                cloud.k_rho[t, i] = k
                if square == 0.0:
                    ties, square = beyond_ties(cloud.points, i, cloud.points, first, stop, cloud.d)
                    cloud.k_rho[t, i] = min(ties, n - 1)
                cloud.log_rho[t, i] = 0.5 * math.log(square) if square < np.inf else -np.inf


def _summed_up(cloud: Cloud) -> Cloud:
    return cloud._replace(
        flat_log_rho=cloud.log_rho.ravel(),
        tied=np.minimum.reduceat(cloud.square_rho, cloud.offsets[:-1], axis=1) == 0,
    )


def own_moments(cloud: Cloud, own: Sequence[Own], ks: tuple[int, ...], shift: float) -> dict[tuple[Own, int], Array]:
    """The moments of each set on its own."""
    found, counts = {}, np.maximum(np.arange(cloud.k_rho.max() + 1), 1.0)
    for moment in own:
        constant = np.log(gamma_ratio(counts, moment.a))
        for t, k in enumerate(ks):
            found[moment, k] = np.full(len(cloud.offsets) - 1, shift * moment.a)
            for start in range(0, len(cloud.offsets) - 1, TOGETHER):
                offsets = cloud.offsets[start : start + TOGETHER + 1]
                part = slice(offsets[0], offsets[-1])
                terms = constant[cloud.k_rho[t, part]] - cloud.d * moment.a * cloud.log_rho[t, part]
                found[moment, k][start : start + TOGETHER] += _log_mean_exp(terms, offsets - offsets[0])
    return found


def _log_mean_exp(terms: Array, offsets: NDArray[np.int64]) -> Array:
    """The log of the mean of exp(terms) of each set; terms may be infinite."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    largest = np.maximum.reduceat(terms, starts)
    base = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(base + np.log(np.add.reduceat(np.exp(terms - np.repeat(base, sizes)), starts) / sizes))


def ties(cloud: Cloud) -> NDArray[np.int64]:
    """How many points of each set coincide with their k-th neighbour, for the largest k."""
    return np.add.reduceat(cloud.square_rho[-1] == 0, cloud.offsets[:-1], dtype=np.int64)
