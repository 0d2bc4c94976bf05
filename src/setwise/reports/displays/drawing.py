"""What the displays share: axes to draw on, and how classes are told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target

from setwise.errors import InputError

# Okabe and Ito's colours, told apart by every kind of colour vision, without the yellow that white paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def axes_for(ax: Any, width: float, height: float) -> Any:
    """The axes to draw on: those given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def style_of(place: int) -> dict[str, str]:
    """The colour and the marker of a class: each of the first seven has both to itself, 49 have one pair each."""
    turn = place % len(COLOURS)
    return {"color": COLOURS[turn], "marker": MARKERS[(turn + place // len(COLOURS)) % len(MARKERS)]}


def checked_labels(labels: ArrayLike | None, n_sets: int) -> NDArray[Any] | None:
    """One label a set, or None."""
    if labels is None:
        return None
    given = np.asarray(labels)
    if given.shape != (n_sets,):
        raise InputError(f"labels have the shape {given.shape} for {n_sets} sets; give one label a set.")
    return given


def is_continuous(labels: NDArray[Any]) -> bool:
    """Whether labels are numbers on a scale, not names of classes."""
    return bool(type_of_target(labels) == "continuous")


def checked_ids(ids: Sequence[Any] | None, n_sets: int) -> list[str]:
    """The ids as texts, or the sets' places."""
    names = [str(name) for name in (range(n_sets) if ids is None else ids)]
    if len(names) != n_sets:
        raise InputError(f"{len(names)} ids for {n_sets} sets; give one id a set.")
    return names


def ids_of(X: Any) -> Sequence[Any] | None:
    """The ids of SampleSets; None for a list of arrays."""
    ids: Sequence[Any] | None = getattr(X, "ids", None)
    return ids


def rounded(values: ArrayLike) -> Callable[[float], str]:
    """How to write numbers of a kind: with the decimals that show three digits of what they differ in."""
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    spread = float(np.ptp(finite)) if finite.size else 0.0
    decimals = max(0, 2 - floor(log10(spread))) if spread else 3
    return f"{{:.{decimals}f}}".format
