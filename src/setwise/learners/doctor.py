"""The kernel doctor: what each remedy for negative eigenvalues does to a score, so that one can be chosen."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

from setwise.divergences import Divergence, DivergenceTable
from setwise.divergences.registry import as_divergence
from setwise.errors import InputError, SpectrumWarning
from setwise.kernels import PSDProjection
from setwise.kernels.matrix import Array, MatrixStep, check_values
from setwise.kernels.set_kernel import KernelName
from setwise.kernels.spectrum import Spectrum, symmetrized
from setwise.learners.candidates import kernel_parameters, nonempty, several, steps_of
from setwise.learners.diagnosis import Diagnosis, Treatment
from setwise.learners.folds import Fold, folds_of
from setwise.learners.machine import check_positive
from setwise.learners.on_gram import GramSVC, GramSVR
from setwise.learners.targets import as_labels, as_numbers
from setwise.refusals import Id, is_whole

REMEDIES = {"clip": ("projected", "raw"), "flip": ("projected", "raw"), "shift": ("projected",), "none": ("projected",)}
EPSILON = 0.1  # of SVR, in units of the standard deviation of y


def kernel_doctor(
    table: DivergenceTable,
    y: ArrayLike,
    *,
    divergence: Divergence | str | Iterable[Divergence | str] | None = None,
    k: int | Iterable[int] | None = None,
    kernels: KernelName | MatrixStep | Iterable[KernelName | MatrixStep] | None = None,
    C: float | Iterable[float] = (1.0, 64.0),
    cv: Any = 3,
    groups: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Diagnosis:
    """How negative the spectra of kernels on a table of divergences are, and how each remedy for it scores.

    In each fold the kernel and its projection are fitted on the training sets alone, as `SetKernel` fits them, and the
    remedies share its eigenvalues and vectors.

    Parameters
    ----------
    table : DivergenceTable
        Of sets against themselves: `divergence_table(sets, divergences=[..], k=[..])`.
    y : labels, or numbers
        Floats are numbers, for a regression; all else is labels.
    divergence, k : one or several of the table's; default: all
    kernels : "gaussian", "polynomial", "linear", a `GaussianKernel` or `PolynomialKernel`, or several
        Each with the divergences of its kind; "gaussian" is tried with and without squaring. Default: "gaussian" for
        distances, "linear" and "polynomial" for inner products.
    C : number or several
        Of the support vector machine, of which the best counts; for numbers in units of their standard deviation.
    cv : int, splitter or folds
        A number means that many folds, shuffled, and stratified by label.
    groups : one a set, optional
        For a splitter that keeps groups together, such as GroupKFold.
    random_state : int or RandomState, optional
        Shuffles the sets before they are cut into folds.
    """
    names = _Names(_ids_of(table))
    targets, machine = _learning(y, names)
    known = np.ones(len(names), dtype=bool)
    for price in nonempty(C=C)["C"]:
        check_positive("C", price)
    prices = sorted(several(C))
    classifying = isinstance(machine, GramSVC)
    if is_whole(cv):
        cv = (StratifiedKFold if classifying else KFold)(_n_splits(cv), shuffle=True, random_state=random_state)
    folds = folds_of(cv, targets, known, groups, names, classifying)

    treatments: list[Treatment] = []
    for parameters in _kernels(table, divergence, k, kernels):
        steps = steps_of(parameters, "clip", "projected")
        of, at = parameters["divergence"], parameters["k"]
        divergences = symmetrized(table[of, at])
        check_values(divergences, f"{of} at k={at}", names.ids, names.ids)
        scores = _scores(divergences, steps, folds, targets, machine, prices)
        spectrum = Spectrum.of(clone(steps[0]).fit_transform(divergences))
        for (psd, test_rows), by_price in scores.items():
            best = int(by_price.mean(axis=1).argmax())
            found = by_price[best]
            treatments.append(
                Treatment(
                    of,
                    at,
                    steps[0],
                    psd,
                    test_rows,
                    spectrum.n_negative,
                    spectrum.negative_mass,
                    float(found.mean()),
                    float(found.std()),
                    tuple(found.tolist()),
                    parameters | {"psd": psd, "test_rows": test_rows} | _as_given(machine, prices[best], y),
                )
            )
    constant = DummyClassifier(strategy="most_frequent") if classifying else DummyRegressor()
    baseline = float(cross_val_score(constant, np.zeros((len(names), 1)), targets, cv=folds).mean())
    what = f"accuracy of SVC, {len(np.unique(targets))} classes" if classifying else "R^2 of SVR"
    always = "the commonest class" if classifying else "the mean"
    return Diagnosis(
        treatments, baseline, f"{len(names)} sets, {len(folds)} folds; {what}; {always} alone: {baseline:.3f}"
    )


@dataclass(frozen=True)
class _Names:
    """The sets of a table, by their ids."""

    ids: tuple[Id, ...]

    def __len__(self) -> int:
        return len(self.ids)


def _ids_of(table: DivergenceTable) -> tuple[Id, ...]:
    if not isinstance(table, DivergenceTable):
        raise InputError(f"table is a {type(table).__name__}; give a DivergenceTable, as divergence_table(sets) makes.")
    if table.ids_x != table.ids_y or not table.diagnostics.get("against_itself", True):
        raise InputError(
            f"the table has {table.shape[0]} sets against {table.shape[1]} others; a kernel is fitted on sets against "
            "themselves. Make it by divergence_table(sets), without Y."
        )
    return table.ids_x


def _learning(y: ArrayLike, names: _Names) -> tuple[NDArray[Any], GramSVC | GramSVR]:
    """What is to be learned, numbers in units of their standard deviation; and the machine for it."""
    if np.asarray(y).dtype.kind != "f":
        labels, _ = as_labels(y, names)
        classes = len(np.unique(labels))
        if classes > len(labels) / 2:
            raise InputError(
                f"y holds {classes} classes for {len(labels)} sets; merge some. Numbers to be regressed on are given "
                "as floats."
            )
        return labels, GramSVC()
    numbers = as_numbers(y, names, np.ones(len(names), dtype=bool))
    if not numbers.std():
        raise InputError(f"all targets are {numbers[0]:g}; there is nothing to learn.")
    return (numbers - numbers.mean()) / numbers.std(), GramSVR(epsilon=EPSILON)


def _as_given(machine: GramSVC | GramSVR, C: float, y: ArrayLike) -> dict[str, Any]:
    """The machine's parameters in the units of y. Of these |w|^2 has two and an error one, so that C has one."""
    if isinstance(machine, GramSVC):
        return {"C": C}
    unit = float(np.asarray(y, dtype=np.float64).std())
    return {"C": C * unit, "epsilon": EPSILON * unit}


