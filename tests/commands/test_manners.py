"""What all commands have in common: their help, their warnings, and what is left when they do not come to an end."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import setwise as sw
from tests.commands.conftest import Call, write_table

COMMANDS = ["divergences", "fit", "predict", "cv", "anomalies", "embed"]
SETWISE = [sys.executable, "-m", "setwise"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "SETWISE_TRACEBACK"}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option_and_says_something_of_each(call: Call, command: str, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    done = call(command, "--help").succeeded()
    options = [line for line in done.out.splitlines() if line.startswith(("│ --", "│ *  --", "│    --", "│ -k"))]
    assert len(options) >= 4
    for line in options:
        said = line.strip("│ *").split("  ", 1)[1].strip()
        assert len(said) > 15 and not said.startswith("["), line
    assert f"setwise {command} " in done.out, "an example"
    assert call("--help").succeeded().out.count(f"│ {command} ") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit"], "`setwise fit` needs DATA"),
        (["fit", "cells.csv", "--by", "patient", "-o", "m.skops"], "`setwise fit` needs --label"),
        (["fit", "cells.csv", "--label", "disease"], "`setwise fit` needs --output"),
        (["fit", "cells.csv", "--lable", "disease", "-o", "m.skops"], "Did you mean --label"),
        (["predict", "m.skops"], "`setwise predict` needs DATA"),
        (["cv", "cells.csv", "--by"], "--by needs a value"),
        (["cv", "cells.csv", "--label", "disease", "--pca", "1.5"], "neither a whole number from 1 on nor a share"),
    ],
)
def test_what_is_missing_is_named(call: Call, arguments: list[str], said: str) -> None:
    call(*arguments).refused(said, f"See `setwise {arguments[0]} --help`")


@pytest.mark.parametrize("command", [one for one in COMMANDS if one != "predict"])
def test_a_label_is_never_taken_for_a_coordinate_unseen(call: Call, cells: Path, command: str) -> None:
    """The table has a number for each patient beside the coordinates; only --columns makes it one of them."""
    needed = {"fit": ["--label", "disease", "-o", "m.skops"], "cv": ["--label", "disease"], "embed": ["-o", "o.csv"]}
    call(command, cells, "--by", "patient", *needed.get(command, [])).refused(
        "column 'slope' is the same number throughout every set", "--columns x,y"
    )


def test_a_constant_column_that_tells_nothing_is_no_label(call: Call, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [[name, *point, 1] for name in "pqr" for point in rng.normal(size=(40, 2)).tolist()]
    write_table(tmp_path / "cells.csv", "patient,x,y,gain", rows)
    call("divergences", tmp_path / "cells.csv", "--by", "patient").succeeded()


@pytest.mark.filterwarnings("default")
def test_warnings_of_a_kind_are_said_once(call: Call, tmp_path: Path) -> None:
    """Every fold meets coincident points, with counts of its own."""
    rng = np.random.default_rng(0)
    rows = [[f"p{i:02d}", *point, i % 2] for i in range(12) for point in rng.normal(size=(12, 2)).round(1).tolist()]
    write_table(tmp_path / "cells.csv", "patient,x,y,disease", rows)
    options = ["--label", "disease", "--width", 1, "--C", 1, "--folds", 3]
    done = call("cv", tmp_path / "cells.csv", "--by", "patient", *options)
    assert done.code == 0
    lines = done.err.splitlines()
    assert all(line.startswith("warning: ") for line in lines)
    ties = [line for line in lines if "Where a distance is 0" in line]
    assert len(ties) == 1 and "more of this kind" in ties[0]


@pytest.fixture
def long_data(tmp_path: Path) -> Path:
    """Sets that take minutes to compare, and their labels."""
    rng = np.random.default_rng(0)
    path = tmp_path / "big.npz"
    sw.write_sets(sw.SampleSets(list(rng.normal(size=(40, 9_000, 30)).astype(np.float32))), path)
    write_table(tmp_path / "clinic.csv", "set,disease", [[i, "ab"[i % 2]] for i in range(40)])
    return path


def arguments(command: str, data: Path) -> list[str]:
    labels = ["--label", "disease", "--labels", str(data.with_name("clinic.csv"))]
    needed = {"fit": [*labels, "-o", str(data.with_name("m.skops"))], "cv": labels}
    return [command, str(data), *needed[command]]


def allow_interrupts() -> None:
    """A parent in the background hands its children an ignored SIGINT."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_ctrl_c_ends_a_fit_and_leaves_nothing(long_data: Path) -> None:
    before = sorted(os.listdir(long_data.parent))
    child = subprocess.Popen(
        [*SETWISE, *arguments("fit", long_data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=allow_interrupts,
    )
    time.sleep(8)
    assert child.poll() is None, child.communicate()
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, "", "interrupted\n")
    assert time.monotonic() - start < 3
    assert sorted(os.listdir(long_data.parent)) == before


def test_a_terminal_sees_how_long_a_cv_will_take(long_data: Path) -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*SETWISE, *arguments("cv", long_data)],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=ENVIRONMENT | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    seen, end = b"", time.monotonic() + 120
    try:
        while b"5 folds of 40 sets" not in seen or b"left:" not in seen:
            assert time.monotonic() < end, seen
            seen += os.read(ours, 4096)
    finally:
        child.kill()
        child.wait()
        os.close(ours)


def test_a_full_disk_leaves_no_model_behind(call: Call, cells: Path) -> None:
    """A limit on the size of a file stands in for the disk."""
    given = ["fit", str(cells), "--by", "patient", "--columns", "x,y", "--label", "disease", "--no-tune"]
    model = cells.with_name("m.skops")
    call(*given, "-o", model).succeeded()  # compiled code goes to disk before the limit stands
    model.unlink()
    limited = [
        sys.executable,
        "-c",
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64));"
        "from setwise.cli import main; sys.exit(main())",
    ]
    command = [*limited, *given, "-o", str(model)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=300)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("error: cannot write") and "m.skops" in done.stderr
    assert os.listdir(cells.parent) == ["cells.csv"]
