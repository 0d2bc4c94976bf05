"""SetSVCCV and SetSVRCV against exhaustive searches by GridSearchCV, and what they alone do."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

import setwise as sw
from setwise.divergences import transformer
from setwise.learners import candidates, on_gram, tuned
from tests.learners.by_hand import gaussian_sets

# The sets are few and tiny, and so their Gram matrices indefinite.
pytestmark = pytest.mark.filterwarnings("ignore::setwise.errors.SpectrumWarning")

GRID = {"width": [0.25, 1.0, 8.0], "C": [2.0**-6, 1.0, 64.0, 2.0**12]}
LISTS = {"widths": GRID["width"], "Cs": GRID["C"]}


def labelled(n=24, classes=2):
    sets, y = gaussian_sets(n, size=10, spread=0.5, classes=classes)
    return sw.SampleSets(sets, ids=[f"s{i}" for i in range(n)]), np.array(["no", "yes", "so"])[y]


def numbered(n=24):
    sets, y = gaussian_sets(n, size=10, spread=0.5, classes=3)
    return sw.SampleSets(sets), y + 0.3 * np.random.default_rng(1).normal(size=n)


class MeanMap(TransformerMixin, BaseEstimator):
    """Gaussians between the means of sets, over a scale that is learned: a kernel to be fitted fold by fold."""

    def __init__(self, width=1.0):
        self.width = width

    def fit_transform(self, X, y=None):
        self.means_ = np.array([points.mean(axis=0) for points in X])
        self.scale_ = self.width * np.std(self.means_)
        return self.transform(X)

    def fit(self, X, y=None):
        self.fit_transform(X)
        return self

    def transform(self, X):
        means = np.array([points.mean(axis=0) for points in X])
        apart = ((means[:, None] - self.means_[None]) ** 2).sum(axis=2)
        return np.exp(-apart / (2 * self.scale_**2))


def key(parameters):
    """A combination by what distinguishes it in these tests."""
    named = {name: str(value) for name, value in parameters.items()}
    return tuple(sorted(named.items()))


def assert_exhaustive(tuner, search, X, y, names, fitting=None):
    """The tuner's scores are those of the search over the same combinations, and its choice one of the best."""
    tuner.fit(X, y, **(fitting or {}))
    search.fit(X, y, **(fitting or {}))
    places = {key({name: one[name] for name in names}): place for place, one in enumerate(search.cv_results_["params"])}
    ours = [places[key({name: one[name] for name in names})] for one in tuner.cv_results_["params"]]
    assert sorted(ours) == list(range(len(places)))
    for name in ("mean_test_score", "std_test_score", *(f"split{fold}_test_score" for fold in range(tuner.n_splits_))):
        expected = search.cv_results_[name][ours]
        # Scores of classes are counts. Those of numbers are solved to 1e-5; scales are of the order of 1.
        np.testing.assert_allclose(
            tuner.cv_results_[name], expected, rtol=0, atol=1e-4 if "SVR" in repr(tuner) else 1e-12
        )
    if "SVR" not in repr(tuner):
        assert search.cv_results_["rank_test_score"][ours[tuner.best_index_]] == 1
    assert tuner.best_params_ is tuner.cv_results_["params"][tuner.best_index_]
    assert (
        tuner.best_score_
        == tuner.cv_results_["mean_test_score"][tuner.best_index_]
        == max(tuner.cv_results_["mean_test_score"])
    )