def _kernels(table: DivergenceTable, divergence: Any, k: Any, kernels: Any) -> list[dict[str, Any]]:
    chosen = [as_divergence(one) for one in (table.divergences if divergence is None else several(divergence))]
    ks = table.ks if k is None else several(k)
    for one in chosen:
        for kk in ks:
            _ = table[one, kk]
    if kernels is None:
        inner = [one.kind in ("similarity", "moment") for one in chosen]
        kernels = (["gaussian"] if not all(inner) else []) + (["linear", "polynomial"] if any(inner) else [])
    return kernel_parameters(chosen, ks, None, kernels, (True, False), (1.0,), (2,), (1.0,))


def _n_splits(cv: int) -> int:
    if cv < 2:
        raise InputError(f"cv={cv} is no number of folds; give at least 2.")
    return int(cv)


def _scores(
    divergences: Array,
    steps: Pipeline,
    folds: Sequence[Fold],
    targets: NDArray[Any],
    machine: GramSVC | GramSVR,
    prices: Sequence[float],
) -> dict[tuple[str, str], Array]:
    """For each method and treatment of test rows, a score for each C and fold."""
    remedies = [(method, rows) for method, several_rows in REMEDIES.items() for rows in several_rows]
    scores = {remedy: np.empty((len(prices), len(folds))) for remedy in remedies}
    for number, (train, test) in enumerate(folds):
        kernel: MatrixStep = clone(steps[0])
        matrix = kernel.fit_transform(divergences[np.ix_(train, train)])
        rows = kernel.transform(divergences[np.ix_(test, train)])
        spectrum = Spectrum.of(matrix)
        for method, several_rows in REMEDIES.items():
            gram = spectrum.gram(method)
            mapped = {one: _mapped(steps[-1], method, one, matrix, spectrum, rows) for one in several_rows}
            for price, fitted in enumerate(_machines(machine, prices, gram, targets[train])):
                for one, values in mapped.items():
                    scores[method, one][price, number] = fitted.score(values, targets[test])
    return scores


def _mapped(
    projection: PSDProjection, method: str, test_rows: str, matrix: Array, spectrum: Spectrum, rows: Array
) -> Array:
    fitted = clone(projection).set_params(method=method, test_rows=test_rows).fit_spectrum(matrix, spectrum)
    with warnings.catch_warnings():  # what raw rows do is what is asked here
        warnings.simplefilter("ignore", SpectrumWarning)
        mapped: Array = fitted.transform(rows)
    return mapped


def _machines(machine: Any, prices: Sequence[float], gram: Array, targets: NDArray[Any]) -> Iterator[Any]:
    """A machine for each C, rising; the one before where no coefficient was at its bound, as C then binds nothing."""
    settled = False
    for price in prices:
        if not settled:
            fitted = clone(machine).set_params(C=price).fit(gram, targets)
            settled = not fitted.is_bound(None)
        yield fitted
