"""Fields, and the files they are read from."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

import setwise as sw
from setwise.features.field_files import read_field
from setwise.features.fields import Field
from setwise.features.windows import FieldWindows

TURBULENCE = Path("/work/shared/data/turbulence")
RNG = np.random.default_rng(0)
ARRAYS = {name: RNG.normal(size=(4, 6, 5)).astype(np.float32) for name in "uvw"}


def write(folder, kind):
    """The same three components in each of the formats."""
    path = folder / f"field.{kind}"
    if kind == "npz":
        np.savez(path, **ARRAYS)
    elif kind == "packed.npz":
        np.savez_compressed(path, **ARRAYS)
    elif kind == "folder":
        path.mkdir()
        for name, array in ARRAYS.items():
            np.save(path / f"{name}.npy", array)
    elif kind in ("h5", "hdf5"):
        with pytest.importorskip("h5py").File(path, "w") as file:
            for name, array in ARRAYS.items():
                file[name] = array
            file["xcoor"] = np.arange(5.0)
            file["label"] = "a note"
    else:
        xarray = pytest.importorskip("xarray")
        dims = ("z", "y", "x") if kind == "classic.nc" else ("time", "z", "y", "x")
        shaped = {name: (dims, array.reshape(*([1] * (len(dims) - 3)), *array.shape)) for name, array in ARRAYS.items()}
        engine = {"engine": "scipy"} if kind == "classic.nc" else {"engine": "h5netcdf"}
        xarray.Dataset(shaped, coords={"x": np.arange(5.0)}).to_netcdf(path, **engine)
    return path


KINDS = ["npz", "packed.npz", "folder", "h5", "hdf5", "nc", "classic.nc"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_field(tmp_path, kind):
    field = read_field(write(tmp_path, kind))
    assert field.names == ("u", "v", "w")
    assert field.shape == (4, 6, 5)
    assert field.axes == ("z", "y", "x")
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(np.asarray(field[name][1:3, :, 2:4]), array[1:3, :, 2:4])
    windows = FieldWindows(3, standardize=True)
    assert windows.fit_transform(field).sets == windows.fit_transform(Field(ARRAYS)).sets
    assert repr(field) == "<Field: u, v, w on a grid of 4 x 6 x 5>"


@pytest.mark.parametrize("kind", KINDS)
def test_components_by_name(tmp_path, kind):
    path = write(tmp_path, kind)
    assert read_field(path, ["w", "u"]).names == ("w", "u")
    renamed = read_field(path, {"east": "u"})
    assert renamed.names == ("east",)
    np.testing.assert_array_equal(np.asarray(renamed["east"][:, :, :]), ARRAYS["u"])
    with pytest.raises(sw.InputError, match=r"field.*' has no array 'q'; it has u \(4, 6, 5\), v"):
        read_field(path, ["u", "q"])


@pytest.mark.parametrize("kind", ["folder", "npz", "h5", "nc"])
def test_what_the_format_leaves_on_disk_stays_there(tmp_path, kind, monkeypatch):
    monkeypatch.setattr("setwise.features.field_files._READ_WHOLE", 0)
    path = write(tmp_path, kind)
    component = read_field(path)["u"]
    assert not isinstance(component, np.ndarray) or isinstance(component, np.memmap)
    np.testing.assert_array_equal(np.asarray(component[2:, 1:, :]), ARRAYS["u"][2:, 1:])


def test_a_large_archive_is_mapped_where_it_is_not_compressed(tmp_path, monkeypatch):
    monkeypatch.setattr("setwise.features.field_files._READ_WHOLE", 0)
    np.savez(tmp_path / "a.npz", u=np.asfortranarray(ARRAYS["u"]), v=ARRAYS["v"].astype(">f8"))
    field = read_field(tmp_path / "a.npz")
    assert isinstance(field["u"], np.memmap)
    np.testing.assert_array_equal(field["u"], ARRAYS["u"])
    np.testing.assert_array_equal(field["v"], ARRAYS["v"])
    np.savez_compressed(tmp_path / "b.npz", u=ARRAYS["u"])
    assert not isinstance(read_field(tmp_path / "b.npz")["u"], np.memmap)


def test_arrays_of_vectors_are_their_components(tmp_path):
    h5py = pytest.importorskip("h5py")
    vectors = RNG.normal(size=(3, 4, 5, 3)).astype(np.float32)
    with h5py.File(tmp_path / "cut.h5", "w") as file:
        file["u01000"] = vectors
        file["p01000"] = vectors[..., :1]
    field = read_field(tmp_path / "cut.h5")
    assert field.names == ("p01000", "u01000_x", "u01000_y", "u01000_z")
    np.testing.assert_array_equal(field["u01000_y"][1:, :, 2:], vectors[1:, :, 2:, 1])
    windows = FieldWindows(3, plane="xy", features=["u01000_x", "u01000_y", "r2"]).fit_transform(field)
    assert windows.shape == (3, 2, 3)


@pytest.mark.skipif(not TURBULENCE.is_dir(), reason=f"the turbulence data are not at {TURBULENCE}")
def test_a_cut_out_of_the_johns_hopkins_database():
    pytest.importorskip("h5py")
    field = read_field(TURBULENCE / "jhtdb_isotropic1024coarse_10x10.h5", {"u": "u01000_x", "v": "u01000_y"})
    assert field.shape == (1, 10, 10)
    windows = FieldWindows(5, plane="xy").fit_transform(field)
    assert windows.shape == (6, 6)
    assert windows.sets[0][0, 0] == np.float32(-0.43801868)


@pytest.mark.skipif(not TURBULENCE.is_dir(), reason=f"the turbulence data are not at {TURBULENCE}")
def test_a_plane_of_turbulence():
    field = read_field(TURBULENCE / "hit_dns_256.npz")
    windows = FieldWindows(11, 2, features=["u", "v", "r2"], standardize=True).fit_transform(field)
    assert windows.shape == (123, 123)
    assert (windows.sets.sizes == 121).all()


def test_what_is_no_field_file(tmp_path):
    def refused(name, message, content=None, components=None):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(sw.InputError, match=message) as caught:
            read_field(tmp_path / name, components)
        assert "\n" not in str(caught.value)

    refused("none.npz", "there is no file or folder '.*none.npz'")
    refused("field.mat", "cannot read a field from '.*field.mat': fields are kept in .npz, .nc, .h5, .hdf5", b"x")
    for kind in ("npz", "h5", "nc"):
        path = write(tmp_path, kind)
        whole = path.read_bytes()
        refused(f"text.{kind}", "is no readable", b"a text of some length, which is no archive of anything")
        refused(f"empty.{kind}", "is no readable", b"")
        refused(f"cut.{kind}", "is no readable", whole[: len(whole) // 2])
    (tmp_path / "bare").mkdir()
    refused("bare", "has no .npy files")
    (tmp_path / "bare" / "u.npy").write_bytes(b"nothing")
    refused("bare", "'.*u.npy' is no whole .npy array")
    np.savez(tmp_path / "line.npz", x=np.ones(4), s=np.array("text"), o=np.ones((2, 2), dtype=bool))
    refused("line.npz", "holds no two- or three-dimensional arrays of numbers")
    np.savez(tmp_path / "several.npz", u=np.ones((3, 4)), p=np.ones((2, 3, 4)))
    refused("several.npz", r"arrays of several shapes .u .3, 4., p .2, 3, 4..; name the components")
    np.savez(tmp_path / "objects.npz", u=np.array([[None]]))
    refused("objects.npz", "is no readable .npz archive of arrays, or is damaged: Object arrays")
    refused("several.npz", r"component 'p' has shape \(2, 3, 4\) and 'u' \(3, 4\)", components=["u", "p"])
    refused("several.npz", "components is 'u'; give a list of names", components="u")


def test_a_damaged_archive_is_told_by_its_sums(tmp_path):
    path = write(tmp_path, "npz")
    whole = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        middle = archive.infolist()[1].header_offset + 300
    whole[middle] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(sw.InputError, match=r"is damaged: Bad CRC-32 for file 'v\.npy'"):
        read_field(path)


def test_a_format_whose_reader_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    (tmp_path / "a.h5").touch()
    with pytest.raises(sw.InputError, match=r"needs h5py: pip install 'setwise\[fields\]'"):
        read_field(tmp_path / "a.h5")


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ({}, "components is no mapping of names to arrays"),
        ([np.ones((2, 2))], "components is no mapping"),
        ({"u": np.ones(3)}, r"component 'u' has shape \(3,\); a field is .ny, nx. or .nz, ny, nx."),
        ({"u": np.ones((2, 0))}, r"component 'u' has shape \(2, 0\)"),
        ({"u": np.ones((2, 2)), "v": np.ones((2, 3))}, r"component 'v' has shape \(2, 3\) and 'u' \(2, 2\)"),
        ({"u": np.ones((2, 2), dtype=complex)}, "component 'u' holds complex128, not real numbers"),
        ({"r2": np.ones((2, 2))}, "a component is called 'r2'"),
    ],
)
def test_what_is_no_field(components, message):
    with pytest.raises(sw.InputError, match=message):
        Field(components)
