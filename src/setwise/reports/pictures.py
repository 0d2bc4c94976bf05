"""Pictures as markup that stands in a page by itself, and takes on the page's colours, light or dark."""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from setwise.errors import InputError

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_FIXED = "fixed-colours"  # marks what lies on an image, whose colours are not the page's
_THEME = {"#000000": "currentColor", "#ffffff": "var(--paper)", "#cccccc": "var(--rule)"}
_MANY = 3_000  # marks; a drawing of more is smaller, and quicker to show, as pixels
_RASTER_DPI = 200
_CSS_PIXELS = 96 / 72  # of a point
_KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


@dataclass(frozen=True)
class Markup:
    """An <svg> or <img> element, and the width it was drawn at, in CSS pixels, where that is known."""

    element: str
    width: int | None


def picture_markup(source: Any, number: int, alt: str) -> Markup:
    """A picture as an element of a page. `number` keeps the names inside it apart from those of other pictures."""
    if hasattr(source, "savefig"):
        return _inline(_drawn(source), number, alt)
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"a picture is a {type(source).__name__}; give a matplotlib figure or an image's path.")
    path = Path(source)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the picture '{path}': {error.strerror or error}.") from error
    if path.suffix.lower() == ".svg":
        return _inline(content, number, alt)
    if path.suffix.lower() not in _KINDS:
        raise InputError(f"the picture '{path}' is of no known kind; give .svg, {', '.join(_KINDS)}.")
    address = f"data:{_KINDS[path.suffix.lower()]};base64,{base64.b64encode(content).decode()}"
    element = ElementTree.Element("img", {"src": address, "alt": alt})
    return Markup(ElementTree.tostring(element, encoding="unicode", method="html"), None)


def _drawn(figure: Any) -> bytes:
    import matplotlib

    buffer = io.BytesIO()
    # Text is drawn, not written: a page cannot count on the font that matplotlib measured.
    options = {"svg.fonttype": "path", "svg.hashsalt": "setwise", "svg.image_inline": True}
    with matplotlib.rc_context(options), _marked(figure):
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", transparent=True, bbox_inches="tight", metadata=nothing, dpi=_RASTER_DPI)
    return buffer.getvalue()


@contextmanager
def _marked(figure: Any) -> Iterator[None]:
    """Mark what lies on images, and have what would be a heavy drawing kept as pixels; undo both afterwards."""
    before = []
    for axes in figure.axes:
        on_image = bool(axes.images) or any(hasattr(one, "get_coordinates") for one in axes.collections)
        for artist in (*axes.lines, *axes.collections, *axes.patches, *axes.texts):
            before.append((artist, artist.get_gid(), artist.get_rasterized()))
            if on_image:
                artist.set_gid(_FIXED)
            if _marks(artist) > _MANY:
                artist.set_rasterized(True)
    try:
        yield
    finally:
        for artist, gid, rasterized in before:
            artist.set_gid(gid)
            artist.set_rasterized(rasterized)


def _marks(artist: Any) -> int:
    if hasattr(artist, "get_xdata"):
        return len(artist.get_xdata())
    if hasattr(artist, "get_coordinates"):
        return int(artist.get_coordinates().size // 2)
    return len(artist.get_offsets()) if hasattr(artist, "get_offsets") else 0


def _inline(content: bytes, number: int, alt: str) -> Markup:
    """An SVG file as an element of a page: no prolog, names of its own, the page's ink and paper, a width to shrink."""
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise InputError(f"picture {number} is no readable SVG: {error}.") from error
    for parent in list(root.iter()):
        for child in [one for one in parent if one.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}title")]:
            parent.remove(child)
    _rename(root, f"picture-{number}-")
    _recolour(root)
    width = _in_css_pixels(root.attrib.pop("width", ""))
    root.attrib.pop("height", None)
    root.set("role", "img")
    root.set("aria-label", alt)
    ElementTree.register_namespace("", _SVG)
    return Markup(ElementTree.tostring(root, encoding="unicode"), width)


def _rename(root: ElementTree.Element, prefix: str) -> None:
    for element in root.iter():
        if f"{{{_XLINK}}}href" in element.attrib:
            element.set("href", element.attrib.pop(f"{{{_XLINK}}}href"))
        for name, value in element.attrib.items():
            if name == "id" and not value.startswith(_FIXED):
                element.set(name, prefix + value)
            elif name == "href" and value.startswith("#"):
                element.set(name, "#" + prefix + value[1:])
            elif "url(#" in value:
                element.set(name, value.replace("url(#", f"url(#{prefix}"))


def _recolour(element: ElementTree.Element) -> None:
    """Black to the page's ink, white to its paper, but for what lies on images."""
    if element.get("id", "").startswith(_FIXED):
        del element.attrib["id"]
        element.set("fill", "#000000")  # matplotlib leaves black out, which is then the page's
        return
    for name, value in element.attrib.items():
        if name in ("style", "fill", "stroke"):
            element.set(name, re.sub("#(?:000000|ffffff|cccccc)", lambda found: _THEME[found[0]], value))
    for child in element:
        _recolour(child)


def _in_css_pixels(length: str) -> int | None:
    found = re.fullmatch(r"([\d.]+)(pt|px)?", length)
    return round(float(found[1]) * (_CSS_PIXELS if found[2] == "pt" else 1)) if found else None
