"""Tables through the engine against tables through the reference: sizes from k + 1, ties, X against another Y."""

import numpy as np
import pytest

import setwise as sw
from setwise.divergences import pairwise
from tests.divergences import slow_engine
from tests.divergences.examples import EVERY, atoms

K = (4, 6)
pytestmark = pytest.mark.filterwarnings("ignore::setwise.errors.SetwiseWarning")


def draw(seed):
    rng = np.random.default_rng(seed)
    dim = int(rng.choice([1, 2, 3, 4, 5, 8, 13]))
    arrays = [rng.normal(size=(size, dim)) for size in rng.integers(max(K) + 1, 40, size=5)]
    kind = seed % 4
    if kind == 1:
        arrays = [np.round(array, 1) for array in arrays]
    elif kind == 2:
        arrays = [np.concatenate([array, array[: len(array) // 2]]) for array in arrays]
    elif kind == 3:
        arrays[0][:] = rng.standard_cauchy(arrays[0].shape)
        arrays[1] = arrays[2][: max(K) + 1]
    return sw.SampleSets(arrays)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("other", [False, True], ids=["itself", "another"])
def test_tables_through_the_engine_and_through_the_reference(seed, other, monkeypatch):
    compare(draw(seed), other, monkeypatch)


@pytest.mark.parametrize("dim", [1, 2, 5, 9])
@pytest.mark.parametrize("other", [False, True], ids=["itself", "another"])
def test_sets_of_one_repeated_point(dim, other, monkeypatch):
    compare(atoms(dim), other, monkeypatch)


def compare(sets, other, monkeypatch):
    sides = (sets[:2], sets[1:]) if other else (sets,)
    fast = sw.divergence_table(*sides, divergences=EVERY, k=K)
    monkeypatch.setattr(pairwise, "pair_moments", slow_engine.pair_moments)
    slow = sw.divergence_table(*sides, divergences=EVERY, k=K)
    for divergence in EVERY:
        for k in K:
            one, two = fast[divergence, k], slow[divergence, k]
            np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-5, err_msg=f"{divergence} k={k}")
    assert fast.diagnostics["ties"] == slow.diagnostics["ties"]
