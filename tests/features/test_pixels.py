"""Images as point clouds and back: the law of the points, their coordinates, and what is no image."""

import numpy as np
import pytest

import setwise as sw
from setwise.features.pixels import count_images, enlarge, image_sets

RAMP = np.outer([1.0, 2.0, 0.0], [1.0, 0.0, 3.0, 4.0])  # 3 x 4, blank in a row and in a column


def test_points_fall_on_pixels_in_proportion_to_ink():
    n = 40_000
    counts = count_images(image_sets(RAMP, n, random_state=0), RAMP.shape)[0]
    expected = n * RAMP / RAMP.sum()
    assert counts.sum() == n
    assert (counts[RAMP == 0] == 0).all()
    # Pearson's chi squared with 5 degrees of freedom: .9999 of draws are below 25.7.
    inked = RAMP > 0
    assert ((counts - expected)[inked] ** 2 / expected[inked]).sum() < 25.7


def test_x_runs_to_the_right_and_y_down():
    image = np.zeros((5, 7))
    image[1, 4] = 1
    sets = image_sets(image, 50, jitter=False, random_state=0)
    np.testing.assert_array_equal(np.unique(sets[0], axis=0), [[4.5, 1.5]])
    assert sets.feature_names == ("x", "y")
    spread = image_sets(image, 2_000, random_state=0)[0]
    np.testing.assert_array_less([4, 1], spread.min(axis=0))
    np.testing.assert_array_less(spread.max(axis=0), [5, 2])
    # A uniform law: the standard error of its mean is 12^-1/2 / 2000^1/2 = .0065.
    np.testing.assert_allclose(spread.mean(axis=0), [4.5, 1.5], atol=5 * 0.0065)


@pytest.mark.parametrize("units", ["pixel", "unit"])
def test_noise_has_its_variance_in_the_units_of_the_points(units):
    image = np.zeros((16, 16))
    image[8, 4] = 1
    points = image_sets(image, 20_000, noise=0.1, units=units, jitter=False, random_state=0)[0]
    # A sample variance has the relative standard error sqrt(2 / n) = .01.
    np.testing.assert_allclose(points.var(axis=0), 0.1, rtol=0.05)
    middle = [4.5, 8.5] if units == "pixel" else [-3.5 / 8, 0.5 / 8]
    np.testing.assert_allclose(points.mean(axis=0), middle, atol=5 * (0.1 / 20_000) ** 0.5)


def test_unit_coordinates_are_the_pixels_shifted_and_scaled():
    image = np.ones((10, 40))
    pixel = image_sets(image, 300, random_state=3)[0]
    unit = image_sets(image, 300, units="unit", random_state=3)[0]
    np.testing.assert_allclose(unit, (pixel - [20, 5]) / 20)
    assert np.abs(unit[:, 0]).max() > 0.9 > 0.25 >= np.abs(unit[:, 1]).max()


def test_enlarging_keeps_the_coordinates_of_the_given_image():
    image = np.zeros((16, 16))
    image[3, 10] = 1
    points = image_sets(image, 4_000, enlarged=10, random_state=0)[0]
    # Linear interpolation: a triangle of half width 1 around the pixel's middle, whose variance is 1/6.
    assert np.abs(points - [10.5, 3.5]).max() < 1.1
    np.testing.assert_allclose(points.mean(axis=0), [10.5, 3.5], atol=0.05)
    np.testing.assert_allclose(points.var(axis=0), 1 / 6, rtol=0.1)


def test_enlarge():
    image = np.random.default_rng(0).random((5, 4))
    larger = enlarge(image, 6)
    assert larger.shape == (30, 24)
    assert larger.min() >= image.min() and larger.max() <= image.max()
    np.testing.assert_allclose(larger[:3, :3], image[0, 0])
    row = np.array([[0.0, 1.0]])
    np.testing.assert_allclose(enlarge(row, 4)[0], [0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1])
    assert enlarge(image, 1) is image


