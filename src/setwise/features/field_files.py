"""Flow fields in files: .npz, NetCDF, HDF5, or a folder of .npy. What the format can leave on disk stays there."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.errors import InputError
from setwise.features.fields import Component, Field
from setwise.refusals import as_list, listed

_READ_WHOLE = 1 << 28  # bytes; an archive up to this size is read, which checks its sums; a larger one is mapped
_LETTERS = "xyz"


def read_field(path: str | os.PathLike[str], components: Iterable[str] | Mapping[str, str] | None = None) -> Field:
    """Read a field from .npz, .nc, .h5 (or .hdf5), or a folder of .npy files (one a component).

    An array of four axes is one of vectors, (nz, ny, nx, 3), as the Johns Hopkins turbulence databases write them: its
    parts are NAME_x, NAME_y and NAME_z. Axes of length 1 are taken off NetCDF variables (time, as a rule).

    Parameters
    ----------
    path : the file or folder
    components : names of the arrays that are wanted, or a mapping of new names to them: {"u": "u01000_x"}
        Left out, all that are two- or three-dimensional, which must then have one shape.
    """
    source = Path(path)
    if source.is_dir():
        found = _folder(source)
    elif not source.exists():
        raise InputError(f"there is no file or folder '{source}'.")
    elif source.suffix.lower() not in _READERS:
        raise InputError(
            f"cannot read a field from '{source}': fields are kept in {', '.join(_READERS)}, or a folder of .npy."
        )
    else:
        found = _READERS[source.suffix.lower()](source)
    usable = {name: array for name, array in found.items() if np.dtype(array.dtype).kind in "fiu"}
    return Field(_chosen(source, usable, components))


def _chosen(
    source: Path, found: Mapping[str, Component], components: Iterable[str] | Mapping[str, str] | None
) -> dict[str, Component]:
    if components is None:
        grids = {name: array for name, array in found.items() if len(array.shape) in (2, 3)}
        if not grids:
            raise InputError(f"'{source}' holds no two- or three-dimensional arrays of numbers, so no field.")
        if len({tuple(array.shape) for array in grids.values()}) > 1:
            raise InputError(f"'{source}' holds arrays of several shapes ({_shapes(grids)}); name the components.")
        return grids
    names = as_list(components, "components", "names, or a mapping of new names to them")
    wanted = dict(components) if isinstance(components, Mapping) else dict(zip(names, names, strict=True))
    if missing := [name for name in wanted.values() if name not in found]:
        raise InputError(f"'{source}' has no array {missing[0]!r}; it has {_shapes(found) or 'none'}.")
    return {new: found[name] for new, name in wanted.items()}


def _shapes(arrays: Mapping[str, Component]) -> str:
    return listed(f"{name} {tuple(array.shape)}" for name, array in arrays.items())


def _folder(path: Path) -> dict[str, Component]:
    files = sorted(file for file in path.iterdir() if file.suffix.lower() == ".npy" and file.name[0] != ".")
    if not files:
        raise InputError(f"'{path}' has no .npy files; a field needs one a component, such as u.npy and v.npy.")
    return {file.stem: _mapped(file) for file in files}


def _mapped(file: Path) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise InputError(f"'{file}' is no whole .npy array of numbers; save it with numpy.save.") from error
    return array


def _npz(path: Path) -> dict[str, Component]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
            if path.stat().st_size > _READ_WHOLE:
                stored = {member.filename for member in members if member.compress_type == zipfile.ZIP_STORED}
            else:
                stored = set()
            return {
                member.filename.removesuffix(".npy"): (
                    _map_member(path, member) if member.filename in stored else _read_member(archive, member)
                )
                for member in members
            }
    except (ValueError, EOFError, KeyError, NotImplementedError, OSError, zipfile.BadZipFile, zlib.error) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"'{path}' is no readable .npz archive of arrays, or is damaged: {reason}.") from error


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as stream:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        stream.read()  # to the end, where the sum is checked
    return array


def _map_member(path: Path, member: zipfile.ZipInfo) -> NDArray[Any]:
    """An array that lies in the archive as it is, mapped: NumPy itself would read it whole."""
    with path.open("rb") as file:
        file.seek(member.header_offset)
        name_length, extra_length = struct.unpack("<26x2H", file.read(30))
        file.seek(name_length + extra_length, os.SEEK_CUR)
        version = np.lib.format.read_magic(file)
        read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, fortran, dtype = read_header[version](file)
        if dtype.hasobject:
            raise ValueError(f"array {member.filename!r} holds Python objects")
        order = "F" if fortran else "C"
        return np.memmap(path, dtype=dtype, mode="r", offset=file.tell(), shape=shape, order=order)  # type: ignore[call-overload,no-any-return]


def _hdf5(path: Path) -> dict[str, Component]:
    h5py = _extra("h5py", path)
    found: dict[str, Component] = {}

    def add(name: str, node: Any) -> None:
        if isinstance(node, h5py.Dataset):
            found.update(_split(name, node))

    try:
        h5py.File(path, "r").visititems(add)
    except OSError as error:
        raise InputError(
            f"'{path}' is no readable HDF5 file, or is damaged: {' '.join(str(error).split())}."
        ) from error
    return found


def _netcdf(path: Path) -> dict[str, Component]:
    xarray = _extra("xarray", path)
    try:
        dataset = xarray.open_dataset(path, decode_times=False)
    except (ValueError, OSError, TypeError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"'{path}' is no readable NetCDF file, or is damaged: {reason}.") from error
    found: dict[str, Component] = {}
    for name, variable in dataset.data_vars.items():
        found.update(_split(str(name), variable.squeeze() if variable.ndim > 2 else variable))
    return found


def _split(name: str, array: Component) -> dict[str, Component]:
    """An array of vectors as its components, anything else as it is."""
    if len(array.shape) != 4 or not 1 <= array.shape[-1] <= 3:
        return {name: array}
    letters = [""] if array.shape[-1] == 1 else [f"_{letter}" for letter in _LETTERS[: array.shape[-1]]]
    return {name + letter: _Part(array, place) for place, letter in enumerate(letters)}


class _Part:
    """One component of an array of vectors, read when it is sliced."""

    def __init__(self, vectors: Component, place: int) -> None:
        self._vectors, self._place = vectors, place
        self.shape, self.dtype = tuple(vectors.shape[:-1]), vectors.dtype

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        return self._vectors[(*key, self._place)]


def _extra(module: str, path: Path) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(f"reading '{path}' needs {module}: pip install 'setwise[fields]'.") from error


_READERS = {".npz": _npz, ".nc": _netcdf, ".h5": _hdf5, ".hdf5": _hdf5}
