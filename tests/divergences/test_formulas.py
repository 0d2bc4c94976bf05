"""Every divergence against the formula written out from distances alone, and against closed forms."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import digamma, gamma, gammaln

import setwise as sw
from setwise.neighbours import reference
from tests.divergences.examples import EVERY, IDS, gaussian_sets

K = 6


def balls(x, y, k):
    """rho, nu, and the counts l, q in the matched ball."""
    own = np.sort(cdist(x, x), axis=1)[:, 1:]
    cross = np.sort(cdist(x, y), axis=1)
    rho, nu = own[:, k - 1], cross[:, k - 1]
    radius = np.maximum(rho, nu)[:, None] * (1 + 1e-9)
    return rho, nu, (own <= radius).sum(1), (cross <= radius).sum(1)


def d_hat(a, b, x, y, k, matched=False):
    """Equation D-hat of the paper, or its matched form."""
    (n, d), m = x.shape, len(y)
    rho, nu, l_in, q_in = balls(x, y, k)
    if matched:
        terms = gamma(l_in) / gamma(l_in - a) * gamma(q_in) / gamma(q_in - b)
        return terms.mean() * (n - 1.0) ** -a * float(m) ** -b
    c = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
    constant = c ** (-a - b) * gamma(k) ** 2 / (gamma(k - a) * gamma(k - b))
    return constant / (n * (n - 1.0) ** a * float(m) ** b) * (rho ** (-d * a) * nu ** (-d * b)).sum()


def own_square(x, k):
    return d_hat(1, 0, x, x + 1e3, k)


def signed_root(v):
    return math.copysign(math.sqrt(abs(v)), v)


def kl(x, y, k, matched):
    (n, d), m = x.shape, len(y)
    rho, nu, l_in, q_in = balls(x, y, k)
    mean = (digamma(l_in) - digamma(q_in)).mean() if matched else d * np.log(nu / rho).mean()
    return mean + math.log(m / (n - 1))


def log_share(l_in, q_in, n, m):
    """log p/m at one ball, as docs/decisions/jensen-shannon.md writes it."""
    w_x, w_y = 1 / (2 * (n - 1)), 1 / (2 * m)
    s = 1 if l_in > q_in else 0 if l_in < q_in else 1 / 2
    strictly_x, strictly_y = l_in + s, q_in + 1 - s
    u = (w_x**2 * strictly_x + w_y**2 * strictly_y) / (w_x * strictly_x + w_y * strictly_y)
    c = (w_x * (strictly_x - 1) + w_y * (strictly_y - 1)) / u
    return digamma(l_in) + s / l_in - math.log(n - 1) - math.log(u) - digamma(c + 1)


def js(x, y, k):
    halves = []
    for a, b in ((x, y), (y, x)):
        _, _, l_in, q_in = balls(a, b, k)
        halves.append(np.mean([log_share(*counts, len(a), len(b)) for counts in zip(l_in, q_in, strict=True)]))
    return sum(halves) / 2


def expected(divergence, x, y, k):
    matched = getattr(divergence, "radius", "paper") == "matched"
    match type(divergence).name:
        case "linear":
            return d_hat(0, 1, x, y, k)
        case "l2":
            last = d_hat(-1, 2, x, y, k) if divergence.cross else own_square(y, k)
            return signed_root(own_square(x, k) - 2 * d_hat(0, 1, x, y, k) + last)
        case "bhattacharyya":
            return d_hat(-0.5, 0.5, x, y, k, matched)
        case "hellinger":
            return signed_root(1 - d_hat(-0.5, 0.5, x, y, k, matched))
        case "renyi":
            order = divergence.alpha
            return math.log(d_hat(order - 1, 1 - order, x, y, k, matched)) / (order - 1)
        case "tsallis":
            order = divergence.alpha
            return (d_hat(order - 1, 1 - order, x, y, k, matched) - 1) / (order - 1)
        case "kl":
            return kl(x, y, k, matched)
        case "js":
            return js(x, y, k)
        case "alphabeta":
            return d_hat(divergence.a, divergence.b, x, y, k)


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.8])
def test_the_term_of_js_has_no_bias_where_densities_are_flat(chance):
    """A ball that grows until it holds k of both draws from X with one chance t = p / (p + q), so that p / m = 2 t."""
    k, most, m = 5, 2000, 700
    counts = np.arange(k, most)
    chances = [
        np.exp(gammaln(k + counts) - gammaln(k) - gammaln(counts + 1) + k * np.log(last) + counts * np.log(1 - last))
        for last in (chance, 1 - chance)  # the point on the edge is of X, and X has k; of Y, and Y has k
    ]
    few = np.full(len(counts), float(k))
    terms = [reference.log_share(few, counts, m + 1, m), reference.log_share(counts.astype(float), few, m + 1, m)]
    assert sum(one.sum() for one in chances) == pytest.approx(1)
    assert sum((p * term).sum() for p, term in zip(chances, terms, strict=True)) == pytest.approx(math.log(2 * chance))


@pytest.mark.parametrize("divergence", EVERY, ids=IDS)
def test_values_are_the_formulas(divergence):
    x, y = gaussian_sets((40, 55)), gaussian_sets((61, 47, 33), shift=0.5, seed=1)
    got = sw.pairwise_divergences(x, y, divergence, k=K)
    want = [[expected(divergence, a, b, K) for b in y] for a in x]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("divergence", EVERY, ids=IDS)
def test_against_itself_is_the_same_off_the_diagonal_and_exact_on_it(divergence):
    sets = gaussian_sets()
    got = sw.pairwise_divergences(sets, divergence=divergence, k=K)
    want = np.array([[0 if a is b else expected(divergence, a, b, K) for b in list(sets)] for a in list(sets)])
    off = ~np.eye(len(sets), dtype=bool)
    np.testing.assert_allclose(got[off], want[off], rtol=1e-5, atol=1e-5)
    match type(divergence).name:
        case "bhattacharyya":
            exact = [1.0] * len(sets)
        case "linear":
            exact = [own_square(x, K) for x in sets]
        case "alphabeta" if divergence.a + divergence.b:
            exact = [d_hat(divergence.a + divergence.b, 0, x, x + 1e3, K) for x in sets]
        case "alphabeta":
            exact = [1.0] * len(sets)
        case _:
            exact = [0.0] * len(sets)
    np.testing.assert_allclose(np.diag(got), exact, rtol=1e-6)


def test_signed_roots_keep_the_sign():
    sets = gaussian_sets((30, 30, 30), shift=0, seed=2)
    for name in ("hellinger", "l2"):
        values = sw.pairwise_divergences(sets, divergence=name, k=K)
        assert (values < 0).any()
        assert np.isfinite(values).all()


def test_tsallis_and_renyi_tend_to_kl():
    sets = gaussian_sets()
    table = sw.divergence_table(sets, divergences=["kl", "renyi:0.9999", "tsallis:0.9999"], k=K)
    np.testing.assert_allclose(table["renyi:0.9999", K], table["kl", K], atol=2e-3)
    np.testing.assert_allclose(table["tsallis:0.9999", K], table["kl", K], atol=2e-3)


def test_far_apart_js_is_ln_2_less_the_k_points_that_the_ball_must_reach():
    sets = gaussian_sets((200, 150), shift=50)
    value = sw.pairwise_divergences(sets, divergence="js")[0, 1]
    assert math.log(2) - 5 / 150 < value < math.log(2)


@pytest.mark.filterwarnings("ignore:many estimates are clearly negative:setwise.errors.RangeWarning")
def test_two_thousand_dimensions():
    rng = np.random.default_rng(0)
    sets = sw.SampleSets([rng.normal(size=(20, 2000)) + 0.1 * i for i in range(2)])
    names = ["renyi:0.9", "kl", "hellinger", "js", "tsallis:0.5:matched", "bhattacharyya"]
    table = sw.divergence_table(sets, divergences=names)
    assert all(np.isfinite(table[name, 5]).all() for name in names)
    with pytest.warns(sw.RangeWarning, match="beyond float64"):
        values = sw.divergence_table(sets, divergences=["linear", "l2", "alphabeta:0.2:0.3"])
    for divergence in values.divergences:
        assert set(np.unique(values[divergence, 5])) <= {0.0, math.inf, -math.inf}


def test_l2_takes_the_root_before_it_overflows():
    rng = np.random.default_rng(0)
    wide = sw.SampleSets([1e-12 * rng.normal(size=(20, 30)) * (1 + i) for i in range(2)])
    with pytest.warns(sw.RangeWarning, match="linear"):
        table = sw.divergence_table(wide, divergences=["l2", "linear"])
    assert np.isinf(table["linear", 5]).any()
    assert np.isfinite(table["l2", 5]).all()
