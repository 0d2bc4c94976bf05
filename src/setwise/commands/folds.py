"""Which sets are learned from and which are predicted, and whether there are enough of both."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from setwise.errors import InputError
from setwise.io.labels import as_number

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
TUNING = 3  # folds that parameters are chosen by, the paper's number


def check_target(y: NDArray[Any], column: str, each: int) -> None:
    """Refuse labels that nothing can be learned from: one alone, or a class of fewer sets than `each`."""
    names, counts = np.unique(y, return_counts=True)
    if len(names) == 1:
        raise InputError(f"column {column!r} says {names[0].item()!r} of every set; there must be two labels to tell.")
    if _are_numbers(y):
        if len(y) < each:
            raise InputError(f"there are {len(y)} sets; {each} folds need at least {each}.")
        return
    if counts.min() < each:
        quantity = len(names) > len(y) / 2 and all(as_number(str(name)) is not None for name in names)
        hint = f" If {column!r} is a quantity, add --regress." if quantity else ""
        raise InputError(
            f"class {names[counts.argmin()].item()!r} of {column!r} has {counts.min()} of the {len(y)} sets; "
            f"{each} folds need {each} of each. Leave its sets out, or join it with another class.{hint}"
        )


def repeated_folds(
    y: NDArray[Any], column: str, groups: NDArray[Any] | None, folds: int, repeats: int, seed: int, each: int
) -> list[Fold]:
    """Training and test places, fold by fold and repeat by repeat; groups stay together.

    Classes keep their shares where groups allow it. What is left to learn from must do for `check_target` too.
    """
    if folds < 2:
        raise InputError(f"--folds is {folds}; there must be at least 2, to learn from one and predict the other.")
    what, several = ("groups", len(np.unique(groups))) if groups is not None else ("sets", len(y))
    if several < folds:
        raise InputError(f"--folds is {folds}, but there are only {several} {what}; give fewer.")
    if groups is None and not _are_numbers(y):
        names, counts = np.unique(y, return_counts=True)
        if counts.min() < folds:
            smallest = f"class {names[counts.argmin()].item()!r} has only {counts.min()} sets"
            raise InputError(f"--folds is {folds}, but {smallest}; give fewer, or leave the class out.")
    found: list[Fold] = []
    for repeat in range(repeats):
        dividing = splitter(folds, seed + repeat, numbers=_are_numbers(y), grouped=groups is not None)
        found += list(dividing.split(np.zeros(len(y)), y, groups))
    for train, _ in found:
        _check_training(y, column, groups, train, each)
    return found


def _check_training(
    y: NDArray[Any], column: str, groups: NDArray[Any] | None, train: NDArray[np.intp], each: int
) -> None:
    if not _are_numbers(y):
        for name in np.unique(y):
            left = int((y[train] == name).sum())
            if left < each:
                raise InputError(
                    f"a fold leaves {left} sets of class {name.item()!r} of {column!r} to learn from, where "
                    f"{each} are needed. Leave the class out, or give more --folds, which leave more to learn from."
                )
    elif len(train) < each:
        raise InputError(f"a fold leaves {len(train)} sets to learn from, where {each} are needed; add sets.")
    if groups is not None and len(np.unique(groups[train])) < each:
        raise InputError(f"a fold leaves fewer than {each} groups to learn from; add groups, or give more --folds.")


def splitter(folds: int, seed: int, *, numbers: bool, grouped: bool) -> Any:
    """What divides sets: classes keep their shares in each fold, groups stay together."""
    if grouped:
        return (GroupKFold if numbers else StratifiedGroupKFold)(folds, shuffle=True, random_state=seed)
    return (KFold if numbers else StratifiedKFold)(folds, shuffle=True, random_state=seed)


def _are_numbers(y: NDArray[Any]) -> bool:
    return y.dtype.kind == "f"
