"""Results as pictures and pages.

displays/                      one file a picture: drawn on axes that are given, or on a figure of its own
figures ---- pictures.py --+   as part of a page, in its colours
summary.py ----------------+-- html.py: one self-contained page, from the template in page/
"""

from setwise.reports.displays import (
    AnomalyDisplay,
    EmbeddingDisplay,
    GramDisplay,
    SpectrumDisplay,
    TuningDisplay,
)
from setwise.reports.html import render_report, write_report
from setwise.reports.summary import Picture, Section, Summary, Table

__all__ = [
    "AnomalyDisplay",
    "EmbeddingDisplay",
    "GramDisplay",
    "Picture",
    "Section",
    "SpectrumDisplay",
    "Summary",
    "Table",
    "TuningDisplay",
    "render_report",
    "write_report",
]
