"""python -m setwise.conformance: the suite against this package, and docs/conformance.md from it."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

from setwise import __version__
from setwise.conformance.by_hand import by_hand
from setwise.conformance.case import Case, Report, run, select
from setwise.conformance.cases import CASES, measured
from setwise.conformance.contrast import DRAWS, markdown, rows
from setwise.conformance.ours import ours
from setwise.conformance.peers import PEERS, asked_of_peers
from setwise.io.atomic import write_whole

PAGE = """# Conformance

Written by `python -m setwise.conformance --write docs/conformance.md` with setwise {version}.

`setwise.conformance` asks of an estimator what can be asked: closed forms with tolerances, ties, unit and origin,
subsets, high dimension, and honesty about sizes. It runs against any callable:

    from setwise.conformance import CASES, run
    print(run(lambda x, y, divergence, k: my_estimate(x, y, str(divergence), k), CASES))

A value is the mean over the draws; *within* is |known bias| + 4 standard errors, both measured over 100 draws of other
seeds with the formulas written by hand (`--measure`), never with the implementation that is judged. For size-honesty
the value is the slope of the estimate on log(n/m) between sets of one distribution, and *within* its 95 % interval.

## Unequal sizes and ties

Means of {draws} draws, k = 5. *formula*: the paper's equation over scipy's trees, nothing done about ties. *paper* and
*matched*: this package with that `radius`, where coinciding points take the matched term.

{contrast}

## This package

{ours}

## By hand

The same cases for the formulas written by hand over scipy's trees (`setwise.conformance.by_hand`): what a loop of one's
own gives. Only what fails is listed.

{by_hand}

## Other packages

Those on PyPI that estimate a divergence from the neighbours of two samples; all of them KL in the paper's form,
npeet-plus in the maximum norm. The cases of ties ask for the true value, whatever the form; those of scaling, that each
keeps its own value. What fails is in bold.

{peers}
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m setwise.conformance", description=__doc__)
    parser.add_argument("text", nargs="?", default="", help="only the cases whose name contains this")
    parser.add_argument("--by-hand", action="store_true", help="judge the formulas over scipy's trees instead")
    parser.add_argument(
        "--write", metavar="FILE", help="write the page of all cases, with the other packages installed"
    )
    parser.add_argument("--measure", action="store_true", help="print the biases and spreads of known.py")
    chosen = parser.parse_args(arguments)
    cases = select(CASES, chosen.text)
    if not cases:
        print(f"no case has {chosen.text!r} in its name; try part of one, such as 'ties' or 'kl'.", file=sys.stderr)
        return 2
    if chosen.measure:
        for case in measured():
            bias, spread = case.measure(by_hand)
            print(f'    "{case.name}": ({_outwards(bias)}, {_outwards(spread)}),')
        return 0
    if chosen.write:
        report = run(ours, CASES)
        with write_whole(chosen.write) as temporary:
            temporary.write_text(_page(report), encoding="utf-8")
    else:
        report = run(by_hand if chosen.by_hand else ours, cases)
        print(report)
        if not chosen.text and not chosen.by_hand:
            print(f"\n{markdown(list(rows(ours)))}")
    return 0 if report.passed else 1


def _outwards(value: float) -> float:
    """To three decimals, away from zero."""
    return math.copysign(math.ceil(round(abs(value) * 1000, 6)) / 1000, value)


def _page(report: Report) -> str:
    return PAGE.format(
        version=__version__,
        draws=DRAWS,
        contrast=markdown(list(rows(ours))),
        ours=_table(report),
        by_hand=_table(run(by_hand, CASES), only_failed=True),
        peers=peers_table(asked_of_peers()),
    )


def _table(report: Report, only_failed: bool = False) -> str:
    lines = ["| case | value | expected | within | |", "|---|---|---|---|---|"]
    for o in report.failed if only_failed else report.outcomes:
        verdict = "pass" if o.passed else "**fail**"
        lines.append(f"| {o.case} | {o.value:.4f} | {o.expected:.4f} | {o.tolerance:.2g} | {verdict} |")
    return "\n".join([*lines, "", f"{_passed(report)} of {len(report.outcomes)} cases pass."])


def peers_table(cases: Sequence[Case]) -> str:
    """Ours and the other packages side by side, what fails in bold; one line for those that are not installed."""
    there = [peer for peer in PEERS if peer.installed()]
    names = ["setwise", *map(str, there)]
    reports = [run(ours, cases), *(run(peer, cases) for peer in there)]
    lines = [f"| case | expected | within | {' | '.join(names)} |", f"|---|---|---|{'---|' * len(names)}"]
    for found in zip(*(report.outcomes for report in reports), strict=True):
        values = (f"{o.value:.4f}" if o.passed else f"**{o.value:.4f}**" for o in found)
        first = found[0]
        lines.append(f"| {first.case} | {first.expected:.4f} | {first.tolerance:.2g} | {' | '.join(values)} |")
    totals = (f"{name} {_passed(report)}" for name, report in zip(names, reports, strict=True))
    lines += ["", f"Of {len(cases)} cases pass: {', '.join(totals)}."]
    if missing := [peer.package for peer in PEERS if peer not in there]:
        lines.append(f"Not installed, so not run: {', '.join(missing)} (pip install {' '.join(missing)}).")
    return "\n".join(lines)


def _passed(report: Report) -> int:
    return len(report.outcomes) - len(report.failed)


if __name__ == "__main__":
    sys.exit(main())
