"""A call of the command line in this process, and small tables for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from setwise.cli import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def refused(self, *expected: str) -> None:
        """Exit 2, and one line that says all that is expected of it."""
        assert self.code == 2, self
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("error: "), self.err
        for part in expected:
            assert part in lines[0], self.err

    def succeeded(self) -> Done:
        assert (self.code, self.err) == (0, ""), self
        return self


Call = Callable[..., Done]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """`setwise ...` in this process, which is quicker than another; nothing it says is on a terminal."""
    monkeypatch.delenv("SETWISE_TRACEBACK", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call


def write_table(path: Path, header: str, rows: Sequence[Sequence[object]]) -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def cells_of(names: Sequence[str], seed: int, n_points: int = 25) -> list[list[object]]:
    """Points of mean 0 whose coordinates rise together in every other set, and fall against each other in the rest.

    After the coordinates (the second in units of its own): the label, a number that goes with it, and a group of three.
    """
    rng = np.random.default_rng(seed)
    rows: list[list[object]] = []
    for place, name in enumerate(names):
        slope = 0.95 if place % 2 else -0.95
        points = rng.multivariate_normal([0, 0], [[1, slope], [slope, 1]], size=n_points)
        known = ["rising" if place % 2 else "falling", slope + place / 1000, f"g{place // 3}"]
        rows += [[name, x, 100 * y, *known] for x, y in points.round(6).tolist()]
    return rows


HEADER = "patient,x,y,disease,slope,centre"


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    """24 patients as a long CSV."""
    return write_table(tmp_path / "cells.csv", HEADER, cells_of([f"p{i:02d}" for i in range(24)], seed=0))


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """Six other patients, without labels, the columns in another order and one more among them."""
    rows = [[y, "note", name, x] for name, x, y, *_ in cells_of([f"n{i}" for i in range(6)], seed=1)]
    return write_table(tmp_path / "later.csv", "y,remark,patient,x", rows)
