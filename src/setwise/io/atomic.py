"""A file is either whole or absent: it is written beside its place, and renamed when it is done."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from setwise.errors import InputError


def check_destination(path: str | os.PathLike[str]) -> Path:
    """Refuse a place that cannot be written to, before hours of work go into what belongs there; return it in full."""
    target = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            if stat.S_ISDIR(target.stat().st_mode):
                raise InputError(f"cannot write '{path}': it is a folder; name a file in it.")
        if not target.parent.is_dir():
            raise InputError(f"cannot write '{path}': there is no folder '{target.parent}'; make it first.")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise InputError(f"cannot write '{path}': no permission to write in '{target.parent}'.")
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}.") from error
    return target


@contextmanager
def write_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path of the same suffix in the same folder; rename it to `path` if the block succeeds.

    If the block fails, or is interrupted, the temporary file is removed and what was at `path` stays as it was.
    """
    target = check_destination(path)
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp{target.suffix}")  # short: a name has at most 255 bytes
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())  # a rename may reach the disk before the data does
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
