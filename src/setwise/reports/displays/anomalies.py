"""Sets ranked by how normal they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_auc_score

from setwise.errors import InputError
from setwise.kernels.matrix import Array
from setwise.reports.displays.drawing import axes_for, checked_ids, checked_labels, rounded, style_of
from setwise.sets import Sets, as_sets

_LARGE = 300  # sets without a name, beyond which their points are small


class AnomalyDisplay:
    """The strangest sets by name, each with its score, above all the others.

    Parameters
    ----------
    scores : (T,) array
        The larger, the more normal, as `score_samples` gives them.
    threshold : float, optional
        Below it, a set counts as an anomaly: `offset_` of an estimator.
    labels : (T,) array of +1 and -1, optional
        What is known of the sets: -1 is an anomaly, as in scikit-learn.
    ids : sequence of T ids, optional

    Attributes
    ----------
    order_ : (T,) array
        The places of the sets, the strangest first.
    auc_ : float
        How often a known anomaly scores below a normal set; nan where labels do not say.
    texts_, ax_, figure_ : what was drawn
    """

    def __init__(
        self,
        scores: ArrayLike,
        *,
        threshold: float | None = None,
        labels: ArrayLike | None = None,
        ids: Sequence[Any] | None = None,
    ) -> None:
        self.scores: Array = np.asarray(scores, dtype=np.float64)
        if self.scores.ndim != 1:
            raise InputError(f"scores have the shape {self.scores.shape}; give one score a set.")
        self.threshold = threshold
        self.labels = checked_labels(labels, len(self.scores))
        if self.labels is not None and not np.isin(self.labels, (-1, 1)).all():
            raise InputError("labels of anomalies are -1, and +1 of normal sets; these hold something else.")
        self.ids = checked_ids(ids, len(self.scores))

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Sets, y: ArrayLike | None = None, *, n_named: int = 15, ax: Any = None
    ) -> AnomalyDisplay:
        """The scores of X by a fitted estimator that has `score_samples`: SetOneClassSVM, SetNearest, a Pipeline .."""
        sets = as_sets(X)
        last = estimator[-1] if hasattr(estimator, "steps") else estimator
        display = cls(estimator.score_samples(sets), threshold=getattr(last, "offset_", None), labels=y, ids=sets.ids)
        return display.plot(ax, n_named=n_named)

    @classmethod
    def from_predictions(
        cls,
        scores: ArrayLike,
        y: ArrayLike | None = None,
        *,
        threshold: float | None = None,
        ids: Sequence[Any] | None = None,
        n_named: int = 15,
        ax: Any = None,
    ) -> AnomalyDisplay:
        """Scores that are computed already."""
        return cls(scores, threshold=threshold, labels=y, ids=ids).plot(ax, n_named=n_named)

    def plot(self, ax: Any = None, *, n_named: int = 15) -> AnomalyDisplay:
        """Draw the `n_named` strangest a row each, from the top, and all the others in one row below."""
        n_sets = len(self.scores)
        n_named = min(n_named, n_sets)
        n_others = n_sets - n_named
        ax = axes_for(ax, 6.4, 1.8 + 0.25 * n_named)
        self.order_ = np.argsort(self.scores, kind="stable")
        names = [self.ids[place] for place in self.order_[:n_named].tolist()]
        rows: Array = np.arange(n_sets, dtype=np.float64)
        if n_others:
            # Spread, so that sets of one score are seen side by side; in order, not at random.
            rows[n_named:] = n_named + 0.5 + 0.3 * np.sin(2.4 * np.arange(n_others))
            ax.axhline(n_named - 0.25, color="0.8", linewidth=0.8)
            names.append(f"the other {n_others:,}")
        ranked, written = self.scores[self.order_], rounded(self.scores)
        for place, (word, strange) in enumerate(self._kinds().items()):
            of_kind = strange[self.order_]
            sizes = np.where(np.arange(n_sets) < n_named, 30, 30 if n_others <= _LARGE else 6)[of_kind]
            ax.scatter(ranked[of_kind], rows[of_kind], s=sizes, label=word, linewidths=0, zorder=3, **style_of(place))
        self.texts_ = [
            ax.annotate(
                written(score), (score, row), xytext=(7, 0), textcoords="offset points", va="center", fontsize="small"
            )
            for row, score in enumerate(ranked[:n_named].tolist())
        ]
        if self.threshold is not None:
            label = f"threshold {written(self.threshold)}"
            ax.axvline(self.threshold, color="black", linestyle="--", linewidth=1, label=label)
        if self.threshold is not None or self.labels is not None:
            ax.legend(loc="upper right", fontsize="small")
        ax.set_yticks([*range(n_named), *([n_named + 0.5] if n_others else [])], names)
        ax.set_ylim(n_named + (1.0 if n_others else -0.3), -0.7)
        ax.margins(x=0.12)  # for the numbers
        ax.set_xlabel("score (the smaller, the stranger)")
        ax.set_title(self._summary(), fontsize="medium")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _kinds(self) -> dict[str | None, NDArray[np.bool_]]:
        """Which sets are drawn alike: by what is known of them, or else by what the threshold says."""
        if self.labels is not None:
            return {"normal": self.labels == 1, "known anomaly": self.labels == -1}
        if self.threshold is not None:
            below = self.scores < self.threshold
            return {"at or above the threshold": ~below, "below the threshold": below}
        return {None: np.ones(len(self.scores), dtype=bool)}

    def _summary(self) -> str:
        self.auc_ = float("nan")
        text = f"{len(self.scores):,} sets"
        if self.threshold is not None:
            text += f", {int((self.scores < self.threshold).sum()):,} of them below the threshold"
        if self.labels is not None and len(np.unique(self.labels)) == 2:
            self.auc_ = float(roc_auc_score(self.labels, self.scores))
            text += f"\n{int((self.labels == -1).sum()):,} known anomalies, found with an AUC of {self.auc_:.2f}"
        return text
