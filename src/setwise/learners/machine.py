"""Support vector machines on sets: f(X) = sum_t K(X, X_t) a_t + b, with what it needs of the training sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from setwise.divergences.transformer import digest
from setwise.errors import InputError, SpectrumWarning, warn
from setwise.kernels import SetKernel
from setwise.kernels.matrix import Array
from setwise.learners.base import SetEstimator
from setwise.refusals import is_number
from setwise.sets import SampleSets, Sets

UNTRUSTWORTHY = 0.5  # share of its squared length that a solution has without the projection, to warn of raw rows
TOLERANCE = 1e-5  # of the optimality conditions; scikit-learn's 1e-3 leaves errors as large in the decision values


class SupportMachine(SetEstimator):
    """What the machines share: from the solution on the Gram matrix to the values of other sets.

    Rows g of other sets are mapped by the projection's operator P, f = g P a + b, so that P a takes the place of a and
    neither P nor the Gram matrix is kept. All training sets stay, as P a has no zeros. Where rows stay as they are
    (raw, shift, none), a has zeros, and the sets that are no support vectors are dropped. The training sets' own rows
    are not as they are even then; their values are kept and found again by their points.
    """

    def _keep(self, sets: SampleSets, gram: Array, dual: Array, intercept: Array) -> None:
        """Keep what prediction needs of a solution: `dual` (T, m) and `intercept` (m,)."""
        self._coefficients, self._intercept = dual, intercept
        self._known = np.empty(0, dtype=np.uint64)
        self._known_values = np.empty((0, dual.shape[1]))
        self._raw_length = 1.0
        projection = self.projection_
        if not isinstance(self.kernel_, SetKernel) or projection is None:
            return
        kept = np.arange(len(sets))
        if projection.keeps_rows:
            support = np.flatnonzero(dual.any(axis=1))
            kept = support if len(support) else kept[:1]
            self._coefficients = dual[kept]
            if projection.mixes_rows:
                self._raw_length = _least_share(dual, projection.symmetric_, gram)
            if projection.method != "none":
                self._known, first = np.unique(_digests(sets), return_index=True)
                self._known_values = gram[first] @ dual + intercept
        else:
            self._coefficients = projection.operator_ @ dual
        self.kernel_ = self.kernel_.unprojected(kept)
        self.projection_ = projection.account()

    def _values(self, X: Sets) -> Array:
        """f of each set, (n, m)."""
        sets = self._of_known_dimension(X)
        values: Array = self.kernel_.transform(sets) @ self._coefficients + self._intercept
        known = np.zeros(len(sets), dtype=bool)
        if len(self._known):
            digests = _digests(sets)
            places = np.minimum(np.searchsorted(self._known, digests), len(self._known) - 1)
            known = self._known[places] == digests
            values[known] = self._known_values[places[known]]
        if self._raw_length < UNTRUSTWORTHY and not known.all():
            self._warn_of_raw_rows()
        return values

    def _warn_of_raw_rows(self) -> None:
        spectrum = "" if self.projection_ is None else f" ({self.projection_.summary()})"
        warn(
            SpectrumWarning,
            f"raw test rows of an indefinite kernel{spectrum} may be answered upside down: without the projection, "
            f'what was learned has {self._raw_length:.2f} times its squared length. Use test_rows="projected".',
        )


def _least_share(dual: Array, raw: Array, projected: Array) -> float:
    """The least a' S a / a' G a of the columns: where it is negative, raw rows are answered upside down on the whole.

    A share of the spectrum cannot tell. Where squared divergences make the classes' distance negative, S may be
    negative in a hundredth of its spectrum; where small sets make S noisy in a third of it, raw rows do little harm.
    """
    lengths = (dual * (projected @ dual)).sum(axis=0)
    shares = (dual * (raw @ dual)).sum(axis=0)[lengths > 0] / lengths[lengths > 0]
    return float(min(shares, default=1.0))


def check_positive(name: str, value: object) -> None:
    """Refuse what is no number above 0."""
    if not is_number(value) or float(value) <= 0:  # type: ignore[arg-type]
        raise InputError(f"{name}={value!r} must be a number above 0.")


def _digests(sets: SampleSets) -> NDArray[np.uint64]:
    return np.array([int.from_bytes(digest(points)[:8]) for points in sets], dtype=np.uint64)
