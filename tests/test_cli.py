"""The command line as a user meets it: real processes on real small files."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import setwise as sw
from setwise.divergences import REGISTRY

SETWISE = [sys.executable, "-m", "setwise"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "SETWISE_TRACEBACK"}


def run(*arguments: object, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [*SETWISE, *map(str, arguments)]
    environment = ENVIRONMENT | {"COLUMNS": "100"} | variables
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=300)


def assert_refused(done: subprocess.CompletedProcess[str], *expected: str) -> None:
    """Exit 2 and one line on stderr that begins with `error: ` and says all that is expected of it."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("error: "), done.stderr
    for part in expected:
        assert part in lines[0]


def write_long_csv(path: Path, rows: Sequence[str]) -> None:
    path.write_text("patient,x,y\n" + "\n".join(rows) + "\n")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three patients of 30 points in 2-d, as a long CSV."""
    rng = np.random.default_rng(0)
    path = tmp_path / "cells.csv"
    write_long_csv(path, [f"{name},{a},{b}" for name in "pqr" for a, b in rng.normal(size=(30, 2))])
    return path


def test_npz_holds_what_the_library_computes(table: Path) -> None:
    out = table.with_name("out.npz")
    done = run(
        "divergences", table, "--by", "patient", "--divergence", "renyi:0.9", "-d", "kl", "-k", 3, "-k", 5, "-o", out
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "3 sets, 90 points, 2 dimensions" in done.stdout
    saved = sw.DivergenceTable.load(out)
    sets = sw.read_sets(table, by="patient")
    for divergence in (sw.Renyi(0.9), sw.KL()):
        for k in (3, 5):
            np.testing.assert_array_equal(
                saved[divergence, k], sw.pairwise_divergences(sets, divergence=divergence, k=k)
            )


def test_csv_is_the_labelled_matrix(table: Path) -> None:
    out = table.with_name("out.csv")
    assert run("divergences", table, "--by", "patient", "--divergence", "kl", "-o", out).returncode == 0
    header, *rows = [line.split(",") for line in out.read_text().splitlines()]
    assert header == ["set", "p", "q", "r"]
    assert [row[0] for row in rows] == ["p", "q", "r"]
    expected = sw.pairwise_divergences(sw.read_sets(table, by="patient"), divergence=sw.KL(), k=5)
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=float), expected)


def test_csv_of_several_names_each_matrix(table: Path) -> None:
    out = table.with_name("out.csv")
    done = run("divergences", table, "--by", "patient", "-d", "kl", "-d", "renyi:0.9", "-k", 3, "-k", 5, "-o", out)
    assert done.returncode == 0, done.stderr
    header, *rows = [line.split(",") for line in out.read_text().splitlines()]
    assert header == ["divergence", "k", "set", "p", "q", "r"]
    assert [row[:3] for row in rows[::3]] == [
        ["kl", "3", "p"],
        ["kl", "5", "p"],
        ["renyi:0.9", "3", "p"],
        ["renyi:0.9", "5", "p"],
    ]


def test_few_sets_are_printed_whole_in_a_pipe(table: Path) -> None:
    done = run("divergences", table, "--by", "patient", "--columns", "x,y", "--threads", 1, "--memory", "200MB")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    expected = sw.pairwise_divergences(sw.read_sets(table, by="patient"), divergence=sw.Renyi(0.9), k=5)
    assert "renyi:0.9, k = 5" in done.stdout
    for value in expected.ravel():
        assert f"{value:.4g}" in done.stdout


def test_many_sets_are_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    write_long_csv(path, [f"s{i % 20},{i},{i * i % 97}" for i in range(400)])
    assert_refused(run("divergences", path, "--by", "patient"), "20 sets", ".npz", ".csv")


def test_warnings_are_plain_lines(tmp_path: Path) -> None:
    path = tmp_path / "ties.csv"
    write_long_csv(path, [f"{name},{i // 10},1" for name in "pq" for i in range(40)])
    done = run("divergences", path, "--by", "patient")
    assert done.returncode == 0
    assert done.stderr and all(line.startswith("warning: ") for line in done.stderr.splitlines())
    assert ".py" not in done.stderr
    assert_refused(run("divergences", path, "--by", "patient", "--ties", "error"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--by", "pateint"], ["pateint", "patient"]),
        ([], ["by"]),
        (["--by", "patient", "--columns", "x,z"], ["'z'"]),
        (["--by", "patient", "--divergence", "reny:0.9"], ["reny:0.9"]),
        (["--by", "patient", "--divergence", "renyi:high"], ["renyi:high"]),
        (["--by", "patient", "-k", "five"], ["five", "-k"]),
        (["--by", "patient", "-k", "5.99"], ["5.99", "-k"]),
        (["--by", "patient", "-k", "0"], ["0"]),
        (["--by", "patient", "-k", "30"], ["'p'", "30"]),
        (["--by", "patient", "--threads", "0"], ["--threads"]),
        (["--by", "patient", "--threads", "1.7"], ["1.7", "--threads"]),
        (["--by", "patient", "--memory", "lots"], ["memory", "lots", "500MB"]),
        (["--by", "patient", "--ties", "ignore"], ["ignore", "warn", "error"]),
        (["--by", "patient", "--colour", "red"], ["--colour", "--help"]),
        (["--by"], ["--by"]),
        (["extra.csv"], ["extra.csv"]),
    ],
)
def test_a_wrong_argument_is_one_line(table: Path, arguments: list[str], expected: list[str]) -> None:
    out = table.with_name("out.npz")
    assert_refused(run("divergences", table, *arguments, "-o", out), *expected)
    assert os.listdir(table.parent) == [table.name]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["p,1,2", "p,nan,2", *(f"q,{i},{-i}" for i in range(9))], ["'p'", "NaN"]),
        (["p,1,2", *(f"q,{i},{-i}" for i in range(9))], ["'p'", "1 point", "k=5"]),
        (["p,1,2", ",2,1", *(f"q,{i},{-i}" for i in range(9))], ["patient"]),
        (["p,1,2", "p,1"], []),
        (["p,1,2", "p,1,#", *(f"q,{i},{-i}" for i in range(9))], ["'y'", "'#'", "row 2", "--columns"]),
        ([], ["rows"]),
    ],
)
def test_data_that_cannot_be_used_is_one_line(tmp_path: Path, rows: list[str], expected: list[str]) -> None:
    path = tmp_path / "cells.csv"
    write_long_csv(path, rows)
    assert_refused(run("divergences", path, "--by", "patient", "-o", tmp_path / "out.npz"), *expected)
    assert os.listdir(tmp_path) == ["cells.csv"]


def test_a_text_file_named_npz(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    path.write_text("these are not the arrays you are looking for\n")
    assert_refused(run("divergences", path, "-o", tmp_path / "out.csv"), "data.npz")
    assert os.listdir(tmp_path) == ["data.npz"]


def test_a_folder_with_a_set_of_another_dimension(tmp_path: Path) -> None:
    for name, dim in (("a", 2), ("b", 3)):
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(0).normal(size=(9, dim)))
    assert_refused(run("divergences", tmp_path, "-o", tmp_path / "out.npz"), "'b' has 3 columns", "'a' has 2")


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    """The superuser may read anywhere, so the system's answer is put in its place."""
    refused = [
        sys.executable,
        "-c",
        "import pathlib, sys\n"
        "def refuse(_): raise PermissionError(13, 'Permission denied')\n"
        "pathlib.Path.iterdir = refuse\n"
        "from setwise.cli import main; sys.exit(main())",
        "divergences",
        str(tmp_path),
    ]
    done = subprocess.run(refused, capture_output=True, text=True, env=ENVIRONMENT)
    assert_refused(done, f"cannot read '{tmp_path}': Permission denied")