SEARCHES = {
    "plain": ({}, {}),
    "three classes": ({}, {}),
    "balanced": ({"class_weight": "balanced"}, {}),
    "one class dear": ({"class_weight": {"no": 50.0, "yes": 0.02}}, {}),
    "flip": ({"psd": "flip"}, {}),
    "shift": ({"psd": "shift"}, {}),
    "raw rows": ({"test_rows": "raw"}, {}),
    "not projected": ({"psd": "none"}, {}),
    "shuffled folds": ({}, {"cv": StratifiedKFold(4, shuffle=True, random_state=3)}),
    "area under the curve": ({}, {"scoring": "roc_auc"}),
    "probabilities": ({"probability": True, "random_state": 0}, {"scoring": "neg_log_loss"}),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_choice_of_an_exhaustive_search(name):
    X, y = labelled(27 if name == "three classes" else 24, 3 if name == "three classes" else 2)
    given, searching = SEARCHES[name]
    Cs = GRID["C"][:3] if name == "not projected" else GRID["C"]  # whose programmes are not convex where C is large
    grid = {"width": GRID["width"][:1] if name == "probabilities" else GRID["width"], "C": Cs}
    tuner = sw.SetSVCCV(ks=3, widths=grid["width"], Cs=Cs, **{"random_state": 0} | given, **searching)
    search = GridSearchCV(sw.SetSVC(k=3, **given), grid, **{"cv": 3} | searching)
    assert_exhaustive(tuner, search, X, y, grid)


def test_choice_over_all_that_a_kernel_has():
    X, y = labelled()
    divergences = ["renyi:0.9", "renyi:0.9:matched", "hellinger", "hellinger:matched", "js"]
    grid = {
        "divergence": [
            sw.Renyi(0.9),
            sw.Renyi(0.9, "matched"),
            sw.Hellinger(),
            sw.Hellinger("matched"),
            sw.JensenShannon(),
        ],
        "k": [3, 4],
        "squared": ["paper", False],
        "width": [0.5, 2.0],
        "C": [0.5, 50.0],
    }
    assert [str(one) for one in grid["divergence"]] == divergences
    tuner = sw.SetSVCCV(
        ["renyi:.9", sw.Hellinger(), "js"],
        (3, 4),
        radii=("paper", "matched"),
        squared=("paper", False),
        widths=(0.5, 2.0),
        Cs=(0.5, 50.0),
        cv=2,
        random_state=0,
    )
    assert_exhaustive(tuner, GridSearchCV(sw.SetSVC(), grid, cv=2), X, y, grid)


def test_choice_among_kernels_of_all_kinds():
    X, y = labelled()
    kernels = ["gaussian", "polynomial", "linear", sw.GaussianKernel(2.0, scale=1.0), MeanMap(), MeanMap(0.1)]
    tuner = sw.SetSVCCV(
        ("kl", "linear"),
        4,
        kernels=kernels,
        widths=[0.5, 2.0],
        degrees=[1, 3],
        coef0s=[0.0, 1.0],
        Cs=[1.0, 100.0],
        random_state=1,
    )
    parts = [
        {"kernel": ["gaussian"], "divergence": [sw.KL()], "width": [0.5, 2.0]},
        {"kernel": ["polynomial"], "divergence": [sw.Linear()], "degree": [1, 3], "coef0": [0.0, 1.0]},
        {"kernel": ["linear"], "divergence": [sw.Linear()]},
        {"kernel": [kernels[3]], "divergence": [sw.KL()]},
        {"kernel": kernels[4:]},
    ]
    grid = [part | {"C": [1.0, 100.0]} for part in parts]
    search = GridSearchCV(sw.SetSVC(k=4), grid, cv=3).fit(X, y)
    tuner.fit(X, y)
    expected = {
        key(one): score
        for one, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)
    }
    varied = (
        {name: value for name, value in one.items() if name not in ("k", "squared")}
        for one in tuner.cv_results_["params"]
    )
    found = {key(one): score for one, score in zip(varied, tuner.cv_results_["mean_test_score"], strict=True)}
    assert found == pytest.approx(expected, abs=1e-12)
    of_kernel = {str(one["kernel"]): set(one) - {"C"} for one in tuner.cv_results_["params"]}
    assert of_kernel["polynomial"] == {"kernel", "divergence", "k", "degree", "coef0"}
    assert of_kernel[str(MeanMap(0.1))] == {"kernel"}
    widths = tuner.cv_results_["param_width"]
    assert widths.mask.sum() == len(widths) - 4


