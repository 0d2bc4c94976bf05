"""`setwise divergences`: a file of sets in, the divergence of every set from every other out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from setwise.commands.interrupt import computing
from setwise.commands.options import (
    DIVERGENCES,
    METHOD,
    RESULT,
    Data,
    Memory,
    Threads,
    Whole,
)
from setwise.commands.output import to_output
from setwise.commands.reading import Reading
from setwise.commands.result import check_output, write_csv
from setwise.commands.speech import count, in_numbers, plain_warnings, print_matrix
from setwise.divergences import Divergence, DivergenceTable, divergence_table, parse
from setwise.divergences.checks import as_bytes, as_ks
from setwise.errors import InputError
from setwise.progress import track

SUFFIXES = (".npz", ".csv")
SHOWN = 12  # sets whose matrix a terminal still shows whole
WHICH = f"{DIVERGENCES} Repeat it for several, which costs little more. Default: renyi:0.9."
K = "Which neighbour; repeat it for several. Default: 5."


def divergences(
    data: Data,
    /,
    reading: Reading = Reading(),  # noqa: B008  frozen
    *,
    divergence: Annotated[
        list[str] | None, Parameter(alias="-d", negative=(), metavar="NAME", group=METHOD, help=WHICH)
    ] = None,
    k: Annotated[list[Whole] | None, Parameter(name="-k", negative=(), metavar="K", group=METHOD, help=K)] = None,
    ties: Annotated[Literal["warn", "error"], Parameter(group=METHOD)] = "warn",
    output: Annotated[Path | None, Parameter(alias="-o", metavar="FILE", group=RESULT)] = None,
    threads: Threads = None,
    memory: Memory = None,
) -> None:
    """Compute the divergence of every set from every other, for several divergences and k in one pass.

    Parameters
    ----------
    ties
        What to do about points that coincide: a warning with the counts, or an error.
    output
        Where to write: .npz (all matrices with ids and diagnostics; `setwise.DivergenceTable.load` reads it), or
        .csv (the matrix with ids; for several divergences or k one below the other, named in two leading columns).
        Without it, matrices of up to 12 sets are printed.
    """
    chosen = list(dict.fromkeys(parse(text) for text in divergence or ["renyi:0.9"]))
    ks = as_ks(k or [5])
    budget = as_bytes(memory)
    if output is not None:
        check_output(output, SUFFIXES, data)

    start = time.perf_counter()
    with plain_warnings():
        with track(f"reading {data.name}"):
            sets = reading.sets(data)
        if output is None and len(sets) > SHOWN:
            raise InputError(
                f"{len(sets)} sets make a matrix too large to print (at most {SHOWN}). "
                "Give -o with a file ending in .npz or .csv."
            )
        names = [str(name) for name in sets.ids]
        with computing(f"comparing {count(len(sets), 'set')}"):
            table = divergence_table(sets, divergences=chosen, k=ks, n_jobs=threads, memory=budget, ties=ties)
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
            f"{in_numbers(sets)}: {count(len(chosen), 'divergence')} "
            f"at k = {', '.join(map(str, ks))} in {seconds:.1f} s"
        )
        if output is not None:
            print(f"written to {output}")


def _write_csv(
    output: Path, table: DivergenceTable, chosen: Sequence[Divergence], ks: Sequence[int], names: Sequence[str]
) -> None:
    """The labelled matrix; several go one below the other, with what they are in two columns before the ids."""
    several = len(chosen) * len(ks) > 1
    rows = (
        [*([str(divergence), k] if several else []), name, *row]
        for divergence, k in product(chosen, ks)
        for name, row in zip(names, table[divergence, k].tolist(), strict=True)
    )
    write_csv(output, [*(["divergence", "k"] if several else []), "set", *names], rows)
