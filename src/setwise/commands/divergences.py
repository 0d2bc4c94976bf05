"""`setwise divergences`: a file of sets in, the divergence of every set from every other out."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, Token

from setwise.commands.interrupt import prompt_interrupt
from setwise.commands.output import to_output
from setwise.commands.speech import count, plain_warnings, print_matrix
from setwise.divergences import REGISTRY, Divergence, DivergenceTable, divergence_table, parse
from setwise.divergences.checks import as_bytes, as_ks
from setwise.divergences.spelling import usage
from setwise.errors import InputError
from setwise.io import check_destination, read_sets, write_whole
from setwise.progress import track

SUFFIXES = (".npz", ".csv")
SHOWN = 12  # sets whose matrix a terminal still shows whole
CHOICES = ", ".join(f"`{usage(kind)}`" for kind in REGISTRY.values())
WHICH = f"One of {CHOICES}. Repeat it for several, which costs little more. Default: renyi:0.9."


def _whole(_: type, tokens: Sequence[Token]) -> int:
    """An integer as it is written, where cyclopts would round 2.5."""
    try:
        return int(tokens[0].value)
    except ValueError as error:
        raise ValueError(f'"{tokens[0].value}" is not a whole number.') from error


Whole = Annotated[int, Parameter(converter=_whole)]


def divergences(
    data: Path,
    /,
    *,
    by: Annotated[str | None, Parameter(metavar="COLUMN")] = None,
    columns: Annotated[str | None, Parameter(metavar="A,B,..")] = None,
    divergence: Annotated[list[str] | None, Parameter(alias="-d", negative=(), metavar="NAME", help=WHICH)] = None,
    k: Annotated[list[Whole] | None, Parameter(name="-k", negative=(), metavar="K")] = None,
    output: Annotated[Path | None, Parameter(alias="-o", metavar="FILE")] = None,
    threads: Annotated[Whole | None, Parameter(metavar="N")] = None,
    memory: Annotated[str | None, Parameter(metavar="SIZE")] = None,
    ties: Literal["warn", "error"] = "warn",
) -> None:
    """Compute the divergence of every set from every other, for several divergences and k in one pass.

    Parameters
    ----------
    data
        The sets: a long table (.csv, .parquet) with one point a row, an .npz, or a folder of .npy files.
    by
        The column of a long table that says which set a point belongs to.
    columns
        The columns to use as coordinates, separated by commas. Default: all numeric ones but --by.
    k
        Which neighbour; repeat it for several. Default: 5.
    output
        Where to write: .npz (all matrices with ids and diagnostics; `setwise.DivergenceTable.load` reads it), or
        .csv (the matrix with ids; for several divergences or k one below the other, named in two leading columns).
        Without it, matrices of up to 12 sets are printed.
    threads
        How many threads to use. Default: one for each core.
    memory
        The most memory to work in besides data and result, such as 500MB.
    ties
        What to do about points that coincide: a warning with the counts, or an error.
    """
    chosen = list(dict.fromkeys(parse(text) for text in divergence or ["renyi:0.9"]))
    ks = as_ks(k or [5])
    wanted = None if columns is None else [name.strip() for name in columns.split(",")]
    budget = as_bytes(memory)
    if threads is not None and threads < 1:
        raise InputError(f"--threads is {threads}; it must be 1 or more. Leave it out to use every core.")
    if output is not None:
        _check_output(output, data)

    start = time.perf_counter()
    with plain_warnings():
        with track(f"reading {data.name}"):
            sets = read_sets(data, by=by, columns=wanted)
        if output is None and len(sets) > SHOWN:
            raise InputError(
                f"{len(sets)} sets make a matrix too large to print (at most {SHOWN}). "
                "Give -o with a file ending in .npz or .csv."
            )
        names = [str(name) for name in sets.ids]
        with prompt_interrupt(), track(f"comparing {count(len(sets), 'set')}") as progress:
            table = divergence_table(
                sets, divergences=chosen, k=ks, n_jobs=threads, memory=budget, ties=ties, progress=progress
            )
        if output is not None:
            with track(f"writing {output.name}"):
                if output.suffix == ".csv":
                    _write_csv(output, table, chosen, ks, names)
                else:
                    table.save(output)
    seconds = time.perf_counter() - start
    with to_output():
        if output is None:
            for one, kk in product(chosen, ks):
                print_matrix(f"{one}, k = {kk}", table[one, kk], names, names)
        print(
            f"{count(len(sets), 'set')}, {count(len(sets.points), 'point')}, {count(sets.dim, 'dimension')}: "
            f"{count(len(chosen), 'divergence')} at k = {', '.join(map(str, ks))} in {seconds:.1f} s"
        )
        if output is not None:
            print(f"written to {output}")


def _check_output(output: Path, data: Path) -> None:
    """Refuse a file that could not be written, before hours are spent on what it should hold."""
    if output.suffix not in SUFFIXES:
        raise InputError(f"output '{output}' must end in {' or '.join(SUFFIXES)}.")
    check_destination(output)
    if os.path.exists(output) and os.path.exists(data) and os.path.samefile(output, data):
        raise InputError(f"output '{output}' is the data itself; give another name.")


def _write_csv(
    output: Path, table: DivergenceTable, chosen: Sequence[Divergence], ks: Sequence[int], names: Sequence[str]
) -> None:
    """The labelled matrix; several go one below the other, with what they are in two columns before the ids."""
    several = len(chosen) * len(ks) > 1
    with write_whole(output) as temporary, temporary.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow([*(["divergence", "k"] if several else []), "set", *names])
        for divergence, k in product(chosen, ks):
            label = [str(divergence), k] if several else []
            for name, row in zip(names, table[divergence, k].tolist(), strict=True):
                writer.writerow([*label, name, *row])
