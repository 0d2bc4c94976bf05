"""Sorting networks, by the 0-1 principle: right on zeros and ones means right on everything."""

from __future__ import annotations

from itertools import permutations

import pytest

from setwise.neighbours.simd import Emitter


class Numbers(Emitter):
    """Emits nothing: computes on Python numbers."""

    def __init__(self) -> None:
        pass

    def minimum(self, x, y):
        return min(x, y)

    def maximum(self, x, y):
        return max(x, y)


@pytest.mark.parametrize("count", (1, 2, 3, 4))
def test_sort(count):
    for values in permutations(range(count)):
        assert Numbers().sort(values) == sorted(values)


@pytest.mark.parametrize("length", range(1, 50))
def test_merge(length):
    for count in {1, 2, 3, 4, length}:
        for ones in range(length + 1):
            for others in range(count + 1):
                kept, new = [1] * ones + [0] * (length - ones), [0] * (count - others) + [1] * others
                expected = sorted(sorted(kept + new)[:length], reverse=True)
                assert Numbers().merge(kept, new) == expected
