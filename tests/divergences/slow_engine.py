"""`setwise.neighbours.pair_moments` from the reference alone: the same answers, slowly."""

from __future__ import annotations

import time

import numpy as np

from setwise.neighbours import reference
from setwise.neighbours.moments import Moments


def pair_moments(x, y, moments, ks, *, own=(), both=False, n_jobs=None, memory=None, progress=None):
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
    ties = np.array([(kth_distances(one, k=max(ks)) == 0).sum() for one in x], dtype=np.int64)
    if progress is not None:
        progress(1, 1)
    diagnostics = {"ties": ties, "seconds": time.perf_counter() - start, "safe_path": 0, "path": "reference"}
    return Moments(forward, backward, own_x, own_y, diagnostics)


def kth_distances(x, y=None, *, k=5):
    return reference.sorted_distances(x, x if y is None else y, own=y is None)[:, k - 1]
