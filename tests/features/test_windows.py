"""Windows of fields against plain loops over the grid: their points, places, blocks and standardisation."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import setwise as sw
from setwise.features.fields import Field
from setwise.features.windows import FieldWindows

RNG = np.random.default_rng(0)
FLAT = Field({name: RNG.normal(size=(13, 17)) for name in "uv"})
DEEP = Field({name: RNG.normal(size=(6, 9, 8)).astype(np.float32) for name in "uvwp"})


def plain(field, sizes, strides, starts_from, periodic, features):
    """One window after the other, one point after the other."""
    arrays = {name: np.asarray(field[name]) for name in field.names}
    ranges = [
        range(0, n, t) if periodic else range(0, n - s + 1, t)
        for n, s, t in zip(field.shape, sizes, strides, strict=True)
    ]
    sets, centres = [], []
    for start in product(*ranges):
        start = tuple(a - b for a, b in zip(start, starts_from, strict=True))
        middle = [a + (s - 1) / 2 for a, s in zip(start, sizes, strict=True)]
        points = []
        for offset in product(*map(range, sizes)):
            place = tuple(a + b for a, b in zip(start, offset, strict=True))
            r2 = sum((a - m) ** 2 for a, m in zip(place, middle, strict=True))
            inside = tuple(a % n for a, n in zip(place, field.shape, strict=True))
            points.append([r2 if name == "r2" else arrays[name][inside] for name in features])
        sets.append(points)
        centres.append(middle)
    return np.array(sets), np.array(centres)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(
    ("field", "size", "stride"),
    [(FLAT, 5, 1), (FLAT, (3, 4), (2, 3)), (FLAT, 13, 1), (DEEP, 3, 2), (DEEP, (1, 9, 2), (1, 1, 3)), (DEEP, 1, 3)],
)
def test_windows_hold_what_is_at_their_points(field, size, stride, periodic):
    sizes, strides = (np.broadcast_to(each, len(field.shape)).tolist() for each in (size, stride))
    features = (*field.names, "r2")
    shift = [(one - 1) // 2 if periodic else 0 for one in sizes]
    sets, centres = plain(field, sizes, strides, shift, periodic, features)
    windows = FieldWindows(size, stride, periodic=periodic).fit_transform(field)
    assert windows.sets.feature_names == features
    np.testing.assert_array_equal(windows.sets.points.reshape(sets.shape), sets)
    np.testing.assert_array_equal(windows.centres, centres)
    assert np.prod(windows.shape) == len(windows.sets) == len(windows.grid)


@pytest.mark.parametrize(("plane", "across"), [("xy", 0), ("xz", 1), ("yz", 2)])
@pytest.mark.parametrize("at", [2, [4, 1], None])
@pytest.mark.parametrize("periodic", [False, True])
def test_planes_of_a_three_dimensional_field(plane, across, at, periodic):
    windows = FieldWindows((3, 4), 2, plane=plane, at=at, features=["w", "r2", "u"], periodic=periodic)
    found = windows.fit_transform(DEEP)
    chosen = range(DEEP.shape[across]) if at is None else np.atleast_1d(at)
    flat = FieldWindows((3, 4), 2, features=["w", "r2", "u"], periodic=periodic)
    for place in chosen:
        plane_of = Field({name: np.take(DEEP[name], place, axis=across) for name in DEEP.names})
        expected = flat.fit_transform(plane_of)
        here = found.centres[:, across] == place
        np.testing.assert_array_equal(found.sets[here].points, expected.sets.points)
        np.testing.assert_array_equal(np.delete(found.centres[here], across, axis=1), expected.centres)
    assert len(found.sets) == len(chosen) * len(expected.sets)
    if isinstance(at, int):
        assert found.shape == expected.shape
        assert found.grid.extent == expected.grid.extent
    else:
        assert np.delete(found.shape, across).tolist() == list(expected.shape)


def test_ids_tell_the_place():
    assert FieldWindows(5, (4, 6)).fit_transform(FLAT).sets.ids[:4] == ("y2_x2", "y2_x8", "y2_x14", "y6_x2")
    even = FieldWindows(4, 9, plane="xy", at=5).fit_transform(DEEP)
    assert even.sets.ids == ("z5_y1.5_x1.5",)


@pytest.mark.parametrize("memory", [1, 2_000, 10_000, 1 << 28])
@pytest.mark.parametrize(
    ("field", "windows"),
    [
        (FLAT, FieldWindows(5, 2, standardize=True)),
        (FLAT, FieldWindows(5, 2, periodic=True)),
        (DEEP, FieldWindows(3)),
        (DEEP, FieldWindows(3, plane="yz", at=[6, 0, 1], standardize=True)),
        (DEEP, FieldWindows(3, plane="xy", periodic=True)),
    ],
)
def test_blocks_are_the_windows_in_their_order(field, windows, memory):
    whole = windows.fit_transform(field)
    blocks = list(windows.blocks(field, memory=memory))
    assert tuple(name for block in blocks for name in block.sets.ids) == whole.sets.ids
    np.testing.assert_array_equal(np.concatenate([block.sets.points for block in blocks]), whole.sets.points)
    np.testing.assert_array_equal(np.concatenate([block.centres for block in blocks]), whole.centres)
    window = whole.sets[0].nbytes
    assert all(block.sets.points.nbytes <= max(memory, window) for block in blocks)
    assert len(blocks) > 1 or whole.sets.points.nbytes <= memory
    drawn = windows.grid(field).image(np.concatenate([[p[0, 0] for p in block.sets] for block in blocks]))
    np.testing.assert_array_equal(drawn, whole.image([points[0, 0] for points in whole.sets]))


class Slow:
    """A component on a disk far away, which notes how much is asked of it at a time."""

    dtype = np.dtype(np.float32)

    def __init__(self, shape):
        self.shape, self.largest = shape, 0

    def __getitem__(self, key):
        lengths = [len(range(*one.indices(n))) for one, n in zip(key, self.shape, strict=True)]
        self.largest = max(self.largest, int(np.prod(lengths)))
        where = [np.arange(n)[one] for one, n in zip(key, self.shape, strict=True)]
        return np.sin(sum(np.ix_(*where))).astype(np.float32)


@pytest.mark.parametrize("plane", [None, "xy"])
def test_a_field_larger_than_memory_is_never_read_whole(plane):
    component = Slow((200, 60, 60))
    windows = FieldWindows(5, 5, plane=plane, features=["u", "r2"]).fit(Field({"u": component}))
    n_windows = sum(len(block.sets) for block in windows.blocks(Field({"u": component}), memory=1 << 19))
    assert n_windows == (40 if plane is None else 200) * 12 * 12
    assert component.largest <= 200 * 60 * 60 / 10


def test_standardising_reads_slabs_too(monkeypatch):
    monkeypatch.setattr("setwise.features.fields._SLAB", 100_000)
    component = Slow((100, 50, 50))
    field = Field({"u": component})
    mean, deviation = field.moments("u")
    assert component.largest <= 100_000 / 8
    everything = component[:, :, :].astype(np.float64)
    np.testing.assert_allclose([mean, deviation], [everything.mean(), everything.std()], rtol=1e-12)


def test_standardised_features_have_mean_0_and_variance_1_over_the_field():
    field = Field({"u": 1e6 + 3 * np.asarray(FLAT["u"]), "v": np.asarray(FLAT["v"]), "c": np.full((13, 17), 5)})
    windows = FieldWindows(3, periodic=True, standardize=True).fit(field)
    points = windows.transform(field).sets.points
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(points.std(axis=0), [1, 1, 0, 1], rtol=1e-9)
    raw = FieldWindows(3, periodic=True).fit_transform(field).sets.points
    np.testing.assert_allclose(points * windows.scale_ + windows.mean_, raw, rtol=1e-12)


@pytest.mark.parametrize("standardize", [False, True])
def test_relative_components_are_about_their_mean_in_the_window(standardize):
    windows = FieldWindows(3, relative=["u"], standardize=standardize).fit(FLAT)
    plain = FieldWindows(3, standardize=standardize).fit_transform(FLAT)
    found = windows.transform(FLAT)
    for points, before in zip(found.sets, plain.sets, strict=True):
        np.testing.assert_allclose(points, before - [before[:, 0].mean(), 0, 0], atol=1e-12)
    carried = FLAT.replace({"u": np.asarray(FLAT["u"]) + 7})
    np.testing.assert_allclose(windows.transform(carried).sets.points, found.sets.points, atol=1e-12)
    for wrong in (["q"], ["r2"]):
        with pytest.raises(sw.InputError, match="is not allowed; give components that are among the features"):
            FieldWindows(3, relative=wrong).fit(FLAT)


def test_other_fields_are_standardised_as_the_fitted_one_was():
    windows = FieldWindows(3, standardize=True).fit(FLAT)
    other = Field({"v": np.asarray(FLAT["v"])[:7] + 1, "u": np.asarray(FLAT["u"])[:7]})
    found, same = windows.transform(other), windows.transform(FLAT)
    n = len(found.sets)
    np.testing.assert_allclose(
        found.sets.points - same.sets.points[: n * 9], np.tile([0, 1 / windows.scale_[1], 0], (n * 9, 1)), atol=1e-12
    )


def test_windows_at_given_places():
    windows = FieldWindows(5, 3, standardize=True).fit(FLAT)
    everywhere = FieldWindows(5, 1, standardize=True).fit_transform(FLAT)
    places = np.random.default_rng(0).choice(everywhere.centres, 20, replace=False)
    found = windows.sets_at(FLAT, places)
    for points, name in zip(found, found.ids, strict=True):
        np.testing.assert_array_equal(points, everywhere.sets[everywhere.sets.ids.index(name)])
    around = FieldWindows(5, periodic=True).fit(FLAT)
    corner = around.sets_at(FLAT, [[0, 0]])
    assert corner.ids == ("y0_x0",)
    np.testing.assert_array_equal(corner.points, around.transform(FLAT).sets[0])
    deep = FieldWindows(3, plane="xy").fit(DEEP)
    found, everywhere = deep.sets_at(DEEP, [[5, 3, 4]]), deep.transform(DEEP).sets
    assert found.ids == ("z5_y3_x4",)
    np.testing.assert_array_equal(found[0], everywhere[everywhere.ids.index("z5_y3_x4")])


@pytest.mark.parametrize("place", [[1, 5], [2.5, 5], [5, 15], [-1, 5], [np.nan, 5]])
def test_places_without_a_window(place):
    with pytest.raises(sw.InputError, match="no window of 5 x 5 has its middle at"):
        FieldWindows(5).fit(FLAT).sets_at(FLAT, [[5, 5], place])


def test_a_result_is_drawn_where_it_was_found():
    """A bright spot of the field is where the picture of the windows' means is bright."""
    array = np.zeros((40, 60))
    array[22, 37] = 1
    windows = FieldWindows(5, 2).fit_transform(Field({"u": array}))
    image = windows.image([points[:, 0].mean() for points in windows.sets])
    left, right, bottom, top = windows.grid.extent
    y, x = np.argwhere(image == image.max()).mean(axis=0)
    assert bottom + (y + 0.5) * (top - bottom) / image.shape[0] == pytest.approx(22, abs=1)
    assert left + (x + 0.5) * (right - left) / image.shape[1] == pytest.approx(37, abs=1)
    assert windows.image(np.ones((len(windows.sets), 2))).shape == (*windows.shape, 2)


