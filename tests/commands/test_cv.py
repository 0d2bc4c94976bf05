"""`setwise cv`: the folds are those of a refit by hand, nothing leaks, and the means are beside it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import setwise as sw
from setwise.commands.baseline import MeansKernel, set_means
from setwise.commands.folds import repeated_folds
from tests.commands.conftest import HEADER, Call, cells_of, write_table
from tests.commands.tables import numbers, table

FEATURES = ["--by", "patient", "--columns", "x,y"]
IDS = [f"p{i:02d}" for i in range(24)]
SMALL = ["--width", 1, "--width", 4, "--C", 1, "--C", 64]
LABELS = np.array(["falling", "rising"] * 12)


def sets_in(path: Path) -> sw.SampleSets:
    return sw.read_sets(path, by="patient", columns=["x", "y"])


def shown(out: str, name: str) -> list[float]:
    """The numbers of a row of the table that was printed."""
    line = next(line for line in out.splitlines() if line.strip().startswith(name))
    return [float(text) for text in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line.replace(name, ""))]


@pytest.mark.parametrize("tuned", [True, False])
def test_folds_are_those_of_a_refit_by_hand(call: Call, cells: Path, tuned: bool) -> None:
    out = cells.with_name("out.csv")
    options = SMALL if tuned else ["--no-tune", "--width", 4, "--C", 64]
    folds = ["--folds", 4, "--repeats", 2, "--seed", 3]
    done = call("cv", cells, *FEATURES, "--label", "disease", *options, *folds, "-o", out).succeeded()

    sets, rows = sets_in(cells), table(out)
    inner = StratifiedKFold(3, shuffle=True, random_state=3)
    accuracies = {"prediction": [], "prediction_by_means": []}
    for repeat in range(2):
        outer = StratifiedKFold(4, shuffle=True, random_state=3 + repeat)
        for fold, (train, test) in enumerate(outer.split(np.zeros(24), LABELS)):
            if tuned:
                tuner = sw.SetSVCCV(widths=[1, 4], Cs=[1, 64], cv=inner, random_state=3)
                kernels = [MeansKernel(1.0), MeansKernel(4.0)]
                means = sw.SetSVCCV(kernels=kernels, Cs=[1, 64], cv=inner, random_state=3)
            else:
                tuner = sw.SetSVC(width=4, C=64)
                means = sw.SetSVC(kernel=MeansKernel(4.0), C=64)
            models = {"prediction": make_pipeline(sw.SetScaler(), tuner), "prediction_by_means": means}
            mine = [i for i in range(48) if (rows["repeat"][i], rows["fold"][i]) == (str(repeat + 1), str(fold + 1))]
            assert [rows["patient"][i] for i in mine] == [sets.ids[place] for place in test]
            for column, model in models.items():
                expected = model.fit(sets[train], LABELS[train]).predict(sets[test])
                assert [rows[column][i] for i in mine] == expected.tolist()
                accuracies[column].append((expected == LABELS[test]).mean())
    for column, name in (("prediction", "divergences + SVM"), ("prediction_by_means", "set means + the same SVM")):
        of_folds = np.array(accuracies[column])
        expected = [of_folds.mean(), of_folds.std(), of_folds.min(), of_folds.max()]
        np.testing.assert_allclose(shown(done.out, name), 100 * np.array(expected), atol=0.051)
    assert shown(done.out, "the largest class") == [50, 0, 50, 50]
    assert "over 8 folds (2 times 4)" in done.out
    assert rows["disease"] == [*LABELS, *LABELS]


def test_covariance_is_seen_by_divergences_and_not_by_means(call: Call, cells: Path) -> None:
    done = call("cv", cells, *FEATURES, "--label", "disease", *SMALL).succeeded()
    assert shown(done.out, "divergences + SVM")[0] >= 95
    assert shown(done.out, "set means + the same SVM")[0] <= 80  # 24 fair coins: 2 in 1000 exceed it
    assert "divergences do better than means on" in done.out
    assert "chosen most often: renyi:0.9 at k = 5, gaussian kernel of width" in done.out


def test_labels_that_mean_nothing_are_told_at_chance(call: Call, cells: Path) -> None:
    """Tuning, scaling and projection see the training folds alone: mixed labels give no more than fair coins do."""
    mixed = np.random.default_rng(1).permutation(LABELS)
    write_table(cells.with_name("mixed.csv"), "patient,mixed", list(zip(IDS, mixed, strict=True)))
    options = ["--label", "mixed", "--labels", cells.with_name("mixed.csv"), *SMALL, "--repeats", 2]
    done = call("cv", cells, *FEATURES, *options).succeeded()
    assert 20 <= shown(done.out, "divergences + SVM")[0] <= 80


def test_numbers(call: Call, cells: Path) -> None:
    """RMSE in the units of the label, and R2 of all predictions together."""
    out = cells.with_name("out.csv")
    rows = [[*row[:4], 5000.5 + 1000 * row[4], row[5]] for row in cells_of(IDS, seed=0)]
    write_table(cells, HEADER, rows)
    done = call("cv", cells, *FEATURES, "--label", "slope", *SMALL, "--folds", 4, "-o", out).succeeded()
    truth, ours, means = numbers(out, "slope", "prediction", "prediction_by_means").T
    folds = [test for _, test in KFold(4, shuffle=True, random_state=0).split(truth)]
    for name, predicted in (("divergences + SVM", ours), ("set means + the same SVM", means)):
        errors = np.array([np.sqrt(((truth[test] - predicted[test]) ** 2).mean()) for test in folds])
        r2 = 1 - ((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
        expected = [errors.mean(), errors.std(), errors.max(), errors.min(), r2]
        np.testing.assert_allclose(shown(done.out, name), expected, rtol=1e-3, atol=5e-4)
    assert shown(done.out, "divergences + SVM")[-1] > 0.9
    assert shown(done.out, "the mean of the others")[-1] <= 0


def test_groups_are_whole(call: Call, cells: Path) -> None:
    out = cells.with_name("out.csv")
    done = call("cv", cells, *FEATURES, "--label", "disease", "--groups", "centre", *SMALL, "-o", out).succeeded()
    assert "8 groups by 'centre', each whole in a fold" in done.out
    folds = np.array(table(out)["fold"]).reshape(8, 3)
    assert (folds == folds[:, :1]).all()
    assert len(np.unique(folds)) == 5
    assert shown(done.out, "divergences + SVM")[0] >= 95


def test_a_group_that_tells_the_label_does_not_help(call: Call, cells: Path) -> None:
    """Four samples a donor, a mean of the donor's own and a label by chance: groups apart, nothing is known of it."""
    rng = np.random.default_rng(2)
    donors = {f"d{i}": (rng.normal(size=2) * 9, i % 2) for i in range(10)}
    rows = [
        [f"{name}s{sample}", *point, label, name]
        for name, (mean, label) in donors.items()
        for sample in range(4)
        for point in (rng.normal(size=(12, 2)) + mean).round(5).tolist()
    ]
    write_table(cells, "sample,x,y,disease,donor", rows)
    given = ["--by", "sample", "--label", "disease", "--width", 0.25, "--C", 64]
    apart = call("cv", cells, *given, "--groups", "donor").succeeded()
    together = call("cv", cells, *given).succeeded()
    assert shown(together.out, "divergences + SVM")[0] >= 95
    assert shown(apart.out, "divergences + SVM")[0] <= 80


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--folds", "1"], ["--folds is 1", "at least 2"]),
        (["--folds", "13"], ["--folds is 13", "class 'falling' has only 12 sets"]),
        (["--folds", "25", "--label", "slope"], ["--folds is 25", "only 24 sets"]),
        (["--folds", "9", "--groups", "centre"], ["--folds is 9", "only 8 groups"]),
        (["--repeats", "0"], ["--repeats", "1 or more"]),
        (["--groups", "disease"], ["--groups and --label are both 'disease'"]),
        (["--groups", "nothing"], ["'nothing'"]),
        (["--groups", "x", "--columns", "y"], ["both", "column 'x'"]),
        (["-o", "out.txt"], ["out.txt", ".csv"]),
        (["--no-tune", "--width", "1", "--width", "2"], ["--width has several values"]),
    ],
)
def test_a_mistake_is_one_line(call: Call, cells: Path, arguments: list[str], expected: list[str]) -> None:
    given = {"--by": "patient", "--label": "disease", "--columns": "x,y"}
    others = [part for name, value in given.items() if name not in arguments for part in (name, value)]
    call("cv", cells, *others, *arguments).refused(*expected)
    assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]


