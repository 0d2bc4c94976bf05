"""The demonstration, on fewer digits, and its page."""

from __future__ import annotations

import numpy as np
import pytest

from setwise.demo import run, run_demo, summary_of
from setwise.reports import render_report


@pytest.fixture(scope="module")
def demo() -> run.Demo:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "A_CLASS", 16)
        patch.setattr(run, "OF_EACH", 12)
        patch.setattr(run, "POINTS", 150)
        steps: list[int] = []
        found = run_demo(lambda done, total: steps.append(done))
    assert steps == [1, 2, 3, 4, 5]
    return found


def test_distributions_tell_what_pixels_do_not(demo: run.Demo) -> None:
    by_sets, by_pixels = demo.accuracies
    assert len(demo.test) == 80 and by_pixels > 0.1  # chance
    assert by_sets > by_pixels + 0.2  # twice the standard error of the difference, sqrt(2 * .25 / 80) = .08, and more


def test_the_strangest_are_those_of_the_smallest_scores(demo: run.Demo) -> None:
    assert len(set(demo.strangest.tolist())) == run.STRANGEST
    assert demo.scores[demo.strangest].max() <= np.delete(demo.scores, demo.strangest).min()


def test_the_page_says_what_was_found(demo: run.Demo) -> None:
    page = render_report(summary_of(demo, 1.0))
    assert f"{demo.accuracies[0]:.1%}" in page and f"{demo.accuracies[1]:.1%}" in page
    assert page.count("<svg") + page.count("<img") == 5
    assert str(demo.clouds.ids[demo.strangest[0]]) in page
