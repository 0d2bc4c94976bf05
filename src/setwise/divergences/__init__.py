"""Formulas on the engine's moments: nine families of divergences, one registry, and the tables made of them.

parse("renyi:0.9") -> Renyi(0.9)          registry.py, spelling.py; the families in ratio, kl, density, jensen_shannon
        |  .moments, .own                 protocol.py
        v
neighbours.pair_moments                   one pass for all divergences and all k
        |  Terms
        v
Renyi(0.9).value(terms)                   pairwise.py, which also checks (checks.py) and warns (notices.py)
        |
        v
DivergenceTable                           table.py; KNNDivergence (transformer.py) is its scikit-learn form
"""

from setwise.divergences.density import L2, AlphaBeta, Linear
from setwise.divergences.jensen_shannon import JensenShannon
from setwise.divergences.kl import KL
from setwise.divergences.pairwise import divergence_table, pairwise_divergences
from setwise.divergences.protocol import Divergence, Terms, scale_free, squared_in_kernel
from setwise.divergences.ratio import Bhattacharyya, Hellinger, Renyi, Tsallis
from setwise.divergences.registry import REGISTRY, parse
from setwise.divergences.table import DivergenceTable
from setwise.divergences.transformer import KNNDivergence

__all__ = [
    "KL",
    "L2",
    "REGISTRY",
    "AlphaBeta",
    "Bhattacharyya",
    "Divergence",
    "DivergenceTable",
    "Hellinger",
    "JensenShannon",
    "KNNDivergence",
    "Linear",
    "Renyi",
    "Terms",
    "Tsallis",
    "divergence_table",
    "pairwise_divergences",
    "parse",
    "scale_free",
    "squared_in_kernel",
]