@pytest.mark.parametrize("kernel", ["gaussian", MeanMap()], ids=str)
def test_the_model_is_that_of_the_parameters_chosen(kernel):
    X, y = labelled()
    tuner = sw.SetSVCCV(ks=3, kernels=kernel, psd="flip", class_weight="balanced", random_state=0, **LISTS).fit(X, y)
    model = sw.SetSVC(**tuner.best_params_, psd="flip", class_weight="balanced").fit(X, y)
    new = sw.SampleSets(gaussian_sets(9, size=10, seed=5)[0])
    np.testing.assert_array_equal(tuner.best_estimator_.decision_function(new), model.decision_function(new))
    np.testing.assert_array_equal(tuner.decision_function(new), model.decision_function(new))
    np.testing.assert_array_equal(tuner.predict(new), model.predict(new))
    assert tuner.classes_.tolist() == ["no", "yes"]
    assert tuner.score(new, model.predict(new)) == 1
    assert tuner.best_estimator_.get_params() == model.set_params(**tuner.best_params_, random_state=0).get_params()


@pytest.mark.parametrize("name", ["plain", "weighted", "in groups", "polynomial"])
def test_regression_is_that_of_an_exhaustive_search(name):
    X, y = numbered()
    grid = {"width": [0.5, 2.0], "C": [0.1, 10.0], "epsilon": [0.01, 0.3]}
    lists, given, searching, fitting = {"widths": grid["width"]}, {"k": 3}, {"cv": 3}, {}
    if name == "polynomial":
        del grid["width"]
        given["k"] = 4
        grid |= {"degree": [1, 2], "coef0": [0.0, 2.0]}
        given["kernel"] = "polynomial"
        lists = {"kernels": "polynomial", "degrees": grid["degree"], "coef0s": grid["coef0"]}
    if name == "weighted":
        fitting["sample_weight"] = np.random.default_rng(2).uniform(0.1, 3, len(y))
    if name == "in groups":
        searching["cv"] = GroupKFold(3)
        fitting["groups"] = np.arange(len(y)) % 5
    tuner = sw.SetSVRCV(ks=given["k"], Cs=grid["C"], epsilons=grid["epsilon"], random_state=0, **lists, **searching)
    assert_exhaustive(tuner, GridSearchCV(sw.SetSVR(**given), grid, **searching), X, y, grid, fitting)
    model = sw.SetSVR(**tuner.best_params_).fit(X, y, fitting.get("sample_weight"))
    np.testing.assert_array_equal(tuner.predict(X), model.predict(X))
    assert tuner.score(X, y) == model.score(X, y)


def test_weights_and_groups_of_labels():
    X, y = labelled()
    weights = np.random.default_rng(2).uniform(0.1, 3, len(y))
    groups = np.arange(len(y)) // 2 % 6
    tuner = sw.SetSVCCV(ks=3, cv=GroupKFold(3), random_state=0, **LISTS)
    search = GridSearchCV(sw.SetSVC(k=3), GRID, cv=GroupKFold(3))
    assert_exhaustive(tuner, search, X, y, GRID, {"sample_weight": weights, "groups": groups})
    unweighted = clone(tuner).fit(X, y, groups=groups).cv_results_["mean_test_score"]
    assert (unweighted != tuner.cv_results_["mean_test_score"]).any(), "the weights matter here"


def test_the_neighbours_are_searched_once(monkeypatch):
    calls = []

    def counted(*given, **named):
        calls.append(given)
        return compute(*given, **named)

    compute = tuned.compute
    monkeypatch.setattr(tuned, "compute", counted)
    monkeypatch.setattr(transformer, "compute", counted)
    X, y = labelled()
    sw.SetSVCCV(["kl", "hellinger"], (3, 4), random_state=0, **LISTS).fit(X, y)
    assert len(calls) == 1
    sw.SetSVCCV(kernels=MeanMap(), random_state=0, **LISTS).fit(X, y)
    assert len(calls) == 1


