"""The kernel inside an estimator."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from setwise.errors import InputError
from setwise.kernels import PSDProjection


def unfitted_kernel(estimator: Any) -> Any:
    """A transformer of sets into the Gram matrix that the estimator works on, its earlier steps included; unfitted."""
    if isinstance(estimator, Pipeline):
        last, kernel = estimator.steps[-1]
        return Pipeline([*clone(estimator).steps[:-1], (last, unfitted_kernel(kernel))])
    estimator = getattr(estimator, "best_estimator_", estimator)
    if hasattr(estimator, "_new_kernel"):
        return estimator._new_kernel()
    if not hasattr(estimator, "fit_transform"):
        raise InputError(
            f"a {type(estimator).__name__} has no kernel; give a SetKernel, an estimator on sets such as SetSVC, or a "
            "Pipeline that ends in one."
        )
    return clone(estimator)


def fitted_projection(estimator: Any) -> PSDProjection:
    """The projection of a fitted estimator's Gram matrix, with its spectrum."""
    if isinstance(estimator, Pipeline):
        return fitted_projection(estimator.steps[-1][1])
    for inner in ("best_estimator_", "distance_"):
        estimator = getattr(estimator, inner, estimator)
    projection = estimator if isinstance(estimator, PSDProjection) else getattr(estimator, "projection_", None)
    if not isinstance(projection, PSDProjection):
        raise InputError(
            f"this {type(estimator).__name__} has no spectrum of a Gram matrix; fit it first, or give a SetKernel, a "
            "PSDProjection or an estimator on sets that is fitted."
        )
    return projection
