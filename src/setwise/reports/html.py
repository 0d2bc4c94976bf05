"""A summary as one HTML page that needs nothing but itself: no network, no scripts, its pictures inside."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count, groupby
from typing import Any

from setwise.io.atomic import write_whole
from setwise.reports.pictures import picture_markup
from setwise.reports.summary import Cell, Picture, Section, Summary, Table

_MINUS, _DASH = "\u2212", "\u2013"
# A number as tables write them: 1,234  -.5  < 3  95.4 ± .3  12 %  1.3e-5  5 s  34.8x  12 (3)  3/50
_NUMBER = re.compile(
    rf"[<>≤≥~≈±]? ?[-+{_MINUS}]?\.?\d[\d.,]*(e[-+]?\d+)?( ?[±/{_DASH}] ?\.?\d[\d.,]*)?"
    r"( \(.{1,9}\))?( ?(%|[a-zµ]?s|x|min|h|[kMG]B))?"
)
_HALF = 680  # CSS pixels; a picture up to this width may be shrunk to share a line, a wider one needs all of it
_NO_VALUE = ("", "-", _DASH, "\u2014")


def write_report(path: str | os.PathLike[str], summary: Summary) -> None:
    """Write the page of a summary; the file is either whole or absent."""
    page = render_report(summary)
    with write_whole(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def render_report(summary: Summary, written: datetime | None = None) -> str:
    """The page of a summary, dated now unless a date is given."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("setwise.reports", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    now = written or datetime.now()
    page = environment.get_template("report.html.jinja").render(
        summary=summary,
        sections=list(_sections(summary.sections)),
        written=f"{now.day} {now:%B %Y, %H:%M}",
    )
    return page + "\n"


@dataclass(frozen=True)
class _ShownTable:
    number: int
    table: Table
    numeric: list[bool]
    rows: list[list[str]]


@dataclass(frozen=True)
class _ShownPicture:
    number: int
    caption: str
    element: str
    width: int | None
    wide: bool


def _sections(sections: Iterable[Section]) -> Iterator[dict[str, Any]]:
    """Each section with its content numbered, and what follows each other of one kind together."""
    tables, pictures = count(1), count(1)
    for section in sections:
        content = [
            _table(next(tables), part) if isinstance(part, Table) else _picture(next(pictures), part)
            for part in section.content
        ]
        groups = [
            ("tables" if kind is _ShownTable else "pictures", list(some)) for kind, some in groupby(content, type)
        ]
        yield {"title": section.title, "text": section.text, "groups": groups}


def _picture(number: int, picture: Picture) -> _ShownPicture:
    markup = picture_markup(picture.source, number, picture.alt or picture.caption)
    wide = markup.width is None or markup.width > _HALF
    return _ShownPicture(number, picture.caption, markup.element, markup.width, wide)


def _table(number: int, table: Table) -> _ShownTable:
    rows = [[_text(cell) for cell in row] for row in table.rows]
    numeric = [_is_numeric([row[place] for row in rows if place < len(row)]) for place in range(len(table.header))]
    return _ShownTable(number, table, numeric, rows)


def _text(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _is_numeric(cells: Sequence[str]) -> bool:
    values = [cell for cell in cells if cell not in _NO_VALUE]
    return bool(values) and all(_NUMBER.fullmatch(value) for value in values)
