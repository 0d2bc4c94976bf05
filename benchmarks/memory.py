"""The memory that the largest low-dimensional shape takes: S1 whole, 2000 sets of 500 points in 2-d, six divergences.

    python -m benchmarks.memory [--sets 2000] [--memory 500]

What counts is the highest resident size during `divergence_table`, less the size just before it (imports, compiled
code, input) and less the matrices it answers. The measuring process finds the compiled code on disk, put there by
another.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

MB = 1e6


def resident(field: str) -> float:
    """Bytes of this process now (VmRSS) or at its height (VmHWM), from Linux's own account.

    Not `getrusage`, whose maximum a child inherits from the parent that it was forked from.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return float(line.split()[1]) * 1024
    raise SystemExit(f"/proc/self/status has no {field}: this measurement needs Linux")


def measure(sets_asked: int, megabytes: int | None) -> dict[str, float]:
    """Run in the child: warm up, note the size, compute, note the height."""
    import setwise as sw
    from benchmarks.measure import PAPER, K
    from benchmarks.shapes import SHAPES

    sets = sw.SampleSets(SHAPES["S1"].sets(sets_asked))
    sw.divergence_table(sets[:2], divergences=PAPER, k=(K,))
    before = resident("VmRSS")
    budget = None if megabytes is None else int(megabytes * MB)
    start = time.perf_counter()
    table = sw.divergence_table(sets, divergences=PAPER, k=(K,), memory=budget)
    seconds = time.perf_counter() - start
    answer = sum(table[divergence, K].nbytes for divergence in PAPER)
    return {"before": before, "height": resident("VmHWM"), "answer": answer, "seconds": seconds}


def main() -> None:
    """Warm the cache in one child, measure in a second, and print the account."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--memory", type=int, help="megabytes: the budget given to divergence_table")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        json.dump(measure(arguments.sets, arguments.memory), sys.stdout)
        return
    found: dict[str, float] = {}
    for count in (4, arguments.sets):
        command = [sys.executable, "-m", "benchmarks.memory", "--child", "--sets", str(count)]
        command += ["--memory", str(arguments.memory)] if arguments.memory else []
        found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    beyond = found["height"] - found["before"] - found["answer"]
    print(f"{arguments.sets} sets of 500 points in 2-d, six divergences: {found['seconds']:.1f} s")
    print(f"before {found['before'] / MB:.0f} MB (with input), at its height {found['height'] / MB:.0f} MB,")
    print(f"the answer {found['answer'] / MB:.0f} MB: {beyond / MB:.0f} MB beyond input and output")


if __name__ == "__main__":
    main()
