"""A Gram matrix as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise.errors import InputError
from setwise.kernels import Gram, gram_matrix
from setwise.kernels.matrix import Array
from setwise.reports.displays.drawing import axes_for, checked_ids, checked_labels, is_continuous
from setwise.reports.displays.kernels import unfitted_kernel
from setwise.sets import Sets, as_sets

_NAMES_SHOWN = 30  # of classes or of sets, beside the rows
_TICKS = 6  # of a label on a scale


class GramDisplay:
    """Kernel values between sets, in the order of their labels.

    Parameters
    ----------
    gram : (T, T) array
    labels : (T,) array, optional
        Classes, whose sets are put together and framed, or numbers on a scale.
    ids : sequence of T ids, optional

    Attributes
    ----------
    order_ : (T,) array
        The place in `gram` of each row of the picture.
    within_, between_ : float
        The mean kernel value of two different sets of one class, and of two classes; nan where there are none.
    im_, colorbar_, ax_, figure_ : what was drawn
    """

    def __init__(self, gram: ArrayLike, *, labels: ArrayLike | None = None, ids: Sequence[Any] | None = None) -> None:
        self.gram: Array = np.asarray(gram, dtype=np.float64)
        if self.gram.ndim != 2 or self.gram.shape[0] != self.gram.shape[1]:
            raise InputError(f"gram has the shape {self.gram.shape}; give a square matrix, the sets among themselves.")
        self.labels = checked_labels(labels, len(self.gram))
        self.ids = checked_ids(ids, len(self.gram))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Sets, y: ArrayLike | None = None, *, ax: Any = None) -> GramDisplay:
        """The Gram matrix of X under the kernel of an estimator (a SetKernel, a SetSVC, a Pipeline ..), fitted on X."""
        return cls.from_predictions(gram_matrix(as_sets(X), kernel=unfitted_kernel(estimator)), y, ax=ax)

    @classmethod
    def from_predictions(cls, gram: Gram | ArrayLike, y: ArrayLike | None = None, *, ax: Any = None) -> GramDisplay:
        """A Gram matrix that is computed already."""
        return cls(gram, labels=y, ids=getattr(gram, "ids_x", None)).plot(ax)

    def plot(self, ax: Any = None, *, cmap: str = "viridis", colorbar: bool = True) -> GramDisplay:
        """Draw the heat map."""
        ax = axes_for(ax, 6.4, 5.6)
        n_sets = len(self.gram)
        self.order_ = np.arange(n_sets) if self.labels is None else np.argsort(self.labels, kind="stable")
        others = self.gram[~np.eye(n_sets, dtype=bool)] if n_sets > 1 else self.gram.ravel()
        top = float(others.max())
        ordered = self.gram[np.ix_(self.order_, self.order_)]
        self.im_ = ax.imshow(ordered, cmap=cmap, vmin=float(self.gram.min()), vmax=top)
        self.colorbar_ = None
        if colorbar:
            # A set's product with itself may dwarf all others, which would leave one colour for them.
            extend = "max" if self.gram.max() > top else "neither"
            self.colorbar_ = ax.figure.colorbar(self.im_, ax=ax, label="kernel value", extend=extend, shrink=0.9)
        self._name_rows(ax)
        ax.set_title(self._summary(others), fontsize="medium")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _name_rows(self, ax: Any) -> None:
        n_sets = len(self.gram)
        labels = None if self.labels is None else self.labels[self.order_]
        if labels is None:
            few = n_sets <= _NAMES_SHOWN
            _ticks(ax, np.arange(n_sets) if few else np.array([]), self.ids if few else [])
            ax.set_xlabel("set")
            ax.set_ylabel("set")
        elif is_continuous(labels):
            places = np.unique(np.linspace(0, n_sets - 1, _TICKS).astype(int))
            _ticks(ax, places, [f"{labels[place]:.3g}" for place in places])
            ax.set_xlabel("label of the set")
            ax.set_ylabel("label of the set")
        else:
            classes, counts = np.unique(labels, return_counts=True)
            ends = np.cumsum(counts)
            for end in ends[:-1]:
                ax.axhline(end - 0.5, color="white", linewidth=1)
                ax.axvline(end - 0.5, color="white", linewidth=1)
            few = len(classes) <= _NAMES_SHOWN
            names = [f"{name} ({count})" for name, count in zip(classes.tolist(), counts.tolist(), strict=True)]
            _ticks(ax, ends - (counts + 1) / 2 if few else np.array([]), names if few else [])
            ax.set_xlabel("class (number of sets)")
            ax.set_ylabel("class (number of sets)")

    def _summary(self, others: Array) -> str:
        n_sets = len(self.gram)
        self.within_, self.between_ = float("nan"), float("nan")
        if self.labels is None or is_continuous(self.labels):
            return f"{n_sets:,} sets: kernel values {others.min():.2g} to {others.max():.2g}"
        alike = self.labels[:, None] == self.labels[None, :]
        within, between = alike & ~np.eye(n_sets, dtype=bool), ~alike
        if within.any():
            self.within_ = float(self.gram[within].mean())
        if between.any():
            self.between_ = float(self.gram[between].mean())
        return (
            f"{n_sets:,} sets in {len(np.unique(self.labels))} classes\n"
            f"mean kernel {self.within_:.2g} within a class, {self.between_:.2g} between"
        )


def _ticks(ax: Any, places: NDArray[Any], names: Sequence[str]) -> None:
    long = sum(len(name) for name in names) > 50
    ax.set_xticks(places, names, rotation=90 if long else 0)
    ax.set_yticks(places, names)
