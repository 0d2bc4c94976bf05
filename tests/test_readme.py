"""The README says what is so: its table of divergences, its Python and its command line."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import setwise as sw
from setwise.cli import main
from setwise.divergences import REGISTRY
from setwise.divergences.spelling import usage

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """The fenced block in this language that contains this text."""
    found = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    return next(text for text in found if containing in text)


def test_the_table_of_divergences_is_the_registry() -> None:
    rows = ["| spelling | in Python | estimates |", "| --- | --- | --- |"]
    for kind in REGISTRY.values():
        cells = f"`{usage(kind)}`", f"`{kind.__name__}`", kind.formula
        rows.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    expected = "\n".join(["<!-- divergences -->", *rows, "<!-- /divergences -->"])
    assert expected in README, f"the README's table should be:\n{expected}"


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(block("python", "setwise as sw"), {})
    matrix = np.array([float(text) for text in re.findall(r"-?[\d.]+", capsys.readouterr().out)]).reshape(3, 3)
    assert (np.diag(matrix) == 0).all()
    assert abs(matrix[0, 1]) < 0.3  # a and b are of one distribution; c is a unit away in each of 3 dimensions: KL 1.5
    assert 0.9 < matrix[0, 2] < 2.1 and 0.9 < matrix[2, 1] < 2.1


def test_the_examples_of_learning_run_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    learn = README.split("## Learn from sets")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", learn, flags=re.DOTALL)
    assert len(blocks) == 4 and all(len(text.strip().splitlines()) <= 10 for text in blocks)
    names: dict[str, Any] = {}
    for text in blocks:
        exec(text, names)
    accuracy, off, strange, usual = capsys.readouterr().out.splitlines()
    assert float(accuracy.removesuffix("%")) >= 95
    assert float(off.split()[-1]) < names["skewness"].std() / 5
    assert (strange, usual) == ("heavy tails -1 -1", "usual 1 1")
    assert names["places"].shape == (30, 2)


def test_the_command_line_example_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sets = sw.SampleSets(list(rng.normal(size=(3, 30, 2))), ids=list("pqr"))
    rows = [f"{name},{a},{b}" for name, points in zip(sets.ids, sets, strict=True) for a, b in points.tolist()]
    (tmp_path / "cells.csv").write_text("\n".join(["patient,x,y", *rows]) + "\n")
    program, *arguments = shlex.split(block("sh", "cells.csv"))
    assert program == "setwise"
    subprocess.run([sys.executable, "-m", "setwise", *arguments], cwd=tmp_path, check=True, capture_output=True)
    table = sw.DivergenceTable.load(tmp_path / "out.npz")
    assert table.shape == (3, 3)


def test_the_commands_on_labels_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    for file, seed in (("cells.csv", "p"), ("new.csv", "n")):
        rows = [
            f"{seed}{i},{'sick' if i % 2 else 'well'},{a},{b * (1 + 2 * (i % 2))}"
            for i in range(20)
            for a, b in rng.normal(size=(40, 2)).round(6).tolist()
        ]
        (tmp_path / file).write_text("\n".join(["patient,disease,x,y", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)
    for line in block("sh", "setwise fit").splitlines():
        program, *arguments = shlex.split(line)
        assert (program, main(arguments)) == ("setwise", 0)
    predicted = (tmp_path / "predicted.csv").read_text().splitlines()[1:]
    assert [line.split(",")[1] for line in predicted] == ["well", "sick"] * 10
    assert {"model.skops", "ranked.csv", "map.csv", "map.png"} <= {path.name for path in tmp_path.iterdir()}


def test_the_benchmark_can_put_its_table_here() -> None:
    assert README.count("<!-- benchmark -->") == README.count("<!-- /benchmark -->") == 1
