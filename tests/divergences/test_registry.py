"""Names, spellings and what each divergence says of itself."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.divergences import (
    KL,
    L2,
    REGISTRY,
    AlphaBeta,
    Bhattacharyya,
    Divergence,
    Hellinger,
    JensenShannon,
    Linear,
    Renyi,
    Tsallis,
    parse,
    scale_free,
    squared_in_kernel,
)
from setwise.divergences import __main__ as document
from setwise.divergences.protocol import consistent_above, smallest_k
from setwise.errors import InputError
from tests.divergences.examples import EVERY, IDS

radius = st.sampled_from(["paper", "matched"])
finite = st.floats(allow_nan=False, allow_infinity=False)
any_divergence = st.one_of(
    st.just(Linear()),
    st.builds(L2, cross=st.booleans()),
    st.builds(Bhattacharyya, radius=radius),
    st.builds(Hellinger, radius=radius),
    st.builds(Renyi, finite.filter(lambda a: a != 1), radius=radius),
    st.builds(Tsallis, finite.filter(lambda a: a != 1), radius=radius),
    st.builds(KL, radius=radius),
    st.just(JensenShannon()),
    st.builds(AlphaBeta, finite, finite),
)


@given(any_divergence, st.booleans())
def test_parse_reads_what_str_writes(divergence, upper):
    text = str(divergence)
    assert parse(text.upper() if upper else text) == divergence


@pytest.mark.parametrize(
    ("text", "divergence"),
    [
        ("renyi:0.9", Renyi(0.9)),
        ("Renyi:.9:Matched", Renyi(0.9, radius="matched")),
        ("renyi:0.9:paper", Renyi(0.9)),
        ("tsallis:2", Tsallis(2)),
        ("kl", KL()),
        ("kl:matched", KL(radius="matched")),
        ("l2:cross", L2(cross=True)),
        ("alphabeta:-0.5:0.5", AlphaBeta(-0.5, 0.5)),
        ("js", JensenShannon()),
        ("JensenShannon", JensenShannon()),
        (" hellinger ", Hellinger()),
    ],
)
def test_spellings(text, divergence):
    assert parse(text) == divergence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reny:0.9", "did you mean renyi:ALPHA[:matched]? Allowed: linear, l2[:cross]"),
        ("wobble", "is not known. Allowed:"),
        ("renyi", "renyi is spelled renyi:ALPHA[:matched]"),
        ("renyi:x", "cannot be read"),
        ("renyi:0.9:wide", "cannot be read"),
        ("renyi:nan", "finite number"),
        ("renyi:1", "use kl"),
        ("tsallis:1.0", "use kl"),
        ("kl:0.5", "cannot be read"),
        ("", "is not known"),
    ],
)
def test_unreadable_spellings_say_what_is_allowed(text, said):
    with pytest.raises(InputError) as error:
        parse(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_parse_takes_text_only():
    with pytest.raises(InputError, match="spelled as text"):
        parse(5)


@pytest.mark.parametrize("wrong", ["x", None, True, float("nan"), float("inf"), "0.5"])
def test_numbers_are_checked(wrong):
    with pytest.raises(InputError, match="finite number"):
        Renyi(wrong)


@pytest.mark.parametrize("kind", [Hellinger, Bhattacharyya, KL])
def test_options_are_checked(kind):
    with pytest.raises(InputError, match="'paper' or 'matched'"):
        kind(radius="wide")
    with pytest.raises(InputError, match="False or True"):
        L2(cross="yes")


def test_numpy_numbers_become_plain_ones():
    assert Renyi(np.float32(0.5)) == Renyi(0.5)
    assert type(Renyi(np.int64(2)).alpha) is float
    assert str(Renyi(2)) == "renyi:2"


@pytest.mark.parametrize("name", REGISTRY)
def test_the_registry_is_complete(name):
    kind = REGISTRY[name]
    assert kind.name == name
    assert kind.examples
    assert kind.formula
    assert all(isinstance(parse(text), kind) for text in kind.examples)
    assert kind.__doc__


@pytest.mark.parametrize("divergence", EVERY, ids=IDS)
def test_a_divergence_is_a_hashable_frozen_value(divergence):
    assert isinstance(divergence, Divergence)
    assert pickle.loads(pickle.dumps(divergence)) == divergence
    assert hash(parse(str(divergence))) == hash(divergence)
    with pytest.raises(AttributeError):
        divergence.radius = "matched"
    low, high = divergence.valid_range
    assert low < high


def test_conditions_on_k():
    assert [smallest_k(d) for d in (KL(), Renyi(0.9), Linear(), L2(), L2(cross=True))] == [1, 1, 2, 2, 3]
    assert smallest_k(AlphaBeta(1, 1)) == 2
    assert smallest_k(AlphaBeta(1, 1), of_itself=True) == 3
    assert smallest_k(Renyi(2)) == 2
    assert smallest_k(Hellinger()) == 1
    assert consistent_above(KL()) == consistent_above(JensenShannon()) == 0
    assert consistent_above(Renyi(0.5)) == consistent_above(Hellinger()) == 2
    assert consistent_above(L2()) == 3
    assert consistent_above(L2(cross=True)) == 5


def test_which_are_free_of_scale():
    free = {type(d).name for d in EVERY if scale_free(d)}
    assert free == {"bhattacharyya", "hellinger", "renyi", "tsallis", "kl", "js", "alphabeta"}
    assert scale_free(AlphaBeta(-0.5, 0.5))
    assert not scale_free(AlphaBeta(0.2, 0.3))


def test_which_the_paper_squares_in_the_gaussian_kernel():
    squares = {type(d).name: squared_in_kernel(d) for d in EVERY if d.kind not in ("similarity", "moment")}
    assert squares == {"l2": True, "hellinger": True, "renyi": True, "tsallis": True, "kl": True, "js": False}
    with pytest.raises(InputError, match="similarity, not a distance"):
        squared_in_kernel(Linear())


def test_valid_ranges_of_the_orders():
    assert Tsallis(0.5).valid_range == (0, 2)
    assert Tsallis(2).valid_range == (0, math.inf)
    assert Tsallis(-1).valid_range == Renyi(-1).valid_range == (-math.inf, 0)
    assert JensenShannon().valid_range == (0, math.log(2))


def test_the_documentation_has_the_registry_of_today():
    page = Path(__file__).parents[2] / "docs" / "divergences.md"
    assert page.read_text(encoding="utf-8") == document.page(), "python -m setwise.divergences > docs/divergences.md"
