"""What an image is here: a grey picture whose values are weights, 0 where there is nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise.errors import InputError
from setwise.refusals import Id, checked_ids

Image: TypeAlias = NDArray[np.float64]
Images: TypeAlias = NDArray[Any] | Sequence[ArrayLike]


def checked_images(images: Images, ids: Iterable[object] | None) -> tuple[list[NDArray[Any]], tuple[Id, ...]]:
    """The images as 2-d arrays of finite numbers, not yet copied, and an id each; a single 2-d array is one image."""
    if isinstance(images, np.ndarray) and images.dtype != object and images.ndim == 2:
        images = images[None]
    if isinstance(images, str | bytes) or not hasattr(images, "__len__"):
        raise InputError(
            f"images is a {type(images).__name__}; give a 2-d array, a stack (T, height, width) or a list."
        )
    if not len(images):
        raise InputError("no images given: images is empty; give at least one 2-d array.")
    names = checked_ids(range(len(images)) if ids is None else ids, len(images))
    return [_checked(image, name) for image, name in zip(images, names, strict=True)], names


def _checked(image: ArrayLike, name: Id) -> NDArray[Any]:
    array = np.asarray(image)
    if array.dtype.kind not in "fiub":
        raise InputError(f"image {name!r} holds {array.dtype}, not real numbers; convert it: image.astype(float).")
    if array.ndim != 2 or not array.size:
        grey = " Make it grey, as in image.mean(axis=-1)." if array.ndim == 3 else ""
        raise InputError(f"image {name!r} has shape {array.shape}; an image is (height, width).{grey}")
    if not np.isfinite(array).all():
        raise InputError(f"image {name!r} has NaN or inf in {int((~np.isfinite(array)).sum())} pixels; fill them in.")
    return array
