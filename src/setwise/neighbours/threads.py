"""Threads over jobs: compiled code releases the GIL, Python only hands out the work."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

import numpy as np


def threads_of(n_jobs: int | None) -> int:
    """None and -1: all that this process may use."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return available if n_jobs is None or n_jobs < 0 else max(1, n_jobs)


class Threads:
    """Threads that work through jobs; an interruption stops compiled loops too."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.stop = np.zeros(1, np.int64)
        self.local = threading.local()

    def scratch(self, make: Callable[[], Any]) -> Any:
        """This thread's memory, made at first use."""
        if not hasattr(self.local, "memory"):
            self.local.memory = make()
        return self.local.memory

    def each(
        self, job: Callable[[Any], int], tasks: Sequence[Any], done: Callable[[Any], None] = lambda task: None
    ) -> int:
        """The sum of job(task) over all tasks."""
        self.local = threading.local()
        total = 0
        pool = ThreadPoolExecutor(self.count)
        try:
            pending = {pool.submit(self._guard, job, task): task for task in tasks}
            while pending:
                finished, _ = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in finished:
                    done(pending.pop(future))
                    total += future.result()
        except BaseException:
            self.stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        pool.shutdown()
        return total

    def _guard(self, job: Callable[[Any], int], task: Any) -> int:
        return 0 if self.stop[0] else job(task)
