"""Aligned arrays: registers load faster from multiples of 64 bytes, and may reach past the end by one of them."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LARGE = 1 << 20  # bytes from which an array has pages of its own


def aligned(shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """An uninitialised array that starts at a multiple of 64 bytes, with 128 bytes behind it that are nobody's.

    A large one goes back to the system with its last reference. What a thread gets from the heap may stay there when
    the thread has ended, which a budget of memory cannot allow for.
    """
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    raw = np.frombuffer(mmap.mmap(-1, size + 192), np.uint8) if size >= LARGE else np.empty(size + 192, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(kind).reshape(shape)


def make_work(moments: int, largest: int) -> NDArray[np.float64]:
    """What reduce_pair works in, for sets of up to `largest` points."""
    return aligned((3 + moments, max(-(-largest // 8), 2 + moments // 4) * 8), np.float64)
