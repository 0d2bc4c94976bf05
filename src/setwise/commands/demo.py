"""`setwise demo`: digits as clouds of points, compared as distributions and by pixels."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from setwise.commands.interrupt import prompt_interrupt
from setwise.commands.output import to_output
from setwise.commands.speech import plain_warnings, print_table
from setwise.demo import run_demo, summary_of
from setwise.errors import InputError
from setwise.io import check_destination
from setwise.progress import track
from setwise.reports import Table, write_report


def demo(*, report: Annotated[Path, Parameter(alias="-o", metavar="FILE")] = Path("setwise-demo.html")) -> None:
    """Read noisy digits by distributions and by pixels, embed some, find the strangest, and write a page about it.

    Parameters
    ----------
    report
        Where to write the page.
    """
    if report.suffix != ".html":
        raise InputError(f"--report is '{report}'; give a name that ends in .html.")
    check_destination(report)
    start = time.perf_counter()
    with plain_warnings():
        # A first run on a machine compiles the engine and keeps it on disk.
        with prompt_interrupt(), track("reading digits") as progress:
            found = run_demo(progress)
        seconds = time.perf_counter() - start
        summary = summary_of(found, seconds)
        write_report(report, summary)
    table = next(part for section in summary.sections for part in section.content if isinstance(part, Table))
    with to_output():
        print_table(
            f"{len(found.classes)} digits as clouds of {found.clouds.sizes[0]} points: {table.title.lower()}",
            list(table.header),
            [[str(cell) for cell in row] for row in table.rows],
        )
        print("the strangest: " + ", ".join(str(found.clouds.ids[place]) for place in found.strangest[:4]))
        print(f"{seconds:.0f} s; pictures and the rest: {report}")
