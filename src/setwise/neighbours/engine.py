"""All pairs of sets: the own pass, the plan, its tiles in threads, and what comes out of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise.errors import InputError
from setwise.neighbours.dense_tiles import Frame
from setwise.neighbours.memory import aligned
from setwise.neighbours.moments import Array, Moment, Moments, Own, Power
from setwise.neighbours.paths import Dense, Job, Low, Scan
from setwise.neighbours.plan import Tile, make_plan, path_for
from setwise.neighbours.reduction import (
    Cloud,
    gamma_ratio,
    know_own,
    log_mean_exp_by_set,
    needs_counts,
    needs_counts_at_ties,
    specify,
)
from setwise.neighbours.threads import Threads, threads_of
from setwise.sets import SampleSets

Progress = Callable[[int, int], None]
SAMPLE = 4096  # points whose median is the centre
SAFE = 100  # decades from 1 within which squares of float64 need no care


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
    progress: Progress | None = None,
) -> Moments:
    """The moments of every set of x against every set of y, for every k, from one search of the neighbours.

    `y` left out: x against itself. `both`: also of every set of y against every set of x. `memory`: the most bytes to
    work in, beyond data and result. Every set needs more than max(ks) points.
    """
    began = time.perf_counter()
    wanted, order = tuple(dict.fromkeys(moments)), tuple(sorted(set(ks)))
    others = x if y is None else y
    sides = (x,) if y is None else (x, y)
    run = Threads(threads_of(n_jobs))
    clouds, power = _clouds(sides)
    largest = max(int(s.sizes.max()) for s in sides)
    path = _path(run, clouds, order[-1] + 2, largest)
    clouds = [path.arrange(cloud)[0] for cloud in clouds]

    counting = needs_counts(wanted)
    known, scans = _own_pass(path, run, clouds, order, counting)
    if not counting and needs_counts_at_ties(wanted) and any((cloud.square_rho == 0).any() for cloud in known):
        counting = True
        known, scans = _own_pass(path, run, clouds, order, counting)
    cloud_x, cloud_y = known[0], known[-1]

    def array(rows: int, columns: int) -> Array:
        return np.full((len(wanted), len(order), rows, columns), np.nan)

    out = array(len(x), len(others))
    back = out if y is None else array(len(others), len(x)) if both else array(0, 0)
    spec = specify(wanted, order, largest)
    cut = partial(make_plan, path=path.name, d=x.dim, ks=order, counting=counting, threads=run.count, memory=memory)
    jobs = [Job(cut(x.sizes, None if y is None else y.sizes), cloud_x, cloud_y, spec, counting, out, back)]
    if both and y is not None and not path.mirrors:
        jobs.append(Job(cut(y.sizes, x.sizes), cloud_y, cloud_x, spec, counting, back, out))
    if wanted:
        scans += _search(path, run, jobs, progress)

    shift = -power * float(np.log(2.0)) * x.dim
    for i, moment in enumerate(wanted):
        if power and isinstance(moment, Power):
            for result in (out,) if y is None else (out, back):
                result[i] += shift * (moment.a + moment.b)

    def named(result: Array) -> dict[tuple[Moment, int], Array]:
        return {(moment, k): result[i, t] for i, moment in enumerate(wanted) for t, k in enumerate(order)}

    return Moments(
        forward=named(out),
        backward=named(back) if back.size else {},
        own_x=_own_moments(cloud_x, own, order, shift),
        own_y=_own_moments(cloud_y, own, order, shift),
        diagnostics={
            "path": path.name,
            "threads": min(job.plan.threads for job in jobs),
            "ties": _ties(cloud_x),
            "ties_y": _ties(cloud_y),
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
    clouds, power = _clouds((left,) if y is None else (left, right))
    largest = max(int(left.sizes[0]), int(right.sizes[0]))
    deep = np.array([k + 1 if y is None else k])
    path = _path(run, clouds, int(deep[0]), largest)
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


def _clouds(sides: Sequence[SampleSets]) -> tuple[list[Cloud], int]:
    """The points as the engine reads them, divided by 2^power where their squares would leave float64's range."""
    extent = max(float(np.abs(s.points).max()) for s in sides)
    power = 0
    if extent and abs(np.log10(extent)) > SAFE:
        power = int(np.floor(np.log2(extent)))
    none = np.zeros((0, 0))
    clouds = []
    for sets in sides:
        points = np.ascontiguousarray(sets.points).ravel()
        if power:
            points = np.ldexp(points.astype(np.float64), -power)
        clouds.append(
            Cloud(
                points,
                sets.offsets,
                sets.dim,
                none,
                none,
                none,
                np.zeros((0, 0), np.int32),
                none.ravel(),
                none > 0,
                0.0,
            )
        )
    return clouds, power