def test_a_class_that_a_fold_leaves_too_few_of(call: Call, cells: Path) -> None:
    labels = ["a"] * 11 + ["b"] * 10 + ["c"] * 3
    write_table(cells.with_name("clinic.csv"), "patient,label", list(zip(IDS, labels, strict=True)))
    given = ["--labels", cells.with_name("clinic.csv"), "--label", "label"]
    call("cv", cells, *FEATURES, *given, "--folds", 3).refused("leaves 2 sets of class 'c'", "3 are needed")
    call("cv", cells, *FEATURES, *given, "--folds", 3, "--no-tune").succeeded()


def test_folds_of_groups_that_leave_nothing_to_tune_by() -> None:
    y, groups = LABELS, np.array(["g0"] * 8 + ["g1"] * 8 + ["g2"] * 8)
    with pytest.raises(sw.InputError, match="fewer than 3 groups"):
        repeated_folds(y, "disease", groups, 3, 1, 0, each=3)


class TestMeans:
    """The baseline is an ordinary support vector machine on the standardised means."""

    def test_means_of_sets(self) -> None:
        rng = np.random.default_rng(0)
        arrays = [rng.normal(size=(n, 3)).astype(np.float32) + 1e6 for n in (1, 4, 9)]
        found = set_means(sw.SampleSets(arrays))
        np.testing.assert_allclose(found, [member.mean(axis=0, dtype=np.float64) for member in arrays], rtol=1e-14)

    def test_it_is_scikit_learn_s_own(self, cells: Path, later: Path) -> None:
        """The squared distance over twice the squared width is what `gamma` multiplies."""
        train, test = sets_in(cells), sets_in(later)
        scaler = StandardScaler().fit(set_means(train))
        points, others = scaler.transform(set_means(train)), scaler.transform(set_means(test))
        apart = np.linalg.norm(points[:, None] - points, axis=-1)
        gamma = 1 / (2 * (2.0 * np.median(apart[apart > 0])) ** 2)
        plain = SVC(C=8, gamma=gamma, tol=1e-5).fit(points, LABELS)
        found = sw.SetSVC(kernel=MeansKernel(2.0), C=8).fit(train, LABELS).decision_function(test)
        np.testing.assert_allclose(found, plain.decision_function(others), atol=1e-3)
