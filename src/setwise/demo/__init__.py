"""The demonstration on built-in data: what it computes (run.py), and the page about it (report.py)."""

from setwise.demo.report import summary_of
from setwise.demo.run import Demo, run_demo

__all__ = ["Demo", "run_demo", "summary_of"]
