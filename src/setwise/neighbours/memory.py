"""Aligned arrays: registers load faster from multiples of 64 bytes, and may reach past the end by one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def aligned(shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """An uninitialised array that starts at a multiple of 64 bytes, with 128 bytes behind it that are nobody's."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    raw = np.empty(size + 192, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(kind).reshape(shape)


def make_work(moments: int, largest: int) -> NDArray[np.float64]:
    """What reduce_pair works in, for sets of up to `largest` points."""
    return aligned((3 + moments, max(-(-largest // 8), 2 + moments // 4) * 8), np.float64)
