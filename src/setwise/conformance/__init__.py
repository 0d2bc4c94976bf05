"""A suite that any estimator of these divergences can be run against, ours first.

    from setwise.conformance import CASES, run
    report = run(implementation, CASES)          # implementation(x, y, divergence, k) -> float
    print(report); report.passed                 # a table; whether every case passed

    @pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
    def test_my_estimator(case):
        outcome = case.run(implementation)
        assert outcome.passed, outcome

`python -m setwise.conformance` runs it against this package.
"""

from setwise.conformance.by_hand import by_hand
from setwise.conformance.case import Case, Implementation, Outcome, Report, run, select
from setwise.conformance.cases import CASES
from setwise.conformance.ours import ours

__all__ = ["CASES", "Case", "Implementation", "Outcome", "Report", "by_hand", "ours", "run", "select"]
