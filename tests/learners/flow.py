"""Windows of a flow, with and without a planted vortex: the turbulence experiment (section 6.4 of the paper), small.

A vortex adds velocities of all directions to those of its window, so that windows with one lie close to all others,
which lie far from each other. Under a squared divergence no feature space holds such distances: the squared length of
the difference between the classes' means is negative, and rows that are not projected are answered upside down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.kernels.matrix import Array

SIDE = 11
ROWS, COLUMNS = np.mgrid[-5:6, -5:6].astype(float)


class Windows(NamedTuple):
    train: list[Array]
    y_train: Array
    test: list[Array]
    y_test: Array


def plane(rng: np.random.Generator, size: int = 256, largest: int = 2) -> Array:
    """A periodic flow without divergence, (size, size, 2), of root mean square 1, with little in its small scales."""
    wave = np.fft.fftfreq(size, 1 / size)
    kx, ky = np.meshgrid(wave, wave)
    k = np.hypot(kx, ky)
    shape = np.where((k > 0) & (k <= largest), np.maximum(k, 1) ** -3.0, 0.0)
    psi = np.fft.fft2(rng.normal(size=(size, size))) * shape
    velocity = np.stack([np.fft.ifft2(1j * ky * psi).real, -np.fft.ifft2(1j * kx * psi).real], axis=-1)
    return velocity / velocity.std()


def vortex(speed: float, core: float) -> Array:
    """A Lamb-Oseen vortex in a window, whose largest speed, at the core's radius, is `speed`."""
    radius = np.maximum(np.hypot(COLUMNS, ROWS), 1e-12)
    around = speed * (1 - np.exp(-1.25643 * (radius / core) ** 2)) * core / radius / 0.71533
    return np.stack([-ROWS / radius * around, COLUMNS / radius * around], axis=-1)


def windows(
    velocity: Array, rng: np.random.Generator, n_test: int = 30, speed: float = 0.8, core: float = 5.0
) -> Windows:
    """11 windows with a vortex and 20 without from one half of the plane, n_test of each from the other half."""
    down, across = (size // SIDE for size in velocity.shape[:2])
    train, y_train = _draw(velocity, rng, 11, 20, (down, 0, across // 2), speed, core)
    test, y_test = _draw(velocity, rng, n_test, n_test, (down, across // 2, across), speed, core)
    return Windows(train, y_train, test, y_test)


def class_distance(gram: Array, y: Array) -> float:
    """The squared length of the difference between the means of both classes."""
    direction = np.where(y == 1, 1 / (y == 1).sum(), -1 / (y == 0).sum())
    return float(direction @ gram @ direction)


def _draw(
    velocity: Array,
    rng: np.random.Generator,
    n_with: int,
    n_without: int,
    tiles: tuple[int, int, int],
    speed: float,
    core: float,
) -> tuple[list[Array], Array]:
    """Sets of (u, v, squared distance from the centre), each of unit variance over the field; no windows overlap."""
    away = (ROWS**2 + COLUMNS**2).ravel()
    away = (away - away.mean()) / away.std()
    deviation = velocity.std(axis=(0, 1))
    planted = vortex(speed, core) * np.sqrt((velocity**2).mean())
    down, first, last = tiles
    sets = []
    for i, tile in enumerate(rng.choice(down * (last - first), n_with + n_without, replace=False)):
        row, column = SIDE * (tile // (last - first)), SIDE * (first + tile % (last - first))
        window = velocity[row : row + SIDE, column : column + SIDE]
        if i < n_with:
            window = window + rng.choice([-1, 1]) * planted
        sets.append(np.column_stack([window.reshape(-1, 2) / deviation, away]))
    return sets, np.repeat([1, 0], [n_with, n_without])
