"""Times one shape in a process of its own and prints what it found as one line of JSON; `benchmarks.engine` calls it.

The caller fixes the number of threads, and the instruction set that Numba compiles for, in the environment: both are
read when a library is first imported, so nobody else's import may come first.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import setwise as sw
from benchmarks.peers import PEERS, Search
from benchmarks.shapes import SHAPES, Shape

K = 5
QUERIES = 20_000  # a call: enough that the cost of a call vanishes
PAPER = [sw.Renyi(0.8), sw.Renyi(0.9), sw.Renyi(0.99), sw.Hellinger(), sw.Linear(), sw.KL()]
MATCHED = [
    sw.Renyi(0.8, radius="matched"),
    sw.Renyi(0.9, radius="matched"),
    sw.Renyi(0.99, radius="matched"),
    sw.Hellinger(radius="matched"),
    sw.Linear(),
    sw.KL(radius="matched"),
]


def best_seconds(call: Callable[[], object], budget: float) -> float:
    """The fastest of as many calls (up to 20) as start within the budget, and of two unless one is far over it."""
    times: list[float] = []
    end = time.perf_counter() + budget
    while not times or (len(times) == 1 and times[0] < 10 * budget) or (len(times) < 20 and time.perf_counter() < end):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def ours(sets: sw.SampleSets, divergences: Sequence[Any], threads: int, budget: float) -> float:
    """ns per (query point, target set) of the whole of `divergence_table`, its compiled code already on disk."""
    sw.divergence_table(sets[:2], divergences=divergences, k=(K,), n_jobs=threads)
    seconds = best_seconds(lambda: sw.divergence_table(sets, divergences=divergences, k=(K,), n_jobs=threads), budget)
    return seconds / len(sets.points) / len(sets) * 1e9


def peer(name: str, arrays: Sequence[NDArray[np.float64]], threads: int, budget: float) -> float:
    """ns per (query point, target set) of a peer's search, its trees already built.

    Targets are taken evenly over the range of set sizes; how many depends on how many the budget allows, and the
    fastest pass over all of them counts.
    """
    queries = np.concatenate(arrays)
    if len(queries) > QUERIES:
        queries = queries[np.linspace(0, len(queries) - 1, QUERIES).astype(int)]
    by_size = sorted(arrays, key=len)
    build = PEERS[name][2]
    middle = build(by_size[len(by_size) // 2], queries, K, threads)
    middle()
    once = best_seconds(middle, 0)
    targets = max(1, min(len(by_size), 50, int(budget / 3 / once)))
    places = ((np.arange(targets) + 0.5) * len(by_size) / targets).astype(int)
    searches: list[Search] = [build(by_size[place], queries, K, threads) for place in places]
    seconds = best_seconds(lambda: [search() for search in searches], budget)
    return seconds / targets / len(queries) * 1e9


def largest_error(arrays: Sequence[NDArray[np.float64]]) -> float:
    """Largest relative error of our k-th distances on a few pairs, against differences and sums in float64."""
    worst = 0.0
    for first, second in ((0, 1), (1, 0), (0, len(arrays) // 2)):
        x, y = arrays[first][:500], arrays[second]
        exact = np.empty(len(x))
        for row, point in enumerate(x):
            exact[row] = np.sqrt(np.partition(np.square(y - point).sum(1), K - 1)[K - 1])
        worst = max(worst, float(np.max(np.abs(sw.kth_distances(x, y, k=K) - exact) / exact)))
    return worst


def measure(shape: Shape, count: int, threads: int, budget: float, peers: Sequence[str]) -> dict[str, Any]:
    """All that one row of the table needs."""
    arrays = shape.sets(count)
    sets = sw.SampleSets(arrays)
    found: dict[str, Any] = {
        "paper": ours(sets, PAPER, threads, budget),
        "matched": ours(sets, MATCHED, threads, budget),
        "error": largest_error(arrays),
        "peers": {},
        "failed": {},
    }
    for name in peers:
        most = PEERS[name][1]
        if most is not None and shape.d > most:
            continue
        try:
            found["peers"][name] = peer(name, arrays, threads, budget)
        except Exception as error:  # a peer that cannot do this shape is left out of its row, and said
            found["failed"][name] = f"{type(error).__name__}: {error}"
    return found


def main() -> None:
    """Measure the shape that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("count", type=int)
    parser.add_argument("budget", type=float)
    parser.add_argument("--peers", nargs="*", default=[], choices=PEERS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", sw.SetwiseWarning)  # of the values, which are not what is looked at here
    threads = int(os.environ["OMP_NUM_THREADS"])
    found = measure(SHAPES[arguments.shape], arguments.count, threads, arguments.budget, arguments.peers)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
