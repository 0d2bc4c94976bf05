"""A vector field on a grid: named arrays of one shape, in memory or still in their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from setwise.errors import InputError
from setwise.refusals import listed

AXES = ("z", "y", "x")
R2 = "r2"  # a window's feature that is no component: the squared distance from its middle
_SLAB = 1 << 28  # bytes read at a time


class Component(Protocol):
    """What a component is: an array, a memory map, an HDF5 dataset, anything that is read by slices."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...


class Field:
    """Components on one grid, (ny, nx) or (nz, ny, nx): velocities, and scalars beside them.

    Parameters
    ----------
    components : mapping of a name to an array
        Arrays in memory, memory maps, datasets of an open HDF5 file, xarray's DataArrays: a component is read a slab at
        a time, by slices, so that it may be larger than memory.
    """

    def __init__(self, components: Mapping[str, Component]) -> None:
        if not isinstance(components, Mapping) or not components:
            raise InputError("components is no mapping of names to arrays; write Field({'u': u, 'v': v}).")
        self._components = {str(name): component for name, component in components.items()}
        first, self.shape = next((name, _shape(array)) for name, array in self._components.items())
        if len(self.shape) not in (2, 3) or 0 in self.shape:
            raise InputError(f"component {first!r} has shape {self.shape}; a field is (ny, nx) or (nz, ny, nx).")
        for name, array in self._components.items():
            if name == R2:
                raise InputError(f"a component is called {R2!r}, which is the squared distance's name; rename it.")
            if not hasattr(array, "dtype") or np.dtype(array.dtype).kind not in "fiu":
                raise InputError(f"component {name!r} holds {getattr(array, 'dtype', type(array))}, not real numbers.")
            if _shape(array) != self.shape:
                raise InputError(
                    f"component {name!r} has shape {_shape(array)} and {first!r} {self.shape}; all need one grid."
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The components' names."""
        return tuple(self._components)

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the grid's axes, ("z", "y", "x") or ("y", "x")."""
        return AXES[-len(self.shape) :]

    def __getitem__(self, name: str) -> Component:
        """A component as it was given."""
        if name not in self._components:
            raise InputError(f"the field has no component {name!r}; it has {listed(self.names)}.")
        return self._components[name]

    def dtype_of(self, names: Sequence[str]) -> np.dtype[Any]:
        """float32 where all of these components are, float64 otherwise."""
        single = [np.dtype(self[name].dtype) == np.float32 for name in names]
        return np.dtype(np.float32 if single and all(single) else np.float64)

    def read(self, name: str, places: Sequence[NDArray[np.int64]]) -> NDArray[Any]:
        """A component at the product of these indices, one array an axis; runs of indices are read as slices."""
        component = self[name]
        runs = [np.split(along, np.flatnonzero(np.diff(along) != 1) + 1) for along in places]

        def pieces(axis: int, slices: tuple[slice, ...]) -> NDArray[Any]:
            if axis == len(runs):
                return np.asarray(component[slices])
            parts = [pieces(axis + 1, (*slices, slice(int(run[0]), int(run[-1]) + 1))) for run in runs[axis]]
            return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)

        try:
            return pieces(0, ())
        except OSError as error:
            raise InputError(f"cannot read component {name!r}: {' '.join(str(error).split())}.") from error

    def moments(self, name: str) -> tuple[float, float]:
        """Mean and standard deviation of a component, a slab at a time (Chan, Golub and LeVeque 1979)."""
        rows = max(1, _SLAB // (8 * int(np.prod(self.shape[1:]))))
        others = [np.arange(length) for length in self.shape[1:]]
        count, mean, squares = 0, 0.0, 0.0
        for start in range(0, self.shape[0], rows):
            slab = self.read(name, [np.arange(start, min(start + rows, self.shape[0])), *others]).astype(np.float64)
            shift, total = slab.mean() - mean, count + slab.size
            squares += slab.var() * slab.size + shift**2 * count * slab.size / total
            mean += shift * slab.size / total
            count = total
        if not np.isfinite(squares):
            raise InputError(f"component {name!r} has NaN or inf, so that it cannot be standardised; fill them in.")
        return float(mean), float(np.sqrt(squares / count))

    def replace(self, components: Mapping[str, Component]) -> Field:
        """The same field with these components in place of its own, or beside them."""
        return Field({**self._components, **components})

    def __repr__(self) -> str:
        return f"<Field: {listed(self.names)} on a grid of {' x '.join(map(str, self.shape))}>"


def _shape(array: Component) -> tuple[int, ...]:
    return tuple(getattr(array, "shape", ()))
