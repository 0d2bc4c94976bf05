"""Standard output that takes nothing more, as a full disk or a reader that has left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from setwise.errors import InputError


@contextmanager
def to_output() -> Iterator[None]:
    """A block that prints what was asked for, and sees it written."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise InputError(f"cannot write to standard output: {error.strerror or error}; send it elsewhere.") from error


def drop_output() -> None:
    """Keep Python from trying once more, at its end, what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
