"""The demonstration: handwritten digits as noisy point clouds, and what distributions tell that pixels do not.

scikit-learn's digits (8 x 8 pixels) are enlarged ten times, and of each a cloud of points is drawn, with probability
proportional to ink, and blurred by noise. Whoever compares clouds pixel by pixel finds that no two points fall on the
same pixel; whoever compares distributions finds the digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.metrics import euclidean_distances
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline

from setwise.features.pixels import count_images, image_sets
from setwise.kernels import GaussianKernel, PSDProjection
from setwise.kernels.matrix import Array
from setwise.learners import SetDistance, SetOneClassSVM, SetSVCCV
from setwise.learners.candidates import CS, WIDTHS
from setwise.learners.on_gram import GramSVC
from setwise.learners.search import Candidate, search
from setwise.learners.sources import OnDivergences
from setwise.sets import SampleSets

A_CLASS = 80  # digits of each class, half to learn from
POINTS = 300
ENLARGED = 10
NOISE = 0.15  # variance, in pixels of the small images
EMBEDDED = (1, 2, 3, 4)
OF_EACH = 25  # of these
STRANGEST = 8
STEPS = ("clouds", "by distributions", "by pixels", "embedding", "strangest")


@dataclass(frozen=True)
class Demo:
    """What came out.

    Attributes
    ----------
    images, clouds, counts : the digits as they are, as point clouds, and the clouds counted on the enlarged grid
    classes : of each
    test : places that were not learned from
    by_sets, by_pixels : predictions for those
    model : the tuned classifier of sets
    embedded : places of the digits that were embedded
    embedding, embedding_of_pixels : where they came to lie, (n, 2)
    scores : of every digit, by a one-class SVM fitted on all; the smaller, the stranger
    """

    images: Array
    clouds: SampleSets
    counts: NDArray[np.int32]
    classes: NDArray[np.intp]
    test: NDArray[np.intp]
    by_sets: NDArray[np.intp]
    by_pixels: NDArray[np.intp]
    model: SetSVCCV
    embedded: NDArray[np.intp]
    embedding: Array
    embedding_of_pixels: Array
    scores: Array

    @property
    def accuracies(self) -> tuple[float, float]:
        """By distributions, and by pixels."""
        truth = self.classes[self.test]
        return float((self.by_sets == truth).mean()), float((self.by_pixels == truth).mean())

    @property
    def strangest(self) -> NDArray[np.intp]:
        """Places of the digits with the smallest scores, the strangest first."""
        return np.argsort(self.scores)[:STRANGEST]


def run_demo(progress: Callable[[int, int], None], random_state: int = 0, n_jobs: int | None = None) -> Demo:
    """Draw the clouds, classify them in two ways, embed some, and rank all by how strange they are."""
    rng = np.random.default_rng(random_state)
    digits = load_digits()
    places = np.concatenate([rng.choice(np.flatnonzero(digits.target == c), A_CLASS, False) for c in range(10)])
    images, classes = digits.images[places], digits.target[places]
    ids = [f"{label} (no. {place})" for label, place in zip(classes, places, strict=True)]
    clouds = image_sets(images, POINTS, enlarged=ENLARGED, noise=NOISE, ids=ids, random_state=rng)
    counts = count_images(clouds, images.shape[1:], enlarged=ENLARGED)
    train, test = train_test_split(np.arange(len(classes)), test_size=0.5, stratify=classes, random_state=random_state)
    progress(1, len(STEPS))

    model = SetSVCCV("renyi:0.9", random_state=random_state, n_jobs=n_jobs).fit(clouds[train], classes[train])
    by_sets = model.predict(clouds[test])
    progress(2, len(STEPS))

    pixels = counts.reshape(len(counts), -1).astype(np.float64)
    by_pixels = _classified(euclidean_distances(pixels), classes, train, test, random_state, n_jobs)
    progress(3, len(STEPS))

    embedded = np.concatenate([np.flatnonzero(classes == c)[:OF_EACH] for c in EMBEDDED])
    between = SetDistance("rkhs", divergence="renyi:0.9", n_jobs=n_jobs).fit_transform(clouds[embedded])
    embedding, of_pixels = (
        TSNE(metric="precomputed", init="random", perplexity=15, random_state=random_state).fit_transform(distances)
        for distances in (between, euclidean_distances(pixels[embedded]))
    )
    progress(4, len(STEPS))

    scores = SetOneClassSVM("renyi:0.9", nu=0.1, n_jobs=n_jobs).fit(clouds).score_samples(clouds)
    progress(5, len(STEPS))
    return Demo(
        images, clouds, counts, classes, test, by_sets, by_pixels, model, embedded, embedding, of_pixels, scores,
    )  # fmt: skip


def _classified(
    distances: Array,
    classes: NDArray[np.intp],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    random_state: int,
    n_jobs: int | None,
) -> NDArray[np.intp]:
    """What a machine on Gaussian kernels of distances, tuned over the same grid as that on sets, says of the test."""
    folds = StratifiedKFold(3).split(train, classes[train])
    found = search(
        [
            Candidate({"width": w}, OnDivergences(distances, make_pipeline(GaussianKernel(w), PSDProjection())))
            for w in WIDTHS
        ],
        GramSVC(),
        [{"C": C} for C in CS],
        classes,
        [(train[a], train[b]) for a, b in folds],
        n_jobs=n_jobs,
        random_state=np.random.RandomState(random_state),
    )
    gram, rows = found.candidate.source.fit(train)
    return np.asarray(found.machine.fit(gram, classes[train]).predict(rows(test)), dtype=np.intp)