def test_float32_stays():
    assert FieldWindows(3, standardize=True).fit_transform(DEEP).sets.points.dtype == np.float32
    mixed = DEEP.replace({"u": np.zeros(DEEP.shape)})
    assert FieldWindows(3).fit_transform(mixed).sets.points.dtype == np.float64
    assert FieldWindows(3, features=["v"]).fit_transform(mixed).sets.points.dtype == np.float32
    assert FieldWindows(3, features=["r2"]).fit_transform(DEEP).sets.dim == 1


def test_it_is_an_estimator():
    windows = FieldWindows(3, features=["u"], standardize=True)
    assert clone(windows.fit(FLAT)).get_params() == windows.get_params()
    assert not hasattr(clone(windows), "mean_")
    with pytest.raises(NotFittedError):
        clone(windows).transform(FLAT)


@pytest.mark.parametrize(
    ("field", "kwargs", "message"),
    [
        (FLAT, {"size": 14}, "a window of 14 x 14 is larger than the field, which has 13 points along y .13 x 17"),
        (FLAT, {"size": 18, "periodic": True}, "a window of 18 x 18 is larger"),
        (FLAT, {"size": 0}, "size=0 is not allowed; give an integer of at least 1, or 2 of them"),
        (FLAT, {"size": (3, 3, 3)}, r"size=\(3, 3, 3\) is not allowed"),
        (FLAT, {"stride": 0.5}, "stride is 0.5; give a list of whole numbers"),
        (FLAT, {"plane": "xy"}, "plane='xy' is of a field with three axes, and this one has two"),
        (DEEP, {"plane": "uv", "size": 3}, "plane='uv' is not known; choose 'xy', 'xz', 'yz'"),
        (DEEP, {"size": 3, "at": 2}, "at=2 says which planes, but not of which kind"),
        (DEEP, {"plane": "xy", "at": 6, "size": 3}, "at=6 is not allowed; give different numbers from 0 to 5"),
        (DEEP, {"plane": "xy", "at": [], "size": 3}, r"at=\[\] is not allowed"),
        (FLAT, {"features": ["u", "q"]}, r"features=\['u', 'q'\] is not allowed; give different ones of u, v, r2"),
        (FLAT, {"features": ["u", "u"]}, "give different ones"),
        (FLAT, {"features": "u"}, "features is 'u'; give a list of names"),
        (np.ones((20, 20)), {}, "field is a ndarray; give a Field"),
        (Field({"u": np.full((15, 15), np.nan)}), {"standardize": True}, "component 'u' has NaN or inf"),
    ],
)
def test_what_cannot_be_cut(field, kwargs, message):
    with pytest.raises(sw.InputError, match=message) as caught:
        FieldWindows(**kwargs).fit(field)
    assert "\n" not in str(caught.value)


def test_a_window_without_a_number_is_named():
    array = np.ones((9, 9))
    array[8, 8] = np.nan
    with pytest.raises(sw.InputError, match="set 'y7_x7' has NaN or inf in 1 of its 9 points, columns u"):
        FieldWindows(3).fit_transform(Field({"u": array}))


def test_a_field_that_lacks_a_fitted_component():
    windows = FieldWindows(3).fit(DEEP)
    with pytest.raises(sw.InputError, match="the field has no component 'w'; it has u, v"):
        windows.transform(FLAT)


def test_values_that_are_not_one_a_window():
    with pytest.raises(sw.InputError, match=r"values has shape \(3,\); give one value for each of the 221 windows"):
        FieldWindows(1).fit_transform(FLAT).image([1, 2, 3])
    with pytest.raises(sw.InputError, match=r"shape \(6, 9, 8\), which no picture has"):
        _ = FieldWindows(1).grid(DEEP).extent
