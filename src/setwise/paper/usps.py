"""Noisy USPS digits (the paper, section "USPS Classification"): sets of points against pixels, by many kernels.

A run draws its own images, points and folds. Its divergences are computed once for all rows and both folds. Each row
and fold is tuned once, inductively, on the training half alone; the kernel and the C that were chosen serve both modes.
Inductively the training half is projected, and the test rows are mapped as it was; transductively all the images are
projected together, once for the folds that chose the same kernel.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from setwise.divergences.pairwise import compute
from setwise.divergences.registry import parse
from setwise.errors import InputError
from setwise.features.pixels import Units, count_images, image_sets
from setwise.kernels import GaussianKernel, PolynomialKernel
from setwise.kernels.matrix import Array, MatrixStep
from setwise.kernels.psd import PSDProjection
from setwise.kernels.set_kernel import gram_steps
from setwise.learners.candidates import COEF0S, CS, DEGREES, WIDTHS
from setwise.learners.on_gram import GramSVC
from setwise.learners.search import Candidate, search
from setwise.learners.sources import OnDivergences, OnGram, together
from setwise.neighbours.threads import threads_of
from setwise.paper.asked import Asked
from setwise.paper.journal import Journal, digest_of
from setwise.paper.result import Figure, Picture, Result, Table
from setwise.paper.usps_pictures import OF_EACH as OF_EACH_PICTURED
from setwise.paper.usps_pictures import picture_of_digits, pictures_of_embeddings
from setwise.sets import SampleSets

TITLE = "Noisy USPS digits"
RUNS = 16
OF_EACH, QUICK_OF_EACH = 200, 100  # images of each class
POINTS = 500
ENLARGED = 10
K = 5
FOLDS, INNER_FOLDS = 2, 3
FILE = "usps/usps_zip.npz"
SOURCE = (
    "zip.train and zip.test of https://hastie.su.domains/ElemStatLearn/data.html, as X_train, y_train, .. of one .npz"
)

Digits: TypeAlias = tuple[Array, NDArray[np.intp]]
"""Ink (T, 16, 16), 0 where the page is blank, and the digit each shows."""


@dataclass(frozen=True)
class Reading:
    """What "Gaussian noise of variance 0.1" is taken to mean."""

    variance: float
    units: Units
    words: str


READINGS = {
    "grid": Reading(0.1, "pixel", "variance 0.1 in pixels of the original 16 x 16 grid"),
    "unit": Reading(0.01, "unit", "standard deviation 0.1 where the image runs from -1 to 1"),
}


@dataclass(frozen=True)
class Row:
    """A line of the paper's table: what the kernel is on, and the paper's figures, transductive and inductive.

    `on` is a divergence, or "counts" or "ink" for pixels of the noisy or the original images.
    """

    name: str
    kernel: Literal["gaussian", "polynomial"]
    on: str
    paper: tuple[str, str]


ROWS = (
    Row("raw original, polynomial", "polynomial", "ink", ("", "93.5 ± .5")),
    Row("raw original, Gaussian", "gaussian", "ink", ("", "93.3 ± .6")),
    Row("raw noisy, polynomial", "polynomial", "counts", ("", "82.1 ± .5")),
    Row("raw noisy, Gaussian", "gaussian", "counts", ("", "83.4 ± .4")),
    Row("NP polynomial", "polynomial", "linear", ("92.7 ± .5", "92.9 ± .5")),
    Row("NP L2", "gaussian", "l2", ("93.7 ± .3", "93.7 ± .3")),
    Row("NP Rényi .2", "gaussian", "renyi:0.2", ("95.8 ± .3", "95.8 ± .3")),
    Row("NP Rényi .5", "gaussian", "renyi:0.5", ("95.9 ± .3", "95.8 ± .3")),
    Row("NP Rényi .8", "gaussian", "renyi:0.8", ("96.1 ± .3", "96.0 ± .2")),
    Row("NP Rényi .9", "gaussian", "renyi:0.9", ("96.0 ± .3", "96.0 ± .3")),
    Row("NP Rényi .99", "gaussian", "renyi:0.99", ("96.0 ± .4", "96.1 ± .4")),
    Row("NP Hellinger", "gaussian", "hellinger", ("94.9 ± .4", "94.9 ± .3")),
)
PIXELS = ("ink", "counts")
BEST, BASELINE = "NP Rényi .9", "raw noisy, Gaussian"
TRANSDUCTIVE, INDUCTIVE, RAW_ROWS = "transductive", "inductive", "inductive, raw test rows"

Accuracies: TypeAlias = dict[str, float]
"""In percent, by column."""


class UnitDiagonal(MatrixStep):
    """Inner products in units of their mean among the fitted: of each with itself.

    Inner products of densities carry the unit of 1/area, and those of images grow with the number of pixels: without a
    scale, neither the grid of C nor the constant of an inhomogeneous kernel fits them.
    """

    def fit(self, X: ArrayLike, y: object = None) -> UnitDiagonal:
        """Take the unit from the diagonal."""
        self.unit_ = float(self._validated(X, fitting=True).diagonal().mean())
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Inner products with each fitted, in that unit."""
        check_is_fitted(self)
        scaled: Array = self._validated(X, fitting=False) / self.unit_
        return scaled


