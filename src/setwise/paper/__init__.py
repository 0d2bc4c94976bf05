"""The paper's experiments, one file each: its data, its protocol, the paper's figures, and what comes out here.

Every file has a TITLE and `run(asked) -> Result`. `setwise paper NAME` runs one.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from setwise.errors import InputError

EXPERIMENTS = ("usps",)


def experiment(name: str) -> ModuleType:
    """The module of an experiment."""
    if name not in EXPERIMENTS:
        raise InputError(f"experiment {name!r} is not known; choose {', '.join(EXPERIMENTS)}, or all.")
    return import_module(f"setwise.paper.{name}")
