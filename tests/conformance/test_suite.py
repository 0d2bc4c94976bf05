"""The suite passes ours, and finds what is wrong with others."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from setwise.conformance import CASES, by_hand, ours, run, select
from setwise.conformance.__main__ import main, peers_table
from setwise.conformance.case import Truth
from setwise.conformance.cases import measured
from setwise.conformance.contrast import Row, markdown
from setwise.conformance.honesty import Slope
from setwise.conformance.jensen_shannon import compare
from setwise.conformance.known import KNOWN
from setwise.conformance.pairs import Gaussians
from setwise.conformance.peers import PEERS, Peer, asked_of_peers
from setwise.divergences import KL, JensenShannon
from setwise.errors import InputError

FAST = [case for case in CASES if not isinstance(case, Slope)]
PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_ours(case):
    outcome = case.run(ours)
    assert outcome.passed, outcome


def test_names_are_unique_and_every_closed_form_is_measured():
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert set(KNOWN) == {case.name for case in measured()}


def test_tolerances_are_tight_enough_to_mean_something():
    for case in CASES:
        if isinstance(case, Truth):
            assert case.tolerance < max(0.05, 0.3 * case.truth), case.name


def test_bias_and_spread_are_those_of_the_formulas_by_hand(monkeypatch, capsys):
    """And so of nothing that the suite is run against."""
    one = next(case for case in measured() if case.name in KNOWN and "shift" in case.name)
    bias, spread = one.measure(by_hand)
    assert KNOWN[one.name] == pytest.approx((bias, spread), abs=1.1e-3)
    monkeypatch.setattr("setwise.conformance.__main__.measured", lambda: [one])
    monkeypatch.setattr("setwise.conformance.__main__.ours", None)
    assert main(["--measure"]) == 0
    assert capsys.readouterr().out.strip() == f'"{one.name}": {KNOWN[one.name]},'


@pytest.mark.parametrize("case", FAST, ids=lambda case: case.name)
def test_by_hand_fails_only_on_ties(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        outcome = case.run(by_hand)
    coincide = "atom" in case.name or "k=1 " in case.name or "rounded kl" in case.name
    assert outcome.passed or (coincide and "matched" not in case.name), outcome


def with_floor(x, y, divergence, k):
    """An absolute floor under the distances, as an ancestor had one."""
    return (
        by_hand(np.maximum(x, 3 + 1e-3), np.maximum(y, 3 + 1e-3), divergence, k)
        if x.mean() > 2
        else ours(x, y, divergence, k)
    )


def raising(x, y, divergence, k):
    raise ValueError("no such thing\nand more")


@pytest.mark.parametrize(
    ("implementation", "text"),
    [
        (lambda *a: ours(*a) / np.log(2), "gaussian shift"),
        (lambda x, y, d, k: ours(y, x, d, k), "uniform nested"),
        (with_floor, "scaling"),
        (lambda x, y, d, k: np.nan, "subset"),
        (raising, "high dimension"),
    ],
    ids=["base 2", "wrong direction", "absolute floor", "nan", "raising"],
)
def test_wrong_implementations_fail(implementation, text):
    report = run(implementation, [case for case in select(FAST, text) if case.name.endswith(" kl")])
    assert report.outcomes
    assert not report.passed


def test_an_error_is_an_answer():
    (outcome,) = run(raising, select(FAST, "high dimension d=200 kl")[:1]).outcomes
    assert not outcome.passed
    assert outcome.note == "raised ValueError: no such thing"
    assert str(outcome).startswith("FAIL high dimension d=200 kl: nan")


def test_a_bias_by_size_is_found_and_noise_is_not():
    def biased(x, y, divergence, k):
        return 0.05 * np.log(len(x) / len(y)) + noise(x, y, divergence, k)

    def noise(x, y, divergence, k):
        return x.mean() - y.mean() + 0.01 * np.sin(1e6 * (x[0, 0] + y[0, 0]))

    case = Slope("slope", "kl", largest=500)
    assert case.run(noise).passed
    assert not case.run(biased).passed
    assert not case.run(raising).passed


def test_the_paper_form_is_biased_by_size():
    case = Slope("slope", "kl", sets=8, largest=800)
    assert not case.run(ours).passed
    assert Slope("slope", "kl:matched", sets=8, largest=800).run(ours).passed


def test_reports_print():
    report = run(ours, select(FAST, "high dimension"))
    lines = str(report).splitlines()
    assert lines[-1] == f"{len(report.outcomes)} of {len(report.outcomes)} cases pass"
    assert all(line.startswith("pass") for line in lines[1:-1])


def test_the_command(capsys):
    assert main(["high dimension d=200"]) == 0
    assert "cases pass" in capsys.readouterr().out
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert main(["half an atom", "--by-hand"]) == 1


def test_a_name_that_no_case_has_is_a_mistake(capsys):
    assert main(["typo"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "no case has 'typo' in its name; try part of one, such as 'ties' or 'kl'.\n"


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.package)
def test_another_package_is_the_paper_form(peer):
    """Up to digammas for logarithms, and in one of them another norm."""
    if not peer.installed():
        pytest.skip(f"{peer.package} is not installed")
    apart = {"universal-divergence": 1e-9, "npeet-plus": 0.1, "infomeasure": 0.02}[peer.package]
    x, y = Gaussians(200, 200, 2, 1.0)(np.random.default_rng(0))
    assert peer(x, y, KL(), 5) == pytest.approx(by_hand(x, y, KL(), 5), abs=apart)


def test_other_packages_stand_beside_ours(monkeypatch):
    here = Peer("numpy", "numpy", lambda module, x, y, k: module.std(x))
    there = Peer("not-there", "setwise_not_there", lambda module, x, y, k: 0.0)
    monkeypatch.setattr("setwise.conformance.__main__.PEERS", (here, there))
    cases = select(asked_of_peers(), "high dimension") + select(asked_of_peers(), "scaling, rounded kl")
    *table, _, totals, missing = peers_table(cases).splitlines()
    assert table[0] == f"| case | expected | within | setwise | numpy {np.__version__} |"
    assert [line.count("**") for line in table[2:]] == [0, 0, 2]
    assert totals == f"Of 3 cases pass: setwise 3, numpy {np.__version__} 2."
    assert missing == "Not installed, so not run: not-there (pip install not-there)."
    with pytest.raises(InputError, match="estimates kl; it has no js"):
        here(*np.zeros((2, 9, 2)), JensenShannon(), 5)


def test_the_page_has_every_case():
    text = PAGE.read_text(encoding="utf-8")
    missing = [case.name for case in CASES if f"| {case.name} |" not in text]
    assert not missing, "write it anew: python -m setwise.conformance --write docs/conformance.md"


def test_the_contrast_is_a_table():
    row = Row("case", 0.5, 0.25, {"kl": 1, "renyi:0.5": 2}, dict.fromkeys(("kl", "renyi:0.5"), 3.0))
    row.implementation.update({"kl:matched": 4.0, "renyi:0.5:matched": 5.0})
    assert markdown([row]).splitlines()[-1] == "| case | 0.50 | 1.00 | 3.00 | 4.00 | 0.25 | 2.00 | 3.00 | 5.00 |"


def test_ours_beats_hino_and_murata_where_sizes_differ_and_in_ten_dimensions():
    divergence = JensenShannon()
    for pair in (Gaussians(40, 300, 2, 1.0), Gaussians(100, 100, 10, 1.0), Gaussians(40, 300, 10)):
        one = compare("", pair, pair.truth(divergence), (pair.n, pair.m), draws=6)
        assert one.ours[1] < 0.5 * one.theirs[1]