def run(asked: Asked) -> Result:
    """Run the experiment."""
    if asked.reading not in READINGS:
        raise InputError(f"reading {asked.reading!r} is not known; choose {' or '.join(map(repr, READINGS))}.")
    reading = READINGS[asked.reading]
    digits = read_digits(asked)
    of_each = QUICK_OF_EACH if asked.quick else OF_EACH
    n_runs = asked.runs or (1 if asked.quick else RUNS)
    protocol = {
        "images of each class": of_each,
        "points": POINTS,
        "noise": reading.words,
        "k": K,
        "folds": f"{FOLDS}, tuned by {INNER_FOLDS} in the training half",
        "widths": _powers(WIDTHS),
        "C": _powers(CS),
        "degrees": f"{', '.join(map(str, DEGREES))}, with and without a constant",
        "seed": asked.seed,
    }
    digest = digest_of(*digits)
    journal = Journal(asked.out / "usps.runs.jsonl", protocol, digest)
    total = n_runs * len(ROWS)

    found: list[dict[str, Accuracies]] = []
    for number in range(n_runs):

        def compute_run(number: int = number) -> dict[str, Accuracies]:
            return one_run(
                digits,
                of_each,
                reading,
                np.random.default_rng([asked.seed, number]),
                asked.n_jobs,
                lambda done: asked.report(number * len(ROWS) + done, total),
            )

        found.append(journal.run(f"run {number}", compute_run))
        asked.report((number + 1) * len(ROWS), total)

    pictures, nearest = _pictures(digits, reading, asked)
    return Result(
        name="usps",
        title=TITLE,
        protocol={"runs": f"{n_runs}, seeded [{asked.seed}, run], each with images of its own"} | protocol,
        data=f"{FILE}, digest {digest}",
        tables=(_table(found),),
        pictures=pictures,
        notes=(*_notes(found), nearest),
    )


def read_digits(asked: Asked) -> Digits:
    """All images, those to train on and those to test on together, as the paper draws from both."""
    path = asked.file(FILE, "the USPS digits", SOURCE)
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            images = np.concatenate([stored["X_train"], stored["X_test"]])
            classes = np.concatenate([stored["y_train"], stored["y_test"]]).astype(np.intp)
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"'{path}' is damaged, or not the USPS digits ({reason}). Get it: {SOURCE}.") from error
    if images.ndim != 3 or len(images) != len(classes):
        raise InputError(f"'{path}' holds images {images.shape} for {len(classes)} labels. Get it: {SOURCE}.")
    return (images / 1000 + 1) / 2, classes


def draw(digits: Digits, of_each: int, rng: np.random.Generator) -> Digits:
    """So many images of each class, without repeats."""
    ink, classes = digits
    places = [rng.choice(np.flatnonzero(classes == one), of_each, replace=False) for one in np.unique(classes)]
    chosen = np.concatenate(places)
    return ink[chosen], classes[chosen]


def clouds(ink: Array, reading: Reading, rng: np.random.Generator) -> SampleSets:
    """A noisy cloud of points from each image."""
    return image_sets(ink, POINTS, enlarged=ENLARGED, noise=reading.variance, units=reading.units, random_state=rng)


def one_run(
    digits: Digits,
    of_each: int,
    reading: Reading,
    rng: np.random.Generator,
    n_jobs: int | None,
    report: Callable[[int], None],
) -> dict[str, Accuracies]:
    """The accuracies of every row, from images, points and folds of this run's own."""
    ink, classes = draw(digits, of_each, rng)
    sets = clouds(ink, reading, rng)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=_seed(rng)).split(ink, classes))
    found = {}
    with threadpool_limits(threads_of(n_jobs), user_api="blas"):
        table = compute(sets, None, [row.on for row in ROWS if row.on not in PIXELS], (K,), n_jobs, symmetrize=True)
        products = {"ink": _products(ink), "counts": _products_of_counts(sets, ink.shape[1:], reading.units)}
        for place, row in enumerate(ROWS):
            matrix = products[row.on] if row.on in PIXELS else table[row.on, K]
            found[row.name] = accuracies(candidates(row, matrix), classes, folds, n_jobs, _seed(rng))
            report(place + 1)
    return found


def candidates(row: Row, matrix: Array) -> list[Candidate]:
    """The kernels of the paper's grid; those of pixels are definite, and have no projection."""
    if row.kernel == "gaussian":
        values = _distances(matrix) if row.on in PIXELS else matrix
        kernels = [({"width": width}, GaussianKernel(width, squared="paper")) for width in WIDTHS]
        if row.on in PIXELS:
            return [Candidate(named, OnDivergences(values, make_pipeline(kernel))) for named, kernel in kernels]
        divergence = parse(row.on)
        return [
            Candidate(named, OnDivergences(values, gram_steps(kernel, divergence, "clip", "projected")))
            for named, kernel in kernels
        ]
    projection = [] if row.on in PIXELS else [PSDProjection("clip")]
    return [
        Candidate(
            {"degree": degree, "coef0": coef0},
            OnDivergences(matrix, make_pipeline(UnitDiagonal(), PolynomialKernel(degree, coef0), *projection)),
        )
        for degree in DEGREES
        for coef0 in COEF0S
    ]


