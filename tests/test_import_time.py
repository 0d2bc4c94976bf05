"""`import setwise` costs next to nothing: names are loaded when they are used, and nothing is compiled."""

from __future__ import annotations

import subprocess
import sys

ALLOWED = 0.5  # seconds

BESIDE = """
import time, numpy, scipy, sklearn
start = time.perf_counter()
import setwise
print(time.perf_counter() - start)
"""


def test_import_adds_less_than_half_a_second_to_numpy_scipy_and_sklearn() -> None:
    times = [float(run(BESIDE)) for _ in range(3)]
    assert min(times) < ALLOWED, f"import setwise took {min(times):.3f} s on top of numpy, scipy and sklearn"


def test_import_loads_no_compiler() -> None:
    assert run("import sys, setwise; print('numba' in sys.modules or 'llvmlite' in sys.modules)") == "False"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
