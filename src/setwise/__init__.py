"""Machine learning where one example is a set of points.

How the data flows, and so how the folders stand and which way imports go (each may use only what is above it):

    arrays, dataframes, files, images, flow fields
        |   sets.py, io/            SampleSets, read_sets, write_sets
        |   features/               image_sets, edge_sets, FieldWindows
        v
    SampleSets                      T sets of points, ragged, with ids
        |   features/               SetScaler, SetPCA: fitted on the points of all training sets, sets again
        v
    SampleSets                      scaled, in fewer dimensions
        |   neighbours/             kth_distances
        v
    moments                         means over k-th neighbour distances, for all pairs in one pass
        |   divergences/            Renyi(0.9), KL(), ..; pairwise_divergences, divergence_table, KNNDivergence
        v
    DivergenceTable                 one (T, T) array a divergence and k, labelled by the sets' ids
        |   kernels/                SetKernel, GaussianKernel, PolynomialKernel, PSDProjection, gram_matrix
        v
    Gram matrix                     positive semi-definite among the fitted sets, rows for sets to come
        |   learners/               SetSVC, SetSVR, tuned: SetSVCCV, SetSVRCV; SetOneClassSVM, SetNearest;
        |                           SetLLE, SetMDS, SetDistance; DistributionRegression; kernel_doctor
        v
    predictions, scores, places     a label, a number, how unlike the others each set is, where it lies among them, or
                                    another set
        |   reports/                GramDisplay, SpectrumDisplay, EmbeddingDisplay, AnomalyDisplay, TuningDisplay
        v
    pictures, and pages that need nothing but themselves
        |   paper/                  the paper's experiments, one file each: `setwise paper NAME`
        v
    tables of the paper's figures beside ours

Names are loaded when first used, so that `import setwise` itself imports and compiles nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from setwise.divergences import (
        KL,
        L2,
        AlphaBeta,
        Bhattacharyya,
        DivergenceTable,
        Hellinger,
        JensenShannon,
        KNNDivergence,
        Linear,
        Renyi,
        Tsallis,
        divergence_table,
        pairwise_divergences,
    )
    from setwise.errors import (
        ConditionWarning,
        GraphWarning,
        InputError,
        RangeWarning,
        SetwiseError,
        SetwiseWarning,
        SizeWarning,
        SpectrumWarning,
        TieWarning,
    )
    from setwise.features import SetPCA, SetScaler
    from setwise.io import read_sets, write_sets
    from setwise.kernels import GaussianKernel, Gram, PolynomialKernel, PSDProjection, SetKernel, gram_matrix
    from setwise.learners import (
        DistributionRegression,
        SetDistance,
        SetLLE,
        SetMDS,
        SetNearest,
        SetOneClassSVM,
        SetSVC,
        SetSVCCV,
        SetSVR,
        SetSVRCV,
        kernel_doctor,
        load,
        save,
    )
    from setwise.neighbours import kth_distances
    from setwise.reports import AnomalyDisplay, EmbeddingDisplay, GramDisplay, SpectrumDisplay, TuningDisplay
    from setwise.sets import SampleSets

__version__ = "0.1.0"

__all__ = [
    "KL",
    "L2",
    "AlphaBeta",
    "AnomalyDisplay",
    "Bhattacharyya",
    "ConditionWarning",
    "DistributionRegression",
    "DivergenceTable",
    "EmbeddingDisplay",
    "GaussianKernel",
    "Gram",
    "GramDisplay",
    "GraphWarning",
    "Hellinger",
    "InputError",
    "JensenShannon",
    "KNNDivergence",
    "Linear",
    "PSDProjection",
    "PolynomialKernel",
    "RangeWarning",
    "Renyi",
    "SampleSets",
    "SetDistance",
    "SetKernel",
    "SetLLE",
    "SetMDS",
    "SetNearest",
    "SetOneClassSVM",
    "SetPCA",
    "SetSVC",
    "SetSVCCV",
    "SetSVR",
    "SetSVRCV",
    "SetScaler",
    "SetwiseError",
    "SetwiseWarning",
    "SizeWarning",
    "SpectrumDisplay",
    "SpectrumWarning",
    "TieWarning",
    "Tsallis",
    "TuningDisplay",
    "divergence_table",
    "gram_matrix",
    "kernel_doctor",
    "kth_distances",
    "load",
    "pairwise_divergences",
    "read_sets",
    "save",
    "write_sets",
]

_ERRORS = {
    "ConditionWarning",
    "GraphWarning",
    "InputError",
    "RangeWarning",
    "SetwiseError",
    "SetwiseWarning",
    "SizeWarning",
    "SpectrumWarning",
    "TieWarning",
}
_KERNELS = {"GaussianKernel", "Gram", "PSDProjection", "PolynomialKernel", "SetKernel", "gram_matrix"}
_LEARNERS = {
    "DistributionRegression",
    "SetDistance",
    "SetLLE",
    "SetMDS",
    "SetNearest",
    "SetOneClassSVM",
    "SetSVC",
    "SetSVCCV",
    "SetSVR",
    "SetSVRCV",
    "kernel_doctor",
    "load",
    "save",
}
_REPORTS = {"AnomalyDisplay", "EmbeddingDisplay", "GramDisplay", "SpectrumDisplay", "TuningDisplay"}
_HOME = {name: "setwise.divergences" for name in __all__}
_HOME |= dict.fromkeys(_ERRORS, "setwise.errors")
_HOME |= dict.fromkeys(_KERNELS, "setwise.kernels")
_HOME |= dict.fromkeys(_LEARNERS, "setwise.learners")
_HOME |= dict.fromkeys(_REPORTS, "setwise.reports")
_HOME |= {"SetPCA": "setwise.features", "SetScaler": "setwise.features"}
_HOME |= {"read_sets": "setwise.io", "write_sets": "setwise.io"}
_HOME |= {"SampleSets": "setwise.sets", "kth_distances": "setwise.neighbours"}


def __getattr__(name: str) -> Any:
    """Load a public name from its home (PEP 562), and keep it."""
    if name not in _HOME:
        raise AttributeError(f"module 'setwise' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