def test_a_saved_table_is_no_data(table: Path) -> None:
    saved = table.with_name("saved.npz")
    sw.divergence_table(sw.read_sets(table, by="patient")).save(saved)
    assert_refused(run("divergences", saved), "saved DivergenceTable, not sets")


def test_ids_of_any_length(tmp_path: Path) -> None:
    path, out = tmp_path / "cells.csv", tmp_path / "out.npz"
    rng = np.random.default_rng(0)
    write_long_csv(path, [f"{name},{a},{b}" for name in (10**20, 7) for a, b in rng.normal(size=(9, 2))])
    done = run("divergences", path, "--by", "patient", "-o", out)
    assert done.returncode == 0, done.stderr
    assert sw.DivergenceTable.load(out).ids_x == (str(10**20), "7")


def test_a_truncated_parquet(table: Path) -> None:
    pytest.importorskip("pyarrow")
    whole, path = table.with_name("whole.parquet"), table.with_name("cut.parquet")
    sw.write_sets(sw.read_sets(table, by="patient"), whole)
    path.write_bytes(whole.read_bytes()[:-40])
    assert_refused(run("divergences", path, "--by", "patient", "-o", table.with_name("out.csv")), "cut.parquet")
    assert not table.with_name("out.csv").exists()


def test_data_that_is_not_there(tmp_path: Path) -> None:
    assert_refused(run("divergences", tmp_path / "none.csv", "--by", "a", "-o", tmp_path / "out.npz"), "none.csv")
    assert_refused(run("divergences"), "DATA")
    assert_refused(run("divergenses", tmp_path), "divergenses")


