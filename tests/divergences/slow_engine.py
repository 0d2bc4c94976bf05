"""`setwise.neighbours.pair_moments` from the reference alone: the same answers, slowly, without progress."""

from __future__ import annotations

import time

import numpy as np

from setwise.neighbours import reference
from setwise.neighbours.moments import Moments


def pair_moments(x, y, moments, ks, *, own=(), both=False, n_jobs=None, memory=None, held=0, progress=None):
    start = time.perf_counter()
    itself, y = y is None, x if y is None else y

    def matrix(rows, columns, moment, k):
        return np.array(
            [
                [
                    np.nan if itself and i == j else reference.pair_moment(moment, one, other, k)
                    for j, other in enumerate(columns)
                ]
                for i, one in enumerate(rows)
            ]
        )

    def alone(sets, moment, k):
        return np.array([reference.own_moment(moment, one, k) for one in sets])

    forward = {(moment, k): matrix(x, y, moment, k) for moment in moments for k in ks}
    backward = forward if itself else {}
    if both and not itself:
        backward = {(moment, k): matrix(y, x, moment, k) for moment in moments for k in ks}
    own_x = {(moment, k): alone(x, moment, k) for moment in own for k in ks}
    own_y = own_x if itself else {(moment, k): alone(y, moment, k) for moment in own for k in ks}
    diagnostics = {"ties": ties(x, max(ks)), "ties_y": ties(y, max(ks)), "path": "reference"}
    diagnostics |= {"safe_path": 0, "seconds": time.perf_counter() - start}
    return Moments(forward, backward, own_x, own_y, diagnostics)


def ties(sets, k):
    found = (reference.sorted_distances(points, points, own=True)[:, k - 1] == 0 for points in sets)
    return np.array([points.sum() for points in found], dtype=np.int64)
