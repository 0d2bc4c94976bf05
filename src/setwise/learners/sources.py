"""Where a search takes its Gram matrices from: a kernel that can be fitted on any of the sets and asked for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from setwise.kernels.matrix import Array
from setwise.learners.folds import Places
from setwise.sets import SampleSets

Rows: TypeAlias = Callable[[Places], Array]


class Source(Protocol):
    """A kernel for some sets, which are known by their places."""

    def __len__(self) -> int:
        """How many sets there are."""
        ...

    def fit(self, train: Places) -> tuple[Array, Rows]:
        """Fitted on the training sets alone: their Gram matrix, and what gives rows of other sets with them."""
        ...


@dataclass(frozen=True)
class OnDivergences:
    """A kernel on a matrix of symmetrised divergences among the sets: the steps of `SetKernel` from there on."""

    divergences: Array
    steps: Pipeline

    def __len__(self) -> int:
        return len(self.divergences)

    def fit(self, train: Places) -> tuple[Array, Rows]:
        steps = clone(self.steps)
        gram = np.asarray(steps.fit_transform(self.divergences[np.ix_(train, train)]))
        return gram, lambda test: np.asarray(steps.transform(self.divergences[np.ix_(test, train)]))


@dataclass(frozen=True)
class OnSets:
    """A transformer of sets into a Gram matrix, fitted anew on each training set."""

    sets: SampleSets
    kernel: Any

    def __len__(self) -> int:
        return len(self.sets)

    def fit(self, train: Places) -> tuple[Array, Rows]:
        kernel = clone(self.kernel)
        gram = np.asarray(kernel.fit_transform(self.sets[train]))
        return gram, lambda test: np.asarray(kernel.transform(self.sets[test]))


@dataclass(frozen=True)
class OnGram:
    """A Gram matrix that all the sets have together, whichever are trained on: transduction."""

    gram: Array

    def __len__(self) -> int:
        return len(self.gram)

    def fit(self, train: Places) -> tuple[Array, Rows]:
        return self.gram[np.ix_(train, train)], lambda test: self.gram[np.ix_(test, train)]


def together(source: Source) -> OnGram:
    """The kernel fitted on all the sets, their labels not looked at."""
    return OnGram(source.fit(np.arange(len(source)))[0])
