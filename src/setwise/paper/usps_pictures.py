"""Pictures of the noisy digits: how they look, and how they lie by pixels and by distributions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from setwise.divergences import L2
from setwise.features.pixels import Units, count_images
from setwise.kernels.matrix import Array
from setwise.learners.mds import SetMDS
from setwise.paper.result import Picture
from setwise.reports.displays import EmbeddingDisplay
from setwise.sets import SampleSets

EMBEDDED = (1, 2, 3, 4)
OF_EACH = 10  # instances of these


def picture_of_digits(ink: Array, classes: NDArray[np.intp], sets: SampleSets, folder: Path) -> Picture:
    """The first image of each class, and its cloud of points."""
    figure = _figure(10, 2.3)
    names, first = np.unique(classes, return_index=True)
    axes = figure.subplots(2, len(names))
    for (above, below), place in zip(axes.T, first, strict=True):
        height, width = ink[place].shape
        above.imshow(ink[place], cmap="gray_r", extent=(0, width, height, 0))
        points = sets[int(place)]
        below.scatter(points[:, 0], points[:, 1], s=0.5, color="black", linewidths=0)
        below.set_aspect("equal")
        below.invert_yaxis()
        for one in (above, below):
            one.set_axis_off()
    return _saved(figure, folder, "usps-digits.png", "A digit of each class, and the noisy points drawn from it.")


def pictures_of_embeddings(
    classes: NDArray[np.intp],
    sets: SampleSets,
    shape: tuple[int, int],
    enlarged: int,
    units: Units,
    folder: Path,
    n_jobs: int | None,
) -> tuple[tuple[Picture, Picture], str]:
    """Classical multidimensional scaling of the first instances of four digits, and what it shows in numbers.

    By Euclidean distances between images it is principal components; by distributions it takes the estimated L2
    distance, the Euclidean one between densities.
    """
    places = np.concatenate([np.flatnonzero(classes == one)[:OF_EACH] for one in EMBEDDED])
    few, labels = sets[places], classes[places]
    counts = count_images(few, shape, enlarged=enlarged, units=units)
    by_pixels = PCA(2, svd_solver="full").fit_transform(counts.reshape(len(few), -1).astype(np.float64))
    by_sets = SetMDS(dissimilarity="divergence", divergence=L2(), n_jobs=n_jobs).fit_transform(few)
    pictures, shares = [], []
    for embedding, of, file in (
        (by_pixels, "raw noisy pixels", "usps-mds-pixels.png"),
        (by_sets, "sample sets", "usps-mds-sets.png"),
    ):
        figure = _figure(5, 4)
        display = EmbeddingDisplay(embedding, labels=labels).plot(figure.subplots())
        shares.append(f"{display.same_class_:.0%} by {of}")
        caption = f"Multidimensional scaling of {OF_EACH} instances each of the digits 1, 2, 3, 4, by {of}."
        pictures.append(_saved(figure, folder, file, caption))
    note = f"In the two embeddings, the nearest is of the same class for {' and '.join(shares)}."
    return (pictures[0], pictures[1]), note


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _saved(figure: Any, folder: Path, file: str, caption: str) -> Picture:
    figure.savefig(folder / file, dpi=150)
    return Picture(file, caption)
