"""How the engine's functions are compiled: without the GIL, without reference counts, cached on disk.

Numba's cache asks only whether a function's own file has changed, yet its callees are compiled into it. So the stamp of
every function here covers all files of this folder: after an update nothing stale is run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

_SOURCES = hashlib.sha256(b"".join(p.read_bytes() for p in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()


def kernel(counted: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A jitted function. `counted`: it allocates, so that arrays need reference counts."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(cache=True, nogil=True, _nrt=counted, error_model="numpy", **options)(function)
        file = compiled._cache._cache_file
        file._source_stamp = (file._source_stamp, _SOURCES)
        return compiled

    return decorate
