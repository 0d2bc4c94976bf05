"""A tile in low dimensions: one pool of queries against some target sets, one after another."""

from __future__ import annotations

from setwise.neighbours.compiled import kernel
from setwise.neighbours.low import search
from setwise.neighbours.low_counts import count_set
from setwise.neighbours.reduction import reduce_pair


@kernel()
def tile(
    x, y, leaves_x, leaves_y, pool, spec, rows, columns, skip, counted, dims, like, scratch, counts, work, nu, out,
    stop,
):  # fmt: skip
    """Every moment of the pool's sets (rows) against some targets (columns); how many queries needed a scan.

    `skip` leaves out the pair of a set with itself. `nu` is (k, target by target, point of the pool).
    """
    scans, base, length = 0, x.offsets[rows[0]], 0
    n = x.offsets[rows[1]] - base
    for j in range(columns[0], columns[1]):
        if stop[0]:
            return scans
        scans += search(leaves_y, j, pool, spec.ks, dims, like, scratch, nu, counted, (j - columns[0]) * n)
    for i in range(rows[0], rows[1]):
        if stop[0]:
            return scans
        place = x.offsets[i] - base
        for t in range(len(spec.ks)):
            if counted:
                length = count_set(
                    leaves_x, i, leaves_y, columns, skip, x, spec.ks[t], t, nu[t], place, n, counts, dims
                )
            for j in range(columns[0], columns[1]):
                if not (skip and i == j):
                    c = j - columns[0]
                    reduce_pair(spec, x, i, y, j, t, nu[t, place + c * n :], counts.within[c * length :],
                                counts.ranks[c * length :], counted, work, out)  # fmt: skip
    return scans
