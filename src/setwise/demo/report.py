"""The page about the demonstration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.demo.run import A_CLASS, EMBEDDED, ENLARGED, NOISE, POINTS, Demo
from setwise.reports import EmbeddingDisplay, Picture, Section, Summary, Table

INK = "#20262e"


def summary_of(demo: Demo, seconds: float) -> Summary:
    """What the demonstration found, with its pictures."""
    sets, pixels = demo.accuracies
    truth = demo.classes[demo.test]
    rows: list[Sequence[str]] = [
        ["by distributions", f"{sets:.1%}", _each(demo.by_sets, truth)],
        ["by pixels", f"{pixels:.1%}", _each(demo.by_pixels, truth)],
        ["by chance", "10.0%", ""],
    ]
    estimator = demo.model.best_estimator_
    return Summary(
        title="Handwritten digits as clouds of points",
        lead=(
            f"Of each of {len(demo.classes)} digits, {POINTS} points were drawn where there is ink, and blurred. A "
            "support vector machine on the divergences between these clouds reads most of them; the same machine on "
            "distances between the clouds' pixel images does not, for no two points fall on one pixel."
        ),
        headline=[
            (f"{sets:.0%}", "right, by distributions"),
            (f"{pixels:.0%}", "right, by pixels"),
            (f"{seconds:.0f} s", "for everything on this page"),
        ],
        sections=[
            Section(
                "What is compared",
                "Above the digits as they are, below the clouds that were drawn of them. Only the clouds are used.",
                [
                    Picture(
                        _digits(demo), "One digit of each class, and its cloud.", "ten digits and ten clouds of points"
                    )
                ],
            ),
            Section(
                "Classification",
                f"Learned from {len(demo.classes) - len(demo.test)} clouds, tried on the {len(demo.test)} others. Both "
                "machines are tuned over the same widths and prices on the clouds they learn from.",
                [
                    Table("Share of unseen digits read correctly", ["", "correct", "least, most of a digit"], rows),
                    Picture(
                        _confusion(demo), "What each unseen digit was taken for, by distributions.", "confusion matrix"
                    ),
                ],
            ),
            Section(
                "Embedding",
                f"Clouds of the digits {', '.join(map(str, EMBEDDED))}, laid out by t-SNE.",
                [
                    Picture(_embedding(demo, demo.embedding), "By the distances between distributions.", "embedding"),
                    Picture(
                        _embedding(demo, demo.embedding_of_pixels),
                        "By the distances between pixel images.",
                        "embedding",
                    ),
                ],
            ),
            Section(
                "The strangest",
                "A one-class support vector machine, fitted on all the clouds, ranks them by how unlike the others "
                f"they are: {', '.join(str(demo.clouds.ids[place]) for place in demo.strangest)}.",
                [
                    Picture(
                        _strangest(demo), "The strangest first; the digit as it is, and its cloud.", "strange digits"
                    )
                ],
            ),
        ],
        command="setwise demo",
        data={
            "scikit-learn's digits": f"{A_CLASS} of each class; {POINTS} points each, noise of variance {NOISE} pixels"
        },
        settings={
            "seed": "0",
            "chosen": f"{estimator.divergence}, k = {estimator.k}, width {estimator.width:g}, C {estimator.C:g}",
            "enlarged": f"{ENLARGED} times",
        },
        notices=[f"Of the kernel's spectrum: {estimator.projection_.summary()}."],
    )


def _each(said: NDArray[np.intp], truth: NDArray[np.intp]) -> str:
    shares = [float((said[truth == label] == label).mean()) for label in np.unique(truth)]
    return f"{min(shares):.0%}, {max(shares):.0%}"


def _pairs(demo: Demo, places: Sequence[int], titles: Sequence[str]) -> Any:
    """Images above, their clouds below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.05 * len(places), 2.5), layout="constrained")
    axes = figure.subplots(2, len(places))
    side = demo.images.shape[1]
    for place, title, (above, below) in zip(places, titles, axes.T, strict=True):
        above.imshow(demo.images[place], cmap="gray_r", extent=(0, side, side, 0))
        above.set_title(title, fontsize=9)
        points = demo.clouds[int(place)]
        below.scatter(points[:, 0], points[:, 1], s=1.5, linewidths=0, color=INK)
        below.set(xlim=(-0.5, side + 0.5), ylim=(side + 0.5, -0.5), aspect="equal")
        for axis in (above, below):
            axis.set(xticks=[], yticks=[])
    return figure


def _digits(demo: Demo) -> Any:
    places = [int(np.flatnonzero(demo.classes == label)[0]) for label in range(10)]
    return _pairs(demo, places, [str(label) for label in range(10)])


def _strangest(demo: Demo) -> Any:
    places = demo.strangest.tolist()
    return _pairs(demo, places, [str(demo.clouds.ids[place]) for place in places])


def _embedding(demo: Demo, embedding: Any) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4, 4.0), layout="constrained")
    EmbeddingDisplay.from_predictions(embedding, demo.classes[demo.embedded], ax=figure.subplots())
    return figure


def _confusion(demo: Demo) -> Any:
    from matplotlib.figure import Figure
    from sklearn.metrics import ConfusionMatrixDisplay

    figure = Figure(figsize=(4.8, 4.4), layout="constrained")
    ConfusionMatrixDisplay.from_predictions(
        demo.classes[demo.test], demo.by_sets, ax=figure.subplots(), cmap="Blues", colorbar=False
    )
    return figure
