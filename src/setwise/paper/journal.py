"""Results of finished runs, kept as they come, so that an experiment that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Journal:
    """Lines of JSON in a file: one a finished run, under a key that says of which experiment.

    The key holds the protocol, the version of the code and a digest of the data: a run of another is not taken for one
    of this.
    """

    def __init__(self, path: Path, protocol: Mapping[str, Any], data: str) -> None:
        self._path = path
        known = json.dumps([protocol, data, code_version()], sort_keys=True)
        self.key = hashlib.sha256(known.encode()).hexdigest()[:16]
        self._finished: dict[str, Any] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                except json.JSONDecodeError:  # the line that an interruption cut short
                    continue
                if entry["key"] == self.key:
                    self._finished[entry["run"]] = entry["result"]

    @property
    def finished(self) -> int:
        """How many runs of this experiment are here."""
        return len(self._finished)

    def run(self, name: str, compute: Callable[[], Any]) -> Any:
        """What was kept of a run, or what `compute` gives, which is kept."""
        if name not in self._finished:
            result = compute()
            with self._path.open("a") as file:
                file.write(json.dumps({"key": self.key, "run": name, "result": result}) + "\n")
            self._finished[name] = result
        return self._finished[name]


def code_version() -> str:
    """A digest of the package's sources."""
    digest = hashlib.sha256()
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def digest_of(*arrays: NDArray[Any]) -> str:
    """A digest of data."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