@pytest.mark.parametrize(
    "name", ["out.txt", "out", "missing/out.npz", "folder.npz", "cells.csv", "link.npz", "x" * 260 + ".npz"]
)
def test_an_output_that_cannot_be_written_is_refused_before_reading(table: Path, name: str) -> None:
    table.with_name("folder.npz").mkdir()
    table.with_name("link.npz").symlink_to("nowhere/out.npz")
    before = sorted(os.listdir(table.parent)), table.read_text()
    arguments = ["--by", "no such column", "-o", table.parent / name]
    assert_refused(run("divergences", table, *arguments), name)
    assert (sorted(os.listdir(table.parent)), table.read_text()) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_permission_is_refused(table: Path) -> None:
    locked = table.with_name("locked")
    locked.mkdir(mode=0o500)
    assert_refused(run("divergences", table, "--by", "patient", "-o", locked / "out.npz"), "locked")


def test_a_full_disk_leaves_nothing_behind(table: Path) -> None:
    """A limit on the size of a file stands in for the disk."""
    limited = [
        sys.executable,
        "-c",
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64));"
        "from setwise.cli import main; sys.exit(main())",
    ]
    run("divergences", table, "--by", "patient")  # compiled code goes to disk before the limit stands
    for name in ("out.npz", "out.csv"):
        out = table.with_name(name)
        command = [*limited, "divergences", str(table), "--by", "patient", "-o", str(out)]
        assert_refused(subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=300), name)
        assert os.listdir(table.parent) == [table.name]


