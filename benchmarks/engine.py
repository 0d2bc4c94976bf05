"""Time per query point and target set: ours with six functionals, beside the best library that only searches.

    python -m benchmarks.engine [--full] [--shapes S1,S5] [--avx2] [--write README.md] [--quick]

Ours is `setwise.divergence_table` from start to end: Renyi .8, .9 and .99, Hellinger, Linear and KL at k = 5, then the
same with the matched radius where it exists. A peer gets the same data, builds its tree or index untimed, and is timed
on the search alone. Everything runs with the same number of threads, one shape after the other, a process each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.peers import PEERS, versions
from benchmarks.shapes import SHAPES, Shape

OPENING, CLOSING = "<!-- benchmark -->", "<!-- /benchmark -->"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# The name alone would leave the host's own features on; .ci/run holds Numba to the same.
AVX2 = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+64bit,+avx,+avx2,+bmi,+bmi2,+cmov,+f16c,+fma,+lzcnt,+movbe,+popcnt,"
    "+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2",
}
QUICK_SETS, QUICK_BUDGET = 4, 0.01


def run(
    shape: Shape, count: int, threads: int, budget: float, peers: list[str], variables: dict[str, str]
) -> dict[str, Any]:
    """Measure one shape in a child process whose environment fixes threads and instruction set."""
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads)) | variables
    command = [sys.executable, "-m", "benchmarks.measure", shape.name, str(count), str(budget), "--peers", *peers]
    child = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(child.stdout)
    return found


def row(shape: Shape, count: int, found: dict[str, Any], narrow: dict[str, Any] | None) -> list[str]:
    """One line of the table."""
    best = min(found["peers"], key=found["peers"].get, default=None)
    paper, matched = found["paper"], found["matched"]
    cells = [f"{shape.name}: {shape.title(count)}"]
    cells += [best, f"{found['peers'][best]:.0f}"] if best else ["none installed", ""]
    cells += [f"{paper:.1f}", f"{found['peers'][best] / paper:.1f}x" if best else ""]
    cells += [f"{matched:.1f}", f"{matched / paper:.1f}x", f"{found['error']:.0e}"]
    if narrow is not None:
        cells += [f"{narrow['paper']:.1f}", f"{paper / narrow['paper']:.2f}"]
    return cells


def processor() -> str:
    """The name of the processor, as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def instruction_set() -> str:
    """What Numba compiles for here."""
    from llvmlite.binding import get_host_cpu_features

    features = get_host_cpu_features()
    return next((name for name in ("avx512f", "avx2", "neon", "sse2") if features.get(name)), "unknown")


def report(rows: list[list[str]], notes: list[str], narrow: bool) -> str:
    """The table in markdown, and what must be known to read it."""
    header = [
        "sets x points x dim",
        "best peer",
        "its search, ns",
        "ours, ns",
        "ratio",
        "ours matched, ns",
        "matched / paper",
    ]
    header += ["our largest error"] + (["held to AVX2, ns", "share of speed"] if narrow else [])
    rule = ["---"] * 2 + ["---:"] * (len(header) - 2)
    return "\n".join([*("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows)), "", *notes])


def write(path: Path, text: str) -> None:
    """Put the table between the markers of a page."""
    page = path.read_text(encoding="utf-8")
    if page.count(OPENING) != 1 or page.count(CLOSING) != 1:
        raise SystemExit(f"{path} needs one {OPENING} and one {CLOSING}")
    before, rest = page.split(OPENING)
    after = rest.split(CLOSING)[1]
    path.write_text(f"{before}{OPENING}\n{text}\n{CLOSING}{after}", encoding="utf-8")


def main() -> None:
    """Measure the shapes asked for and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="as many sets as the real data have; S3 takes an hour")
    parser.add_argument("--quick", action="store_true", help="four sets a shape: does it run? The numbers mean nothing")
    parser.add_argument("--shapes", default=",".join(SHAPES), help="such as S1,S5 (default: all)")
    parser.add_argument("--avx2", action="store_true", help="once more with Numba held to AVX2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=1.5, help="seconds for each library and shape")
    parser.add_argument("--write", type=Path, metavar="PAGE", help=f"also put the table into PAGE after {OPENING}")
    arguments = parser.parse_args()
    names = arguments.shapes.split(",")
    if unknown := set(names) - set(SHAPES):
        parser.error(f"unknown shapes {sorted(unknown)}; there are {', '.join(SHAPES)}")

    installed = versions()
    missing = [package for package, found in installed.items() if found is None]
    peers = [name for name, (package, _, _) in PEERS.items() if installed[package] is not None]
    budget = QUICK_BUDGET if arguments.quick else arguments.budget
    rows, notes = [], []
    for shape in (SHAPES[name] for name in names):
        count = QUICK_SETS if arguments.quick else shape.full if arguments.full else shape.scaled
        print(f"{shape.name}: {shape.title(count)}", file=sys.stderr)
        found = run(shape, count, arguments.threads, budget, peers, {})
        narrow = run(shape, count, arguments.threads, budget, [], AVX2) if arguments.avx2 else None
        rows.append(row(shape, count, found, narrow))
        notes += [f"{shape.name} without {name}: {reason}." for name, reason in found["failed"].items()]
    notes += [f"Not installed, so left out: {', '.join(missing)}."] if missing else []
    searched = ", ".join(f"{package} {found}" for package, found in installed.items() if found)
    notes.append(
        f"Nanoseconds per query point and target set, best of several runs, {arguments.threads} threads, "
        f"{processor()} ({instruction_set()}). Ours: six divergences from start to end; peers: the search alone, "
        f"the best of {searched}. Error: k-th distances against float64 brute force. "
        "`python -m benchmarks.engine` makes this table."
    )
    text = report(rows, notes, arguments.avx2)
    print(text)
    if arguments.write:
        write(arguments.write, text)


if __name__ == "__main__":
    main()
