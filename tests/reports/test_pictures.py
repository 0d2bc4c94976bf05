"""Figures as markup of a page: its colours where they belong to it, their own where they lie on an image."""

import re

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import setwise as sw
from setwise.reports.pictures import picture_markup


def figure_of(draw, size=(5, 4)):
    figure = Figure(figsize=size)
    draw(figure.subplots())
    return figure


def lines(axes):
    axes.plot([0, 1], [0, 1], color="black", label="black")
    axes.plot([0, 1], [1, 0], color="#d62728")
    axes.text(0.5, 0.5, "a word")
    axes.legend()


def image(axes):
    axes.imshow(np.eye(3))
    axes.plot([0, 1], [0, 1], color="black")
    axes.text(0, 0, "7", color="black")
    axes.text(1, 1, "8", color="white")
    axes.set_title("Counts")


def test_black_and_white_are_the_ink_and_paper_of_the_page():
    markup = picture_markup(figure_of(lines), 1, "two lines").element
    assert "#000000" not in markup and "#ffffff" not in markup
    assert "currentColor" in markup and "var(--paper)" in markup
    assert "#d62728" in markup, "other colours stay"


def test_what_lies_on_an_image_keeps_its_colours():
    markup = picture_markup(figure_of(image), 1, "counts").element
    # The line, and the two numbers: the one in black, which matplotlib leaves out, by the group it is in.
    assert len(re.findall('fill="#000000"', markup)) == 3
    assert "stroke: #000000" in markup and "fill: #ffffff" in markup
    assert "stroke: currentColor" in markup, "the axes are the page's"
    assert "data:image/png;base64," in markup


def test_an_element_that_stands_by_itself():
    markup = picture_markup(figure_of(lines), 3, 'lines & "quotes" <here>')
    element = markup.element
    assert element.startswith("<svg ") and element.endswith("</svg>")
    assert not re.search(r"<\?xml|<!DOCTYPE|<metadata|xlink|purl\.org", element)
    assert 'aria-label="lines &amp; &quot;quotes&quot; &lt;here&gt;"' in element and 'role="img"' in element
    assert set(re.findall(r'https?://[^" ]+', element)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r'<svg [^>]*\b(width|height)="', element)
    # 5 inches are 480 CSS pixels; the tight box takes margins off.
    assert 380 < markup.width < 480


def test_the_names_in_two_pictures_are_apart_and_all_known():
    both = [picture_markup(figure_of(draw), number, "x").element for number, draw in ((1, lines), (2, lines))]
    names = [set(re.findall(r' id="([^"]+)"', element)) for element in both]
    assert names[0] and not names[0] & names[1]
    for element, known in zip(both, names, strict=True):
        used = re.findall(r'href="#([^"]+)"', element) + re.findall(r"url\(#([^)]+)\)", element)
        assert used and set(used) <= known


def test_the_same_figure_gives_the_same_markup():
    assert picture_markup(figure_of(image), 1, "x") == picture_markup(figure_of(image), 1, "x")


def test_many_points_are_kept_as_pixels():
    def cloud(axes):
        axes.scatter(*np.random.default_rng(0).normal(size=(2, 20_000)))
        axes.plot(np.arange(5_000))

    element = picture_markup(figure_of(cloud), 1, "a cloud").element
    assert "<image " in element
    assert len(element) < 400_000
    assert "<image " not in picture_markup(figure_of(lines), 1, "x").element


def test_the_figure_stays_as_it_was():
    figure = figure_of(image)
    figure.axes[0].lines[0].set_gid("mine")
    before = [(one.get_gid(), one.get_rasterized()) for one in figure.findobj()]
    canvas, face, options = figure.canvas, figure.axes[0].get_facecolor(), dict(matplotlib.rcParams)
    picture_markup(figure, 1, "x")
    assert [(one.get_gid(), one.get_rasterized()) for one in figure.findobj()][: len(before)] == before
    assert (figure.canvas, figure.axes[0].get_facecolor()) == (canvas, face)
    assert dict(matplotlib.rcParams) == options


def test_pictures_in_files(tmp_path):
    figure = figure_of(image)
    for name in ("a.svg", "a.png", "a.jpg"):
        figure.savefig(tmp_path / name)
    assert picture_markup(tmp_path / "a.svg", 1, "x").element.startswith("<svg ")
    assert picture_markup(str(tmp_path / "a.svg"), 1, "x").width == 480
    for name, kind in (("a.png", "png"), ("a.jpg", "jpeg")):
        markup = picture_markup(tmp_path / name, 1, 'x "y"')
        assert markup.element.startswith(f'<img src="data:image/{kind};base64,')
        assert markup.element.endswith('alt="x &quot;y&quot;">')
        assert markup.width is None


def test_what_is_no_picture(tmp_path):
    (tmp_path / "a.svg").write_text("no markup")
    (tmp_path / "a.bmp").touch()
    for source, message in (
        (tmp_path / "none.png", "cannot read the picture '.*none.png': No such file"),
        (tmp_path / "a.svg", "picture 4 is no readable SVG"),
        (tmp_path / "a.bmp", "the picture '.*a.bmp' is of no known kind; give .svg, .png, .jpg"),
        (np.ones((3, 3)), "a picture is a ndarray; give a matplotlib figure or an image's path"),
    ):
        with pytest.raises(sw.InputError, match=message):
            picture_markup(source, 4, "x")
