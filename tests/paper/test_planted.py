"""What is planted in windows is what its name says."""

from functools import partial

import numpy as np
import pytest

from setwise.features.fields import Field
from setwise.features.windows import FieldWindows
from setwise.paper.planted import CORE, noise, planted_sets, rescaled, shear_layer, vortex

STILL = np.zeros((2, 41, 41))
STEPS = np.arange(41) - 20.0
X, Y = np.meshgrid(STEPS, STEPS)
R = np.hypot(X, Y)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(4))
def test_a_vortex_turns_around_the_middle_at_its_speed(seed):
    u, v = vortex(STILL, 2.0, rng(seed), amplitude=1.5)
    np.testing.assert_allclose(X * u + Y * v, 0, atol=1e-12)
    around = X * v - Y * u
    spin = np.sign(around[20, 25])
    assert (spin * around >= 0).all()
    speed = np.hypot(u, v)
    assert 0.98 * 3 < speed.max() <= 3
    # The largest speed of a Lamb-Oseen vortex is 1.1209 cores from its middle.
    assert abs(R[speed == speed.max()] - 1.1209 * CORE).max() < 0.5
    # Far outside its core it has one circulation, 2 pi r v: its peak is .6382 of that over 2 pi c.
    far = R > 4 * CORE
    np.testing.assert_allclose((speed * R)[far], 3 * CORE / 0.63817, rtol=1e-3)


def test_vortices_turn_either_way():
    ways = {float(np.sign(vortex(STILL, 1.0, rng(seed))[1][20, 25])) for seed in range(10)}
    assert ways == {-1.0, 1.0}


def test_a_stationary_vortex_is_not_carried_along():
    window = 5 + STILL + 0.1 * X
    np.testing.assert_allclose(vortex(window, 1.0, rng()).mean(axis=(1, 2)), 0, atol=1e-12)
    carried = vortex(window, 1.0, rng(), stationary=False)
    np.testing.assert_allclose(carried, vortex(window, 1.0, rng()) + 5, atol=1e-12)


def test_a_shear_layer_is_two_streams():
    u, v = shear_layer(STILL, 2.0, rng(), amplitude=1.5)
    speed = np.hypot(u, v)
    assert speed[20, 20] == 0
    assert np.median(speed) == pytest.approx(3, rel=1e-3)
    np.testing.assert_allclose(u[::-1, ::-1], -u, atol=1e-12)
    np.testing.assert_allclose(u * v[0, 0] - v * u[0, 0], 0, atol=1e-12)
    # The streams part along their own direction: the speed depends on the distance from that line alone.
    away = (X * v[0, 0] - Y * u[0, 0]) / speed[0, 0]
    np.testing.assert_allclose(speed, 3 * np.tanh(abs(away)), rtol=1e-3, atol=1e-12)


def test_noise_keeps_the_mean_and_nothing_else():
    window = 5 + STILL + X
    found = noise(window, 2.0, rng(), amplitude=1.5)
    # 2 x 1681 numbers: the standard errors of mean and deviation are .052 and .037.
    np.testing.assert_allclose(found.mean(axis=(1, 2)), window.mean(axis=(1, 2)), atol=5 * 3 / 41)
    assert found.std() == pytest.approx(3, abs=5 * 0.037 * 3)
    assert abs(np.corrcoef(found[0].ravel(), X.ravel())[0, 1]) < 5 / 41


def test_rescaled_keeps_the_mean():
    window = 5 + STILL + X
    found = rescaled(window, 1.0, rng(), amplitude=3.0)
    np.testing.assert_allclose(found, 5 + 3 * X + STILL)


def test_sets_of_changed_windows():
    flow = rng(1).normal(size=(2, 30, 40))
    field = Field({"u": flow[0], "v": flow[1]})
    before = flow.copy()
    windows = FieldWindows(5, standardize=True).fit(field)
    centres = [[10, 12], [11, 13], [27, 37]]  # the first two overlap, and do not meet each other's change
    same = planted_sets(windows, field, centres, lambda window, rms, rng: window)
    assert same == windows.sets_at(field, centres)
    seen = []

    def note(window, rms, rng):
        seen.append((window.copy(), rms))
        return window + 1

    shifted = planted_sets(windows, field, centres, note)
    np.testing.assert_allclose(shifted.points[:, 0], same.points[:, 0] + 1 / windows.scale_[0], rtol=1e-9)
    np.testing.assert_array_equal(shifted.points[:, 2], same.points[:, 2])
    np.testing.assert_array_equal(seen[1][0], flow[:, 9:14, 11:16])
    assert seen[0][1] == pytest.approx(np.sqrt((flow[0].var() + flow[1].var()) / 2))
    np.testing.assert_array_equal(flow, before)
    one = partial(vortex, amplitude=2.0)
    drawn = [planted_sets(windows, field, centres, one, random_state=seed) for seed in (0, 0, 1, 2, 3)]
    assert drawn[0] == drawn[1]
    assert any(drawn[0] != other for other in drawn[2:])
