"""Ctrl-C that is heard while compiled code runs, or while Numba makes it.

Python raises KeyboardInterrupt when the main thread is next at a line of Python. Compiling one function can keep it
from there for many seconds, and so can waiting for threads at the end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from setwise.progress import Progress, track, watched_by

INTERRUPTED = 130  # the exit code
GRACE = 1.0  # seconds for the orderly way
WIPE_BAR = "\r\x1b[2K\x1b[?25h"  # and bring back the cursor that it hid

_said = threading.Event()


@contextmanager
def prompt_interrupt() -> Iterator[None]:
    """End the process a second after a Ctrl-C in this block, if it has not ended by itself.

    For searches, never for a block that writes: what it leaves behind would stay.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)  # written to by the C handler, at once
    threading.Thread(target=_end_when_told, args=(reader,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)


@contextmanager
def computing(description: str) -> Iterator[Progress]:
    """A long computation, with a bar that searches in it report to, and that Ctrl-C ends within a second."""
    with prompt_interrupt(), track(description) as progress, watched_by(progress):
        yield progress


def say_interrupted(before: str = "") -> None:
    """Print the one line, once, past whatever has taken stderr's place (a bar does)."""
    if not _said.is_set() and sys.__stderr__ is not None:
        _said.set()
        print(f"{before}interrupted", file=sys.__stderr__, flush=True)


def _end_when_told(reader: int) -> None:
    with os.fdopen(reader, "rb", buffering=0) as signals:
        while (number := signals.read(1)) != bytes([signal.SIGINT]):
            if not number:
                return
    time.sleep(GRACE)
    terminal = sys.__stderr__ is not None and sys.__stderr__.isatty()
    say_interrupted(WIPE_BAR if terminal else "")
    os._exit(INTERRUPTED)
