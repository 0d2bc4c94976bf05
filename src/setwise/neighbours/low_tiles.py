"""A tile in low dimensions: one pool of queries against some target sets, one after another."""

from __future__ import annotations

from setwise.neighbours.compiled import kernel
from setwise.neighbours.low import search_target, target_of
from setwise.neighbours.low_counts import count_set
from setwise.neighbours.reduction import reduce_pair


@kernel()
def search(leaves, s, pool, ks, dims, like, scratch, nu, within, place):
    """Set s of the leaves, searched by a pool; how many queries needed a scan."""
    return search_target(target_of(leaves, s), pool, ks, dims, like, scratch, nu, within, place)


@kernel()
def tile(
    x, y, leaves_x, leaves_y, pool, spec, rows, columns, skip, counted, dims, like, scratch, counting, work, nu, within,
    ranks, out, stop,
):  # fmt: skip
    """Every moment of the pool's sets (rows) against some targets (columns); how many queries needed a scan.

    `skip` leaves out the pair of a set with itself. The answers are (k, target by target, point of the pool).
    """
    scans, base = 0, x.offsets[rows[0]]
    n = x.offsets[rows[1]] - base
    if counted:
        for t in range(len(spec.ks)):
            within[t, :] = spec.ks[t]
    for j in range(columns[0], columns[1]):
        if stop[0]:
            return scans
        scans += search(leaves_y, j, pool, spec.ks, dims, like, scratch, nu, within, (j - columns[0]) * n)
    for i in range(rows[0], rows[1]):
        if stop[0]:
            return scans
        place = x.offsets[i] - base
        if counted:
            for t in range(len(spec.ks)):
                count_set(leaves_x, i, leaves_y, columns, skip, x, t, nu[t], within[t], ranks[t], place, n, counting,
                          dims)  # fmt: skip
        for j in range(columns[0], columns[1]):
            if not (skip and i == j):
                for t in range(len(spec.ks)):
                    reduce_pair(spec, x, i, y, j, t, nu, within, ranks, place + (j - columns[0]) * n, counted, work,
                                out)  # fmt: skip
    return scans
