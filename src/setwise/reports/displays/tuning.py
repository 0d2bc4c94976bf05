"""Scores over two parameters of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from setwise.errors import InputError
from setwise.kernels.matrix import Array
from setwise.refusals import is_number, listed
from setwise.reports.displays.drawing import axes_for, rounded

_VALUES_SHOWN = 150  # cells, beyond which their scores are colours only
_FIRST_ROWS, _FIRST_COLUMNS = "width", "C"  # what is drawn if nothing else is asked for


class TuningDisplay:
    """The mean score over two parameters of a grid, with all others as they are at the best, which is framed.

    Parameters
    ----------
    results : mapping
        `cv_results_` of a SetSVCCV, a SetSVRCV or a GridSearchCV.
    best : int, optional
        The place of the chosen combination in `results`; the first of those that rank best if left out.
    rows, columns : str, optional
        Two of the parameters; "width" also finds "setsvc__width". Left out: width and C where they were varied, and
        else those with the most values.
    score : str
        What the scores are.

    Attributes
    ----------
    scores_ : (n_rows, n_columns) array
        nan where the grid has no such combination.
    row_values_, column_values_ : lists
        The values of the two parameters, in order.
    best_ : (row, column)
    im_, texts_, frame_, ax_, figure_ : what was drawn
    """

    def __init__(
        self,
        results: Mapping[str, Any],
        *,
        best: int | None = None,
        rows: str | None = None,
        columns: str | None = None,
        score: str = "mean test score",
    ) -> None:
        for needed in ("params", "mean_test_score", "std_test_score", "rank_test_score"):
            if needed not in results:
                raise InputError(f"results has no {needed!r}; give the cv_results_ of a search for one score.")
        self.results = results
        self.best = int(np.argmin(results["rank_test_score"])) if best is None else best
        self.score = score
        candidates: list[dict[str, Any]] = results["params"]
        chosen = candidates[self.best]
        alike = [params for params in candidates if params.keys() == chosen.keys()]
        varied = {name: len({_text(params[name]) for params in alike}) for name in chosen}
        self.columns = _parameter(varied, columns, _FIRST_COLUMNS)
        self.rows = _parameter({name: n for name, n in varied.items() if name != self.columns}, rows, _FIRST_ROWS)
        self.others = {
            name: chosen[name] for name, n in varied.items() if n > 1 and name not in (self.rows, self.columns)
        }

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        rows: str | None = None,
        columns: str | None = None,
        ax: Any = None,
    ) -> TuningDisplay:
        """The results of a fitted search; where X is given, those of a clone of it that is fitted on X and y."""
        search = estimator if X is None else clone(estimator).fit(X, y)
        if not hasattr(search, "cv_results_"):
            raise InputError(
                f"this {type(search).__name__} has no cv_results_; give a fitted SetSVCCV, SetSVRCV or GridSearchCV."
            )
        best, score = int(search.best_index_), _name_of_score(search)
        return cls(search.cv_results_, best=best, rows=rows, columns=columns, score=score).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        results: Mapping[str, Any],
        *,
        rows: str | None = None,
        columns: str | None = None,
        score: str = "mean test score",
        ax: Any = None,
    ) -> TuningDisplay:
        """Results that are there already, as a `cv_results_`."""
        return cls(results, rows=rows, columns=columns, score=score).plot(ax)

    def plot(self, ax: Any = None, *, cmap: str = "viridis", colorbar: bool = True) -> TuningDisplay:
        """Draw the scores as a heat map, with their values where there is room."""
        from matplotlib.patches import Rectangle

        self._cut()
        n_rows, n_columns = self.scores_.shape
        ax = axes_for(ax, max(6.4, 2.4 + 0.6 * n_columns), max(3.2, 1.8 + 0.45 * n_rows))
        # Scores have no lower end, and one disaster would leave a single colour for all that is worth comparing.
        worst, quarter, top = np.nanpercentile(self.scores_, (0, 25, 100)).tolist()
        bottom = max(worst, top - 2 * (top - quarter))
        self.im_ = ax.imshow(self.scores_, cmap=cmap, vmin=bottom, vmax=top, aspect="auto", origin="lower")
        if colorbar:
            extend = "min" if worst < bottom else "neither"
            ax.figure.colorbar(self.im_, ax=ax, label=self.score, extend=extend)
        self.texts_ = []
        if self.scores_.size <= _VALUES_SHOWN:
            written = rounded([bottom, top])
            for (row, column), score in np.ndenumerate(self.scores_):
                if not np.isnan(score):
                    ink = "white" if score < (bottom + top) / 2 else "black"
                    at = {"ha": "center", "va": "center"}
                    self.texts_.append(ax.text(column, row, written(score), color=ink, fontsize="small", **at))
        # Black about white is seen on every colour.
        corner = (self.best_[1] - 0.5, self.best_[0] - 0.5)
        for ink, width in (("black", 5), ("white", 2)):
            self.frame_ = ax.add_patch(Rectangle(corner, 1, 1, fill=False, color=ink, linewidth=width, clip_on=False))
        ax.set_xticks(range(n_columns), _names(self.column_values_))
        ax.set_yticks(range(n_rows), _names(self.row_values_))
        ax.set_xlabel(_short(self.columns))
        ax.set_ylabel(_short(self.rows))
        ax.set_title(self._summary(), fontsize="medium")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _cut(self) -> None:
        """The scores of the combinations that differ from the best in the two parameters at most."""
        candidates: list[dict[str, Any]] = self.results["params"]
        pair = (self.rows, self.columns)
        best = candidates[self.best]
        of_cut = [
            place
            for place, params in enumerate(candidates)
            if params.keys() == best.keys()
            and all(_text(params[name]) == _text(best[name]) for name in params if name not in pair)
        ]
        self.row_values_, self.column_values_ = (
            _in_order([candidates[place][name] for place in of_cut]) for name in pair
        )
        texts = [[_text(value) for value in values] for values in (self.row_values_, self.column_values_)]
        self.scores_: Array = np.full((len(texts[0]), len(texts[1])), np.nan)
        for place in of_cut:
            cell = tuple(of_one.index(_text(candidates[place][name])) for of_one, name in zip(texts, pair, strict=True))
            self.scores_[cell] = self.results["mean_test_score"][place]
            if place == self.best:
                self.best_ = cell

    def _summary(self) -> str:
        mean, std = (self.results[name][self.best] for name in ("mean_test_score", "std_test_score"))
        best = self.results["params"][self.best]
        text = f"best: {mean:.3g} ± {std:.2g} at {_listed({name: best[name] for name in (self.rows, self.columns)})}"
        return f"{text}\nof those with {_listed(self.others)}" if self.others else text


def _parameter(varied: Mapping[str, int], asked: str | None, first: str) -> str:
    """The parameter that was asked for, by its name or the last part of it; or the first choice, or the most varied."""
    wanted = first if asked is None else asked
    found = [name for name in varied if name == wanted or _short(name) == wanted]
    if asked is None and (not found or varied[found[0]] < 2):
        found = sorted(varied, key=lambda name: -varied[name])
    if not found:
        raise InputError(
            f"the best has no other parameter {wanted!r}; choose two of those that were varied: "
            f"{listed(name for name, n in varied.items() if n > 1) or 'none'}."
        )
    return found[0]


def _listed(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{_short(name)}={_text(value)}" for name, value in params.items())


def _short(name: str) -> str:
    return name.rpartition("__")[2]


def _name_of_score(search: Any) -> str:
    scoring = getattr(search, "scoring", None)
    return f"mean {scoring}" if isinstance(scoring, str) else "mean test score"


def _in_order(values: Sequence[Any]) -> list[Any]:
    """Each once: numbers from small to large, other values as they come."""
    once = list({_text(value): value for value in values}.values())
    return sorted(once) if all(map(is_number, once)) else once


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _names(values: Sequence[Any]) -> list[str]:
    """The values as ticks: as powers of two or ten where they are, and would not be short otherwise."""
    numbers = [float(value) for value in values if is_number(value) and value > 0]
    if len(numbers) == len(values) and max(numbers) >= 100 * min(numbers):
        for base, log in ((2, np.log2), (10, np.log10)):
            powers = log(numbers)
            if (powers == np.round(powers)).all():
                return [f"${base}^{{{int(power)}}}$" for power in powers]
    return [_text(value) for value in values]
