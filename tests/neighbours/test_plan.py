"""Plans cover every pair once, whatever the sizes and the budget."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.errors import InputError
from setwise.neighbours.plan import bytes_kept, make_plan, path_for

OPTIONS = {"ks": (5,), "threads": 2}


@given(
    st.lists(st.integers(6, 3000), min_size=1, max_size=60),
    st.none() | st.lists(st.integers(6, 3000), min_size=1, max_size=60),
    st.sampled_from([1, 2, 4, 5, 60]),
    st.booleans(),
    st.sampled_from([None, 30_000_000]),
)
def test_every_pair_once(sizes_x, sizes_y, d, counting, memory):
    x, y = np.array(sizes_x), None if sizes_y is None else np.array(sizes_y)
    plan = make_plan(x, y, path=path_for(d, 5), d=d, counting=counting, memory=memory, **OPTIONS)
    pairs = Counter()
    for tile in plan.tiles:
        for i in range(*tile.rows):
            for j in range(*tile.columns):
                if plan.path == "dense" and plan.mirrored:
                    if i < j:
                        pairs[i, j] += 1
                        pairs[j, i] += 1
                elif not (plan.mirrored and i == j):
                    pairs[i, j] += 1
    columns = len(sizes_x) if y is None else len(sizes_y)
    expected = {(i, j) for i in range(len(sizes_x)) for j in range(columns) if y is not None or i != j}
    assert set(pairs) == expected
    assert set(pairs.values()) <= {1}


def test_too_small_a_budget_is_refused_with_the_need():
    with pytest.raises(InputError, match="memory=1000 bytes is too little"):
        make_plan(np.array([500, 500]), None, path="dense", d=10, counting=False, memory=1000, **OPTIONS)


def test_what_is_kept_is_taken_from_the_budget():
    sizes = np.full(400, 500)
    options = {"path": "low", "d": 2, "counting": True, "memory": 60_000_000, **OPTIONS}
    kept = bytes_kept("low", sizes, 2, 8, 1, True)
    assert len(sizes) * 500 * (16 + 8 + 24) < kept < 60_000_000
    assert len(make_plan(sizes, None, **options).tiles) < len(make_plan(sizes, None, kept=4 * kept, **options).tiles)
    with pytest.raises(InputError, match=r"memory=60000000 bytes is too little: these sets need 6\d{7}\. Give more"):
        make_plan(sizes, None, kept=59_900_000, **options)
