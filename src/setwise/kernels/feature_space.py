"""Squared distances in the space of a kernel, |phi(p) - phi(q)|^2 = K(p, p) + K(q, q) - 2 K(p, q)."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.divergences.pairwise import compute
from setwise.divergences.transformer import same_sets
from setwise.errors import InputError
from setwise.kernels.gaussian import GaussianKernel
from setwise.kernels.matrix import Array
from setwise.kernels.set_kernel import SetKernel
from setwise.sets import SampleSets


def squared_distances_among(gram: Array) -> Array:
    """Of all pairs of the fitted sets, from their Gram matrix; below zero only where that is indefinite."""
    return _squared_distances(gram, gram.diagonal(), gram.diagonal())


def squared_distances_from(kernel: Any, sets: SampleSets) -> Array:
    """Of each set from each that the kernel is fitted on, consistent with its projection.

    K(p, p) of a fitted set is the diagonal of the projected Gram matrix; that of another set is its estimate, plus the
    mean of what the projection added to that of the fitted sets. The squared norm of the row's projection on the space
    of the fitted sets, g' G^+ g, would need no estimate, but it divides the noise of g by the smallest eigenvalues.
    """
    if not isinstance(kernel, SetKernel):
        if not hasattr(kernel, "squared_distances"):
            raise InputError(
                f"{kernel!r} gives no kernel of a new set with itself, which distances from it need; use a SetKernel, "
                "or give it a method squared_distances(X)."
            )
        given: Array = kernel.squared_distances(sets)
        return given
    rows = kernel.transform(sets)
    projection = kernel.steps_[-1]
    fitted = projection.gram_.diagonal()
    added = (fitted.sum() - projection.eigenvalues_.sum()) / len(fitted)
    own = _with_themselves(kernel, sets) + added
    same = same_sets(sets, kernel.divergences_.sets_)
    known = same.any(axis=1)
    places = same.argmax(axis=1)[known]
    own[known], rows[known] = fitted[places], projection.gram_[places]
    return _squared_distances(rows, own, fitted)


def _with_themselves(kernel: SetKernel, sets: SampleSets) -> Array:
    """The estimates of K(p, p), before any projection."""
    step = kernel.steps_[0]
    if isinstance(step, GaussianKernel):
        return np.ones(len(sets))
    fitted, same = kernel.divergences_.sets_, np.ones((len(sets), 1), dtype=bool)
    table = compute(sets, fitted[:1], (kernel.divergence_,), (kernel.k,), kernel.n_jobs, same=same)
    own = table[table.divergences[0], table.ks[0]]
    values: Array = step.transform(np.broadcast_to(own, (len(sets), len(fitted))))
    return values[:, 0].copy()


def _squared_distances(rows: Array, own: Array, fitted: Array) -> Array:
    return own[:, None] + fitted[None, :] - 2 * rows
