"""Canny's edges on shapes whose edges are known, and the edges as sets."""

from pathlib import Path

import numpy as np
import pytest

import setwise as sw
from setwise.features.edges import canny, edge_sets

COIL = Path("/work/shared/data/coil100/obj18")


def disc(radius=20.0, side=64, centre=(31.5, 31.5)):
    y, x = np.indices((side, side))
    return np.clip(radius + 0.5 - np.hypot(y - centre[0], x - centre[1]), 0, 1)


def test_a_step_is_one_line():
    image = np.zeros((20, 30))
    image[:, 12:] = 5
    edges = canny(image)
    assert edges.sum(axis=1).tolist() == [1] * 20
    assert set(np.nonzero(edges)[1].tolist()) <= {11, 12}
    np.testing.assert_array_equal(canny(image.T), edges.T)


def test_a_disc_is_one_closed_ring():
    from scipy import ndimage

    edges = canny(disc())
    y, x = np.nonzero(edges)
    assert np.abs(np.hypot(y - 31.5, x - 31.5) - 20).max() < 1.5
    # A digital circle has between 4 sqrt(2) r pixels (steps to corners only) and 8 r (steps to sides only).
    assert 4 * 2**0.5 * 20 <= edges.sum() <= 8 * 20
    assert ndimage.label(edges, np.ones((3, 3)))[1] == 1
    assert ndimage.label(~edges)[1] == 2, "the ring parts an inside from an outside"


def test_edges_turn_with_the_image():
    rng = np.random.default_rng(0)
    image = disc(12, 40, (15.3, 22.1)) + 0.02 * rng.random((40, 40))
    edges = canny(image)
    for turns in (1, 2, 3):
        turned = np.rot90(canny(np.rot90(image, turns)), -turns)
        assert (turned != edges).sum() <= 0.02 * edges.sum()


def test_contrast_and_brightness_do_not_matter():
    image = disc() + disc(5, centre=(20, 20))
    np.testing.assert_array_equal(canny(image), canny(100 + 37 * image))


def test_hysteresis_keeps_the_weak_end_of_a_strong_edge_and_drops_a_weak_edge_alone():
    image = np.zeros((40, 60))
    image[:20, 10:20] = np.linspace(1, 0.2, 20)[:, None]  # a bar that fades along its length
    image[25:, 40:] = 0.2  # as faint as the bar's end, by itself
    edges = canny(image, low=0.1, high=0.5)
    assert edges[15:19, 5:25].any()
    assert not edges[28:, 30:].any()
    assert canny(image, low=0.1, high=0.1)[28:, 30:].any()


def test_smoothing_removes_what_is_smaller_than_it():
    image = disc()
    image[10, 10] = 0.6
    assert canny(image, sigma=0.5)[6:15, 6:15].any()
    assert not canny(image, sigma=3, low=0.2, high=0.2)[4:15, 4:15].any()


@pytest.mark.parametrize("value", [0.0, 0.1, 255, 1e6])
def test_one_colour_has_no_edges(value):
    assert not canny(np.full((9, 9), value)).any()


def test_edge_points_lie_on_the_edge_pixels():
    images = [disc(), disc(10, 40, (20, 20))]
    sets = edge_sets(images, ids=["large", "small"], jitter=False)
    assert sets.ids == ("large", "small")
    for points, image in zip(sets, images, strict=True):
        np.testing.assert_array_equal(points[:, ::-1] - 0.5, np.argwhere(canny(image)))
    spread = edge_sets(images, random_state=0)
    np.testing.assert_array_equal(np.floor(spread.points), np.floor(sets.points))
    assert spread.duplicates.sum() == 0
    assert spread == edge_sets(images, random_state=0) != edge_sets(images, random_state=1)
    unit = edge_sets(images[:1], units="unit", random_state=0)[0]
    np.testing.assert_allclose(np.hypot(*unit.T).mean(), 20 / 32, rtol=0.02)


@pytest.mark.parametrize(
    ("image", "kwargs", "message"),
    [
        (np.ones((5, 5)), {"ids": ["blank"]}, "image 'blank' has no edges at sigma=1, low=0.04, high=0.1; lower them"),
        (disc(), {"sigma": -1}, "sigma=-1 is not allowed"),
        (disc(), {"low": 0.3, "high": 0.2}, "low=0.3 and high=0.2 are not allowed"),
        (disc(), {"units": "mm"}, "units='mm' is not known"),
        (np.ones((1, 5, 5, 3)), {}, "an image is .height, width.. Make it grey"),
    ],
)
def test_what_has_no_edges(image, kwargs, message):
    with pytest.raises(sw.InputError, match=message):
        edge_sets(image, **kwargs)


@pytest.mark.skipif(not COIL.is_dir(), reason=f"the COIL views are not at {COIL}")
def test_the_views_of_an_object_have_about_as_many_edges_as_in_the_paper():
    """Between 845 and 1158 there, on an object it does not name."""
    from matplotlib import image as files

    views = [files.imread(COIL / f"obj18__{angle}.png")[..., :3].mean(axis=-1) for angle in range(0, 360, 45)]
    sizes = edge_sets(views, random_state=0).sizes
    assert sizes.min() > 500 and sizes.max() < 1_300
