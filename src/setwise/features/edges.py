"""Edges of an image, and their places as a set of points (paper, section on COIL: embedding of edge-detected views)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import ndimage

from setwise.errors import InputError
from setwise.features.images import Image, Images, checked_images
from setwise.features.pixels import NAMES, Units, check_units, in_units, pixel_points
from setwise.refusals import is_number
from setwise.sets import SampleSets

_EIGHT = np.ones((3, 3), dtype=bool)  # neighbours by sides and corners
_FLAT = 1e-9  # a gradient this small beside the values is rounding: the image is of one colour


def edge_sets(
    images: Images,
    *,
    sigma: float = 1.0,
    low: float = 0.04,
    high: float = 0.1,
    units: Units = "pixel",
    jitter: bool = True,
    ids: Iterable[object] | None = None,
    random_state: int | np.random.Generator | None = None,
) -> SampleSets:
    """The edge pixels of each image as a set of points (x, y), as many as there are.

    Parameters
    ----------
    images : (T, height, width) array, list of 2-d arrays of any sizes, or one 2-d array
        Grey images.
    sigma, low, high : see `canny`
    units : "pixel" or "unit"
        Coordinates, as those of `image_sets`.
    jitter : bool
        Spread points evenly over their pixel. In the middles of pixels, the distances of edges are those of a lattice,
        and most of them tie.
    """
    check_units(units)
    rng = np.random.default_rng(random_state)
    checked, names = checked_images(images, ids)
    clouds = []
    for image, name in zip(checked, names, strict=True):
        y, x = np.nonzero(canny(image, sigma, low, high))
        if not len(x):
            raise InputError(
                f"image {name!r} has no edges at sigma={sigma:g}, low={low:g}, high={high:g}; lower them, or drop it."
            )
        clouds.append(in_units(pixel_points(x, y, jitter, rng), image.shape, units))
    return SampleSets(clouds, ids=names, feature_names=NAMES)


def canny(image: ArrayLike, sigma: float = 1.0, low: float = 0.04, high: float = 0.1) -> NDArray[np.bool_]:
    """Edges one pixel wide, by Canny's method: smooth, differentiate, keep ridges, keep what hangs on a strong one.

    Parameters
    ----------
    image : 2-d array
    sigma : standard deviation of the Gaussian that smooths the image, in pixels
    low, high : what the gradient must exceed on an edge: `high` somewhere, `low` everywhere
        In parts of the largest gradient of the smoothed image, so that contrast does not matter.
    """
    (array,), _ = checked_images(np.asarray(image)[None], None)
    _check(sigma, low, high)
    values = array.astype(np.float64)
    smooth = ndimage.gaussian_filter(values, sigma, mode="nearest")
    gradient = np.stack([ndimage.sobel(smooth, axis, mode="nearest") for axis in (0, 1)])
    magnitude = np.hypot(*gradient)
    largest = magnitude.max()
    if largest <= _FLAT * np.abs(values).max():
        return np.zeros(values.shape, dtype=bool)
    ridge = _is_ridge(magnitude, gradient) & (magnitude > low * largest)
    labels, n_parts = ndimage.label(ridge, structure=_EIGHT)
    strong = np.zeros(n_parts + 1, dtype=bool)
    strong[labels[ridge & (magnitude > high * largest)]] = True
    edges: NDArray[np.bool_] = strong[labels]
    return edges


def _is_ridge(magnitude: Image, gradient: Image) -> NDArray[np.bool_]:
    """Where the magnitude is largest along the gradient, among the points where that line leaves the pixel's ring."""
    steps = gradient / np.maximum(np.abs(gradient).max(axis=0), np.finfo(np.float64).tiny)
    places = np.indices(magnitude.shape)

    def at(direction: int) -> Image:
        beside: Image = ndimage.map_coordinates(magnitude, places + direction * steps, order=1, mode="constant")
        return beside

    # A plateau of two equal pixels is one edge: strict on one side only.
    return (magnitude > at(-1)) & (magnitude >= at(1))


def _check(sigma: float, low: float, high: float) -> None:
    if not is_number(sigma) or sigma < 0:
        raise InputError(f"sigma={sigma!r} is not allowed; give a number of at least 0.")
    if not (is_number(low) and is_number(high) and 0 <= low <= high):
        raise InputError(f"low={low!r} and high={high!r} are not allowed; give numbers with 0 <= low <= high.")
