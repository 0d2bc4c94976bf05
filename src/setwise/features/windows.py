"""Windows of a flow field as sample sets: each grid point in a window is a point of its set.

As in the paper (section "Turbulence Data"): "Distributions are defined on the x and y components of each velocity in an
11 x 11 square, along with that point's squared distance from the center".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from setwise.errors import InputError
from setwise.features.fields import R2, Field
from setwise.features.window_grid import Layout, WindowGrid, layout, times
from setwise.refusals import as_list, listed
from setwise.sets import SampleSets

_MEMORY = 1 << 28  # bytes of points


@dataclass(frozen=True)
class Windows:
    """Windows of a field: the sets, and the grid of their places, which their ids tell too ("y12_x40")."""

    sets: SampleSets
    grid: WindowGrid

    @property
    def centres(self) -> NDArray[np.float64]:
        """The middle of each set's window, (windows, axes), in grid points."""
        return self.grid.centres

    @property
    def shape(self) -> tuple[int, ...]:
        """How many windows there are along each axis."""
        return self.grid.shape

    def image(self, values: ArrayLike) -> NDArray[Any]:
        """One value a set as an image of the field (see `WindowGrid.image`)."""
        return self.grid.image(values)


class FieldWindows(BaseEstimator):  # type: ignore[misc]
    """Cut a field into windows, each the sample set of what is found at its grid points.

    Parameters
    ----------
    size, stride : int, or one an axis of the window in the order of the field's axes
        Grid points a window has along each axis, and from one window to the next.
    plane : "xy", "xz" or "yz", optional
        Of a three-dimensional field: flat windows in these planes. Left out, windows have all of the field's axes.
    at : int or sequence of int, optional
        Which of those planes; left out, all of them.
    features : sequence of str, optional
        Components of the field, and "r2" for the squared distance from the window's middle, in grid points. Left out,
        every component, then "r2".
    relative : sequence of str
        Components that are taken about their mean in each window, so that it does not matter how fast the flow carries
        the window along.
    periodic : bool
        The field continues at its opposite side, so that windows have their middles at every stride-th point of it.
    standardize : bool
        Bring every feature to mean 0 and variance 1 over the field that was fitted. A constant is only shifted.

    Attributes
    ----------
    features_ : the features
    mean_, scale_ : what is taken off each feature, and what it is divided by
    """

    def __init__(
        self,
        size: int | Sequence[int] = 11,
        stride: int | Sequence[int] = 1,
        *,
        plane: Literal["xy", "xz", "yz"] | None = None,
        at: int | Sequence[int] | None = None,
        features: Sequence[str] | None = None,
        relative: Sequence[str] = (),
        periodic: bool = False,
        standardize: bool = False,
    ) -> None:
        self.size = size
        self.stride = stride
        self.plane = plane
        self.at = at
        self.features = features
        self.relative = relative
        self.periodic = periodic
        self.standardize = standardize

    def fit(self, field: Field) -> FieldWindows:
        """Learn the features of a field and, where they are to be standardised, their means and deviations."""
        sizes = self._layout(field).sizes
        names = [*field.names, R2] if self.features is None else as_list(self.features, "features", "names")
        if not names or len(set(names)) < len(names) or not set(names) <= {*field.names, R2}:
            raise InputError(f"features={names} is not allowed; give different ones of {listed([*field.names, R2])}.")
        relative = as_list(self.relative, "relative", "names")
        if not set(relative) <= {*names} - {R2}:
            raise InputError(f"relative={relative} is not allowed; give components that are among the features.")
        moments = [(0.0, 1.0)] * len(names)
        if self.standardize:
            r2 = _squared_distances(sizes)
            moments = [(r2.mean(), r2.std()) if name == R2 else field.moments(name) for name in names]
        self.features_ = tuple(names)
        self.mean_ = np.array([0 if name in relative else mean for name, (mean, _) in zip(names, moments, strict=True)])
        self.scale_ = np.array([deviation or 1.0 for _, deviation in moments])
        return self

    def transform(self, field: Field) -> Windows:
        """All windows of a field."""
        whole = self._fitted(field)
        points = np.empty((*map(len, whole.starts), *self._one(whole)), dtype=self._dtype(field))
        for block in whole.blocks(self._most(whole, field, _MEMORY)):
            points[block] = self._points(field, whole.part(block))
        return self._windows(points, whole.grid())

    def fit_transform(self, field: Field) -> Windows:
        """`fit` and `transform` of the same field."""
        return self.fit(field).transform(field)

    def blocks(self, field: Field, memory: int = _MEMORY) -> Iterator[Windows]:
        """The windows of a field a block at a time, in the order of `grid`, for a field larger than memory.

        `memory` is how many bytes the points of a block may take. What is computed of the blocks, one after the other,
        is drawn by `grid(field).image(numpy.concatenate(values))`.
        """
        whole = self._fitted(field)
        for block in whole.blocks(self._most(whole, field, memory)):
            part = whole.part(block)
            yield self._windows(self._points(field, part), part.grid())

    def grid(self, field: Field) -> WindowGrid:
        """Where the windows of a field are."""
        return self._layout(field).grid()

    def sets_at(self, field: Field, centres: ArrayLike) -> SampleSets:
        """The windows with these middles, (windows, axes), whether or not `stride` would come by them."""
        whole = self._fitted(field)
        given = np.asarray(centres, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != len(field.shape) or not len(given):
            raise InputError(f"centres has shape {given.shape}; give a row a window, of its {', '.join(field.axes)}.")
        first = given - (np.array(whole.sizes) - 1) / 2
        inside = (first >= 0) & (first + whole.sizes <= field.shape)
        if self.periodic:
            inside |= [axis != whole.across for axis in range(len(field.shape))]
        fits = (inside & (first == np.rint(first))).all(axis=1)
        if not fits.all():
            raise InputError(
                f"no window of {times(whole.sizes)} has its middle at {given[~fits][0].tolist()} in a field of "
                f"{times(field.shape)}; see grid(field).centres for those that there are."
            )
        parts = [whole.only(tuple(start[:, None])) for start in first.astype(np.int64)]
        points = np.stack([self._points(field, part).reshape(self._one(whole)) for part in parts])
        return self._sets(points, [part.grid().ids[0] for part in parts])

    def _layout(self, field: Field) -> Layout:
        return layout(field, self.size, self.stride, self.plane, self.at, self.periodic)

    def _fitted(self, field: Field) -> Layout:
        check_is_fitted(self)
        found = self._layout(field)
        self._dtype(field)
        return found

    def _dtype(self, field: Field) -> np.dtype[Any]:
        return field.dtype_of([name for name in self.features_ if name != R2])

    def _one(self, whole: Layout) -> tuple[int, int]:
        """Points and features of one window."""
        return int(np.prod(whole.sizes)), len(self.features_)

    def _most(self, whole: Layout, field: Field, memory: int) -> int:
        """How many windows these bytes hold."""
        return int(memory // (np.prod(self._one(whole)) * self._dtype(field).itemsize))

    def _points(self, field: Field, part: Layout) -> NDArray[Any]:
        """The points of windows: (windows along each axis.., points, features)."""
        counts = tuple(map(len, part.starts))
        points = np.empty((*counts, *self._one(part)), dtype=self._dtype(field))
        needed, first = part.reach()
        for place, name in enumerate(self.features_):
            if name == R2:
                values: NDArray[Any] = _squared_distances(part.sizes)
            else:
                boxes = sliding_window_view(field.read(name, needed), part.sizes)
                values = boxes[np.ix_(*first)].reshape(*counts, -1)
                if name in self.relative:
                    values = values - values.mean(axis=-1, keepdims=True)
            points[..., place] = (values - self.mean_[place]) / self.scale_[place] if self.standardize else values
        return points

    def _windows(self, points: NDArray[Any], grid: WindowGrid) -> Windows:
        return Windows(self._sets(points.reshape(len(grid), *points.shape[-2:]), grid.ids), grid)

    def _sets(self, points: NDArray[Any], ids: list[str]) -> SampleSets:
        n_windows, n_points, n_features = points.shape
        offsets = np.arange(n_windows + 1) * n_points
        return SampleSets.from_flat(points.reshape(-1, n_features), offsets, ids, self.features_)


def _squared_distances(sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """From the window's middle, in the order of its points."""
    steps = np.meshgrid(*(np.arange(size) - (size - 1) / 2 for size in sizes), indexing="ij")
    return np.asarray(sum(along**2 for along in steps)).ravel()
