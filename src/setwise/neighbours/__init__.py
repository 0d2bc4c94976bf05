"""The engine: k-th neighbour distances between all pairs of sets, reduced to moments as they are found.

plan.py         which path, which tiles                 moments.py     what is asked and answered
engine.py       own pass, tiles in threads              reference.py   the same in ten plain lines
  paths.py        one face for the three paths
    low.py          d <= 4: pooled queries, shared candidate lists  (low_ops, low_tiles)
    dense.py        d >= 5: tiles of registers, both directions     (dense_ops, dense_refine, dense_tiles)
    exact.py        the distances themselves, in float64
  ranks.py        own points within nu, for the matched radius
  reduction.py    distances -> moments
simd.py         the SIMD vocabulary in LLVM's IR
"""

from setwise.neighbours.engine import kth_distances, pair_moments

__all__ = ["kth_distances", "pair_moments"]