@pytest.mark.parametrize("units", ["pixel", "unit"])
@pytest.mark.parametrize("enlarged", [1, 10])
def test_the_count_image_finds_the_pixels_again(units, enlarged):
    image = np.random.default_rng(0).random((6, 9)) > 0.5
    sets = image_sets(np.stack([image, ~image]), 3_000, enlarged=enlarged, units=units, random_state=0)
    counts = count_images(sets, image.shape, enlarged=enlarged, units=units)
    assert counts.shape == (2, 6 * enlarged, 9 * enlarged)
    assert counts.sum(axis=(1, 2)).tolist() == [3_000, 3_000]
    for count, one in zip(counts, (image, ~image), strict=True):
        assert (count[enlarge(one.astype(float), enlarged) == 0] == 0).all()


def test_points_off_the_page_are_not_counted():
    points = [[0.0, 0.0], [3.999, 2.999], [-1e-9, 1], [4, 1], [1, 3], [1, -0.5], [1.5, 1.5]]
    counts = count_images(sw.SampleSets([points]), (3, 4))[0]
    assert counts.sum() == 3
    assert (counts[0, 0], counts[2, 3], counts[1, 1]) == (1, 1, 1)


def test_images_of_several_sizes_keep_their_ids():
    sets = image_sets([np.ones((3, 4)), np.ones((30, 20))], 25, ids=["small", "large"], random_state=0)
    assert sets.ids == ("small", "large")
    assert sets.sizes.tolist() == [25, 25]
    assert sets[0].max() <= 4 < sets[1].max()
    assert image_sets(np.ones((4, 2, 2)), 3, random_state=0).ids == (0, 1, 2, 3)
    assert image_sets([[[0, 1], [1, 0]]], 3, random_state=0).ids == (0,)


def test_a_seed_gives_the_same_points():
    given = np.random.default_rng(0).random((3, 8, 8))
    one = image_sets(given, 50, noise=0.1, random_state=7)
    assert one == image_sets(given, 50, noise=0.1, random_state=np.random.default_rng(7))
    assert one != image_sets(given, 50, noise=0.1, random_state=8)


def test_the_scale_of_ink_does_not_matter():
    image = np.random.default_rng(0).random((8, 8))
    assert image_sets(image * 1e300, 99, random_state=0) == image_sets(image * 2.0**-1000, 99, random_state=0)
    whole = (image * 255).astype(np.uint8)
    assert image_sets(whole, 99, random_state=0) == image_sets(whole.astype(float), 99, random_state=0)


BLANK = np.zeros((2, 4, 4))
BLANK[0] = 1


@pytest.mark.parametrize(
    ("images", "kwargs", "message"),
    [
        (BLANK, {"ids": ["seven", "white"]}, "image 'white' has no ink: all its pixels are 0, .* Drop it"),
        (-np.ones((1, 3, 3)), {}, r"image 0 has negative ink .its least value is -1.*image - image.min"),
        (np.ones((2, 3, 3, 3)), {}, r"image 0 has shape \(3, 3, 3\); an image is .height, width.. Make it grey"),
        (np.ones(3), {}, r"image 0 has shape \(\);"),
        (np.full((1, 2, 2), np.nan), {}, "image 0 has NaN or inf in 4 pixels"),
        ([[["a"]]], {}, "image 0 holds <U1, not real numbers"),
        ([], {}, "no images given"),
        ("digits.png", {}, "images is a str; give a 2-d array"),
        (np.ones((2, 3, 3)), {"ids": ["a"]}, "1 ids for 2 sets"),
        (RAMP, {"n_points": 0}, "n_points=0 is not allowed"),
        (RAMP, {"noise": -0.1}, "noise=-0.1 is not allowed; give a variance"),
        (RAMP, {"enlarged": 1.5}, "enlarged=1.5 is not allowed"),
        (RAMP, {"units": "cm"}, "units='cm' is not known; choose 'pixel' or 'unit'"),
    ],
)
def test_what_is_no_image(images, kwargs, message):
    with pytest.raises(sw.InputError, match=message) as caught:
        image_sets(images, **kwargs)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("sets", "shape", "message"),
    [
        ([np.ones((4, 3))], (3, 3), "set 0 has 3 columns; a point of an image has two"),
        ([np.ones((4, 2))], (3,), r"shape=\(3,\) is not allowed"),
        ([np.ones((4, 2))], (3, 0), r"shape=\(3, 0\) is not allowed"),
    ],
)
def test_what_cannot_be_counted(sets, shape, message):
    with pytest.raises(sw.InputError, match=message):
        count_images(sets, shape)
