"""Sets as points of a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from setwise.errors import InputError
from setwise.kernels.matrix import Array
from setwise.reports.displays.drawing import axes_for, checked_ids, checked_labels, is_continuous, style_of
from setwise.sets import Sets, as_sets

_NAMES_SHOWN = 30  # sets, beside their points
_LEGEND_INSIDE = 5  # classes
_LARGE = 300  # sets, beyond which points are small


class EmbeddingDisplay:
    """Two components of an embedding, a point a set, drawn by label.

    Parameters
    ----------
    embedding : (T, n_components) array
    labels : (T,) array, optional
        Classes, each with a colour and a marker, or numbers on a scale, as colours.
    ids : sequence of T ids, optional
        Written beside the points where there are few.

    Attributes
    ----------
    points_ : list of what was drawn, one collection a class
    texts_ : list of the ids that were written
    same_class_ : float
        The share of points whose nearest is of their own class; nan without classes.
    legend_, colorbar_, ax_, figure_ : what was drawn, or None
    """

    def __init__(
        self, embedding: ArrayLike, *, labels: ArrayLike | None = None, ids: Sequence[Any] | None = None
    ) -> None:
        self.embedding: Array = np.asarray(embedding, dtype=np.float64)
        if self.embedding.ndim != 2:
            raise InputError(f"embedding has the shape {self.embedding.shape}; give a row a set, a column a component.")
        self.labels = checked_labels(labels, len(self.embedding))
        self.ids = checked_ids(ids, len(self.embedding))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Sets, y: ArrayLike | None = None, *, ax: Any = None) -> EmbeddingDisplay:
        """Embed X by a clone of an estimator (a SetLLE, a SetMDS, a Pipeline that ends in TSNE, ..)."""
        sets = as_sets(X)
        return cls.from_predictions(clone(estimator).fit_transform(sets), y, ids=sets.ids, ax=ax)

    @classmethod
    def from_predictions(
        cls, embedding: ArrayLike, y: ArrayLike | None = None, *, ids: Sequence[Any] | None = None, ax: Any = None
    ) -> EmbeddingDisplay:
        """An embedding that is computed already."""
        return cls(embedding, labels=y, ids=ids).plot(ax)

    def plot(self, ax: Any = None, *, components: tuple[int, int] = (0, 1), cmap: str = "viridis") -> EmbeddingDisplay:
        """Draw two of the components, on axes of one scale: distances are what an embedding means."""
        across, up = components
        if max(across, up) >= self.embedding.shape[1]:
            raise InputError(
                f"components={components} of an embedding with {self.embedding.shape[1]}; embed with "
                "n_components=2 or more."
            )
        ax = axes_for(ax, 6.4, 4.8)
        x, y = self.embedding[:, across], self.embedding[:, up]
        self.legend_, self.colorbar_ = None, None
        style = {"s": 36 if len(x) <= _LARGE else 12, "edgecolors": "white", "linewidths": 0.4}
        if self.labels is None:
            self.points_ = [ax.scatter(x, y, **style, **style_of(0))]
        elif is_continuous(self.labels):
            self.points_ = [ax.scatter(x, y, c=self.labels, cmap=cmap, **style)]
            self.colorbar_ = ax.figure.colorbar(self.points_[0], ax=ax, label="label of the set")
        else:
            self.points_ = []
            for place, name in enumerate(np.unique(self.labels)):
                of_class = self.labels == name
                label = f"{name} ({of_class.sum()})"
                self.points_.append(ax.scatter(x[of_class], y[of_class], label=label, **style, **style_of(place)))
            where: dict[str, Any] = {"loc": "best"}
            if len(self.points_) > _LEGEND_INSIDE:
                where = {"loc": "upper left", "bbox_to_anchor": (1.02, 1), "borderaxespad": 0}
            columns = 1 + (len(self.points_) - 1) // 20
            scale = 1 if len(x) <= _LARGE else 2
            self.legend_ = ax.legend(**where, ncols=columns, fontsize="small", markerscale=scale)
        self.texts_ = []
        if len(x) <= _NAMES_SHOWN:
            middle = (self.embedding.min(axis=0) + self.embedding.max(axis=0)) / 2
            for name, at_x, at_y in zip(self.ids, x.tolist(), y.tolist(), strict=True):
                # Names run inwards, so that they stay on the axes.
                side, shift_x = ("right", -4) if at_x > middle[across] else ("left", 4)
                end, shift_y = ("top", -4) if at_y > middle[up] else ("bottom", 4)
                beside = {"xytext": (shift_x, shift_y), "textcoords": "offset points", "ha": side, "va": end}
                self.texts_.append(ax.annotate(name, (at_x, at_y), fontsize="small", **beside))
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel(f"component {across + 1}")
        ax.set_ylabel(f"component {up + 1}")
        ax.set_title(self._summary(np.column_stack([x, y])), fontsize="medium")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _summary(self, plane: Array) -> str:
        self.same_class_ = float("nan")
        text = f"{len(plane):,} sets"
        if self.labels is None or is_continuous(self.labels) or len(plane) < 2:
            return text
        nearest = NearestNeighbors(n_neighbors=1).fit(plane).kneighbors(return_distance=False)[:, 0]
        self.same_class_ = float((self.labels[nearest] == self.labels).mean())
        text += f" in {len(np.unique(self.labels))} classes"
        return f"{text}\nthe nearest point is of the same class for {self.same_class_:.0%}"
