"""What a tuner tries: the parameters of kernels, from lists of each to one dict a combination."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from setwise.divergences import Divergence
from setwise.divergences.checks import as_divergences
from setwise.errors import InputError
from setwise.kernels import GaussianKernel
from setwise.kernels.matrix import MatrixStep
from setwise.kernels.set_kernel import divergence_for, gram_steps, matrix_kernel
from setwise.refusals import listed

WIDTHS = tuple(2.0**power for power in range(-4, 11, 2))  # the grids of the paper, section 5.1
DEGREES = (1, 2, 3, 5, 7, 9)
COEF0S = (0.0, 1.0)  # homogeneous, inhomogeneous
CS = tuple(2.0**power for power in range(-9, 22, 3))
RADII = ("paper", "matched")


def several(given: Any) -> list[Any]:
    """What was given as one, or as several."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def nonempty(**lists: Any) -> dict[str, list[Any]]:
    """Lists by the names of their parameters, refusing one that is empty."""
    found = {name: several(given) for name, given in lists.items()}
    for name, values in found.items():
        if not values:
            raise InputError(f"{name} is empty; name at least one value to try.")
    return found


def with_radii(divergences: Sequence[Divergence], radii: Any) -> list[Divergence]:
    """Each divergence that has a radius with all those asked for; the others as they are."""
    if radii is None:
        return list(divergences)
    asked = several(radii)
    for radius in asked:
        if radius not in RADII:
            raise InputError(f"radii has {radius!r}; choose among {', '.join(map(repr, RADII))}.")
    found = [
        one
        for divergence in divergences
        for one in (
            [replace(divergence, radius=radius) for radius in asked]  # type: ignore[type-var]
            if hasattr(divergence, "radius")
            else [divergence]
        )
    ]
    return list(dict.fromkeys(found))


def kernel_parameters(
    divergences: Any,
    ks: Sequence[int],
    radii: Any,
    kernels: Any,
    squared: Any,
    widths: Any,
    degrees: Any,
    coef0s: Any,
) -> list[dict[str, Any]]:
    """Every combination, as parameters of `SetSVC`: of each kernel those that it has.

    Each kernel is combined with the divergences of its kind, distances or inner products; without divergences, with
    its default. A transformer of sets into a Gram matrix is one candidate, as it is.
    """
    lists = nonempty(kernels=kernels, squared=squared, widths=widths, degrees=degrees, coef0s=coef0s)
    given = None if divergences is None else with_radii(as_divergences(divergences), radii)
    found: list[dict[str, Any]] = []
    used: set[Divergence] = set()
    for kernel in lists["kernels"]:
        if not isinstance(kernel, str | MatrixStep):
            if isinstance(kernel, type) or not hasattr(kernel, "fit_transform"):
                matrix_kernel(kernel, 1.0, "paper", 2, 1.0)
            found.append({"kernel": kernel})
            continue
        own = _of_kind(kernel, given, radii)
        used.update(own)
        varied: dict[str, list[Any]] = {"divergence": own, "k": list(ks), "kernel": [kernel]}
        if kernel == "gaussian":
            varied |= {"width": lists["widths"], "squared": lists["squared"]}
        elif kernel == "polynomial":
            varied |= {"degree": lists["degrees"], "coef0": lists["coef0s"]}
        found += [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]
    unused = [str(divergence) for divergence in given or [] if divergence not in used]
    if unused:
        raise InputError(
            f"no kernel of {listed(lists['kernels'])} takes {listed(unused)}; add kernel 'polynomial' for inner "
            "products and 'gaussian' for distances, or leave them out."
        )
    return found


def _of_kind(kernel: str | MatrixStep, given: list[Divergence] | None, radii: Any) -> list[Divergence]:
    step = matrix_kernel(kernel, 1.0, "paper", 2, 1.0)  # type: ignore[arg-type]
    if given is None:
        return with_radii([divergence_for(step, None)], radii)
    inner = [divergence.kind in ("similarity", "moment") for divergence in given]
    wanted = not isinstance(step, GaussianKernel)
    own = [divergence for divergence, is_inner in zip(given, inner, strict=True) if is_inner == wanted]
    if not own:
        divergence_for(step, given[0])
    return own


def machine_parameters(**lists: Any) -> list[dict[str, Any]]:
    """Every combination of parameters of the machine, the last running fastest."""
    given = nonempty(**{f"{name}s": values for name, values in lists.items()})
    return [dict(zip(lists, values, strict=True)) for values in product(*given.values())]


def steps_of(parameters: dict[str, Any], psd: str, test_rows: str) -> Pipeline:
    """From symmetrised divergences to a Gram matrix, by a candidate's parameters; tried, so that wrong ones show."""
    names = ("width", "squared", "degree", "coef0")
    defaults = {"width": 1.0, "squared": "paper", "degree": 2, "coef0": 1.0}
    step = matrix_kernel(parameters["kernel"], *(parameters.get(name, defaults[name]) for name in names))
    steps = gram_steps(step, parameters["divergence"], psd, test_rows)
    steps.fit(np.zeros((1, 1)))
    return steps
