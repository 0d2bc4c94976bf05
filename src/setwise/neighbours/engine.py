"""All pairs of sets: the own pass, the plan, its tiles in threads, and what comes out of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from setwise.errors import InputError
from setwise.neighbours.cloud import Frame, make_clouds
from setwise.neighbours.moments import Array, Moment, Moments, Own, Power
from setwise.neighbours.own import own_moments, own_pass, ties
from setwise.neighbours.paths import Dense, Job, Low, Scan
from setwise.neighbours.plan import Plan, Tile, bytes_kept, make_plan, path_for
from setwise.neighbours.reduction import needs_counts, needs_counts_at_ties, specify
from setwise.neighbours.threads import Threads, threads_of
from setwise.sets import SampleSets

Progress = Callable[[int, int], None]


def pair_moments(
    x: SampleSets,
    y: SampleSets | None,
    moments: Sequence[Moment],
    ks: tuple[int, ...],
    *,
    own: Sequence[Own] = (),
    both: bool = False,
    n_jobs: int | None = None,
    memory: int | None = None,
    held: int = 0,
    progress: Progress | None = None,
) -> Moments:
    """The moments of every set of x against every set of y, for every k, from one search of the neighbours.

    `y` left out: x against itself. `both`: also of every set of y against every set of x. `memory`: the most bytes to
    work in, beyond data and result, of which the caller has `held` some. Every set needs more than max(ks) points.
    """
    began = time.perf_counter()
    wanted, order = tuple(dict.fromkeys(moments)), tuple(sorted(set(ks)))
    others = x if y is None else y
    sides = (x,) if y is None else (x, y)
    run = Threads(threads_of(n_jobs))
    clouds, frame, power = make_clouds(sides)
    largest = max(int(s.sizes.max()) for s in sides)
    path = _path(run, frame, order[-1] + 2, largest)

    def plans(counting: bool) -> list[Plan]:
        kept = held + sum(
            bytes_kept(path.name, s.sizes, s.dim, clouds[0].points.itemsize, len(order), counting) for s in sides
        )
        cut = partial(make_plan, path=path.name, d=x.dim, ks=order, counting=counting, threads=run.count,
                      memory=memory, kept=kept)  # fmt: skip
        if not both or y is None or path.mirrors:
            return [cut(x.sizes, None if y is None else y.sizes)]
        return [cut(x.sizes, y.sizes), cut(y.sizes, x.sizes)]

    counting = needs_counts(wanted)
    cuts = plans(counting)  # before any work: too small a budget is refused here
    clouds = [path.arrange(cloud)[0] for cloud in clouds]
    known, scans = own_pass(path, run, clouds, order, counting)
    if not counting and needs_counts_at_ties(wanted) and any(cloud.tied.any() for cloud in known):
        counting, known = True, []
        cuts = plans(counting)
        known, scans = own_pass(path, run, clouds, order, counting)
    cloud_x, cloud_y = known[0], known[-1]

    def array(rows: int, columns: int) -> Array:
        return np.full((len(wanted), len(order), rows, columns), np.nan)

    out = array(len(x), len(others))
    back = out if y is None else array(len(others), len(x)) if both else array(0, 0)
    spec = specify(wanted, order, largest if counting else 0)
    directions = ((cloud_x, cloud_y, spec, counting, out, back), (cloud_y, cloud_x, spec, counting, back, out))
    jobs = [Job(plan, *direction) for plan, direction in zip(cuts, directions, strict=False)]
    if wanted:
        scans += _search(path, run, jobs, progress)

    shift = -power * float(np.log(2.0)) * x.dim
    for i, moment in enumerate(wanted):
        if power and isinstance(moment, Power):
            for result in (out,) if y is None else (out, back):
                result[i] += shift * (moment.a + moment.b)

    def named(result: Array) -> dict[tuple[Moment, int], Array]:
        return {(moment, k): result[i, t] for i, moment in enumerate(wanted) for t, k in enumerate(order)}

    own_x = own_moments(cloud_x, own, order, shift)
    return Moments(
        forward=named(out),
        backward=named(back) if back.size else {},
        own_x=own_x,
        own_y=own_x if y is None else own_moments(cloud_y, own, order, shift),
        diagnostics={
            "path": path.name,
            "threads": min(job.plan.threads for job in jobs),
            "ties": ties(cloud_x),
            "ties_y": ties(cloud_y),
            "safe_path": scans,
            "seconds": time.perf_counter() - began,
        },
    )


def kth_distances(x: ArrayLike, y: ArrayLike | None = None, *, k: int = 5) -> Array:
    """The distance from each point of x to its k-th nearest in y; y left out: within x, itself not counted."""
    left = SampleSets([np.asarray(x)])
    right = left if y is None else SampleSets([np.asarray(y)])
    _check(left, right, k, own=y is None)
    run = Threads(1)
    clouds, frame, power = make_clouds((left,) if y is None else (left, right))
    largest = max(int(left.sizes[0]), int(right.sizes[0]))
    deep = np.array([k + 1 if y is None else k])
    path = _path(run, frame, int(deep[0]), largest)
    arranged = [path.arrange(cloud) for cloud in clouds]
    squares, distances = np.empty((1, int(left.sizes[0]))), np.empty(int(left.sizes[0]))
    path.pair(arranged[0][0], arranged[-1][0], deep, squares)
    distances[arranged[0][1]] = np.sqrt(squares[0]) * 2.0**power
    return distances


def _check(x: SampleSets, y: SampleSets, k: int, own: bool) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k={k!r} is not a positive whole number.")
    if x.dim != y.dim:
        raise InputError(f"x has {x.dim} columns and y has {y.dim}; give both the same.")
    if int(y.sizes[0]) < k + own:
        name = "x" if own else "y"
        raise InputError(f"{name} has {int(y.sizes[0])} points; k={k} needs at least {k + own}. Lower k or add points.")


def _path(run: Threads, frame: Frame, deepest: int, largest: int) -> Dense | Low | Scan:
    name = path_for(len(frame.centre), deepest)
    if name == "scan":
        return Scan(run)
    return (Low if name == "low" else Dense)(run, frame, largest)


def _search(path: Dense | Low | Scan, run: Threads, jobs: Sequence[Job], progress: Progress | None) -> int:
    """Run the tiles; those of the same rows together, as they may share their queries."""
    total, finished, scans = sum(len(job.plan.tiles) for job in jobs), 0, 0

    def done(tile: Tile) -> None:
        nonlocal finished
        finished += 1
        if progress is not None:
            progress(finished, total)

    for job in jobs:
        run.count = job.plan.threads
        stripes: dict[tuple[int, int], list[Tile]] = {}
        for tile in job.plan.tiles:
            stripes.setdefault(tile.rows if isinstance(path, Low) else (0, 0), []).append(tile)
        for rows, tiles in stripes.items():
            shared: Any = path.prepare(job, rows)
            scans += run.each(partial(path.tile, job, shared), tiles, done)
            del shared  # before the next are made
    return scans
