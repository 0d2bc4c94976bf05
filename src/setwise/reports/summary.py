"""What a report says, as plain values: `write_report` makes a page of it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

from setwise import __version__

Cell: TypeAlias = str | int | float | None

_COUNTED = ("numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """What the numbers of this process were computed with."""
    found = {"setwise": __version__, "Python": platform.python_version()}
    for name in _COUNTED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # installed in some way that leaves no record
            found[name] = "unknown"
    return found | {"system": f"{platform.system()} {platform.machine()}"}


@dataclass(frozen=True)
class Table:
    """Rows under a header. Columns that hold numbers alone are set as such; None is an empty cell.

    Give floats as text, with the digits that they deserve; others are shown to four significant digits.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Picture:
    """A matplotlib figure, or the path of an .svg, .png or .jpg file; `alt` is for those who cannot see it."""

    source: Any | os.PathLike[str]
    caption: str
    alt: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the results, in the order in which it is to be read. Pictures that follow each other share a line."""

    title: str = ""
    text: str = ""
    content: Sequence[Table | Picture] = ()


@dataclass(frozen=True)
class Summary:
    """A report.

    Parameters
    ----------
    title, lead : what this is, and in a sentence or two what came out
    headline : a few numbers that say it at a glance, each with what it is: ("96.0 %", "right, by distributions")
    sections : the results
    command : what was run, as it was typed
    data : what it was run on, each with a few words
    settings : seeds, and whatever else was chosen
    notices : what was discarded or warned of; said to be nothing where there is none
    again : the lines that run it once more, if these are more than the command
    versions : of what it was computed with
    """

    title: str
    lead: str = ""
    headline: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    command: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    notices: Sequence[str] = ()
    again: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
