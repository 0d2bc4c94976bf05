"""Other packages that estimate a divergence from nearest neighbours, where they are installed; all of them KL only."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from setwise.conformance.case import Case
from setwise.conformance.cases import CASES
from setwise.divergences import KL, Divergence
from setwise.errors import InputError
from setwise.neighbours.moments import Array


@dataclass(frozen=True)
class Peer:
    """An `Implementation`: `estimate(module, x, y, k)` is KL in nats; `package` is its name on PyPI."""

    package: str
    module: str
    estimate: Callable[[Any, Array, Array, int], float]

    def __str__(self) -> str:
        return f"{self.package} {metadata.version(self.package)}"

    def installed(self) -> bool:
        try:
            import_module(self.module)
        except ImportError:
            return False
        return True

    def __call__(self, x: Array, y: Array, divergence: Divergence, k: int) -> float:
        if not isinstance(divergence, KL):
            raise InputError(f"{self.package} estimates kl; it has no {divergence}.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return float(self.estimate(import_module(self.module), x, y, k))


PEERS = (
    Peer("universal-divergence", "universal_divergence", lambda module, x, y, k: module.estimate(x, y, k=k)),
    Peer("npeet-plus", "npeet_plus", lambda module, x, y, k: module.kldiv(x, y, k=k, base=math.e)),
    Peer(
        "infomeasure",
        "infomeasure",
        lambda module, x, y, k: module.kld(x, y, approach="metric", k=k, minkowski_p=2, noise_level=0, base="e"),
    ),
)


def asked_of_peers() -> tuple[Case, ...]:
    """The cases of KL in the paper's form; where ties leave only the matched form a value, those of that."""
    names = {one.name for one in CASES}
    ties = (one for one in CASES if one.name.startswith("ties, ") and one.divergence == "kl:matched")
    kl = (one for one in CASES if one.divergence == "kl")
    return (*kl, *(one for one in ties if one.name.removesuffix(":matched") not in names))
