"""The eigenvalues of a Gram matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from setwise.errors import InputError
from setwise.kernels import Gram, PSDProjection
from setwise.kernels.matrix import Array
from setwise.reports.displays.drawing import COLOURS, axes_for
from setwise.reports.displays.kernels import fitted_projection, unfitted_kernel
from setwise.sets import Sets, as_sets

_LINEAR = 1e-3  # of the largest eigenvalue: below, the scale is linear


class SpectrumDisplay:
    """The eigenvalues of the Gram matrix as it was estimated, largest first, and what became of the negative ones.

    Parameters
    ----------
    projection : PSDProjection
        Fitted.

    Attributes
    ----------
    eigenvalues_ : array, descending
    points_, ax_, figure_ : what was drawn
    """

    def __init__(self, projection: PSDProjection) -> None:
        if not hasattr(projection, "eigenvalues_"):
            raise InputError(f"{projection!r} has no spectrum yet; fit it first.")
        self.projection = projection
        self.eigenvalues_: Array = projection.eigenvalues_[::-1]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Sets | None = None, *, ax: Any = None) -> SpectrumDisplay:
        """The spectrum a fitted estimator met, or, where X is given, that of X under the estimator's kernel."""
        if X is None:
            return cls(fitted_projection(estimator)).plot(ax)
        return cls(fitted_projection(unfitted_kernel(estimator).fit(as_sets(X)))).plot(ax)

    @classmethod
    def from_predictions(cls, gram: Gram | ArrayLike, *, ax: Any = None) -> SpectrumDisplay:
        """The spectrum of a Gram matrix, as it was before its projection where that is known."""
        projection = getattr(gram, "projection", None)
        return cls(PSDProjection("none").fit(gram) if projection is None else projection).plot(ax)

    def plot(self, ax: Any = None) -> SpectrumDisplay:
        """Draw the eigenvalues; magnitudes on a logarithmic scale that is linear about zero."""
        ax = axes_for(ax, 6.4, 4.4)
        values, n_negative = self.eigenvalues_, self.projection.n_negative_
        n_kept = len(values) - n_negative
        places = np.arange(1, len(values) + 1)
        largest = float(np.abs(values).max()) or 1.0
        ax.set_yscale("symlog", linthresh=10 ** np.floor(np.log10(largest * _LINEAR)), linscale=0.5)
        ax.axhline(0, color="black", linewidth=0.8)
        self.points_ = ax.plot(places[:n_kept], values[:n_kept], ".", color=COLOURS[0], label="positive or zero")
        if n_negative:
            self.points_ += ax.plot(places[n_kept:], values[n_kept:], ".", color=COLOURS[1], label="negative")
            ax.axvspan(n_kept + 0.5, len(values) + 0.5, color=COLOURS[1], alpha=0.15, linewidth=0)
            ax.legend(loc="upper right")
        ax.set_xlim(0.5, len(values) + 0.5)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("eigenvalue, largest first")
        ax.set_ylabel("eigenvalue of the Gram matrix")
        ax.set_title(self.projection.summary(), fontsize="medium")
        self.ax_, self.figure_ = ax, ax.figure
        return self
