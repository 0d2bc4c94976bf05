"""`setwise paper`: the paper's experiments, each as its table, its pictures and a page."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from setwise.commands.interrupt import prompt_interrupt
from setwise.commands.options import Count, Whole
from setwise.commands.output import to_output
from setwise.commands.speech import plain_warnings, print_table
from setwise.errors import InputError
from setwise.paper import EXPERIMENTS, experiment
from setwise.paper.asked import Asked
from setwise.paper.result import Result
from setwise.progress import track
from setwise.reports import write_report


def paper(
    name: str,
    /,
    *,
    runs: Count | None = None,
    quick: Annotated[bool, Parameter(negative=())] = False,
    data: Annotated[Path | None, Parameter(metavar="DIR")] = None,
    out: Annotated[Path, Parameter(alias="-o", metavar="DIR")] = Path("setwise-paper"),
    seed: Annotated[Whole, Parameter(metavar="S")] = 0,
    threads: Count | None = None,
) -> None:
    """Run one of the paper's experiments, or all.

    Parameters
    ----------
    name
        usps, or all.
    runs
        How many runs. Default: as many as the paper made, or as many as its bar is stated for.
    quick
        A shorter form, of a few minutes at most.
    data
        The folder that holds the data, where an experiment needs any.
    out
        The folder for the results: NAME.json, NAME.html, pictures, and the finished runs, from which an interrupted
        experiment goes on.
    seed
        Added to every seed.
    threads
        How many threads to use. Default: one for each core.
    """
    names = EXPERIMENTS if name == "all" else (name,)
    modules = [experiment(one) for one in names]
    if seed < 0:
        raise InputError(f"--seed is {seed}; it must be 0 or more.")
    if data is not None and not data.is_dir():
        raise InputError(f"--data is '{data}', which is no folder; give the folder that holds the data.")
    asked = Asked(_folder(out), data, runs, quick, seed=seed, n_jobs=threads)
    for one, module in zip(names, modules, strict=True):
        with plain_warnings(), prompt_interrupt(), track(f"{one}: {module.TITLE}") as progress:
            start = time.perf_counter()
            result: Result = module.run(replace(asked, progress=progress))
            result = replace(result, command=_command(one, asked), seconds=time.perf_counter() - start)
        result.save(out)
        report = out / f"{one}.html"
        write_report(report, result.summary(out))
        _print(result, report)


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder '{out}': {error.strerror or error}; give --out another.") from error
    return out


def _command(name: str, asked: Asked) -> str:
    parts = ["setwise paper", name]
    parts += [f"--runs {asked.runs}"] * (asked.runs is not None) + ["--quick"] * asked.quick
    parts += ["--data DIR"] * (asked.data is not None) + [f"--seed {asked.seed}"] * (asked.seed != 0)
    return " ".join(parts)


def _print(result: Result, report: Path) -> None:
    with to_output():
        print(f"{result.title}: {result.seconds:.0f} s")
        for table in result.tables:
            header, rows = table.cells()
            print_table(table.title, header, rows)
            if table.note:
                print(table.note)
        for note in result.notes:
            print(f"- {note}")
        print(f"report: {report}")
