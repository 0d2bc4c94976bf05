"""The report's page: what it says, that it needs nothing but itself, and how a real browser shows it."""

import re
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure

import setwise as sw
from setwise.reports.html import render_report, write_report
from setwise.reports.summary import Picture, Section, Summary, Table, versions
from tests.reports.browser import CHROMIUM, browser


def drawn(size=(5, 4), on_image=False):
    figure = Figure(figsize=size)
    axes = figure.subplots()
    if on_image:
        axes.imshow(np.random.default_rng(0).random((12, 40)))
    axes.plot([0, 11], [0, 11], color="black", label="truth")
    axes.legend()
    return figure


WIDE = Table(
    "Accuracy, the paper beside ours",
    ["Method", *[f"{who}, {how}" for who, how in product(("Paper", "Ours"), ("transductive", "inductive", "raw"))]],
    [
        ["Renyi .9, in the mean of both directions", "96.0", "96.0", None, "95.4 ± .3", "94.8 ± .5", "94.7"],
        ["L2 <squared> & clipped", "93.7", "93.7", float("nan"), "93.5 ± .3", "92.6 ± .5", "-"],
    ],
    notes=["The paper does not say how many runs its figures are of."],
)
LONG = "a_name_without_any_place_to_break_it_" * 6
SUMMARY = Summary(
    title="Digits as distributions",
    lead="Told apart by divergences alone.",
    headline=[("95.4 %", "by distributions"), ("84.7 %", "by pixels"), ("2,000", "digits")],
    sections=[
        Section(
            "Pictures",
            "Look first.",
            [Picture(drawn(), "One."), Picture(drawn(), "Two."), Picture(drawn((11, 4), True), "Three.")],
        ),
        Section("Numbers", "", [WIDE, Table("Counts", ["What", "Value"], [["sets", 1234567], ["share", 0.123456]])]),
        Section("More", LONG, [Picture(drawn(), "Four."), WIDE]),
    ],
    command="setwise paper usps --data " + "/a/long/path" * 20,
    data={"usps.npz": "9,298 images", LONG: LONG},
    settings={"Seeds": "0 to 15"},
    notices=["12 points repeat one of their own set.", LONG],
    again=["pip install setwise", "setwise paper usps"],
)


