"""What a user may pass, made into what the engine takes; everything else is refused in one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from setwise.divergences.protocol import Divergence, smallest_k
from setwise.divergences.registry import as_divergence
from setwise.errors import InputError
from setwise.sets import SampleSets

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def as_divergences(given: Divergence | str | Iterable[Divergence | str]) -> tuple[Divergence, ...]:
    """Divergences or their spellings, in the order given and each once."""
    several: Iterable[Divergence | str]
    several = [given] if isinstance(given, str | type) or not isinstance(given, Iterable) else given
    chosen = tuple(dict.fromkeys(as_divergence(item) for item in several))
    if not chosen:
        raise InputError("divergences is empty; name at least one, such as divergences=['renyi:0.9'].")
    return chosen


def as_ks(given: int | Iterable[int]) -> tuple[int, ...]:
    """One k or several, as ints in the order given and each once."""
    wanted = [given] if isinstance(given, int | np.integer | float | str) else list(given)
    for k in wanted:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InputError(f"k={k!r} is not a neighbour to look for; k must be a whole number of at least 1.")
    if not wanted:
        raise InputError("k is empty; name at least one neighbour to look for, such as k=(5,).")
    return tuple(dict.fromkeys(int(k) for k in wanted))


def as_n_jobs(given: int | None) -> int | None:
    """A number of threads, or None for all cores."""
    if given is None or (isinstance(given, int | np.integer) and not isinstance(given, bool) and given == -1):
        return None
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
        raise InputError(f"n_jobs={given!r} is not a number of threads; give 1 or more, or None for all cores.")
    return int(given)


def as_bytes(given: int | str | None) -> int | None:
    """A number of bytes from 500_000_000 or "500MB" (also GB, KiB, MiB, ..)."""
    if given is None:
        return None
    if isinstance(given, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", given.lower())
        size = int(float(match[1]) * _UNITS[match[2] or ""]) if match else 0
    else:
        size = int(given) if isinstance(given, int | np.integer) and not isinstance(given, bool) else 0
    if size < 1:
        raise InputError(f"memory={given!r} is not a size; give bytes, or a number with a unit such as '500MB'.")
    return size


def check_dimensions(x: SampleSets, y: SampleSets) -> None:
    """The sets of both sides live in one space."""
    if x.dim != y.dim:
        raise InputError(
            f"set {y.ids[0]!r} of Y has {y.dim} columns; set {x.ids[0]!r} of X has {x.dim}. All sets need the same."
        )


def check_sizes(sides: Iterable[SampleSets], ks: Sequence[int]) -> None:
    """k + 1 points in every set: k neighbours beside the point itself."""
    k = max(ks)
    for sets in sides:
        small = np.flatnonzero(sets.sizes < k + 1)
        if len(small):
            more = f" ({_others(len(small) - 1)} too few as well)" if len(small) > 1 else ""
            points = int(sets.sizes[small[0]])
            raise InputError(
                f"set {sets.ids[small[0]]!r} has {points} point{'s' * (points != 1)}{more}; "
                f"k={k} needs at least {k + 1}. Lower k or drop the set{'s' * (len(small) > 1)}."
            )


def check_existence(divergences: Iterable[Divergence], ks: Iterable[int]) -> None:
    """Gamma(k - a) exists for every exponent a."""
    least = min(ks)
    for divergence in divergences:
        needed = smallest_k(divergence)
        if least < needed:
            raise InputError(
                f"k={least} is too small for {divergence}, whose estimator exists from k={needed} on. "
                "Raise k, or choose a divergence of the ratio family, such as renyi:0.9."
            )


def _others(count: int) -> str:
    return f"{count} other set{'s' * (count != 1)} {'have' if count != 1 else 'has'}"