def test_a_fault_of_ours_is_one_line_and_shows_more_when_asked(table: Path) -> None:
    broken = [
        sys.executable,
        "-c",
        "import sys, setwise.io; setwise.io.read_sets = lambda *_, **__: 1 / 0;"
        "from setwise.cli import main; sys.exit(main())",
        "divergences",
        str(table),
    ]
    done = subprocess.run(broken, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "ZeroDivisionError" in done.stderr and "SETWISE_TRACEBACK=1" in done.stderr
    told = subprocess.run(broken, capture_output=True, text=True, env=ENVIRONMENT | {"SETWISE_TRACEBACK": "1"})
    assert told.returncode == 1
    assert "Traceback" in told.stderr


@pytest.fixture
def long_run(tmp_path: Path) -> list[str]:
    """A command that takes minutes."""
    rng = np.random.default_rng(0)
    path = tmp_path / "big.npz"
    sw.write_sets(sw.SampleSets(list(rng.normal(size=(40, 15_000, 30)).astype(np.float32))), path)
    return ["divergences", str(path), "-o", str(tmp_path / "out.npz")]


def allow_interrupts() -> None:
    """A parent in the background hands its children an ignored SIGINT."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted(after: float, arguments: list[str], **variables: str) -> float:
    """Press Ctrl-C some seconds into a run; how long it takes to end, as it should."""
    child = subprocess.Popen(
        [*SETWISE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT | variables,
        preexec_fn=allow_interrupts,
    )
    time.sleep(after)
    assert child.poll() is None, child.communicate()
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, "", "interrupted\n")
    return time.monotonic() - start


def test_ctrl_c_stops_a_search(long_run: list[str], tmp_path: Path) -> None:
    run(*long_run[:1], *few_of(tmp_path))  # compiled code is on disk: what is interrupted is the search
    assert interrupted(6, long_run) < 3
    assert sorted(os.listdir(tmp_path)) == ["big.npz", "few.npz"]


def test_ctrl_c_stops_a_first_run_that_compiles(long_run: list[str], tmp_path: Path) -> None:
    assert interrupted(4, long_run, NUMBA_CACHE_DIR=str(tmp_path / "empty")) < 3
    assert not (tmp_path / "out.npz").exists()


def few_of(folder: Path) -> list[str]:
    """Data of the same kind as the long run's, small enough to be done at once."""
    path = folder / "few.npz"
    sw.write_sets(sw.SampleSets(list(np.random.default_rng(0).normal(size=(2, 100, 30)).astype(np.float32))), path)
    return [str(path)]


def test_a_terminal_sees_progress(long_run: list[str]) -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*SETWISE, *long_run],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=ENVIRONMENT | {"TERM": "xterm", "COLUMNS": "100"},
        preexec_fn=allow_interrupts,
    )
    os.close(theirs)
    seen = b""
    end = time.monotonic() + 120
    try:
        while b"comparing 40 sets" not in seen or b"left:" not in seen:
            assert time.monotonic() < end, seen
            seen += os.read(ours, 4096)
    finally:
        child.kill()
        child.wait()
        os.close(ours)


def test_demo(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("demo", "-o", str(page))
    assert done.returncode == 0
    assert done.stderr == ""
    by_sets, by_pixels = (
        float(re.search(rf"by {way} +([\d.]+)%", done.stdout).group(1)) for way in ("distributions", "pixels")
    )
    assert by_sets > 85 and by_sets > by_pixels + 15
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert str(page) in done.stdout
    refused = run("demo", "-o", str(tmp_path / "page.txt"))
    assert refused.returncode == 2 and ".html" in refused.stderr and not (tmp_path / "page.txt").exists()


def test_version_and_help() -> None:
    assert run("--version").stdout == f"setwise {sw.__version__}\n"
    everything = run("--help")
    assert everything.returncode == 0
    assert "divergences" in everything.stdout and "demo" in everything.stdout
    ours = run("divergences", "--help")
    assert ours.returncode == 0
    for name in (*REGISTRY, "--by", "--memory", "-o"):
        assert name in ours.stdout


def test_help_and_version_load_nothing_heavy() -> None:
    for argument in ("--help", "--version"):
        code = (
            f"import sys; from setwise.cli import main; main([{argument!r}]);"
            "sys.exit(sum(name in sys.modules for name in ('numpy', 'scipy', 'numba', 'sklearn')))"
        )
        assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_a_reader_that_leaves_is_no_error(table: Path) -> None:
    command = f"{' '.join(SETWISE)} divergences {table} --by patient | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.stderr == ""


def test_a_closed_output_is_no_error(table: Path) -> None:
    out = table.with_name("out.npz")
    command = f"{' '.join(SETWISE)} divergences {table} --by patient -o {out} >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
    assert sw.DivergenceTable.load(out).shape == (3, 3)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
def test_an_output_that_is_full(table: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [*SETWISE, "divergences", str(table), "--by", "patient"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write to standard output: No space left on device")
    assert len(done.stderr.splitlines()) == 1


def test_ids_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "sets.npz", **{"ü": rng.normal(size=(9, 2)), "b": rng.normal(size=(9, 2))})
    done = run("divergences", tmp_path / "sets.npz", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xfc" in done.stdout
