"""The three ways to search, behind one face: the own pass over some sets, and a tile of sets against sets.

Dense    pairs of sets in high dimensions, both directions at once
Low      pooled queries against one target set after another, in low dimensions
Scan     float64 throughout, for k beyond the lists
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from setwise.neighbours import dense_tiles, exact, low_tiles
from setwise.neighbours.dense_tiles import Answers, Frame, rank_scratch
from setwise.neighbours.low import Answer, search_target
from setwise.neighbours.moments import Array
from setwise.neighbours.plan import Path, Plan, Tile, list_length
from setwise.neighbours.reduction import Cloud, Spec, reduce_pair
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

    def own(self, cloud: Cloud, task: tuple[int, int], deep: NDArray[np.int64], deepest: int, nu: Array) -> int:
        like = (0,) * list_length("dense", deepest)
        answers = Answers(nu, _nothing(), _nothing())

        def make() -> Any:
            return dense_tiles.make_scratch(self.largest, len(like), 0, False), dense_tiles.make_side(
                [self.largest], cloud.d
            )

        scratch, side = self.run.scratch(make)
        return int(dense_tiles.own(cloud, self.frame, *task, side, deep, like, scratch, answers, self.run.stop))

    def prepare(self, job: Job, rows: tuple[int, int]) -> None:
        """Nothing is shared between tiles."""

    def tile(self, job: Job, prepared: None, task: Tile) -> int:
        x, y, spec, counting = job.x, job.y, job.spec, job.counting
        length, d, ks = list_length("dense", int(spec.ks[-1])), x.d, len(spec.ks)
        sizes_x, sizes_y = (np.diff(c.offsets[a : b + 1]) for c, (a, b) in ((x, task.rows), (y, task.columns)))
        scratch = self.run.scratch(lambda: dense_tiles.make_scratch(self.largest, length, ks, counting))
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
                dense_tiles.make_side(sizes_x, d),
                dense_tiles.make_side(sizes_y, d),
                (0,) * ks if counting else (),
                (0,) * length,
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
        length, n, m = list_length("dense", int(deep[-1])), int(x.offsets[1]), int(y.offsets[1])
        left, right = dense_tiles.make_side([n], x.d), dense_tiles.make_side([m], x.d)
        dense_tiles.pack_side(x, self.frame, 0, 1, left)
        dense_tiles.pack_side(y, self.frame, 0, 1, right)
        scratch = dense_tiles.make_scratch(self.largest, length, 0, False)
        forward = Answers(squares, _nothing(), _nothing())
        dense_tiles.search(
            x, 0, y, 0, self.frame, left, 0, right, 0, deep, (), (0,) * length, scratch, forward, 0, forward, 0, False,
            self.run.stop,
        )  # fmt: skip


class Low:
    """Pooled queries against one target set after another, in low dimensions."""

    name: Path = "low"
    mirrors = False

    def __init__(self, run: Threads, frame: Frame, largest: int) -> None:
        self.run, self.frame, self.largest = run, frame, largest
        self.coordinates: dict[int, NDArray[np.float32]] = {}

    def see(self, cloud: Cloud) -> NDArray[np.float32]:
        """The float32 coordinates of a collection."""
        known = self.coordinates.get(id(cloud.points))
        if known is None:
            points = cloud.points.reshape(-1, cloud.d)
            known = np.empty(points.shape, np.float32)
            for start in range(0, len(points), 1 << 16):
                part = slice(start, start + (1 << 16))
                known[part] = (points[part] - self.frame.centre) * self.frame.unit
            self.coordinates[id(cloud.points)] = known
        return known

    def own(self, cloud: Cloud, task: tuple[int, int], deep: NDArray[np.int64], deepest: int, nu: Array) -> int:
        length, coordinates, scans = list_length("low", deepest), self.see(cloud), 0
        memory = self.run.scratch(lambda: low_tiles.make_memory(self.largest, cloud.d, length))
        for s in range(*task):
            if self.run.stop[0]:
                break
            target = low_tiles.make_target(cloud, coordinates, s, self.frame.unit, memory.packed)
            size = cloud.offsets[s + 1] - cloud.offsets[s]
            pool, width = low_tiles.make_pool(cloud, coordinates, (s, s + 1), float(size), self.frame.unit)
            answer = Answer(nu, _nothing(), int(cloud.offsets[s]))
            scans += search_target(target, pool, width, deep, (0,) * cloud.d, (0,) * length, memory.search, answer)
        return scans

    def pair(self, x: Cloud, y: Cloud, deep: NDArray[np.int64], squares: Array) -> None:
        """The deep-th squared distances from one set to another."""
        length = list_length("low", int(deep[-1]))
        memory = low_tiles.make_memory(self.largest, x.d, length)
        target = low_tiles.make_target(y, self.see(y), 0, self.frame.unit, memory.packed)
        pool, width = low_tiles.make_pool(x, self.see(x), (0, 1), float(y.offsets[1]), self.frame.unit)
        answer = Answer(squares, _nothing(), 0)
        search_target(target, pool, width, deep, (0,) * x.d, (0,) * length, memory.search, answer)

    def prepare(self, job: Job, rows: tuple[int, int]) -> Any:
        """The pool of queries that the tiles of these rows share."""
        typical = float(np.diff(job.y.offsets).mean())
        coordinates, rho = self.see(job.x), job.x.square_rho if job.counting else None
        pool, width = low_tiles.make_pool(job.x, coordinates, rows, typical, self.frame.unit, rho)
        alone = [
            low_tiles.make_target(job.x, coordinates, s, self.frame.unit, low_tiles.make_packed(size, job.x.d))
            for s, size in zip(range(*rows), np.diff(job.x.offsets[rows[0] : rows[1] + 1]).tolist(), strict=True)
            if job.counting
        ]
        return pool, width, alone

    def tile(self, job: Job, prepared: Any, task: Tile) -> int:
        x, y, spec, counting = job.x, job.y, job.spec, job.counting
        pool, width, alone = prepared
        d, ks, scans = x.d, len(spec.ks), 0
        length = list_length("low", int(spec.ks[-1]))
        (first, last), targets = task.rows, range(*task.columns)
        n = int(x.offsets[last] - x.offsets[first])

        def make() -> Any:
            ranked = rank_scratch(self.largest) if counting else ()
            return low_tiles.make_memory(self.largest, d, length), _answers(ks, n * len(targets), counting), ranked

        memory, answers, ranked = self.run.scratch(make)
        for place, j in enumerate(targets):
            if self.run.stop[0]:
                return scans
            target = low_tiles.make_target(y, self.see(y), j, self.frame.unit, memory.packed)
            answer = Answer(answers.nu, answers.within, place * n)
            scans += search_target(target, pool, width, spec.ks, (0,) * d, (0,) * length, memory.search, answer)
        if counting:
            for i, own in zip(range(first, last), alone, strict=True):
                if self.run.stop[0]:
                    return scans
                places = np.arange(len(targets)) * n + (x.offsets[i] - x.offsets[first])
                low_tiles.ranks(x, i, own, spec, answers.nu, answers.ranks, places, ranked)
        for place, j in enumerate(targets):
            low_tiles.reduce_target(
                x, y, spec, task.rows, j, job.plan.mirrored, tuple(answers), place * n, counting, memory, job.out
            )
        return scans


class Scan:
    """Float64 throughout, for k beyond the lists."""

    name: Path = "scan"
    mirrors = False

    def __init__(self, run: Threads) -> None:
        self.run = run

    def own(self, cloud: Cloud, task: tuple[int, int], deep: NDArray[np.int64], deepest: int, nu: Array) -> int:
        for s in range(*task):
            first, last = int(cloud.offsets[s]), int(cloud.offsets[s + 1])
            exact.scan_set(
                cloud.points, first, last, cloud.points, first, last, cloud.d, deep, np.empty(deepest), nu, first,
                self.run.stop,
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
            log_nu, terms = np.empty(last - first), np.empty(last - first)
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
                    reduce_pair(spec, x, i, y, j, t, *answers, 0, counting, log_nu, terms, job.out)
                total += last - first
        return total


def _nothing() -> NDArray[np.int32]:
    return np.zeros((0, 0), np.int32)


def _answers(ks: int, places: int, counting: bool) -> Answers:
    counts = (ks, places if counting else 0)
    return Answers(np.empty((ks, places)), np.empty(counts, np.int32), np.empty(counts, np.int32))
