"""Support vector machines on a Gram matrix: by libsvm, and by an interior point method where libsvm takes too long."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from setwise.errors import InputError, SpectrumWarning, warn
from setwise.kernels.matrix import Array
from setwise.learners import interior
from setwise.learners.machine import TOLERANCE

STEPS, STEPS_A_SET = 20_000, 100  # of libsvm: by then the interior point method has solved it


class Classifier(NamedTuple):
    """f of each pair of classes is K dual + intercept, positive for the first; of two classes, for the second."""

    classes: NDArray[Any]
    class_weight: Array
    dual: Array
    intercept: Array


@contextmanager
def quietly() -> Iterator[None]:
    """Keep libsvm from saying that its steps were limited. Not in the functions below, which run in threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def classify(
    gram: Array,
    labels: NDArray[Any],
    C: float,
    class_weight: Mapping[Any, float] | Literal["balanced"] | None,
    weights: Array | None,
) -> Classifier:
    """The machines of all pairs of classes; sets of weight 0 have no part in them."""
    if weights is not None and not weights.all():  # which scikit-learn's takes wrongly with a precomputed kernel
        kept = np.flatnonzero(weights)
        if len(np.unique(labels[kept])) < 2:
            raise InputError("the sets with a sample weight above 0 are of one class; give weights to two classes.")
        among = classify(gram[np.ix_(kept, kept)], labels[kept], C, class_weight, weights[kept])
        return among._replace(dual=_among(among.dual, kept, len(gram)))
    centred, means = _centred(gram)
    svc = SVC(
        C=C,
        kernel="precomputed",
        class_weight=class_weight,
        tol=TOLERANCE,
        max_iter=STEPS + STEPS_A_SET * len(gram),
    )
    svc.fit(centred, labels, sample_weight=weights)
    classes, class_weights = svc.classes_, svc.class_weight_
    dual = np.zeros((len(gram), svc.intercept_.size))
    dual[svc.support_] = by_pairs(svc.dual_coef_, svc.n_support_)
    intercept = svc.intercept_ - means @ dual
    bound = C * class_weights[np.searchsorted(classes, labels)] * (1.0 if weights is None else weights)
    for pair, (i, j) in enumerate(combinations(range(len(classes)), 2)):
        if svc.n_iter_[pair] < svc.max_iter:
            continue
        members = np.flatnonzero((labels == classes[i]) | (labels == classes[j]))
        sign = np.where(labels[members] == classes[i if len(classes) > 2 else j], 1.0, -1.0)
        found = interior.solve(
            gram[np.ix_(members, members)],
            np.arange(len(members)),
            sign,
            np.full(len(members), -1.0),
            bound[members],
        )
        if found is None:
            _say_unsolved()
            continue
        dual[:, pair] = 0
        dual[members, pair] = sign * found.x
        intercept[pair] = found.intercept
    return Classifier(classes, class_weights, dual, intercept)


def regress(gram: Array, targets: Array, C: float, epsilon: float, weights: Array | None) -> tuple[Array, Array]:
    """The coefficients (T, 1) and the intercept (1,) of f = K dual + intercept; sets of weight 0 have no part in it."""
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        if not len(kept):
            raise InputError("every sample weight is 0; give some sets more.")
        of_kept, intercept = regress(gram[np.ix_(kept, kept)], targets[kept], C, epsilon, weights[kept])
        return _among(of_kept, kept, len(gram)), intercept
    centred, means = _centred(gram)
    svr = SVR(C=C, epsilon=epsilon, kernel="precomputed", tol=TOLERANCE, max_iter=STEPS + STEPS_A_SET * len(gram))
    svr.fit(centred, targets, sample_weight=weights)
    dual = np.zeros((len(gram), 1))
    dual[svr.support_] = svr.dual_coef_.T
    intercept = svr.intercept_ - means @ dual
    if svr.n_iter_ >= svr.max_iter:
        sign = np.repeat([1.0, -1.0], len(gram))
        found = interior.solve(
            gram,
            np.tile(np.arange(len(gram)), 2),
            sign,
            epsilon - sign * np.tile(targets, 2),
            np.tile(C * (np.ones(len(gram)) if weights is None else weights), 2),
        )
        if found is None:
            _say_unsolved()
        else:
            dual[:, 0] = (sign * found.x).reshape(2, -1).sum(axis=0)
            intercept[0] = found.intercept
    return dual, intercept


def by_pairs(dual: Array, n_support: NDArray[np.int32]) -> Array:
    """scikit-learn's dual coefficients as one column a pair of classes, (support sets, pairs).

    Its row j-1 (row j) holds, for the support sets of class i < j (i > j), their coefficients in the pair of i and j.
    """
    if len(n_support) == 2:
        return dual.T
    starts = np.concatenate([[0], np.cumsum(n_support)])
    columns = []
    for i, j in combinations(range(len(n_support)), 2):
        column = np.zeros(starts[-1])
        column[starts[i] : starts[i + 1]] = dual[j - 1, starts[i] : starts[i + 1]]
        column[starts[j] : starts[j + 1]] = dual[i, starts[j] : starts[j + 1]]
        columns.append(column)
    return np.array(columns).T


def by_classes(dual: Array, n_support: NDArray[np.int32]) -> Array:
    """Back from the columns of pairs to scikit-learn's rows."""
    if len(n_support) == 2:
        return dual.T
    starts = np.concatenate([[0], np.cumsum(n_support)])
    found = np.zeros((len(n_support) - 1, starts[-1]))
    for column, (i, j) in zip(dual.T, combinations(range(len(n_support)), 2), strict=True):
        found[j - 1, starts[i] : starts[i + 1]] = column[starts[i] : starts[i + 1]]
        found[i, starts[j] : starts[j + 1]] = column[starts[j] : starts[j + 1]]
    return found


def _among(dual: Array, kept: NDArray[np.intp], count: int) -> Array:
    found = np.zeros((count, dual.shape[1]))
    found[kept] = dual
    return found


def _centred(gram: Array) -> tuple[Array, Array]:
    """K with its centre of mass for the origin, and the means of its columns.

    As the coefficients sum to 0, that changes nothing but the intercept. But libsvm keeps K in single precision: where
    the width is large, all of K is near 1 and its differences lost (at 2^10 medians and C = 2^21, f is off by 1).
    """
    means = gram.mean(axis=0)
    centred = gram - means
    centred -= means[:, None]
    centred += means.mean()
    return centred, means


def _say_unsolved() -> None:
    warn(
        SpectrumWarning,
        "a support vector machine was not solved to the end: where the Gram matrix is indefinite, its programme is not "
        'convex. Use psd="clip", or a smaller C.',
    )