def accuracies(
    kernels: list[Candidate],
    classes: NDArray[np.intp],
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    n_jobs: int | None,
    seed: int,
) -> Accuracies:
    """Mean over the folds, of each mode; kernels without a projection know one mode only."""
    random_state = np.random.RandomState(seed)
    found: dict[str, list[float]] = {}
    projected_together: dict[str, OnGram] = {}
    for train, test in folds:
        inner = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=random_state).split(train, classes[train])
        within = [(train[a], train[b]) for a, b in inner]
        machines = [{"C": C} for C in CS]
        choice = search(kernels, GramSVC(), machines, classes, within, n_jobs=n_jobs, random_state=random_state)
        source: Any = choice.candidate.source
        steps = clone(source.steps)
        machine = clone(choice.machine).fit(
            np.asarray(steps.fit_transform(source.divergences[np.ix_(train, train)])), classes[train]
        )
        rows = source.divergences[np.ix_(test, train)]
        scored = {INDUCTIVE: machine.score(np.asarray(steps.transform(rows)), classes[test])}
        if isinstance(steps[-1], PSDProjection):
            scored[RAW_ROWS] = machine.score(np.asarray(steps[:-1].transform(rows)), classes[test])
            chosen = str(choice.candidate.parameters)
            if chosen not in projected_together:
                projected_together[chosen] = together(source)
            gram, rows_of = projected_together[chosen].fit(train)
            scored[TRANSDUCTIVE] = clone(choice.machine).fit(gram, classes[train]).score(rows_of(test), classes[test])
        for column, score in scored.items():
            found.setdefault(column, []).append(100 * float(score))
    return {column: float(np.mean(scores)) for column, scores in found.items()}


def _products(images: Array) -> Array:
    flat = images.reshape(len(images), -1)
    products: Array = flat @ flat.T
    return products


def _products_of_counts(sets: SampleSets, shape: tuple[int, ...], units: Units) -> Array:
    """Inner products of the count images on the enlarged grid, of which a cloud fills a few hundred pixels."""
    height, width = shape
    blocks = [
        sparse.csr_array(
            count_images(sets[start : start + 100], (height, width), enlarged=ENLARGED, units=units)
            .reshape(-1, height * width * ENLARGED**2)
            .astype(np.float64)
        )
        for start in range(0, len(sets), 100)
    ]
    counts = sparse.vstack(blocks, format="csr")
    products: Array = (counts @ counts.T).toarray()
    return products


def _distances(products: Array) -> Array:
    own = products.diagonal()
    distances: Array = np.sqrt(np.maximum(own[:, None] + own - 2 * products, 0.0))
    np.fill_diagonal(distances, 0.0)
    return distances


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _powers(values: tuple[float, ...]) -> str:
    powers = [int(np.log2(value)) for value in values]
    return f"2^{powers[0]}, 2^{powers[1]} .. 2^{powers[-1]}"


def _table(found: list[dict[str, Accuracies]]) -> Table:
    rows: dict[str, Mapping[str, Figure]] = {}
    for row in ROWS:
        printed = {TRANSDUCTIVE: row.paper[0], INDUCTIVE: row.paper[1]}
        columns = [column for column in (TRANSDUCTIVE, INDUCTIVE, RAW_ROWS) if column in found[0][row.name]]
        rows[row.name] = {
            column: Figure(tuple(one[row.name][column] for one in found), printed.get(column, "")) for column in columns
        }
    return Table(
        "Accuracy in percent",
        (TRANSDUCTIVE, INDUCTIVE, RAW_ROWS),
        rows,
        "NP: kernels on divergences. Rows of pixels have one mode, as their kernels need no projection.",
    )


def _pictures(digits: Digits, reading: Reading, asked: Asked) -> tuple[tuple[Picture, ...], str]:
    rng = np.random.default_rng(asked.seed)
    ink, classes = draw(digits, OF_EACH_PICTURED, rng)
    sets = clouds(ink, reading, rng)
    look = picture_of_digits(ink, classes, sets, asked.out)
    shape = (ink.shape[1], ink.shape[2])
    embeddings, note = pictures_of_embeddings(classes, sets, shape, ENLARGED, reading.units, asked.out, asked.n_jobs)
    return (look, *embeddings), note


def _notes(found: list[dict[str, Accuracies]]) -> list[str]:
    ahead = Figure(tuple(one[BEST][INDUCTIVE] - one[BASELINE][INDUCTIVE] for one in found))
    return [
        f"{BEST} is {ahead} points ahead of {BASELINE}, inductively.",
        "Tuned once a row and fold, inductively on the training half; the choice serves both modes.",
        "Inner products are divided by the mean of each with itself in the training half, so that the grid of C fits.",
    ]