def test_prices_that_bind_nothing_are_not_solved_for(monkeypatch):
    solved = []

    class Counted(on_gram.GramSVC):
        def fit(self, X, y, sample_weight=None):
            solved.append(self.C)
            return super().fit(X, y, sample_weight)

    monkeypatch.setattr("setwise.learners.tuning.GramSVC", Counted)
    X, y = gaussian_sets(18, size=12, spread=4.0)
    tuner = sw.SetSVCCV(ks=3, widths=1.0, Cs=[2.0**21, 1.0, 2.0**12, 2.0**16], random_state=0).fit(X, y)
    assert sorted(solved) == [1.0] * 3 + [2.0**12] * 3
    scores = tuner.cv_results_["mean_test_score"]
    assert scores[0] == scores[2] == scores[3]


@pytest.mark.parametrize("estimator", [sw.SetSVCCV, sw.SetSVRCV])
def test_ties_are_settled_by_the_seed(estimator):
    X, y = gaussian_sets(18, size=12, spread=4.0)
    tuner = estimator(ks=3, widths=[1.0, 1.0], Cs=[2.0**12, 2.0**16, 2.0**21])
    chosen = [clone(tuner).set_params(random_state=seed).fit(X, y) for seed in (*range(8), 0)]
    assert chosen[0].best_index_ == chosen[-1].best_index_
    assert len({one.best_index_ for one in chosen}) > 1
    for one in chosen:
        assert one.cv_results_["rank_test_score"][one.best_index_] == 1


def test_the_defaults_are_those_of_the_paper():
    assert candidates.WIDTHS == (1 / 16, 1 / 4, 1, 4, 16, 64, 256, 1024)
    assert tuple(2.0**power for power in (-9, -6, -3, 0, 3, 6, 9, 12, 15, 18, 21)) == candidates.CS
    assert candidates.DEGREES == (1, 2, 3, 5, 7, 9)
    for kernel, count, divergence in (("gaussian", 8, sw.Renyi(0.9)), ("polynomial", 12, sw.Linear())):
        X, y = labelled(12)
        results = sw.SetSVCCV(kernels=kernel, cv=2, random_state=0).fit(X, y).cv_results_
        assert len(results["params"]) == count * 11
        assert {one["divergence"] for one in results["params"]} == {divergence}
        assert {one["k"] for one in results["params"]} == {5}


def test_results_are_laid_out_as_by_a_grid_search():
    X, y = labelled()
    search = GridSearchCV(sw.SetSVC(k=3), GRID | {"divergence": [sw.KL()]}, cv=3).fit(X, y)
    ours = sw.SetSVCCV("kl", 3, random_state=0, **LISTS).fit(X, y).cv_results_
    theirs = {name: value for name, value in search.cv_results_.items() if not name.endswith("_time")}
    assert set(theirs) <= set(ours)
    assert {name for name in set(ours) - set(theirs)} == {"param_k", "param_kernel", "param_squared"}
    for name, value in theirs.items():
        if name != "params":
            assert type(ours[name]) is type(value)
            assert ours[name].dtype == value.dtype
            assert ours[name].shape == value.shape
    pandas = pytest.importorskip("pandas")
    assert len(pandas.DataFrame(ours)) == len(ours["params"])


