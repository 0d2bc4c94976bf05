"""What is to be learned of the sets: labels, numbers, weights; one a set, checked."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target

from setwise.errors import InputError
from setwise.kernels.matrix import Array
from setwise.refusals import MISSING, Id


class HasIds(Protocol):
    """SampleSets, or what stands for them where the points are not at hand."""

    @property
    def ids(self) -> tuple[Id, ...]:
        """One a set."""

    def __len__(self) -> int: ...


def as_labels(y: ArrayLike, sets: HasIds, *, transductive: bool = False) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The labels that were given, and which sets have one.

    If `transductive`, a set has none where y is -1 (or "-1" among texts) or None.
    """
    given = one_a_set(y, sets, "labels")
    if given.dtype.kind == "U" and isinstance(y, list | tuple):  # NumPy makes "nan" of a NaN among texts
        given = one_a_set(np.array(y, dtype=object), sets, "labels")
    known = np.ones(len(sets), dtype=bool)
    missing = np.array([_is_missing(label) for label in given], dtype=bool)
    if transductive:
        known = ~missing & np.array([str(label) not in ("-1", "-1.0") for label in given], dtype=bool)
    elif missing.any():
        raise InputError(f"set {sets.ids[int(missing.argmax())]!r} has no label; give it one, or leave the set out.")
    labels = np.array(given[known].tolist()) if given.dtype == object else given[known]
    if not known.any():
        raise InputError("no set has a label: every y is -1, which marks unlabelled sets; give labels of two classes.")
    kind = type_of_target(labels)
    if kind not in ("binary", "multiclass"):
        raise InputError(f"y holds {kind} values, not classes; give one label a set, or use a regressor.")
    if len(np.unique(labels)) < 2:
        why = "; -1 marks unlabelled sets" if not known.all() else ""
        raise InputError(f"all labels are {labels[0].item()!r}{why}; give labels of at least two classes.")
    return labels, known


def as_numbers(y: ArrayLike, sets: HasIds, known: NDArray[np.bool_]) -> Array:
    """A finite number a set, where it is known."""
    given = one_a_set(y, sets, "targets")
    try:
        numbers: Array = given[known].astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"y holds {given.dtype}, not numbers; give one number a set.") from error
    if not np.isfinite(numbers).all():
        place = int(np.flatnonzero(known)[(~np.isfinite(numbers)).argmax()])
        raise InputError(f"the target of set {sets.ids[place]!r} is {given[place]}; give a finite number a set.")
    return numbers


def as_weights(sample_weight: ArrayLike | None, sets: HasIds) -> Array | None:
    """A number of at least 0 a set, or None."""
    if sample_weight is None:
        return None
    given = one_a_set(sample_weight, sets, "sample weights")
    try:
        weights: Array = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight holds {given.dtype}; give one number of at least 0 a set.") from error
    if not (weights >= 0).all() or not np.isfinite(weights).all():
        place = int((~(np.isfinite(weights) & (weights >= 0))).argmax())
        raise InputError(f"the sample weight of set {sets.ids[place]!r} is {weights[place]}; give at least 0.")
    if not weights.any():
        raise InputError("all sample weights are 0; give some sets a weight above 0.")
    return weights


def as_mask(mask: ArrayLike | None, sets: HasIds, name: str) -> NDArray[np.bool_]:
    """True or False a set."""
    if mask is None:
        return np.zeros(len(sets), dtype=bool)
    given = one_a_set(mask, sets, f"entries of {name}")
    if given.dtype != bool:
        raise InputError(f"{name} holds {given.dtype}; give True or False a set.")
    return given


def one_a_set(given: ArrayLike | None, sets: HasIds, what: str) -> NDArray[Any]:
    """One value a set, of any kind."""
    if given is None:
        raise InputError(f"no {what} given; give one a set, {len(sets)} in all.")
    try:
        array = np.asarray(given)
    except ValueError as error:  # of lists of several lengths
        raise InputError(f"{what} are lists of several lengths; give one value a set, {len(sets)} in all.") from error
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{what} have shape {array.shape}; give one a set, {len(sets)} in all.")
    if len(array) != len(sets):
        raise InputError(f"{len(array)} {what} for {len(sets)} sets; give one a set.")
    return array


def _is_missing(label: object) -> bool:
    return not isinstance(label, str) and str(label) in MISSING
