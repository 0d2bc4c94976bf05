"""The scores of an embedding of a loop, on embeddings that are good and that fail in known ways."""

import numpy as np
import pytest

from setwise.learners.loop import loop_scores

ANGLES = 2 * np.pi * np.arange(40) / 40
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_a_circle(scale):
    for circle in (CIRCLE, CIRCLE[::-1], np.roll(CIRCLE, 7, axis=0), CIRCLE + 5):
        adjacent, spearman, winding = loop_scores(scale * circle)
        assert (adjacent, winding) == (1.0, 1)
        assert spearman > 0.998, "1, but for distances that are equal, which rounding puts in order"


def test_a_circle_gone_round_twice():
    twice = loop_scores(CIRCLE[(2 * np.arange(40) + np.arange(40) // 20) % 40])
    assert twice.winding == 2
    assert twice.adjacent == 0, "a set's nearest are those of the other round"


def test_a_folded_circle():
    folded = loop_scores(np.column_stack([CIRCLE[:, 0], 1e-3 * CIRCLE[:, 1]]))
    assert folded.adjacent < 0.3
    assert 0.3 < folded.spearman < 0.9


def test_places_at_random():
    rng = np.random.default_rng(0)
    scores = np.array([loop_scores(rng.normal(size=(40, 2)))[:2] for _ in range(20)])
    # Both of two nearest among 4 of 39 others; correlations of 780 pairs, of which a place makes 39.
    assert scores[:, 0].mean() < 0.03
    assert abs(scores[:, 1].mean()) < 0.03
