"""How the engine's functions are compiled: without the GIL, without reference counts, cached on disk.

Numba's cache asks only whether a function's own file has changed, yet its callees are compiled into it, and its index
names classes that an update may have moved. So every function's index here is named after all files of this folder:
after an update nothing stale is run, or even read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import IndexDataCacheFile

_SOURCES = hashlib.sha256(b"".join(p.read_bytes() for p in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()


def kernel(counted: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A jitted function. `counted`: it allocates, so that arrays need reference counts."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(cache=True, nogil=True, _nrt=counted, error_model="numpy", **options)(function)
        cache = compiled._cache
        cache._cache_file = IndexDataCacheFile(
            cache.cache_path, f"{cache._impl.filename_base}-{_SOURCES[:12]}", cache._cache_file._source_stamp
        )
        return compiled

    return decorate
