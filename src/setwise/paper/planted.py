"""What is planted in windows of a flow, so that it is known where it is: vortices, and oddities of other kinds.

A window is its in-plane velocities, (2, ny, nx): along x, then along y. `rms` is the field's, the root of the mean
square of a velocity component about its mean; amplitudes are in units of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise.features.fields import Field
from setwise.features.windows import FieldWindows
from setwise.sets import SampleSets

Velocities = NDArray[Any]
Change = Callable[[Velocities, float, np.random.Generator], Velocities]

CORE = 2.5  # grid points
_PEAK = 0.6381726863389515  # the largest value of (1 - exp(-s^2)) / s


def vortex(
    window: Velocities, rms: float, rng: np.random.Generator, amplitude: float = 1.0, stationary: bool = True
) -> Velocities:
    """Add a Lamb-Oseen vortex around the middle, turning either way, with its largest speed `amplitude` rms.

    Its speed at the distance r is proportional to (1 - exp(-(r/c)^2)) / r, where c is the radius of the core. A
    stationary one, as the paper's are, is not carried along: the mean velocity is taken off the window.
    """
    x, y = _from_the_middle(window)
    s2 = (x**2 + y**2) / CORE**2
    turning = amplitude * rms / _PEAK / CORE * np.divide(-np.expm1(-s2), s2, out=np.ones_like(s2), where=s2 > 0)
    added: Velocities = turning * (np.stack([-y, x]) if rng.random() < 0.5 else np.stack([y, -x]))
    return window + added - (_mean(window) if stationary else 0)


def shear_layer(window: Velocities, rms: float, rng: np.random.Generator, amplitude: float = 1.0) -> Velocities:
    """Add two streams that pass each other through the middle, at `amplitude` rms each, in any direction."""
    x, y = _from_the_middle(window)
    angle = rng.uniform(0, 2 * np.pi)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    profile = np.tanh(across[0] * x + across[1] * y)
    added: Velocities = amplitude * rms * profile * along[:, None, None]
    return window + added


def noise(window: Velocities, rms: float, rng: np.random.Generator, amplitude: float = 1.0) -> Velocities:
    """In place of the flow, its mean velocity with independent Gaussian noise of `amplitude` rms."""
    return _mean(window) + rng.normal(scale=amplitude * rms, size=window.shape)


def rescaled(window: Velocities, rms: float, rng: np.random.Generator, amplitude: float = 3.0) -> Velocities:
    """The flow about its mean velocity, `amplitude` times as fast."""
    mean = _mean(window)
    return mean + amplitude * (window - mean)


def planted_sets(
    windows: FieldWindows,
    field: Field,
    centres: ArrayLike,
    change: Change,
    velocities: tuple[str, str] = ("u", "v"),
    random_state: int | np.random.Generator | None = None,
) -> SampleSets:
    """The sets of the windows with these middles, each with its own velocities changed and the field left as it is.

    `windows` is fitted, flat, of odd size, and so are its standardisation and features; `field` has two axes.
    """
    rng = np.random.default_rng(random_state)
    flow = np.stack([np.asarray(field[name], dtype=np.float64) for name in velocities])
    rms = float(np.sqrt(flow.var(axis=(1, 2)).mean()))
    ny, nx = np.broadcast_to(np.asarray(windows.size), 2)
    sets = []
    for y, x in np.asarray(centres, dtype=np.int64):
        rows, columns = slice(y - ny // 2, y + ny // 2 + 1), slice(x - nx // 2, x + nx // 2 + 1)
        changed = flow.copy()
        changed[:, rows, columns] = change(flow[:, rows, columns], rms, rng)
        sets.append(windows.sets_at(field.replace(dict(zip(velocities, changed, strict=True))), [[y, x]]))
    points = [one[0] for one in sets]
    return SampleSets(points, ids=[one.ids[0] for one in sets], feature_names=sets[0].feature_names)


def _mean(window: Velocities) -> Velocities:
    mean: Velocities = window.mean(axis=(1, 2), keepdims=True)
    return mean


def _from_the_middle(window: Velocities) -> tuple[Velocities, Velocities]:
    _, ny, nx = window.shape
    y, x = np.meshgrid(np.arange(ny) - (ny - 1) / 2, np.arange(nx) - (nx - 1) / 2, indexing="ij")
    return x, y
