"""Images as point clouds, with probability proportional to ink, and point clouds as images again.

Points are (x, y): x to the right, y downwards as rows are counted, both from the image's upper left corner. A pixel is
the square between two whole numbers. The "unit" coordinates put the middle of the image at 0 and let its longer side
run from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from setwise.errors import InputError
from setwise.features.images import Image, Images, checked_images
from setwise.refusals import Id, is_number, is_whole
from setwise.sets import SampleSets, Sets, as_sets

Units: TypeAlias = Literal["pixel", "unit"]

NAMES = ("x", "y")


def image_sets(
    images: Images,
    n_points: int = 500,
    *,
    enlarged: int = 1,
    noise: float = 0.0,
    units: Units = "pixel",
    jitter: bool = True,
    ids: Iterable[object] | None = None,
    random_state: int | np.random.Generator | None = None,
) -> SampleSets:
    """Draw a point cloud from each image, as from a distribution whose density is the image's ink.

    The paper's noisy USPS digits (section "USPS Classification") are `enlarged=10, noise=0.1`.

    Parameters
    ----------
    images : (T, height, width) array, list of 2-d arrays of any sizes, or one 2-d array
        Ink: at least 0, and 0 where the page is blank. Of a picture that is dark on white, give `255 - image`.
    n_points : int
        Points a cloud.
    enlarged : int
        Enlarge images this many times before points are drawn. Coordinates stay those of the image that was given.
    noise : float
        Variance, along each axis, of Gaussian noise that is added to the points, in `units`.
    units : "pixel" or "unit"
        Coordinates of the points and of the noise: pixels of the image that was given, or its longer side from -1 to 1.
    jitter : bool
        Spread points evenly over their pixel (of the enlarged image), instead of putting them in its middle.
    """
    if not is_whole(n_points) or n_points < 1:
        raise InputError(f"n_points={n_points!r} is not allowed; give an integer of at least 1.")
    if not is_number(noise) or noise < 0:
        raise InputError(f"noise={noise!r} is not allowed; give a variance, a number of at least 0.")
    check_enlarged(enlarged)
    check_units(units)
    rng = np.random.default_rng(random_state)
    checked, names = checked_images(images, ids)
    clouds = np.empty((len(checked), n_points, 2))
    for cloud, image, name in zip(clouds, checked, names, strict=True):
        ink = enlarge(_as_ink(image, name), enlarged)
        cloud[:] = in_units(_draw(ink, n_points, jitter, rng) / enlarged, image.shape, units)
        if noise:
            cloud += rng.normal(scale=np.sqrt(noise), size=cloud.shape)
    return SampleSets(clouds, ids=names, feature_names=NAMES)


def count_images(sets: Sets, shape: tuple[int, int], *, enlarged: int = 1, units: Units = "pixel") -> NDArray[np.int32]:
    """Count the points of each cloud in each pixel: the raw image of a noisy cloud, (T, height, width).

    Points that noise carried off the page are not counted.

    Parameters
    ----------
    sets : the clouds, in the coordinates that `image_sets` gave them
    shape : (height, width) of the images they were drawn from
    enlarged : count on a grid this many times finer
    units : the coordinates of the points
    """
    clouds = as_sets(sets)
    if clouds.dim != 2:
        raise InputError(f"set {clouds.ids[0]!r} has {clouds.dim} columns; a point of an image has two, x and y.")
    if len(shape) != 2 or not all(is_whole(side) and side > 0 for side in shape):
        raise InputError(f"shape={shape!r} is not allowed; give the (height, width) of the images.")
    check_enlarged(enlarged)
    check_units(units)
    height, width = shape[0] * enlarged, shape[1] * enlarged
    counts = np.zeros((len(clouds), height * width), dtype=np.int32)
    for count, points in zip(counts, clouds, strict=True):
        x, y = np.floor(_in_pixels(points.astype(np.float64), shape, units) * enlarged).T
        on_page = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        places = (y[on_page] * width + x[on_page]).astype(np.intp)
        count[:] = np.bincount(places, minlength=height * width)
    return counts.reshape(-1, height, width)


def enlarge(image: Image, times: int) -> Image:
    """The image with `times` as many pixels a side, linear between the middles of the old ones."""
    if times == 1:
        return image
    larger: Image = ndimage.zoom(image, times, order=1, mode="nearest", grid_mode=True)
    return larger


def pixel_points(x: NDArray[np.intp], y: NDArray[np.intp], jitter: bool, rng: np.random.Generator) -> Image:
    """A point in each of these pixels: anywhere in it, or in its middle."""
    within: Image = rng.random((len(x), 2)) if jitter else np.full((len(x), 2), 0.5)
    within += np.column_stack([x, y])
    return within


def in_units(points: Image, shape: tuple[int, ...], units: Units) -> Image:
    """Points from pixels to the asked coordinates."""
    return points if units == "pixel" else (points - _middle(shape)) * (2 / max(shape))


def check_units(units: object) -> None:
    if units not in ("pixel", "unit"):
        raise InputError(f"units={units!r} is not known; choose 'pixel' or 'unit' (the longer side from -1 to 1).")


def check_enlarged(enlarged: object) -> None:
    if not is_whole(enlarged) or enlarged < 1:  # type: ignore[operator]
        raise InputError(f"enlarged={enlarged!r} is not allowed; give an integer of at least 1.")


def _in_pixels(points: Image, shape: tuple[int, int], units: Units) -> Image:
    return points if units == "pixel" else points * (max(shape) / 2) + _middle(shape)


def _middle(shape: tuple[int, ...]) -> Image:
    return np.array([shape[1] / 2, shape[0] / 2])


def _as_ink(image: NDArray[np.generic], name: Id) -> Image:
    ink: Image = image.astype(np.float64)
    if ink.min() < 0:
        raise InputError(
            f"image {name!r} has negative ink (its least value is {ink.min():g}); ink is at least 0 and 0 where the "
            "page is blank: shift the values, as in image - image.min()."
        )
    if not ink.any():
        raise InputError(f"image {name!r} has no ink: all its pixels are 0, so that no point can be drawn. Drop it.")
    ink /= ink.max()
    return ink


def _draw(ink: Image, n_points: int, jitter: bool, rng: np.random.Generator) -> Image:
    """Points (x, y) in pixels of this image, by the inverse of the cumulative ink."""
    inked = np.flatnonzero(ink)
    cumulative = np.cumsum(ink.ravel()[inked])
    chosen = np.searchsorted(cumulative, rng.random(n_points) * cumulative[-1], side="right")
    y, x = np.divmod(inked[np.minimum(chosen, len(inked) - 1)], ink.shape[1])
    return pixel_points(x, y, jitter, rng)
