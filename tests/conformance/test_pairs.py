"""The true values that the suite compares with, by quadrature."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, uniform

from setwise.conformance.pairs import Atoms, Changed, Gaussians, Subset, Uniforms, duplicated, floored, rounded
from setwise.divergences import AlphaBeta, parse

TEXTS = ["kl", "renyi:0.5", "renyi:0.9", "renyi:2", "tsallis:0.9", "hellinger", "bhattacharyya", "linear", "l2", "js"]


def by_quadrature(text, p, q, low, high):
    def integral(f):
        return quad(lambda t: f(p(t), q(t)), low, high, limit=400, points=[0, 1])[0]

    def share(a, b):
        return a * math.log(2 * a / (a + b)) if a else 0.0

    match text.split(":")[0]:
        case "kl":
            return integral(lambda a, b: a * math.log(a / b) if a else 0.0)
        case "renyi" | "tsallis" as name:
            order = parse(text).alpha
            affinity = integral(lambda a, b: a**order * b ** (1 - order))
            return (math.log(affinity) if name == "renyi" else affinity - 1) / (order - 1)
        case "hellinger":
            return math.sqrt(abs(1 - integral(lambda a, b: math.sqrt(a * b))))
        case "bhattacharyya":
            return integral(lambda a, b: math.sqrt(a * b))
        case "linear":
            return integral(lambda a, b: a * b)
        case "l2":
            return math.sqrt(integral(lambda a, b: (a - b) ** 2))
        case "js":
            return 0.5 * integral(lambda a, b: share(a, b) + share(b, a))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (1.0, 1.0), (0.0, 1.3), (0.7, 1.6)])
def test_gaussians(text, shift, scale):
    pair = Gaussians(10, 10, 1, shift, scale)
    if text == "js" and scale != 1:
        with pytest.raises(NotImplementedError):
            pair.truth(parse(text))
        return
    expected = by_quadrature(text, norm(0, 1).pdf, norm(shift, scale).pdf, -12, 12)
    assert pair.truth(parse(text)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("text", TEXTS)
def test_uniforms(text):
    side = 1.7
    expected = by_quadrature(text, uniform(0, 1).pdf, uniform(0, side).pdf, 0, side)
    assert Uniforms(10, 10, 1, side).truth(parse(text)) == pytest.approx(expected, abs=1e-6)


def test_dimensions_multiply():
    wide, one = Gaussians(10, 10, 3, 0, 1.3), Gaussians(10, 10, 1, 0, 1.3)
    for text in ("kl", "renyi:0.5"):
        assert wide.truth(parse(text)) == pytest.approx(3 * one.truth(parse(text)))
    assert wide.truth(parse("linear")) == pytest.approx(one.truth(parse("linear")) ** 3)


def test_what_has_no_closed_form_says_so():
    with pytest.raises(NotImplementedError):
        Gaussians(10, 10, 1).truth(AlphaBeta(0.1, 0.2))


def test_draws_have_the_sizes_and_faults_they_promise():
    rng = np.random.default_rng(0)
    for draw in (Gaussians(30, 20, 2), Uniforms(30, 20, 2, 2.0), Atoms(30, 20, 2), Subset(30, 40, 2)):
        x, y = draw(rng)
        assert (len(x), len(y)) == (draw.n, draw.m)
    x, y = Subset(30, 40, 2)(rng)
    assert {tuple(point) for point in x} <= {tuple(point) for point in y}
    pair = Gaussians(100, 100, 3)
    tenths = 10 * Changed(pair, rounded)(rng)[0]
    np.testing.assert_allclose(tenths, np.round(tenths), atol=1e-9)
    assert len(np.unique(Changed(pair, duplicated)(rng)[0], axis=0)) <= 40
    assert (Changed(pair, floored)(rng)[1] == -3).all(axis=1).sum() == 30
