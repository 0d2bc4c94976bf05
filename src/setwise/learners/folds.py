"""Folds of labelled sets, refused where nothing can be learned in one."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv

from setwise.errors import InputError
from setwise.learners.targets import HasIds, one_a_set

Places: TypeAlias = NDArray[np.intp]
Fold: TypeAlias = tuple[Places, Places]
"""Places of the training and of the test sets."""


def folds_of(
    cv: Any, targets: NDArray[Any], known: NDArray[np.bool_], groups: ArrayLike | None, sets: HasIds, classifying: bool
) -> list[Fold]:
    """The folds of the sets whose target is known; `cv` is a number, a splitter or the folds themselves."""
    places = np.flatnonzero(known)
    of_groups = None if groups is None else one_a_set(groups, sets, "groups")[places]
    shown = f"cv={cv!r}" if isinstance(cv, int | str) or hasattr(cv, "split") else f"cv, a {type(cv).__name__},"
    try:
        splits = list(check_cv(cv, targets[places], classifier=classifying).split(places, targets[places], of_groups))
    except ValueError as error:
        raise InputError(f"{shown} cannot divide {len(places)} sets: {str(error).splitlines()[0]}") from error
    folds = [(places[train], places[test]) for train, test in splits]
    for number, (train, test) in enumerate(folds):
        if not len(train) or not len(test):
            raise InputError(f"fold {number} of {shown} has no sets to {'test' if len(train) else 'learn from'}.")
        if classifying and len(np.unique(targets[train])) < 2:
            raise InputError(
                f"fold {number} of {shown} leaves one class to learn, {targets[train[0]].item()!r}; "
                "use fewer folds, or shuffle them, as in cv=StratifiedKFold(3, shuffle=True)."
            )
    return folds
