"""Threads over jobs: compiled code releases the GIL, Python only hands out the work."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np


def threads_of(n_jobs: int | None) -> int:
    """None and -1: all that this process may use. Many more than that only wait for one another."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return available if n_jobs is None or n_jobs < 0 else max(1, min(n_jobs, 4 * available))


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
        """The sum of job(task) over all tasks; `done` is called here after each."""
        self.local = threading.local()
        ended: SimpleQueue[Any] = SimpleQueue()
        waiting, lock, total = iter(tasks), threading.Lock(), 0

        def work() -> None:
            while not self.stop[0]:
                with lock:
                    task = next(waiting, self)
                if task is self:
                    return
                try:
                    ended.put((task, job(task), None))
                except BaseException as fault:  # raised again where the caller waits
                    ended.put((task, 0, fault))

        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(self.count, len(tasks)))]
        try:
            for thread in threads:
                thread.start()
            for _ in tasks:
                task, value, fault = self._next(ended)
                if fault is not None:
                    raise fault
                done(task)
                total += value
        except BaseException:
            self.stop[0] = 1
            raise
        finally:
            for thread in threads:
                thread.join()
        return total

    @staticmethod
    def _next(ended: SimpleQueue[Any]) -> Any:
        """The next that has ended; the short waits let an interruption through on every system."""
        while True:
            with suppress(Empty):
                return ended.get(timeout=0.2)
