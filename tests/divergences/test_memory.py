"""What is made of pairs and points is made some at a time, and the whole keeps to its budget."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import setwise as sw
from setwise import duplicates
from setwise.divergences import coincidences, protocol
from tests.divergences.examples import EVERY

ROOT = Path(__file__).parents[2]


def tied_sets(seed):
    """Sets that repeat points of their own and share points with one another."""
    rng = np.random.default_rng(seed)
    return sw.SampleSets([rng.integers(0, 9, size=(n, 2)) / 8 for n in (30, 55, 8, 41)])


@pytest.mark.parametrize("others", (None, tied_sets(1)), ids=("itself", "others"))
def test_blocks_change_nothing(monkeypatch, others):
    def table():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sw.SetwiseWarning)
            return sw.divergence_table(tied_sets(0), others, divergences=EVERY, k=6)

    whole = table()
    monkeypatch.setattr(protocol, "BLOCK", 1)
    monkeypatch.setattr(coincidences, "BLOCK", 7)
    monkeypatch.setattr(duplicates, "BLOCK", 40)
    parts = table()
    for one in EVERY:
        np.testing.assert_array_equal(whole[one, 6], parts[one, 6])
    for name in ("repeated", "repeated_y", "shared", "warnings"):
        assert whole.diagnostics[name] == parts.diagnostics[name]


@pytest.mark.parametrize("d", (2, 7))
def test_a_budget_that_the_points_alone_fill_is_refused(d):
    sets = [np.random.default_rng(t).normal(size=(500, d)) for t in range(40)]
    with pytest.raises(sw.InputError, match=r"memory=500000 bytes is too little: these sets need \d{6,7}\. Give"):
        sw.divergence_table(sets, memory=500_000)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the resident size from /proc")
def test_the_peak_stays_within_the_budget():
    child = [sys.executable, "-m", "benchmarks.memory", "--child", "--sets", "400", "--memory", "30"]
    found = json.loads(subprocess.run(child, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    assert found["height"] - found["before"] - found["answer"] < 30e6
