"""The three ways to search, behind one face: the own pass over some sets, and a tile of sets against sets.

Dense    pairs of sets in high dimensions, both directions at once
Low      pooled queries against one target set after another, in low dimensions
Scan     float64 throughout, for k beyond the lists
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from setwise.neighbours import dense_tiles, exact, low, low_counts, low_tiles
from setwise.neighbours.cloud import Cloud, Frame
from setwise.neighbours.dense_tiles import Answers
from setwise.neighbours.leaves import Leaves, Pool, make_leaves, make_pool, own_pool
from setwise.neighbours.memory import aligned, make_work
from setwise.neighbours.moments import Array
from setwise.neighbours.plan import Path, Plan, Tile, list_length, short_length
from setwise.neighbours.reduction import Spec, reduce_pair
from setwise.neighbours.threads import Threads


class Job(NamedTuple):
    """What the tiles of a plan share: X against Y into `out`, and back."""

    plan: Plan
    x: Cloud
    y: Cloud
    spec: Spec
    counting: bool
    out: Any  # (moment, k, set of X, set of Y)
    back: Any  # the other direction; empty where nobody asked


class Dense:
    """Pairs of sets in high dimensions."""

    name: Path = "dense"
    mirrors = True  # a tile answers both directions

    def __init__(self, run: Threads, frame: Frame, largest: int) -> None:
        self.run, self.frame, self.largest = run, frame, largest

    def arrange(self, cloud: Cloud) -> tuple[Cloud, NDArray[np.int64]]:
        """The collection with each set in kd order, and where each point stood."""
        points, order = cloud.points.reshape(-1, cloud.d), np.empty(int(cloud.offsets[-1]), np.int64)
        arranged = np.empty_like(points)

        def sort(task: tuple[int, int]) -> int:
            for s in range(*task):
                place = slice(int(cloud.offsets[s]), int(cloud.offsets[s + 1]))
                order[place] = cloud.offsets[s] + dense_tiles.arrange(points[place], *self.frame)
                arranged[place] = points[order[place]]
            return 0

        sets = len(cloud.offsets) - 1
        self.run.each(sort, [(s, min(s + 4, sets)) for s in range(0, sets, 4)])
        return cloud._replace(points=arranged.ravel()), order

    def own(self, cloud: Cloud, task: tuple[int, int], deep: NDArray[np.int64], deepest: int, nu: Array) -> int:
        short, like = _lists(deepest, cloud.d)
        answers = Answers(nu, _nothing(), _nothing())

        def make() -> Any:
            return (
                dense_tiles.make_scratch(self.largest, len(short), len(like), 0, False, 0),
                dense_tiles.make_side([self.largest], cloud.d),
            )

        scratch, side = self.run.scratch(make)
        return int(dense_tiles.own(cloud, self.frame, *task, side, deep, short, like, scratch, answers, self.run.stop))

    def prepare(self, job: Job, rows: tuple[int, int]) -> None:
        """Nothing is shared between tiles."""

    def tile(self, job: Job, prepared: None, task: Tile) -> int:
        x, y, spec, counting = job.x, job.y, job.spec, job.counting
        (short, like), d, ks = _lists(int(spec.ks[-1]), x.d), x.d, len(spec.ks)
        sizes_x, sizes_y = (np.diff(c.offsets[a : b + 1]) for c, (a, b) in ((x, task.rows), (y, task.columns)))
        scratch, packed = self.run.scratch(
            lambda: (
                dense_tiles.make_scratch(self.largest, len(short), len(like), ks, counting, len(spec.kind)),
                {},
            )
        )
        if task.rows not in packed:  # tiles of the same rows follow one another
            packed.clear()
            packed[task.rows] = dense_tiles.make_side(sizes_x, d)
            dense_tiles.pack_side(x, self.frame, *task.rows, packed[task.rows])
        places = np.arange(len(sizes_y))[None, :] * sizes_x.sum() + (np.cumsum(sizes_x) - sizes_x)[:, None]
        back_places = np.arange(len(sizes_x))[None, :] * sizes_y.sum() + (np.cumsum(sizes_y) - sizes_y)[:, None]
        forward = _answers(ks, len(sizes_y) * int(sizes_x.sum()), counting)
        backward = _answers(ks, len(sizes_x) * int(sizes_y.sum()), counting)
        return int(
            dense_tiles.tile(
                x,
                y,
                self.frame,
                spec,
                task.rows,
                task.columns,
                job.plan.mirrored,
                packed[task.rows],
                dense_tiles.make_side(sizes_y, d),
                (0,) * ks if counting else (),
                short,
                like,
                scratch,
                forward,
                backward,
                places,
                back_places,
                job.back.size > 0,
                job.out,
                job.back,
                self.run.stop,
            )
        )

    def pair(self, x: Cloud, y: Cloud, deep: NDArray[np.int64], squares: Array) -> None:
        """The deep-th squared distances from one set to another."""
        (short, like), n, m = _lists(int(deep[-1]), x.d), int(x.offsets[1]), int(y.offsets[1])
        left, right = dense_tiles.make_side([n], x.d), dense_tiles.make_side([m], x.d)
        dense_tiles.pack_side(x, self.frame, 0, 1, left)
        dense_tiles.pack_side(y, self.frame, 0, 1, right)
        scratch = dense_tiles.make_scratch(self.largest, len(short), len(like), 0, False, 0)
        forward = Answers(squares, _nothing(), _nothing())
        dense_tiles.search(
            x, 0, y, 0, self.frame, left, 0, right, 0, deep, (), short, like, scratch, forward, 0, forward, 0, False,
            False, self.run.stop,
        )  # fmt: skip


class Low:
    """Pooled queries against one target set after another, in low dimensions."""

    name: Path = "low"
    mirrors = False

    def __init__(self, run: Threads, frame: Frame, largest: int) -> None:
        self.run, self.frame, self.largest = run, frame, largest
        self.leaves: dict[int, Leaves] = {}

    def arrange(self, cloud: Cloud) -> tuple[Cloud, NDArray[np.int64]]:
        """The collection in the order of its leaves, and where each point stood."""
        leaves, order = make_leaves(cloud.points, cloud.offsets, *self.frame, self.run)
        self.leaves[id(leaves.points)] = leaves
        return cloud._replace(points=leaves.points), order

    def own(self, cloud: Cloud, task: tuple[int, int], deep: NDArray[np.int64], deepest: int, nu: Array) -> int:
        d, scans, length = cloud.d, 0, list_length("low", deepest, cloud.d)
        leaves = self.leaves[id(cloud.points)]
        scratch = self.run.scratch(lambda: low.make_scratch(self.largest, d, length))
        for s in range(*task):
            if self.run.stop[0]:
                break
            pool = own_pool(leaves, s, *self.frame)
            scans += low.search(
                leaves,
                s,
                pool,
                deep,
                (0,) * d,
                (0,) * length,
                scratch,
                nu,
                False,
                int(cloud.offsets[s] - cloud.offsets[task[0]]),
            )
        return scans

    def pair(self, x: Cloud, y: Cloud, deep: NDArray[np.int64], squares: Array) -> None:
        """The deep-th squared distances from one set to another."""
        length = list_length("low", int(deep[-1]), x.d)
        low.search(
            self.leaves[id(y.points)], 0, own_pool(self.leaves[id(x.points)], 0, *self.frame), deep, (0,) * x.d,
            (0,) * length, low.make_scratch(self.largest, x.d, length), squares, False, 0,
        )  # fmt: skip

    def prepare(self, job: Job, rows: tuple[int, int]) -> Pool:
        """The queries that the tiles of these rows share."""
        points = int(job.x.offsets[rows[1]] - job.x.offsets[rows[0]])
        width = low.width_for(points, float(np.diff(job.y.offsets).mean()), job.x.d)
        return make_pool(self.leaves[id(job.x.points)], rows, *self.frame, width, self.run)

    def tile(self, job: Job, prepared: Pool, task: Tile) -> int:
        x, y, spec, counting, d = job.x, job.y, job.spec, job.counting, job.x.d
        length = list_length("low", int(spec.ks[-1]), d)
        targets = task.columns[1] - task.columns[0]
        places = int(x.offsets[task.rows[1]] - x.offsets[task.rows[0]]) * targets

        def make() -> Any:
            return (
                low.make_scratch(self.largest, d, length),
                low_counts.make_scratch(*(self.largest, targets) if counting else (0, 0)),
                make_work(len(spec.kind), self.largest),
                aligned((len(spec.ks), places), np.float64),
            )

        scratch, counts, work, nu = self.run.scratch(make)
        return int(
            low_tiles.tile(
                x, y, self.leaves[id(x.points)], self.leaves[id(y.points)], prepared, spec, task.rows, task.columns,
                job.plan.mirrored, counting, (0,) * d, (0,) * length, scratch, counts, work, nu, job.out, self.run.stop,
            )
        )  # fmt: skip


class Scan:
    """Float64 throughout, for k beyond the lists."""

    name: Path = "scan"
    mirrors = False

    def __init__(self, run: Threads) -> None:
        self.run = run

    def arrange(self, cloud: Cloud) -> tuple[Cloud, NDArray[np.int64]]:
        """The collection as it is."""
        return cloud, np.arange(cloud.offsets[-1])

    def own(self, cloud: Cloud, task: tuple[int, int], deep: NDArray[np.int64], deepest: int, nu: Array) -> int:
        for s in range(*task):
            first, last = int(cloud.offsets[s]), int(cloud.offsets[s + 1])
            exact.scan_set(
                cloud.points, first, last, cloud.points, first, last, cloud.d, deep, np.empty(deepest), nu,
                first - int(cloud.offsets[task[0]]), self.run.stop,
            )  # fmt: skip
        return int(cloud.offsets[task[1]] - cloud.offsets[task[0]])

    def pair(self, x: Cloud, y: Cloud, deep: NDArray[np.int64], squares: Array) -> None:
        """The deep-th squared distances from one set to another."""
        n, m = int(x.offsets[1]), int(y.offsets[1])
        exact.scan_set(x.points, 0, n, y.points, 0, m, x.d, deep, np.empty(deep[-1]), squares, 0, self.run.stop)

    def prepare(self, job: Job, rows: tuple[int, int]) -> None:
        """Nothing is shared between tiles."""

    def tile(self, job: Job, prepared: None, task: Tile) -> int:
        x, y, spec, counting = job.x, job.y, job.spec, job.counting
        total = 0
        for i in range(*task.rows):
            first, last = int(x.offsets[i]), int(x.offsets[i + 1])
            answers = _answers(len(spec.ks), last - first, counting)
            work = make_work(len(spec.kind), last - first)
            for j in range(*task.columns):
                if job.plan.mirrored and i == j:
                    continue
                start, stop = int(y.offsets[j]), int(y.offsets[j + 1])
                exact.scan_set(
                    x.points, first, last, y.points, start, stop, x.d, spec.ks, np.empty(spec.ks[-1]), answers.nu, 0,
                    self.run.stop,
                )  # fmt: skip
                if self.run.stop[0]:
                    return total
                if counting:
                    exact.count_set(x.points, first, last, y.points, start, stop, x.d, x.square_rho, answers.nu,
                                    answers.within, answers.ranks)  # fmt: skip
                for t in range(len(spec.ks)):
                    reduce_pair(spec, x, i, y, j, t, *(part[t] for part in answers), counting, work, job.out)
                total += last - first
        return total


def _lists(k: int, d: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tuples as long as the lists of the dense search: of one lane, and of a point."""
    length = list_length("dense", k, d)
    return (0,) * short_length(length), (0,) * length


def _nothing() -> NDArray[np.int32]:
    return np.zeros((0, 0), np.int32)


def _answers(ks: int, places: int, counting: bool) -> Answers:
    counts = (ks, places if counting else 0)
    return Answers(aligned((ks, places), np.float64), aligned(counts, np.int32), aligned(counts, np.int32))
