"""Results as pictures and pages.

displays/    one file a picture: drawn on axes that are given, or on a figure of its own
"""

from setwise.reports.displays import (
    AnomalyDisplay,
    EmbeddingDisplay,
    GramDisplay,
    SpectrumDisplay,
    TuningDisplay,
)

__all__ = ["AnomalyDisplay", "EmbeddingDisplay", "GramDisplay", "SpectrumDisplay", "TuningDisplay"]
