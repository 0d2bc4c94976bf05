"""What a user asks of an experiment, and where its data are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from setwise.errors import InputError

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Asked:
    """
    Parameters
    ----------
    out : folder for the result, its pictures and the journal of finished runs
    data : folder that the data are looked for in
    runs : how many; each experiment has its own number for None
    quick : a shorter form of the protocol, where an experiment has one
    reading : what the noise of the USPS digits is taken to mean, "grid" or "unit"
    seed : added to every seed
    n_jobs : threads
    progress : callable(done, total)
    """

    out: Path
    data: Path | None = None
    runs: int | None = None
    quick: bool = False
    reading: str = "grid"
    seed: int = 0
    n_jobs: int | None = None
    progress: Progress | None = None

    def file(self, name: str, what: str, source: str) -> Path:
        """A file or folder of the data; says what it is and where to get it where it is missing."""
        if self.data is None:
            raise InputError(
                f"this experiment needs {what}; give --data with a folder that holds {name}. Get it: {source}."
            )
        path = self.data / name
        if not path.exists():
            raise InputError(f"'{self.data}' has no {name}, which is {what}. Get it: {source}.")
        return path

    def report(self, done: int, total: int) -> None:
        """Tell whoever waits."""
        if self.progress is not None:
            self.progress(done, total)