def _path(run: Threads, clouds: Sequence[Cloud], deepest: int, largest: int) -> Dense | Low | Scan:
    name = path_for(clouds[0].d, deepest)
    if name == "scan":
        return Scan(run)
    return (Low if name == "low" else Dense)(run, _frame(clouds), largest)


def _frame(clouds: Sequence[Cloud]) -> Frame:
    """The origin in the middle of the data (a median, which outliers do not move), the unit a power of two: exact."""
    points = [cloud.points.reshape(-1, cloud.d) for cloud in clouds]
    sample = np.concatenate([p[:: max(1, len(p) // SAMPLE)] for p in points]).astype(np.float64)
    centre = np.median(sample, axis=0)
    reach = max(float(max(np.max(p.max(0) - centre), np.max(centre - p.min(0)))) for p in points)
    return Frame(centre, 2.0 ** -float(np.ceil(np.log2(reach))) if reach > 0 else 1.0)


def _own_pass(
    path: Dense | Low | Scan, run: Threads, clouds: Sequence[Cloud], ks: tuple[int, ...], counting: bool
) -> tuple[list[Cloud], int]:
    """What is known of each set on its own; how many points needed float64.

    Within its own set a point's k-th neighbour is the (k + 1)-th, itself being the first; counting asks for one more,
    which tells whether the k-th has ties.
    """
    deep = np.unique([k + step for k in ks for step in ((1, 2) if counting else (1,))])
    known, scans, resolution = [], 0, np.inf
    for cloud in clouds:
        points, sizes = int(cloud.offsets[-1]), np.diff(cloud.offsets)
        own = np.full((len(deep), points), np.inf)
        cuts = [0, *(np.flatnonzero(np.diff(sizes < deep[-1])) + 1).tolist(), len(sizes)]
        tasks = [
            (start, min(start + 16, stop))
            for begin, stop in pairwise(cuts)
            for start in range(begin, stop, 1 if sizes[begin] < deep[-1] else 16)
        ]

        def job(task: tuple[int, int], cloud: Cloud = cloud, own: Array = own, sizes: Any = sizes) -> int:
            return path.own(
                cloud, task, deep[deep <= sizes[task[0]]] if task[1] - task[0] == 1 else deep, int(deep[-1]), own
            )

        scans += run.each(job, tasks)
        shape = (len(ks), points)
        square_rho, log_rho, k_rho = (aligned(shape, np.float64) for _ in range(3))
        within = aligned(shape if counting else (0, 0), np.int32)
        resolution = min(
            resolution,
            know_own(
                cloud.points,
                cloud.offsets,
                cloud.d,
                np.array(ks),
                deep,
                own,
                counting,
                square_rho,
                log_rho,
                k_rho,
                within,
            ),
        )
        known.append(cloud._replace(square_rho=square_rho, log_rho=log_rho, k_rho=k_rho, own_within=within))
    # a set that is one point, repeated, has no distance of its own: the smallest of all sets stands in
    resolution = resolution if np.isfinite(resolution) else 0.0
    return [_summed_up(cloud, resolution) for cloud in known], scans


def _summed_up(cloud: Cloud, resolution: float) -> Cloud:
    cloud.log_rho[np.isinf(cloud.log_rho)] = resolution
    starts = cloud.offsets[:-1]
    return cloud._replace(
        resolution=resolution,
        flat_log_rho=cloud.log_rho.ravel(),
        tied=np.minimum.reduceat(cloud.square_rho, starts, axis=1) == 0,
    )


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
            scans += run.each(partial(path.tile, job, path.prepare(job, rows)), tiles, done)
    return scans


def _own_moments(cloud: Cloud, own: Sequence[Own], ks: tuple[int, ...], shift: float) -> dict[tuple[Own, int], Array]:
    return {
        (moment, k): log_mean_exp_by_set(
            np.log(gamma_ratio(cloud.k_rho[t], moment.a)) - cloud.d * moment.a * cloud.log_rho[t], cloud.offsets
        )
        + shift * moment.a
        for moment in own
        for t, k in enumerate(ks)
    }


def _ties(cloud: Cloud) -> NDArray[np.int64]:
    """How many points of each set coincide with their k-th neighbour, for the largest k."""
    return np.add.reduceat((cloud.square_rho[-1] == 0).astype(np.int64), cloud.offsets[:-1])