class Reader(HTMLParser):
    """What a page holds, and whether each element is closed where it should be."""

    VOID = frozenset({"meta", "link", "img", "br", "input", "hr"})

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.addresses, self.text = [], [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.addresses += [values[name] for name in ("src", "href", "action", "data") if values.get(name)]
        assert not any(name.startswith("on") for name in values)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.text.append(data)


PAGE = render_report(SUMMARY, datetime(2026, 11, 5, 9, 7))


def test_it_says_all_of_the_summary():
    text = re.sub(r"\s+", " ", " ".join(Reader(PAGE).text))
    for said in (
        SUMMARY.title, SUMMARY.lead, "95.4 %", "by distributions", "5 November 2026, 09:07", "Look first.",
        "Figure 4 Four.", "Table 2 Counts", "L2 <squared> & clipped", "1,234,567", "0.1235", "95.4 ± .3", WIDE.notes[0],
        SUMMARY.command, "usps.npz 9,298 images", "Seeds 0 to 15", SUMMARY.notices[0],
        "pip install setwise setwise paper usps",
        f"setwise {sw.__version__}",
    ):  # fmt: skip
        assert re.sub(r"\s+", " ", said) in text, said
    assert "nan" not in text.split()


def test_it_needs_nothing_but_itself():
    page = Reader(PAGE)
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert "<script" not in PAGE and "@import" not in PAGE and "url(http" not in PAGE
    assert "default-src 'none'" in PAGE
    assert set(re.findall(r'https?://[^"\s<]+', PAGE)) == {"http://www.w3.org/2000/svg"}


def test_ids_are_unique_and_references_find_theirs():
    page = Reader(PAGE)
    assert len(set(page.ids)) == len(page.ids)
    wanted = {address[1:] for address in page.addresses if address.startswith("#")}
    wanted |= set(re.findall(r'aria-labelledby="([^"]+)"', PAGE))
    assert wanted <= set(page.ids)
    assert {"section-1", "section-2", "section-3"} <= wanted, "three sections have a contents"


def test_numbers_stand_right_and_names_left():
    rows = [
        ["a", 1, "1.5", "< .05", "1,234", "1.3e-5", "95.4 ± .3", "12 %", "-", "3 of 4", "34.8x", "mean 3", "41 (0.5)"],
        ["b", None, float("nan"), "≈ 3", "-1", "1", ".3", "1.5 s", "\u2013", "4", "5 ms", "4", "3/50"],
    ]
    header = [f"c{place}" for place in range(len(rows[0]))]
    page = render_report(Summary("t", sections=[Section(content=[Table("x", header, rows)])]))
    numeric = re.findall(r'<th scope="col"( class="number")?>c\d+</th>', page)
    assert [bool(one) for one in numeric] == [0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1]
    assert page.count('<th scope="row">') == 2


def test_what_there_is_none_of_is_left_out_or_said():
    page = render_report(Summary("Only a title"))
    text = re.sub(r"\s+", " ", " ".join(Reader(page).text))
    assert "Nothing was discarded, and nothing was warned of." in text
    for absent in ("What was run", "To run it again", "Data", "Settings", "Contents"):
        assert absent not in text
    assert "What was run, and runs it again" in render_report(Summary("t", command="setwise demo"))


def test_no_text_becomes_markup():
    hostile = "<script>alert(1)</script>&\"'"
    summary = Summary(
        hostile, hostile, [(hostile, hostile)],
        [Section(hostile, hostile, [Table(hostile, [hostile], [[hostile]], [hostile]), Picture(drawn(), hostile)])],
        hostile, {hostile: hostile}, {hostile: hostile}, [hostile], [hostile],
    )  # fmt: skip
    page = render_report(summary)
    assert "<script" not in page
    assert Reader(page).text.count(hostile) >= 15


def test_versions_name_what_computed():
    found = versions()
    assert found["setwise"] == sw.__version__
    assert found["numpy"] == np.__version__
    assert list(found) == ["setwise", "Python", "numpy", "scipy", "scikit-learn", "numba", "system"]


def test_the_file_is_whole_or_absent(tmp_path):
    write_report(tmp_path / "a.html", SUMMARY)
    assert (tmp_path / "a.html").read_text(encoding="utf-8").endswith("</html>\n")
    broken = replace(SUMMARY, sections=[Section(content=[Picture(tmp_path / "none.png", "x")])])
    with pytest.raises(sw.InputError, match="cannot read the picture"):
        write_report(tmp_path / "b.html", broken)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    with pytest.raises(sw.InputError, match="there is no folder"):
        write_report(tmp_path / "no" / "a.html", SUMMARY)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed; the report's page is not shown in a browser")
    folder = tmp_path_factory.mktemp("browser")
    write_report(folder / "report.html", SUMMARY)
    with browser(folder / "profile") as tab:
        tab.report = folder / "report.html"
        yield tab


# What sticks out of the window to the right, but for what scrolls inside itself.
OVERFLOW = """[...document.querySelectorAll('body *')].filter(one => !one.closest('svg') || one.matches('svg'))
    .filter(one => one.getBoundingClientRect().right > innerWidth + 0.5 && !one.closest('.scroll table, .scroll svg'))
    .map(one => one.tagName + '.' + one.className)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_a_browser_shows_it_without_complaint(page, width, scheme):
    page.show(page.report, width, scheme)
    assert page.complaints == []
    assert {address.partition(":")[0] for address in page.requests} <= {"file", "data"}
    assert sum(address.startswith("file") for address in page.requests) == 1
    assert page.evaluate("innerWidth") == width
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(OVERFLOW) == []


def test_tables_scroll_inside_themselves_on_a_phone_and_keep_the_names_in_sight(page):
    page.show(page.report, 375)
    assert page.evaluate("(t => t.scrollWidth > t.clientWidth + 50)(document.querySelector('.table .scroll'))")
    page.evaluate("document.querySelector('.table .scroll').scrollLeft = 200")
    left = page.evaluate("document.querySelector('tbody th').getBoundingClientRect().left")
    assert left == page.evaluate("document.querySelector('.table .scroll').getBoundingClientRect().left")
    page.show(page.report, 1280)
    assert page.evaluate("(t => t.scrollWidth <= t.clientWidth)(document.querySelector('.table .scroll'))")


def test_pictures_share_a_line_where_there_is_room(page):
    tops = "[...document.querySelectorAll('.picture')].map(one => Math.round(one.getBoundingClientRect().top))"
    page.show(page.report, 1280)
    first, second, third, _ = page.evaluate(tops)
    assert first == second < third
    page.show(page.report, 375)
    assert len(set(page.evaluate(tops))) == 4


CONTRAST = """(() => {
    const part = value => { value /= 255; return value <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4 };
    const light = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
                              return .2126 * part(r) + .7152 * part(g) + .0722 * part(b) };
    const paper = light(getComputedStyle(document.body).backgroundColor);
    return Math.min(...[...document.querySelectorAll('h1, p, dt, dd, th, td, figcaption, li, a, svg')].map(one => {
        const ink = light(getComputedStyle(one).color);
        return (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05) })) })()"""


@pytest.mark.parametrize(
    ("scheme", "medium", "dark"), [("light", "screen", 0), ("dark", "screen", 1), ("dark", "print", 0)]
)
def test_ink_is_read_on_its_paper(page, scheme, medium, dark):
    """WCAG asks for a contrast of 4.5; paper is always light in print."""
    page.show(page.report, 1280, scheme, medium)
    assert page.evaluate(CONTRAST) >= 4.5
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(re.findall(r"\d+", paper)[0]) < 128) == dark


def test_it_prints(page):
    page.show(page.report, 1280)
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    page.show(page.report, 670, medium="print")  # about the width of A4 within its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 670
