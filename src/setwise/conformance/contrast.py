"""The paper's estimator and the matched one side by side, where the first goes wrong: unequal sizes, ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from setwise.conformance.by_hand import by_hand
from setwise.conformance.case import Draw, Implementation
from setwise.conformance.pairs import Changed, Gaussians, duplicated, floored, rounded
from setwise.divergences import Divergence, parse
from setwise.neighbours.moments import Array

K = 5
DRAWS = 10
COLUMNS = ("kl", "kl:matched", "renyi:0.5", "renyi:0.5:matched")


@dataclass(frozen=True)
class Row:
    """One case: true values, the means of the formula as it stands, and the means of the implementation."""

    label: str
    kl: float
    renyi: float
    by_hand: dict[str, float]
    implementation: dict[str, float]


def pairs() -> Iterator[tuple[str, Gaussians, Draw]]:
    """The rows: a label, the distributions, and what is drawn of them."""
    for label, dim, n, m, shift in (
        ("d=10, 50/1000, same distribution", 10, 50, 1000, 0.0),
        ("d=10, 1000/50, same distribution", 10, 1000, 50, 0.0),
        ("d=20, 200/2000, same distribution", 20, 200, 2000, 0.0),
        ("d=20, 2000/200, same distribution", 20, 2000, 200, 0.0),
        ("d=5, 200/2000, unit shift", 5, 200, 2000, 1.0),
        ("d=10, 500/500, unit shift", 10, 500, 500, 1.0),
    ):
        pair = Gaussians(n, m, dim, shift)
        yield label, pair, pair
    for label, change, dim, shift in (
        ("rounded to .1, d=2, unit shift", rounded, 2, 1.0),
        ("60 % duplicates, d=3, unit shift", duplicated, 3, 1.0),
        ("30 % at a floor value, d=4, same distribution", floored, 4, 0.0),
    ):
        pair = Gaussians(500, 500, dim, shift)
        yield label, pair, Changed(pair, change)


def rows(implementation: Implementation, draws: int = DRAWS, seed: int = 0) -> Iterator[Row]:
    """Every case, `draws` times."""
    for label, pair, draw in pairs():
        truths = [pair.truth(parse(text)) for text in ("kl", "renyi:0.5")]
        drawn = [draw(np.random.default_rng([seed, i])) for i in range(draws)]
        hand = {text: _mean(by_hand, drawn, parse(text)) for text in ("kl", "renyi:0.5")}
        found = {text: _mean(implementation, drawn, parse(text)) for text in COLUMNS}
        yield Row(label, truths[0] + 0.0, truths[1] + 0.0, hand, found)


def _mean(implementation: Implementation, drawn: list[tuple[Array, Array]], divergence: Divergence) -> float:
    with np.errstate(invalid="ignore"):
        return float(np.mean([implementation(x, y, divergence, K) for x, y in drawn]))


def markdown(found: list[Row]) -> str:
    """The rows as a table: truth, the formula as it stands, radius="paper", radius="matched"; KL, then Renyi .5."""
    lines = [
        "| case | KL | formula | paper | matched | Renyi .5 | formula | paper | matched |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in found:
        one, two = (
            [truth, row.by_hand[text], row.implementation[text], row.implementation[f"{text}:matched"]]
            for text, truth in (("kl", row.kl), ("renyi:0.5", row.renyi))
        )
        lines.append(f"| {row.label} | {' | '.join(f'{value:.2f}' for value in (*one, *two))} |")
    return "\n".join(lines)