def test_any_number_of_threads():
    X, y = labelled()
    one, two = (sw.SetSVCCV(ks=3, n_jobs=n, random_state=0, **LISTS).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    assert one.best_params_ == two.best_params_


@pytest.mark.parametrize("in_pipeline", [False, True], ids=["alone", "Pipeline"])
def test_folds_around_the_tuner(in_pipeline):
    X, y = labelled()
    tuner = sw.SetSVCCV(ks=3, cv=2, random_state=0, **LISTS)
    model = make_pipeline(sw.SetScaler(), tuner) if in_pipeline else tuner
    found = cross_val_score(model, X, y, cv=3)
    answers = cross_val_predict(model, X, y, cv=3)
    for score, (train, test) in zip(found, StratifiedKFold(3).split(y, y), strict=True):
        fitted = clone(model).fit(X[train], y[train])
        assert score == fitted.score(X[test], y[test])
        np.testing.assert_array_equal(answers[test], fitted.predict(X[test]))


def test_weights_and_groups_are_routed():
    X, y = labelled()
    groups = np.arange(len(y)) // 2 % 6
    weights = np.where(groups < 3, 1.0, 0.1)
    with sklearn.config_context(enable_metadata_routing=True):
        tuner = sw.SetSVCCV(ks=3, cv=GroupKFold(2), random_state=0, **LISTS)
        tuner.set_fit_request(sample_weight=True, groups=True).set_score_request(sample_weight=False)
        found = cross_validate(
            tuner, X, y, cv=GroupKFold(3), params={"groups": groups, "sample_weight": weights}, return_estimator=True
        )
        for model, (train, _) in zip(found["estimator"], GroupKFold(3).split(y, y, groups), strict=True):
            expected = clone(tuner).fit(X[train], y[train], sample_weight=weights[train], groups=groups[train])
            for name in ("split0_test_score", "split1_test_score"):
                np.testing.assert_array_equal(model.cv_results_[name], expected.cv_results_[name])


def test_a_score_by_the_scoring():
    X, y = labelled()
    y[:4] = "no"
    tuner = sw.SetSVCCV(ks=3, widths=0.5, Cs=1.0, scoring="balanced_accuracy", random_state=0).fit(X, y)
    recalls = [(tuner.predict(X)[y == name] == name).mean() for name in ("no", "yes")]
    assert tuner.score(X, y) == pytest.approx(np.mean(recalls), abs=1e-12)
    weights = np.where(np.arange(len(y)) < 5, 3.0, 1.0)
    plain = tuner.set_params(scoring=None)
    assert plain.score(X, y, weights) == pytest.approx(np.average(plain.predict(X) == y, weights=weights), abs=1e-12)
    asked = []

    def callable_score(machine, rows, truth):
        asked.append(rows.shape)
        return float((machine.predict(rows) == truth).mean())

    by_callable = clone(tuner).set_params(scoring=callable_score).fit(X, y)
    assert asked == [(8, 16)] * 3
    np.testing.assert_array_equal(
        by_callable.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"] * 0 + by_callable.best_score_
    )


def test_probabilities_if_asked_for():
    X, y = labelled()
    tuner = sw.SetSVCCV(ks=3, probability=True, random_state=0, **LISTS).fit(X, y)
    model = sw.SetSVC(**tuner.best_params_, probability=True, random_state=0).fit(X, y)
    np.testing.assert_array_equal(tuner.predict_proba(X), model.predict_proba(X))
    assert not hasattr(sw.SetSVCCV(), "predict_proba")
    with pytest.raises(NotFittedError):
        sw.SetSVCCV(probability=True).predict_proba(X)


def test_unlabelled_sets_are_projected_with_the_others():
    """In each fold as well: the scores are those of folds of one Gram matrix of all sets."""
    X, y = labelled(24)
    partly = y.astype(object)
    partly[[1, 6, 11, 18]] = None
    tuner = sw.SetSVCCV(ks=3, transductive=True, random_state=0, **LISTS).fit(X, partly)
    known = np.flatnonzero([label is not None for label in partly])
    for parameters, score in zip(tuner.cv_results_["params"], tuner.cv_results_["mean_test_score"], strict=True):
        gram = sw.SetKernel(k=3, width=parameters["width"]).fit_transform(X)
        right = []
        for train, test in StratifiedKFold(3).split(known, y[known]):
            machine = on_gram.GramSVC(C=parameters["C"]).fit(gram[np.ix_(known[train], known[train])], y[known[train]])
            right.append(machine.score(gram[np.ix_(known[test], known[train])], y[known[test]]))
        assert score == pytest.approx(np.mean(right), abs=1e-12)
    model = sw.SetSVC(**tuner.best_params_, transductive=True).fit(X, partly)
    np.testing.assert_array_equal(tuner.transduction_, model.transduction_)
    tuner.set_params(transductive=False).fit(X, y)
    assert not hasattr(tuner, "transduction_")


def test_regression_with_unlabelled_sets():
    X, y = numbered()
    unlabelled = np.arange(len(y)) % 6 == 5
    tuner = sw.SetSVRCV(ks=3, widths=[0.5, 2.0], Cs=[1.0, 10.0], random_state=0)
    tuner.fit(X, np.where(unlabelled, np.nan, y), unlabelled=unlabelled)
    model = sw.SetSVR(**tuner.best_params_).fit(X, y, unlabelled=unlabelled)
    np.testing.assert_array_equal(tuner.transduction_, model.transduction_)
    assert not hasattr(tuner.fit(X, y), "transduction_")


def test_progress_of_both_parts():
    X, y = labelled()
    seen = []
    sw.SetSVCCV(ks=3, progress=lambda done, total: seen.append((done, total)), random_state=0, **LISTS).fit(X, y)
    assert [done for done, total in seen if total == 9][-9:] == list(range(1, 10)), "widths by folds"
    assert seen[-1] == (9, 9)
    assert len(seen) > 9, "of the neighbours too"


def test_an_interruption_ends_the_search(monkeypatch):
    """After the first of 27 kernels and folds; each of two threads may have begun another."""
    fitted = []

    class Counted(on_gram.GramSVC):
        def fit(self, X, y, sample_weight=None):
            fitted.append(self.C)
            return super().fit(X, y, sample_weight)

    def interrupted(done, total):
        if total == 27:
            raise KeyboardInterrupt

    monkeypatch.setattr("setwise.learners.tuning.GramSVC", Counted)
    X, y = labelled()
    tuner = sw.SetSVCCV(ks=3, widths=np.linspace(0.1, 2, 9), Cs=np.geomspace(1e-3, 1e-2, 50), progress=interrupted)
    with pytest.raises(KeyboardInterrupt):
        tuner.set_params(n_jobs=2).fit(X, y)
    assert len(fitted) < 27 * 50 / 2
    assert not hasattr(tuner, "best_estimator_")


def test_a_bar_is_drawn_on_a_terminal_alone(capsys):
    X, y = labelled()
    sw.SetSVCCV(ks=3, progress=True, random_state=0, **LISTS).fit(X, y)
    said = capsys.readouterr()
    assert said.out == said.err == ""


def test_permuted_labels_score_by_chance():
    X, y = labelled(30)
    rng = np.random.default_rng(0)
    tuner = sw.SetSVCCV(ks=3, widths=[0.5, 2.0], Cs=[1.0, 100.0], random_state=0)
    scores = [cross_val_score(tuner, X, rng.permutation(y), cv=3).mean() for _ in range(6)]
    # 180 answers, right or wrong with even odds: three standard deviations are .11.
    assert abs(np.mean(scores) - 0.5) < 0.11


def test_raw_rows_are_not_warned_of_in_every_fold():
    X, y = gaussian_sets(18, size=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sw.SetSVCCV(ks=3, test_rows="raw", widths=[0.1, 1.0], Cs=[1.0, 100.0], random_state=0).fit(X, y)


def test_models_keep(tmp_path):
    X, y = labelled()
    tuner = sw.SetSVCCV(["kl", "js"], 3, random_state=0, **LISTS).fit(X, y)
    sw.save(tuner, tmp_path / "tuned.skops")
    back = sw.load(tmp_path / "tuned.skops")
    np.testing.assert_array_equal(back.decision_function(X), tuner.decision_function(X))
    assert back.best_params_ == tuner.best_params_
    np.testing.assert_array_equal(back.cv_results_["mean_test_score"], tuner.cv_results_["mean_test_score"])


WRONG = [
    ({"widths": []}, "widths is empty"),
    ({"widths": [1.0, -1.0]}, "width=-1.0 is not a width"),
    ({"Cs": ()}, "Cs is empty"),
    ({"Cs": [1.0, 0.0]}, "C=0.0 must be"),
    ({"ks": "five"}, "k='five'"),
    ({"ks": ()}, "k is empty"),
    ({"radii": ["paper", "wide"]}, "radii has 'wide'; choose among 'paper', 'matched'"),
    ({"squared": ["never"]}, "squared='never' is not known"),
    ({"kernels": "cubic"}, "kernel='cubic' is not known"),
    ({"kernels": MeanMap}, "is not known"),
    ({"kernels": 7}, "kernel=7 is not known"),
    ({"kernels": "polynomial", "degrees": [0]}, "degree=0"),
    ({"kernels": "polynomial", "coef0s": [-1.0]}, "coef0=-1.0"),
    ({"psd": "cut"}, "method='cut'"),
    ({"test_rows": "cooked"}, "test_rows='cooked'"),
    ({"divergences": []}, "divergences is empty"),
    ({"divergences": "linear"}, "not a distance"),
    ({"divergences": ["kl"], "kernels": "polynomial"}, "no inner product"),
    ({"divergences": ["kl", "linear"]}, "no kernel of gaussian takes linear"),
    ({"cv": 1}, "cv=1 cannot divide 18 sets"),
    ({"cv": 40}, "cv=40 cannot divide 18 sets"),
    ({"cv": GroupKFold(3)}, "cannot divide 18 sets: The 'groups' parameter"),
    ({"cv": KFold(2)}, "leaves one class to learn"),
    ({"cv": [(np.arange(18), np.arange(0))]}, "fold 0 of cv, a list, has no sets to test"),
    ({"scoring": "beauty"}, "scoring='beauty' is not known"),
    ({"scoring": ["accuracy", "f1"]}, "give one name"),
    ({"scoring": lambda machine, rows, y: np.nan}, "all are nan"),
    ({"n_jobs": 0}, "n_jobs=0"),
]


@pytest.mark.parametrize(("given", "said"), WRONG, ids=lambda value: str(value)[:40])
def test_what_cannot_be_tried_is_said_in_a_line(given, said):
    X, _ = gaussian_sets(18, size=8)
    y = np.repeat([0, 1], 9)
    with pytest.raises(sw.InputError, match=said) as raised:
        sw.SetSVCCV(**{"ks": 3, "widths": 1.0, "Cs": 1.0} | given).fit(X, y)
    assert "\n" not in str(raised.value)


def test_what_cannot_be_tried_in_regression():
    X, y = numbered(12)
    with pytest.raises(sw.InputError, match="epsilon=-1"):
        sw.SetSVRCV(epsilons=[0.1, -1]).fit(X, y)
    with pytest.raises(sw.InputError, match="epsilons is empty"):
        sw.SetSVRCV(epsilons=[]).fit(X, y)
    with pytest.raises(sw.InputError, match="11 groups for 12 sets"):
        sw.SetSVRCV().fit(X, y, groups=np.zeros(11))


def test_divergences_that_are_infinite_are_named():
    """An atom is infinitely far in L2 from all that is none."""
    X, y = gaussian_sets(12, size=10)
    X[4] = np.ones((10, 2))
    sets = sw.SampleSets(X, ids=[f"p{i}" for i in range(12)])
    with pytest.raises(sw.InputError, match=r"l2 at k=3.*p4"), warnings.catch_warnings():
        warnings.simplefilter("ignore", sw.SetwiseWarning)
        sw.SetSVCCV(["l2", "kl"], 3).fit(sets, y)
