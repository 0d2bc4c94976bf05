"""How far a long computation has come, for the person who waits for it: a bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[int, int], None]

_watching: ContextVar[Progress | None] = ContextVar("watching", default=None)


@contextmanager
def watched_by(progress: Progress | None) -> Iterator[None]:
    """Long computations in this block that are given no progress of their own report to this one."""
    token = _watching.set(progress)
    try:
        yield
    finally:
        _watching.reset(token)


def watching() -> Progress | None:
    """Whom a computation reports to that was given nobody."""
    return _watching.get()


@contextmanager
def track(description: str) -> Iterator[Progress]:
    """Yield a callable(done, total) that draws a bar with the time left on stderr while that is a terminal.

    The bar is wiped when the block ends, whichever way it ends, so that what follows starts on a clean line.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield _silent
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.TextColumn("left:"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)

        def update(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield update


@contextmanager
def reporting(progress: bool | Progress | None, description: str) -> Iterator[Progress | None]:
    """Whom to report to: a bar for True, a callable as it is, and whoever watches where nothing was said."""
    if progress is True:
        with track(description) as report:
            yield report
    else:
        yield progress if callable(progress) else watching() if progress is None else None


def _silent(done: int, total: int) -> None:
    """Report to nobody."""
