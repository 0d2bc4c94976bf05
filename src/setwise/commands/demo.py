"""`setwise demo`: what the divergences tell of sets whose averages tell nothing."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from setwise.commands.interrupt import computing
from setwise.commands.output import to_output
from setwise.commands.speech import count, plain_warnings, print_table
from setwise.demo import gaussian_sets
from setwise.divergences import KL, Divergence, Hellinger, Renyi, divergence_table
from setwise.neighbours.moments import Array

K = 5


def demo() -> None:
    """Compare 60 built-in sets of three classes that differ in their correlation only, and print what comes out."""
    sets, classes = gaussian_sets()
    labels = np.array(classes)
    divergences: list[Divergence] = [Renyi(0.9), KL(), Hellinger()]
    with plain_warnings():
        # A first run on a machine compiles the engine and keeps it on disk.
        with computing("getting ready"):
            divergence_table(sets[:2], divergences=divergences, k=(K,))
        start = time.perf_counter()
        with computing("comparing the sets"):
            table = divergence_table(sets, divergences=divergences, k=(K,))
        seconds = time.perf_counter() - start

    means = np.stack([points.mean(0) for points in sets])
    by_mean = np.linalg.norm(means[:, None] - means, axis=-1)
    matrices = {str(divergence): table[divergence, K] for divergence in divergences}
    rows = [_row(name, matrix, labels) for name, matrix in {**matrices, "distance of means": by_mean}.items()]
    pairs = len(sets) * (len(sets) - 1)
    by_divergence = _same_class(matrices[str(divergences[0])], labels)
    chance = round(sum((labels == label).sum() - 1 for label in labels) / (len(labels) - 1))
    with to_output():
        print_table(
            f"{count(len(sets), 'set')} of {sets.sizes[0]} points in 2-d, three classes with the same mean",
            ["", "within classes", "between classes", "nearest of same class"],
            rows,
        )
        print(f"{count(pairs, 'pair')} of sets, {len(divergences)} divergences each, in {seconds:.2f} s\n")
        print(
            "What it shows: the classes differ in shape and not in mean, so the nearest set by mean is of the right "
            f"class for {_same_class(by_mean, labels)} of {len(sets)} sets ({chance} by chance); "
            f"the nearest by divergence, which compares the sets as wholes, for {by_divergence}."
        )


def _row(name: str, matrix: Array, labels: NDArray[np.str_]) -> list[str]:
    """Mean over the pairs within and between classes, and how often the nearest set is of the same class."""
    same = labels[:, None] == labels
    within = matrix[same & ~np.eye(len(labels), dtype=bool)].mean()
    between = matrix[~same].mean()
    return [name, f"{within:.3f}", f"{between:.3f}", f"{_same_class(matrix, labels)} of {len(labels)}"]


def _same_class(matrix: Array, labels: NDArray[np.str_]) -> int:
    """For how many sets the nearest other set has the same label."""
    others = np.where(np.eye(len(labels), dtype=bool), np.inf, matrix)
    return int((labels[others.argmin(1)] == labels).sum())
