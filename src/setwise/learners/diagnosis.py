"""What the kernel doctor found: a row a kernel and remedy, as text and as a dataframe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from setwise.divergences import Divergence
from setwise.errors import InputError
from setwise.kernels.matrix import MatrixStep

_BACKENDS = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True)
class Treatment:
    """A kernel with a remedy for its negative eigenvalues, and how well it served.

    Attributes
    ----------
    divergence, k, kernel, psd, test_rows : as `SetKernel` takes them
    n_negative, negative_mass : of the Gram matrix of all sets, before the remedy; see `PSDProjection`
    score, spread : mean and standard deviation over the folds
    scores : a fold each
    params : what `SetSVC` or `SetSVR` take for the same
    """

    divergence: Divergence
    k: int
    kernel: MatrixStep
    psd: str
    test_rows: str
    n_negative: int
    negative_mass: float
    score: float
    spread: float
    scores: tuple[float, ...]
    params: dict[str, Any]

    @property
    def remedy(self) -> str:
        """The method, and whether the rows of test sets are left as they are."""
        return self.psd + (", raw test rows" if self.test_rows == "raw" else "")


class Diagnosis:
    """What `kernel_doctor` found.

    Attributes
    ----------
    treatments : tuple of Treatment
        A row each.
    best : Treatment
        Of the best mean score, which is the best of many and so too good; of equal ones the first.
    baseline : float
        The score of answering the same whatever the set: the commonest class, or the mean.
    """

    def __init__(self, treatments: Sequence[Treatment], baseline: float, header: str) -> None:
        self.treatments = tuple(treatments)
        self.baseline = baseline
        self.best = max(self.treatments, key=lambda one: one.score)
        self._header = header

    def to_frame(self, backend: str = "pandas") -> Any:
        """A row a kernel and remedy, in the order of their trial, in "pandas", "polars" or "pyarrow"."""
        import narwhals as nw

        if backend not in _BACKENDS:
            raise InputError(f"backend {backend!r} is not known; choose 'pandas', 'polars' or 'pyarrow'.")
        columns: dict[str, list[Any]] = {
            "divergence": [str(one.divergence) for one in self.treatments],
            "k": [one.k for one in self.treatments],
            "kernel": [repr(one.kernel) for one in self.treatments],
        }
        for name in ("psd", "test_rows", "n_negative", "negative_mass"):
            columns[name] = [getattr(one, name) for one in self.treatments]
        columns["C"] = [one.params["C"] for one in self.treatments]
        columns |= {name: [getattr(one, name) for one in self.treatments] for name in ("score", "spread")}
        try:
            return nw.from_dict(columns, backend=backend).to_native()  # type: ignore[arg-type]
        except ImportError as error:
            raise InputError(f"backend {backend!r} is not installed; install it, or choose another.") from error

    def __repr__(self) -> str:
        lines = [("divergence", "k", "kernel", "negative", "remedy", "score", "C", "")]
        before: tuple[str, ...] = ()
        for one in self.treatments:
            kernel = str(one.divergence), str(one.k), repr(one.kernel), f"{one.n_negative} ({one.negative_mass:.1%})"
            found = one.remedy, f"{one.score:.3f} +- {one.spread:.3f}", f"{one.params['C']:.3g}"
            lines.append((*(("",) * 4 if kernel == before else kernel), *found, "< best" if one is self.best else ""))
            before = kernel
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = (map(str.ljust, line, widths) for line in lines)
        return "\n".join([self._header, "", *("  ".join(line).rstrip() for line in padded)])
