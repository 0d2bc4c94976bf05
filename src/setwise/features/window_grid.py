"""Where the windows of a field are: their size, where they start, and what each result looks like on the field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise.errors import InputError
from setwise.features.fields import Field
from setwise.refusals import as_list, is_whole

Places: TypeAlias = NDArray[np.int64]

_PLANES = {"xy": "z", "xz": "y", "yz": "x"}  # and the axis across each


@dataclass(frozen=True)
class WindowGrid:
    """The middles of windows: every combination of a few places along each axis, the last axis fastest.

    Attributes
    ----------
    axes : the names of the field's axes
    places : for each axis, the middles of the windows along it
    across : the axis that has one place, of the plane that was asked for, and is left out of `shape`; or None
    """

    axes: tuple[str, ...]
    places: tuple[NDArray[np.float64], ...]
    across: int | None = None

    def __len__(self) -> int:
        return int(np.prod([len(along) for along in self.places]))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many windows there are along each axis."""
        return tuple(len(along) for axis, along in enumerate(self.places) if axis != self.across)

    @property
    def centres(self) -> NDArray[np.float64]:
        """The middle of each window, (windows, axes), in grid points; between two where the window's size is even."""
        return np.stack([along.ravel() for along in np.meshgrid(*self.places, indexing="ij")], axis=1)

    @property
    def ids(self) -> list[str]:
        """A name of each window's place, such as "y12_x40"."""
        names = ([f"{axis}{at:g}" for at in along] for axis, along in zip(self.axes, self.places, strict=True))
        return ["_".join(parts) for parts in product(*names)]

    def image(self, values: ArrayLike) -> NDArray[Any]:
        """One value (or row of values) a window as an image of the field: an array of this `shape`."""
        array = np.asarray(values)
        if array.ndim < 1 or len(array) != len(self):
            raise InputError(f"values has shape {array.shape}; give one value for each of the {len(self)} windows.")
        return array.reshape(self.shape + array.shape[1:])

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """(left, right, bottom, top) for matplotlib's `imshow(grid.image(values), origin="lower", extent=...)`."""
        if len(self.shape) != 2:
            raise InputError(f"the windows' image has shape {self.shape}, which no picture has; take one plane of it.")
        bottom_top, left_right = (_ends(along) for axis, along in enumerate(self.places) if axis != self.across)
        return (*left_right, *bottom_top)


@dataclass(frozen=True)
class Layout:
    """Windows in a field: their size, and where they start along each axis (before 0 where the field is periodic).

    `across` is the axis that flat windows stand across; `dropped` is the same where there is only one plane.
    """

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    starts: tuple[Places, ...]
    across: int | None
    dropped: int | None

    def grid(self) -> WindowGrid:
        middles = tuple(np.add(along, (size - 1) / 2) for along, size in zip(self.starts, self.sizes, strict=True))
        return WindowGrid(self.axes, middles, self.dropped)

    def part(self, block: tuple[slice, ...]) -> Layout:
        return self.only(tuple(along[chosen] for along, chosen in zip(self.starts, block, strict=True)))

    def only(self, starts: tuple[Places, ...]) -> Layout:
        return replace(self, starts=starts)

    def blocks(self, most: int) -> Iterator[tuple[slice, ...]]:
        """Parts of at most this many windows (or one), which one after the other are all windows in their order."""
        steps: list[int] = []
        for along in reversed(self.starts):
            steps.insert(0, max(1, min(most, len(along))))
            most = most // len(along) if steps[0] == len(along) else 0
        yield from product(
            *(
                [slice(at, at + step) for at in range(0, len(along), step)]
                for along, step in zip(self.starts, steps, strict=True)
            )
        )

    def reach(self) -> tuple[list[Places], list[Places]]:
        """The field's points that these windows need along each axis, and where each window starts among them."""
        needed, first = [], []
        for axis, (along, size) in enumerate(zip(self.starts, self.sizes, strict=True)):
            if axis == self.across:  # planes may be far apart
                needed.append(along)
                first.append(np.arange(len(along)))
            else:
                needed.append(np.arange(along[0], along[-1] + size) % self.shape[axis])
                first.append(along - along[0])
        return needed, first


def layout(field: Field, size: Any, stride: Any, plane: Any, at: Any, periodic: bool) -> Layout:
    """The windows of a field, from what `FieldWindows` was given, which is checked."""
    if not isinstance(field, Field):
        raise InputError(f"field is a {type(field).__name__}; give a Field, as in Field({{'u': u, 'v': v}}).")
    across = _across(field, plane, at)
    inside = [axis for axis in range(len(field.shape)) if axis != across]
    sizes, strides = per_axis("size", size, len(inside)), per_axis("stride", stride, len(inside))
    boxes = dict.fromkeys(range(len(field.shape)), 1)
    starts: dict[int, Places] = {}
    if across is not None:
        starts[across] = _planes(field, across, at)
    for axis, length, step in zip(inside, sizes, strides, strict=True):
        most = field.shape[axis]
        if length > most:
            raise InputError(
                f"a window of {times(sizes)} is larger than the field, which has {most} points along "
                f"{field.axes[axis]} ({times(field.shape)} in all); give a smaller size."
            )
        boxes[axis] = length
        around = np.arange(0, most, step) - (length - 1) // 2
        starts[axis] = around if periodic else np.arange(0, most - length + 1, step)
    dropped = across if across is not None and (is_whole(at) or field.shape[across] == 1) else None
    return Layout(
        field.axes, field.shape, tuple(boxes.values()), tuple(starts[axis] for axis in boxes), across, dropped
    )


def per_axis(what: str, given: Any, n_axes: int) -> list[int]:
    """Integers of at least 1, one an axis."""
    each = [given] * n_axes if is_whole(given) else as_list(given, what, "whole numbers")
    if len(each) != n_axes or not all(is_whole(one) and one > 0 for one in each):
        raise InputError(f"{what}={given!r} is not allowed; give an integer of at least 1, or {n_axes} of them.")
    return [int(one) for one in each]


def times(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _across(field: Field, plane: object, at: object) -> int | None:
    if plane is None:
        if at is not None:
            raise InputError(f"at={at!r} says which planes, but not of which kind; give plane='xy' too.")
        return None
    if plane not in _PLANES:
        raise InputError(f"plane={plane!r} is not known; choose {', '.join(map(repr, _PLANES))}.")
    if len(field.shape) == 2:
        raise InputError(f"plane={plane!r} is of a field with three axes, and this one has two; leave it out.")
    return field.axes.index(_PLANES[str(plane)])


def _planes(field: Field, across: int, at: Any) -> Places:
    most = field.shape[across]
    if at is None:
        return np.arange(most)
    asked = [at] if is_whole(at) else as_list(at, "at", "whole numbers")
    if not asked or not all(is_whole(one) and 0 <= one < most for one in asked) or len(set(asked)) < len(asked):
        raise InputError(
            f"at={at!r} is not allowed; give different numbers from 0 to {most - 1}, the field's points along "
            f"{field.axes[across]}."
        )
    return np.array(asked, dtype=np.int64)


def _ends(along: NDArray[np.float64]) -> tuple[float, float]:
    half = (along[1] - along[0]) / 2 if len(along) > 1 else 0.5
    return float(along[0] - half), float(along[-1] + half)
