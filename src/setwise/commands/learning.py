"""What `setwise fit` and `setwise cv` learn with: the options of the method, and the models that come of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise.commands.baseline import MeansKernel
from setwise.commands.folds import TUNING, splitter
from setwise.commands.options import DEFAULT, DIVERGENCES, METHOD, SQUARED, Count, Positive
from setwise.commands.speech import count
from setwise.divergences import parse
from setwise.divergences.checks import as_ks, check_existence
from setwise.errors import InputError
from setwise.io import Task
from setwise.learners import SetSVC, SetSVCCV, SetSVR, SetSVRCV
from setwise.learners.candidates import COEF0S, CS, DEGREES, WIDTHS, kernel_parameters
from setwise.refusals import listed
from setwise.sets import SampleSets

KernelName: TypeAlias = Literal["gaussian", "polynomial", "linear"]
EPSILON = 0.01


def _tried(values: Sequence[float], untuned: float) -> str:
    return f"Default: {len(values)} from {values[0]:.2g} to {values[-1]:.2g} are tried; {untuned:g} with --no-tune."


@Parameter(name="*", group=METHOD, negative_iterable=())
@dataclass(frozen=True, kw_only=True)
class Learning:
    """A support vector machine on a kernel of divergences."""

    tune: bool = True
    "Choose by cross-validation among the values of options given several times, and the defaults of those not given."
    divergence: Annotated[
        list[str] | None,
        Parameter(alias="-d", metavar="NAME", help=f"{DIVERGENCES} Default: {DEFAULT}, or linear for inner products."),
    ] = None
    k: Annotated[list[Count] | None, Parameter(name="-k", metavar="K")] = None
    "Which neighbour among the points. Default: 5."
    kernel: Annotated[list[KernelName] | None, Parameter()] = None
    "Of divergences (gaussian), or of inner products (polynomial, linear). Default: gaussian."
    squared: Literal["paper", "yes", "no", "both"] = "paper"
    "Whether the Gaussian kernel squares the divergence; in the paper it squares all but js."
    width: Annotated[
        list[Positive] | None,
        Parameter(metavar="W", help=f"Of the Gaussian kernel, in units of the median divergence. {_tried(WIDTHS, 1)}"),
    ] = None
    degree: Annotated[
        list[Count] | None, Parameter(metavar="N", help=f"Of the polynomial kernel. {_tried(DEGREES, 2)}")
    ] = None
    C: Annotated[
        list[Positive] | None, Parameter(name="--C", metavar="C", help=f"The price of an error. {_tried(CS, 1)}")
    ] = None
    epsilon: Annotated[list[Positive] | None, Parameter(metavar="E")] = None
    "The error that costs nothing, of numbers, in units of their standard deviation. Default: 0.01."

    def check(self) -> None:
        """Refuse what no model can be made of, before any data are read."""
        if not self.tune:
            for name, values in vars(self).items():
                if values == "both" or (isinstance(values, list) and len(values) > 1):
                    option = {"k": "-k"}.get(name, f"--{name}")
                    raise InputError(f"{option} has several values; with --no-tune give one.")
        tried = self._kernels()
        kernel_parameters(**{"radii": None, "widths": WIDTHS, "degrees": DEGREES, "coef0s": COEF0S} | tried)
        check_existence(tried["divergences"] or [], tried["ks"])

    def estimator(self, task: Task, seed: int, threads: int | None, *, grouped: bool, probability: bool) -> Any:
        """The last step of a Pipeline."""
        kernels = self._kernels()
        if self.tune:
            return self._tuner(task, kernels, seed, threads, grouped, probability)
        names = {"divergences": "divergence", "ks": "k", "kernels": "kernel", "widths": "width", "degrees": "degree"}
        one = {names.get(name, name): values[0] for name, values in kernels.items() if values is not None}
        return self._machine(task, {**one, "n_jobs": threads}, seed, probability)

    def baseline(self, task: Task, seed: int, threads: int | None, *, grouped: bool) -> Any:
        """The same machine, chosen likewise, on the means of the sets."""
        widths = self.width or (WIDTHS if self.tune else [1.0])
        kernels = [MeansKernel(width) for width in widths]
        if self.tune:
            return self._tuner(task, {"kernels": kernels}, seed, threads, grouped, False)
        return self._machine(task, {"kernel": kernels[0]}, seed, False)

    def _kernels(self) -> dict[str, Any]:
        """As a tuner takes them; what is not given is left to its default."""
        found: dict[str, Any] = {
            "divergences": None if self.divergence is None else [parse(text) for text in self.divergence],
            "ks": as_ks(self.k or [5]),
            "kernels": self.kernel or ["gaussian"],
            "squared": [True, False] if self.squared == "both" else [SQUARED[self.squared]],
        }
        return found | {f"{name}s": getattr(self, name) for name in ("width", "degree") if getattr(self, name)}

    def _tuner(
        self,
        task: Task,
        kernels: dict[str, Any],
        seed: int,
        threads: int | None,
        grouped: bool,
        probability: bool,
    ) -> Any:
        folds = splitter(TUNING, seed, numbers=task == "numbers", grouped=grouped)
        shared = {**kernels, "Cs": self.C or CS, "cv": folds, "n_jobs": threads, "random_state": seed}
        if task == "numbers":
            return SetSVRCV(**shared, epsilons=self.epsilon or [EPSILON])
        return SetSVCCV(**shared, probability=probability)

    def _machine(self, task: Task, kernel: dict[str, Any], seed: int, probability: bool) -> Any:
        C = (self.C or [1.0])[0]
        if task == "numbers":
            return SetSVR(**kernel, C=C, epsilon=(self.epsilon or [EPSILON])[0])
        return SetSVC(**kernel, C=C, probability=probability, random_state=seed)


def model_of(steps: Sequence[Any], estimator: Any, task: Task) -> Any:
    """A Pipeline; numbers are brought to mean 0 and variance 1 for it and back, so that C and epsilon suit any unit."""
    pipeline = make_pipeline(*steps, estimator)
    return TransformedTargetRegressor(pipeline, transformer=StandardScaler()) if task == "numbers" else pipeline


def learn(model: Any, sets: SampleSets, y: NDArray[Any], groups: NDArray[Any] | None = None) -> Any:
    """Fit; groups stay together in the folds that parameters are chosen by."""
    if groups is None:
        return model.fit(sets, y)
    pipeline = model.regressor if isinstance(model, TransformedTargetRegressor) else model
    return model.fit(sets, y, **{f"{pipeline.steps[-1][0]}__groups": groups})


def without_search(model: Any) -> Any:
    """The fitted model with what was chosen in the place of the search for it: all that prediction needs."""
    if isinstance(model, TransformedTargetRegressor):
        model.regressor_ = without_search(model.regressor_)
        model.regressor = clone(model.regressor_)
        return model
    name, last = model.steps[-1]
    return Pipeline([*model.steps[:-1], (name.removesuffix("cv"), getattr(last, "best_estimator_", last))])


def target_in_words(column: str, y: NDArray[Any], task: Task) -> str:
    """What is learned, and as what: the reader should see when a number was taken for a class."""
    if task == "numbers":
        return f"{column!r} is a number, {y.min():g} to {y.max():g}"
    names, counts = np.unique(y, return_counts=True)
    classes = listed((f"{name} ({times})" for name, times in zip(names, counts, strict=True)), 8)
    return f"{column!r} is one of {len(names)} classes: {classes}"


def chosen_in_words(model: Any) -> str:
    """What the search in a fitted model chose, and how that did."""
    search = getattr(model, "regressor_", model)[-1]
    results, index = search.cv_results_, search.best_index_
    mean, spread = results["mean_test_score"][index], results["std_test_score"][index]
    found = f"R2 {mean:.3f} +- {spread:.3f}" if is_regressor(search) else f"accuracy {mean:.1%} +- {spread:.1%}"
    n = len(results["params"])
    return (
        f"chosen: {parameters_in_words(search.best_params_)}\n"
        f"{found} over {search.n_splits_} folds, the best of {count(n, 'candidate')} and so too good; "
        "`setwise cv` tells what to expect"
    )


def parameters_in_words(parameters: Mapping[str, Any]) -> str:
    """Those that matter for the kernel they are of."""
    kernel = parameters["kernel"]
    divergence = parameters["divergence"] or (DEFAULT if kernel == "gaussian" else "linear")
    words = [f"{divergence} at k = {parameters['k']}, {kernel} kernel"]
    if kernel == "gaussian":
        squared = {"paper": "", True: ", squared", False: ", not squared"}[parameters["squared"]]
        words[0] += f" of width {parameters['width']:g} x median{squared}"
    if kernel == "polynomial":
        words[0] += f" ({parameters['coef0']:g} + <p, q>)^{parameters['degree']}"
    words += [f"{name} = {parameters[name]:g}" for name in ("C", "epsilon") if parameters.get(name) is not None]
    return "; ".join(words)
