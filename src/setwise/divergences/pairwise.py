"""All divergences between all pairs of sets: checks, one pass of the engine, formulas, and what there is to say."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from setwise import __version__
from setwise.divergences import notices
from setwise.divergences.checks import (
    as_bytes,
    as_divergences,
    as_ks,
    as_n_jobs,
    check_dimensions,
    check_existence,
    check_sizes,
)
from setwise.divergences.coincidences import shared_points
from setwise.divergences.protocol import Divergence, Terms, row_blocks
from setwise.divergences.ratio import Renyi
from setwise.divergences.table import DivergenceTable
from setwise.errors import InputError
from setwise.neighbours import pair_moments
from setwise.neighbours.moments import Array, Moment, Moments, Own
from setwise.progress import reporting
from setwise.sets import SampleSets, Sets, as_sets

Progress: TypeAlias = bool | Callable[[int, int], None] | None
Ties: TypeAlias = Literal["warn", "error"]
_Key = TypeVar("_Key", Moment, Own)


def pairwise_divergences(
    X: Sets,
    Y: Sets | None = None,
    divergence: Divergence | str = Renyi(0.9),  # noqa: B008  frozen
    *,
    k: int = 5,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    ties: Ties = "warn",
    progress: Progress = None,
) -> Array:
    """The directed divergence D(X_i || Y_j) of every set of X from every set of Y, (len(X), len(Y)).

    Estimates are signed, never clamped. Without Y, X against itself, with the exact value of a set against itself on
    the diagonal. `divergence_table` computes several divergences and k at the price of one, and takes the same
    arguments.
    """
    table = compute(X, Y, (divergence,), (k,), n_jobs, memory, ties, progress)
    return table[table.divergences[0], table.ks[0]].copy()


def divergence_table(
    X: Sets,
    Y: Sets | None = None,
    divergences: Iterable[Divergence | str] = (Renyi(0.9),),
    *,
    k: int | Iterable[int] = (5,),
    n_jobs: int | None = None,
    memory: int | str | None = None,
    ties: Ties = "warn",
    progress: Progress = None,
) -> DivergenceTable:
    """All the divergences, for all the k, of every set of X from every set of Y, from one pass over the neighbours.

    Parameters
    ----------
    X, Y : SampleSets, or a sequence of (n_t, d) arrays
        Y left out: X against itself; the diagonal is the exact value of a set against itself.
    divergences : divergences or their spellings, such as [Renyi(0.9), "kl:matched"]
    k : which neighbours
    n_jobs : number of threads, None or -1 for all cores
    memory : the most to work in beyond data and result, as bytes or "500MB"
    ties : "warn" of points that coincide with their k-th neighbour, or "error" to refuse them
    progress : True for a bar on a terminal, or a callable(done, total)
    """
    return compute(X, Y, divergences, k, n_jobs, memory, ties, progress)


def compute(
    X: Sets,
    Y: Sets | None,
    divergences: Divergence | str | Iterable[Divergence | str],
    k: int | Iterable[int],
    n_jobs: int | None = None,
    memory: int | str | None = None,
    ties: Ties = "warn",
    progress: Progress = None,
    *,
    same: NDArray[np.bool_] | None = None,
    symmetrize: bool = False,
) -> DivergenceTable:
    """`divergence_table`; `same` marks pairs that are one set, beside the diagonal, and so take the exact value.

    `symmetrize`: the mean of both directions in place of D(X_i || Y_j).
    """
    start = time.perf_counter()
    x = as_sets(X)
    y = x if Y is None else as_sets(Y)
    chosen, ks, threads, budget = as_divergences(divergences), as_ks(k), as_n_jobs(n_jobs), as_bytes(memory)
    if ties not in ("warn", "error"):
        raise InputError(f"ties={ties!r} is not known; choose 'warn' or 'error'.")
    check_dimensions(x, y)
    check_sizes((x,) if Y is None else (x, y), ks)
    if Y is None and same is None:
        same = np.eye(len(x), dtype=bool)
    selves = same is not None and bool(same.any())
    check_existence(chosen, ks)
    coincident = _coincident(x, None if Y is None else y, same)
    if ties == "error":
        notices.refuse_ties(coincident)

    own = tuple(dict.fromkeys(o for one in chosen for o in one.own + (one.own_of_self if selves else ())))
    moments = tuple(dict.fromkeys(moment for one in chosen for moment in one.moments))
    both = symmetrize or any(one.both for one in chosen)
    room = _room(chosen, itself=Y is None, symmetrize=symmetrize)
    spare = len(moments) * (2 if both and Y is not None else 1) - sum(moment is not None for moment in room.values())
    with reporting(progress, "divergences") as report:
        answer = pair_moments(
            x,
            None if Y is None else y,
            list(moments),
            ks,
            own=list(own),
            both=both,
            n_jobs=threads,
            memory=budget,
            held=len(x) * len(y) * (8 * len(ks) * spare + 2),  # and two masks of pairs
            progress=report,
        )
    values: dict[tuple[Divergence, int], Array] = {}
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for kk in ks:
            terms = _terms(answer, kk, x, y)
            for one, moment in room.items():
                into = np.empty((len(x), len(y))) if moment is None else answer.forward[moment, kk]
                values[one, kk] = _fill(into, one, terms, same if selves else None, symmetrize)

    at_kth = np.asarray(answer.diagnostics["ties"])
    if Y is not None:
        at_kth = np.concatenate([at_kth, np.asarray(answer.diagnostics["ties_y"])])
    found = notices.conditions(chosen, ks, selves) + notices.sizes(chosen, x, y)
    found += notices.tied(chosen, coincident, at_kth, max(ks))
    apart = np.ones((len(x), len(y)), dtype=bool) if same is None else ~same
    found += notices.ranges(values, _column(x), _column(y).T, apart, x.dim)
    diagnostics: dict[str, object] = {
        "setwise": __version__,
        "parameters": {
            "divergences": [str(one) for one in chosen],
            "k": list(ks),
            "n_jobs": threads,
            "memory": budget,
            "ties": ties,
        },
        "sets": [len(x), len(y)],
        "dim": x.dim,
        "sizes_x": _range(x),
        "sizes_y": _range(y),
        "against_itself": Y is None,
        "ties": _by_id(x, at_kth[: len(x)]),
        "ties_y": _by_id(y, at_kth[len(x) :]),
        "repeated": _by_id(x, coincident.repeated[: len(x)]),
        "repeated_y": _by_id(y, coincident.repeated[len(x) :]),
        "shared": _by_id(x, coincident.shared[: len(x)]),
        "seconds": time.perf_counter() - start,
        "search_seconds": answer.diagnostics["seconds"],
        "safe_path": answer.diagnostics["safe_path"],
        "path": answer.diagnostics["path"],
        "warnings": [text for _, text in found],
    }
    notices.give(found)
    return DivergenceTable(values, x.ids, y.ids, diagnostics)


def _terms(answer: Moments, k: int, x: SampleSets, y: SampleSets) -> Terms:
    return Terms(
        dim=x.dim,
        n=_column(x),
        m=_column(y).T,
        forward=_at(answer.forward, k),
        backward={moment: matrix.T for moment, matrix in _at(answer.backward, k).items()},
        own_x={moment: values[:, None] for moment, values in _at(answer.own_x, k).items()},
        own_y={moment: values[None, :] for moment, values in _at(answer.own_y, k).items()},
    )


def _at(answers: Mapping[tuple[_Key, int], Array], k: int) -> dict[_Key, Array]:
    return {moment: values for (moment, kk), values in answers.items() if kk == k}


def _room(chosen: Sequence[Divergence], itself: bool, symmetrize: bool) -> dict[Divergence, Moment | None]:
    """For each divergence a moment that none after it needs, whose matrix has room for the answer.

    X against itself, one that reads the other direction has none: it would read what it has written.
    """
    waiting = Counter(moment for one in chosen for moment in one.moments)
    room: dict[Divergence, Moment | None] = {}
    for one in chosen:
        waiting.subtract(one.moments)
        free = (moment for moment in one.moments if not waiting[moment])
        room[one] = None if itself and (one.both or symmetrize) else next(free, None)
    return room


def _fill(
    values: Array, divergence: Divergence, terms: Terms, same: NDArray[np.bool_] | None, symmetrize: bool
) -> Array:
    """The values of a divergence, or the means of both directions, some rows at a time."""
    for part in row_blocks(*values.shape):
        some = terms.rows(part)
        value = divergence.value(some)
        values[part] = (value + divergence.value(some.reversed())) / 2 if symmetrize else value
        if same is not None:
            chosen = same[part]
            values[part][chosen] = np.broadcast_to(divergence.self_value(some), chosen.shape)[chosen]
    return values


def _column(sets: SampleSets) -> Array:
    return sets.sizes[:, None].astype(np.float64)


def _range(sets: SampleSets) -> Sequence[int]:
    return [int(sets.sizes.min()), int(sets.sizes.max())]


def _coincident(x: SampleSets, y: SampleSets | None, same: NDArray[np.bool_] | None) -> notices.Ties:
    """Points that coincide, in the sets of x and then those of y, which nothing is said of sharing with x."""
    shared = shared_points(x, y, same)
    if y is None:
        return notices.Ties(x.ids, x.duplicates, shared, len(x.points))
    repeated = np.concatenate([x.duplicates, y.duplicates])
    shared = np.concatenate([shared, np.zeros(len(y), dtype=np.int64)])
    return notices.Ties(x.ids + y.ids, repeated, shared, len(x.points) + len(y.points), of_x=len(x))


def _by_id(sets: SampleSets, counts: NDArray[np.int64]) -> dict[str, int]:
    return {str(sets.ids[i]): int(counts[i]) for i in np.flatnonzero(counts).tolist()}
