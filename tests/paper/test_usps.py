"""The noisy USPS digits, on images made up here, so that no data are needed."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from setwise.errors import InputError
from setwise.features.pixels import count_images
from setwise.kernels import PSDProjection
from setwise.paper import usps
from setwise.paper.asked import Asked
from setwise.paper.result import Result

COLUMNS = {usps.TRANSDUCTIVE, usps.INDUCTIVE, usps.RAW_ROWS}


def made_up(of_each=12, n_classes=4, seed=0):
    """A bar a class, at a place of its own, in images as the file holds them."""
    rng = np.random.default_rng(seed)
    images = np.full((of_each * n_classes, 16, 16), -1000, dtype=np.int16)
    classes = np.repeat(np.arange(n_classes), of_each)
    for image, one in zip(images, classes, strict=True):
        start = 2 + 3 * one
        image[rng.integers(1, 4) : 12, start : start + 2] = rng.integers(500, 1000)
    return images, classes


@pytest.fixture
def folder(tmp_path):
    images, classes = made_up()
    place = tmp_path / "data" / "usps"
    place.mkdir(parents=True)
    np.savez(
        place / "usps_zip.npz", X_train=images[::2], y_train=classes[::2], X_test=images[1::2], y_test=classes[1::2]
    )
    return tmp_path / "data"


@pytest.fixture
def small(monkeypatch):
    """A protocol that takes seconds."""
    for name, value in {"OF_EACH": 10, "QUICK_OF_EACH": 8, "POINTS": 40, "RUNS": 2, "CS": (1.0, 64.0)}.items():
        monkeypatch.setattr(usps, name, value)
    monkeypatch.setattr(usps, "WIDTHS", (0.25, 1.0))
    monkeypatch.setattr(usps, "DEGREES", (1, 3))
    monkeypatch.setattr(usps, "OF_EACH_PICTURED", 6)
    monkeypatch.setattr("setwise.paper.usps_pictures.EMBEDDED", (1, 2, 3))


@pytest.fixture
def asked(folder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    return Asked(out=out, data=folder, quick=True, n_jobs=1)


def test_a_result_has_every_row_and_its_pictures(small, asked):
    seen = []
    result = usps.run(Asked(asked.out, asked.data, quick=True, n_jobs=1, progress=lambda *now: seen.append(now)))
    (table,) = result.tables
    assert list(table.rows) == [row.name for row in usps.ROWS]
    for row in usps.ROWS:
        assert set(table.rows[row.name]) == ({usps.INDUCTIVE} if row.on in usps.PIXELS else COLUMNS)
        assert all(len(figure.values) == 1 for figure in table.rows[row.name].values())
    assert table.rows["NP Rényi .9"][usps.INDUCTIVE].mean > 90  # chance is 25, and bars at four places lie far apart
    assert all((asked.out / picture.file).stat().st_size > 1000 for picture in result.pictures)
    assert len(result.pictures) == 3
    assert seen[-1] == (len(usps.ROWS), len(usps.ROWS))
    assert Result.load(result.save(asked.out)).markdown() == result.markdown()


def test_finished_runs_are_not_run_again(small, asked, monkeypatch):
    given = []
    one_run = usps.one_run

    def interrupted(*args):
        if given:
            raise KeyboardInterrupt
        given.append(one_run(*args))
        return given[0]

    monkeypatch.setattr(usps, "one_run", interrupted)
    twice = Asked(asked.out, asked.data, runs=2, quick=True, n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        usps.run(twice)
    monkeypatch.setattr(usps, "one_run", one_run)
    whole = usps.run(twice).tables[0].rows
    afresh = twice.out / "afresh"
    afresh.mkdir()
    assert usps.run(Asked(afresh, asked.data, runs=2, quick=True, n_jobs=1)).tables[0].rows == whole
    assert given[0]["NP L2"][usps.INDUCTIVE] == whole["NP L2"][usps.INDUCTIVE].values[0]


def test_divergences_of_a_run_are_computed_once(small, folder, monkeypatch, asked):
    calls = []
    compute = usps.compute
    monkeypatch.setattr(usps, "compute", lambda *args, **more: calls.append(args[2]) or compute(*args, **more))
    digits = usps.read_digits(asked)
    usps.one_run(digits, 8, usps.READINGS["grid"], np.random.default_rng(0), 1, lambda done: None)
    assert calls == [[row.on for row in usps.ROWS if row.on not in usps.PIXELS]]


def test_a_run_draws_images_and_points_of_its_own(asked):
    digits = usps.read_digits(asked)
    assert digits[0].min() == 0
    drawn = [usps.draw(digits, 5, np.random.default_rng([0, run])) for run in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0][0], drawn[1][0])
    assert not np.array_equal(drawn[0][0], drawn[2][0])
    for _, classes in drawn:
        np.testing.assert_array_equal(classes, np.repeat(np.arange(4), 5))
    whole = usps.draw(digits, 12, np.random.default_rng(0))[0]
    assert len(np.unique(whole.reshape(48, -1), axis=0)) == len(np.unique(digits[0].reshape(48, -1), axis=0))


@pytest.mark.parametrize(("name", "deviation"), [("grid", np.sqrt(0.1)), ("unit", 0.1 * 8)])
def test_the_noise_of_each_reading_in_pixels(monkeypatch, name, deviation):
    monkeypatch.setattr(usps, "POINTS", 40_000)
    ink = np.zeros((1, 16, 16))
    ink[0, 8, 8] = 1
    reading = usps.READINGS[name]
    quiet = usps.Reading(0.0, reading.units, "")
    noisy, still = (usps.clouds(ink, one, np.random.default_rng(0)).points for one in (reading, quiet))
    per_pixel = 1 if reading.units == "pixel" else 8
    found = np.sqrt(np.maximum(noisy.var(axis=0) - still.var(axis=0), 0)) * per_pixel
    np.testing.assert_allclose(
        found, deviation, rtol=0.03
    )  # of 40,000 draws, six standard errors and the enlarged pixel


def test_products_of_counts_are_those_of_the_images(monkeypatch):
    images, _ = made_up(of_each=30)
    sets = usps.clouds((images / 1000 + 1) / 2, usps.READINGS["grid"], np.random.default_rng(0))
    counts = count_images(sets, (16, 16), enlarged=usps.ENLARGED).reshape(len(sets), -1).astype(np.int64)
    np.testing.assert_array_equal(usps._products_of_counts(sets, (16, 16), "pixel"), counts @ counts.T)


def test_distances_come_from_products():
    points = np.random.default_rng(0).normal(size=(20, 3))
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    np.testing.assert_allclose(usps._distances(points @ points.T), apart, atol=1e-7)


def test_inner_products_in_their_unit():
    products = np.array([[2.0, 1.0], [1.0, 4.0]])
    step = usps.UnitDiagonal().fit(products)
    np.testing.assert_allclose(step.transform(products), products / 3)
    np.testing.assert_allclose(step.transform([[6.0, 9.0]]), [[2.0, 3.0]])


def test_no_mode_but_the_transductive_sees_the_test_half():
    """Divergences among the test half are changed beyond recognition: inductive figures stay as they are."""
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(3), 20)
    places = rng.normal(size=(60, 2)) + 1.5 * np.eye(3)[classes][:, :2]
    values = np.linalg.norm(places[:, None] - places, axis=2)
    fold = next(StratifiedKFold(2, shuffle=True, random_state=0).split(values, classes))
    changed = values.copy()
    changed[np.ix_(fold[1], fold[1])] = rng.random((30, 30))
    row = next(row for row in usps.ROWS if row.name == "NP Hellinger")
    found = [usps.accuracies(usps.candidates(row, one), classes, [fold], 1, 0) for one in (values, changed)]
    for column in (usps.INDUCTIVE, usps.RAW_ROWS):
        assert found[0][column] == found[1][column] < 100
    assert found[0][usps.TRANSDUCTIVE] != found[1][usps.TRANSDUCTIVE]


def test_the_grid_of_each_kernel():
    products = np.eye(4) + 1
    rows = {row.name: row for row in usps.ROWS}
    of = {name: usps.candidates(row, products) for name, row in rows.items()}
    assert {len(kernels) for name, kernels in of.items() if rows[name].kernel == "gaussian"} == {8}
    assert {len(kernels) for name, kernels in of.items() if rows[name].kernel == "polynomial"} == {12}
    for name, kernels in of.items():
        projected = {isinstance(one.source.steps[-1], PSDProjection) for one in kernels}
        assert projected == {rows[name].on not in usps.PIXELS}


def test_what_is_refused(asked, tmp_path):
    with pytest.raises(InputError, match="reading 'pixels' is not known; choose 'grid' or 'unit'"):
        usps.run(Asked(asked.out, asked.data, reading="pixels"))
    with pytest.raises(InputError, match="needs the USPS digits; give --data"):
        usps.run(Asked(asked.out))
    with pytest.raises(InputError, match=r"has no usps/usps_zip\.npz"):
        usps.run(Asked(asked.out, tmp_path))
    file = asked.data / "usps" / "usps_zip.npz"
    whole = file.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"text"):
        file.write_bytes(content)
        with pytest.raises(InputError, match="is damaged, or not the USPS digits") as refused:
            usps.run(asked)
        assert "\n" not in str(refused.value)
    np.savez(file, X_train=np.zeros((2, 16, 16)))
    with pytest.raises(InputError, match="not the USPS digits"):
        usps.run(asked)
