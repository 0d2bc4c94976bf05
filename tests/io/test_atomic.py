"""A file is either whole or absent, whatever happens while it is written."""

from __future__ import annotations

import os
import stat

import pytest

from setwise.errors import InputError
from setwise.io.atomic import check_destination, write_whole


def test_the_file_appears_only_when_the_block_is_done(tmp_path):
    target = tmp_path / "out.npz"
    with write_whole(target) as temporary:
        assert temporary.parent == target.parent
        assert temporary.suffix == ".npz"
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.npz"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_what_was_there(tmp_path, failure):
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(failure), write_whole(target) as temporary:
        temporary.write_text("half")
        raise failure
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_full_disk_is_one_line(tmp_path):
    with (
        pytest.raises(InputError, match=r"cannot write '.*out.csv': No space left on device"),
        write_whole(tmp_path / "out.csv") as temporary,
    ):
        temporary.write_text("half")
        raise OSError(28, "No space left on device")
    assert os.listdir(tmp_path) == []


def test_permissions_follow_the_old_file_or_the_umask(tmp_path):
    for name, before in (("old", 0o640), ("new", None)):
        target, plain = tmp_path / name, tmp_path / f"{name}.plain"
        plain.touch()
        if before:
            target.touch()
            target.chmod(before)
        with write_whole(target) as temporary:
            temporary.write_text("x")
        assert stat.S_IMODE(target.stat().st_mode) == (before or stat.S_IMODE(plain.stat().st_mode))


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "store" / "real.csv")
    with write_whole(tmp_path / "link.csv") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "store" / "real.csv").read_text() == "x"


def test_a_link_to_nowhere_is_refused_at_once(tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere" / "real.csv")
    with pytest.raises(InputError, match=r"link.csv': there is no folder '.*nowhere'"):
        check_destination(tmp_path / "link.csv")


def test_names_of_any_length_that_the_system_takes(tmp_path):
    with write_whole(tmp_path / ("x" * 251 + ".npz")) as temporary:
        temporary.write_text("x")
    with pytest.raises(InputError, match="File name too long"):
        check_destination(tmp_path / ("x" * 252 + ".npz"))


def test_a_temporary_file_that_cannot_be_removed_hides_nothing(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    with pytest.raises(InputError, match="No space left"), write_whole(tmp_path / "out.csv"):
        raise OSError(28, "No space left on device")


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="it is a folder"):
        check_destination(tmp_path)
    with pytest.raises(InputError, match=r"no folder '.*nowhere'; make it first"):
        check_destination(tmp_path / "nowhere" / "out.csv")
    check_destination(tmp_path / "out.csv")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="no permission"):
        check_destination(tmp_path / "out.csv")
