"""What the displays draw: the right numbers in the right places, on the axes given, with nothing else changed."""

from __future__ import annotations

import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.decomposition import KernelPCA
from sklearn.metrics import ConfusionMatrixDisplay, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import setwise as sw
from setwise.reports.displays.drawing import style_of

matplotlib.use("Agg")

KINDS = np.array(["wide", "narrow", "wide", "narrow", "middle", "wide", "narrow", "wide"])
SPREAD = {"narrow": 0.5, "middle": 1.0, "wide": 2.0}


@pytest.fixture(scope="module")
def sets():
    rng = np.random.default_rng(0)
    return sw.SampleSets([rng.normal(size=(20, 2)) * SPREAD[kind] for kind in KINDS], ids=[f"s{i}" for i in range(8)])


@pytest.fixture(scope="module")
def svc(sets):
    return sw.SetSVC(k=3).fit(sets, KINDS)


@pytest.fixture(scope="module")
def search(sets):
    grid = {"width": [0.25, 1.0, 4.0], "C": [0.5, 16.0], "divergence": ["kl", "js"]}
    return GridSearchCV(sw.SetSVC(k=3), grid, cv=2, scoring="accuracy").fit(sets, np.array(list("abababab")))


@pytest.fixture
def ax():
    """Axes that pyplot knows nothing of."""
    return Figure().add_subplot()


@pytest.fixture(autouse=True)
def nothing_else_changed():
    """No setting of matplotlib, and no figure but those that a display makes for itself."""
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


def drawn(display):
    """Rendered, which is where matplotlib would warn."""
    display.figure_.canvas.draw()
    return display


def texts(labels):
    return [label.get_text() for label in labels]


DISPLAYS = {
    "gram": lambda sets, svc, search, ax: sw.GramDisplay.from_estimator(svc, sets, KINDS, ax=ax),
    "spectrum": lambda sets, svc, search, ax: sw.SpectrumDisplay.from_estimator(svc, ax=ax),
    "embedding": lambda sets, svc, search, ax: sw.EmbeddingDisplay.from_estimator(sw.SetMDS(k=3), sets, KINDS, ax=ax),
    "anomalies": lambda sets, svc, search, ax: sw.AnomalyDisplay.from_estimator(
        sw.SetNearest(k=3, n_neighbors=2).fit(sets), sets, ax=ax
    ),
    "tuning": lambda sets, svc, search, ax: sw.TuningDisplay.from_estimator(search, ax=ax),
}


@pytest.mark.parametrize("make", DISPLAYS.values(), ids=DISPLAYS)
class TestAllDisplays:
    def test_draw_on_the_axes_that_are_given(self, make, sets, svc, search, ax):
        display = drawn(make(sets, svc, search, ax))
        assert display.ax_ is ax and display.figure_ is ax.figure
        assert ax.get_title() and ax.get_xlabel()
        assert plt.get_fignums() == []

    def test_draw_on_a_figure_of_their_own(self, make, sets, svc, search):
        display = drawn(make(sets, svc, search, None))
        assert plt.get_fignums() == [display.figure_.number]

    def test_plot_returns_the_display_and_can_be_called_again(self, make, sets, svc, search, ax):
        display = make(sets, svc, search, None)
        before = display.ax_.get_title()
        assert display.plot(ax) is display
        assert display.ax_ is ax and ax.get_title() == before


def test_matplotlib_is_imported_when_something_is_drawn():
    program = "import sys, setwise as sw; sw.GramDisplay, sw.TuningDisplay; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_classes_differ_in_colour_and_marker():
    styles = [tuple(style_of(place).values()) for place in range(49)]
    assert len(set(styles)) == 49
    first = styles[:7]
    assert len({colour for colour, _ in first}) == len({marker for _, marker in first}) == 7


class TestGram:
    def test_sets_come_by_class_and_keep_their_order_within(self, sets, svc, ax):
        gram = sw.gram_matrix(sets, kernel=sw.SetKernel(k=3))
        display = sw.GramDisplay.from_estimator(svc, sets, KINDS, ax=ax)
        order = [4, 1, 3, 6, 0, 2, 5, 7]  # middle, narrow, wide
        assert display.order_.tolist() == order
        np.testing.assert_array_equal(display.im_.get_array(), gram.values[np.ix_(order, order)])
        assert texts(ax.get_yticklabels()) == ["middle (1)", "narrow (3)", "wide (4)"]
        assert texts(ax.get_xticklabels()) == texts(ax.get_yticklabels())
        assert ax.get_yticks().tolist() == [0, 2, 5.5]
        assert [line.get_ydata()[0] for line in ax.lines if line.get_ydata()[0] == line.get_ydata()[-1]] == [0.5, 3.5]

    def test_the_title_says_how_much_larger_kernels_are_within_a_class(self, ax):
        gram = [[9, 2, 5], [2, 9, 1], [5, 1, 9]]
        display = sw.GramDisplay.from_predictions(gram, ["a", "b", "a"], ax=ax)
        assert (display.within_, display.between_) == (5, 1.5)
        assert "mean kernel 5 within a class, 1.5 between" in ax.get_title()
        assert display.im_.get_clim() == (1, 5), "the diagonal does not take the colours of the rest"
        assert display.colorbar_.extend == "max"

    def test_without_labels_sets_are_named(self, sets, ax):
        sw.GramDisplay.from_predictions(sw.gram_matrix(sets), ax=ax)
        assert texts(ax.get_yticklabels()) == list(sets.ids)

    def test_labels_on_a_scale_sort(self, sets, ax):
        display = sw.GramDisplay.from_predictions(sw.gram_matrix(sets), 4.5 - np.arange(8), ax=ax)
        assert display.order_.tolist() == [*range(7, -1, -1)]
        assert (texts(ax.get_yticklabels())[0] == "-3.5" and texts(ax.get_yticklabels())[-1] == "0") or "-0"
        assert not ax.lines

    def test_one_set(self, ax):
        drawn(sw.GramDisplay.from_predictions([[2.0]], ["a"], ax=ax))

    def test_a_pipeline_has_a_kernel(self, sets, ax):
        pipeline = make_pipeline(sw.SetKernel(k=3))
        display = sw.GramDisplay.from_estimator(pipeline, sets, ax=ax)
        np.testing.assert_array_equal(display.gram, sw.SetKernel(k=3).fit_transform(sets))

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            (lambda: sw.GramDisplay(np.ones((2, 3))), r"\(2, 3\); give a square"),
            (lambda: sw.GramDisplay(np.eye(3), labels=["a"]), "one label a set"),
            (lambda: sw.GramDisplay(np.eye(3), ids=["a"]), "1 ids for 3 sets"),
            (lambda: sw.GramDisplay.from_estimator(sw.SetNearest(), [np.ones((3, 1))]), "SetNearest has no kernel"),
        ],
    )
    def test_what_cannot_be_drawn(self, wrong, said):
        with pytest.raises(sw.InputError, match=said):
            wrong()


class TestSpectrum:
    GRAM = np.diag([4.0, -1.0, 3.0, 0.0, -2.0])

    def test_eigenvalues_fall_and_the_negative_are_shaded(self, ax):
        display = sw.SpectrumDisplay(sw.PSDProjection("clip").fit(self.GRAM)).plot(ax)
        assert display.eigenvalues_.tolist() == [4, 3, 0, -1, -2]
        kept, negative = display.points_
        assert kept.get_ydata().tolist() == [4, 3, 0] and kept.get_xdata().tolist() == [1, 2, 3]
        assert negative.get_ydata().tolist() == [-1, -2] and negative.get_xdata().tolist() == [4, 5]
        assert ax.get_title() == "2 of 5 eigenvalues negative, 30.0% of the spectrum, discarded"
        [shade] = ax.patches
        assert shade.get_x() == 3.5 and shade.get_width() == 2

    def test_nothing_is_shaded_where_nothing_is_negative(self, ax):
        display = sw.SpectrumDisplay.from_predictions(np.eye(4), ax=ax)
        assert len(display.points_) == 1 and not ax.patches and ax.get_legend() is None
        assert ax.get_title().startswith("0 of 4 eigenvalues negative")

    @pytest.mark.parametrize("psd", ["clip", "shift"])
    def test_a_gram_matrix_knows_its_spectrum_before_the_projection(self, sets, psd, ax):
        gram = sw.gram_matrix(sets, kernel=sw.SetKernel("js", k=3, psd=psd))
        display = sw.SpectrumDisplay.from_predictions(gram, ax=ax)
        np.testing.assert_array_equal(display.eigenvalues_, gram.projection.eigenvalues_[::-1])
        assert ax.get_title() == gram.projection.summary()

    def test_estimators_that_hold_one(self, sets, svc):
        expected = svc.projection_.eigenvalues_[::-1]
        fitted = sw.SetKernel(k=3).fit(sets)
        for estimator in (svc, make_pipeline(svc), fitted, sw.SetMDS(k=3).fit(sets), fitted.projection_):
            np.testing.assert_array_equal(sw.SpectrumDisplay.from_estimator(estimator).eigenvalues_, expected)
        for estimator in (sw.SetSVC(k=3), make_pipeline(sw.SetKernel(k=3))):
            np.testing.assert_array_equal(sw.SpectrumDisplay.from_estimator(estimator, sets).eigenvalues_, expected)

    def test_what_has_no_spectrum(self):
        for wrong in (sw.SetSVC(), sw.SetNearest(), sw.PSDProjection()):
            with pytest.raises(sw.InputError, match="spectrum"):
                sw.SpectrumDisplay.from_estimator(wrong)


class TestEmbedding:
    PLANE = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [5.0, 6.0]])

    def test_a_collection_a_class(self, ax):
        display = drawn(sw.EmbeddingDisplay.from_predictions(self.PLANE, ["b", "a", "b", "b"], ax=ax))
        a, b = display.points_
        assert a.get_offsets().tolist() == [[1, 0]]
        assert b.get_offsets().tolist() == [[0, 0], [5, 5], [5, 6]]
        assert to_hex(a.get_facecolor()[0]) != to_hex(b.get_facecolor()[0])
        assert texts(display.legend_.get_texts()) == ["a (1)", "b (3)"]
        assert ax.get_xlabel() == "component 1" and ax.get_ylabel() == "component 2"

    def test_the_title_says_whether_neighbours_are_alike(self, ax):
        display = sw.EmbeddingDisplay.from_predictions(self.PLANE, ["a", "b", "b", "b"], ax=ax)
        assert display.same_class_ == 0.5
        assert "the nearest point is of the same class for 50%" in ax.get_title()

    def test_few_sets_are_named_beside_their_points(self, ax):
        display = sw.EmbeddingDisplay.from_predictions(self.PLANE, ids=list("pqrs"), ax=ax)
        assert texts(display.texts_) == list("pqrs")
        assert [text.xy for text in display.texts_] == [tuple(row) for row in self.PLANE.tolist()]
        many = sw.EmbeddingDisplay(np.random.default_rng(0).normal(size=(40, 2))).plot()
        assert many.texts_ == [] and len(many.points_[0].get_offsets()) == 40

    def test_the_legend_of_many_classes_stands_outside(self):
        places = np.random.default_rng(0).normal(size=(60, 2))
        for n_classes, outside in ((3, False), (12, True)):
            display = drawn(sw.EmbeddingDisplay.from_predictions(places, np.arange(60) % n_classes))
            box, axes = display.legend_.get_window_extent(), display.ax_.get_window_extent()
            assert (box.x0 >= axes.x1) == outside
            assert box.x1 <= display.figure_.bbox.x1, "it is on the figure"

    def test_numbers_are_colours(self, ax):
        display = sw.EmbeddingDisplay.from_predictions(self.PLANE, [0.5, 1.5, 2.5, 3.5], ax=ax)
        assert display.points_[0].get_array().tolist() == [0.5, 1.5, 2.5, 3.5]
        assert display.colorbar_ is not None and display.legend_ is None

    def test_it_is_the_estimators_embedding(self, sets, ax):
        pipeline = make_pipeline(sw.SetKernel(k=3), KernelPCA(3, kernel="precomputed"))
        display = sw.EmbeddingDisplay.from_estimator(pipeline, sets, KINDS, ax=ax)
        np.testing.assert_array_equal(display.embedding, pipeline.fit_transform(sets))
        assert display.ids == list(sets.ids)
        display.plot(Figure().add_subplot(), components=(2, 1))
        assert display.ax_.get_xlabel() == "component 3"
        wide = np.concatenate([points.get_offsets() for points in display.points_])
        np.testing.assert_array_equal(np.sort(wide[:, 0]), np.sort(display.embedding[:, 2]))

    def test_what_cannot_be_drawn(self):
        with pytest.raises(sw.InputError, match="n_components=2"):
            sw.EmbeddingDisplay.from_predictions(np.ones((4, 1)))
        with pytest.raises(sw.InputError, match=r"\(4,\)"):
            sw.EmbeddingDisplay(np.ones(4))


class TestAnomalies:
    SCORES = np.array([0.5, -2.0, 0.1, -1.0, 0.9, 0.2])

    def test_the_strangest_come_first_by_name(self, ax):
        display = sw.AnomalyDisplay.from_predictions(self.SCORES, ids=list("abcdef"), n_named=3, ax=ax)
        assert display.order_.tolist() == [1, 3, 2, 5, 0, 4]
        assert texts(ax.get_yticklabels()) == ["b", "d", "c", "the other 3"]
        assert texts(display.texts_) == ["-2.00", "-1.00", "0.10"]
        assert ax.get_ylim()[0] > ax.get_ylim()[1], "from the top"
        [points] = ax.collections
        assert points.get_offsets()[:3].tolist() == [[-2, 0], [-1, 1], [0.1, 2]]
        assert len(points.get_offsets()) == 6
        assert (points.get_offsets()[3:, 1] > 2.9).all()
        assert ax.get_legend() is None

    def test_the_threshold_is_a_line_that_divides_the_colours(self, ax):
        sw.AnomalyDisplay.from_predictions(self.SCORES, threshold=0.2, ax=ax)
        assert [line.get_xdata()[0] for line in ax.lines] == [0.2]
        above, below = ax.collections
        assert sorted(above.get_offsets()[:, 0].tolist()) == [0.2, 0.5, 0.9]
        assert sorted(below.get_offsets()[:, 0].tolist()) == [-2, -1, 0.1]
        assert texts(ax.get_legend().get_texts()) == [above.get_label(), below.get_label(), "threshold 0.20"]
        assert ax.get_title() == "6 sets, 3 of them below the threshold"

    def test_known_anomalies_and_how_well_they_are_found(self, ax):
        known = np.array([1, -1, -1, 1, 1, 1])
        display = sw.AnomalyDisplay.from_predictions(self.SCORES, known, ax=ax)
        assert display.auc_ == roc_auc_score(known, self.SCORES) == 7 / 8
        assert "2 known anomalies, found with an AUC of 0.88" in ax.get_title()
        assert sorted(ax.collections[1].get_offsets()[:, 0].tolist()) == [-2, 0.1]

    @pytest.mark.parametrize("make", [lambda: sw.SetNearest(k=3, n_neighbors=2), lambda: sw.SetOneClassSVM(k=3)])
    def test_it_is_the_estimators_score_and_threshold(self, make, sets, ax):
        model = make().fit(sets)
        for given in (model, make_pipeline(model)):
            display = sw.AnomalyDisplay.from_estimator(given, sets, ax=ax)
            np.testing.assert_array_equal(display.scores, model.score_samples(sets))
            assert display.threshold == model.offset_
            assert display.ids == list(sets.ids)

    def test_what_cannot_be_drawn(self):
        for wrong, said in (
            (lambda: sw.AnomalyDisplay(np.ones((2, 2))), "one score a set"),
            (lambda: sw.AnomalyDisplay(np.ones(2), labels=["odd", "even"]), "-1"),
        ):
            with pytest.raises(sw.InputError, match=said):
                wrong()


class TestTuning:
    def test_the_scores_through_the_best(self, search, ax):
        display = sw.TuningDisplay.from_estimator(search, ax=ax)
        assert (display.rows, display.columns) == ("width", "C")
        assert display.row_values_ == [0.25, 1.0, 4.0] and display.column_values_ == [0.5, 16.0]
        results = search.cv_results_
        for row, width in enumerate(display.row_values_):
            for column, c in enumerate(display.column_values_):
                wanted = {**search.best_params_, "width": width, "C": c}
                place = results["params"].index(wanted)
                assert display.scores_[row, column] == results["mean_test_score"][place]
        np.testing.assert_array_equal(display.im_.get_array(), display.scores_)
        assert len(display.texts_) == 6
        assert display.scores_[display.best_] == search.best_score_
        assert display.frame_.get_xy() == (display.best_[1] - 0.5, display.best_[0] - 0.5)
        assert f"divergence={search.best_params_['divergence']}" in ax.get_title()
        assert f"best: {search.best_score_:.3g}" in ax.get_title()

    def test_the_search_chooses_among_equals(self, search, ax):
        """As does a tuner that settles ties at random: the frame is where best_index_ says, not at the first."""
        results = {name: np.ones(12) for name in ("mean_test_score", "std_test_score", "rank_test_score")}
        results["params"] = search.cv_results_["params"]

        class Settled:
            cv_results_ = results
            best_index_ = 7

        display = sw.TuningDisplay.from_estimator(Settled(), ax=ax)
        assert display.best == 7
        assert display.row_values_[display.best_[0]] == results["params"][7]["width"]
        assert display.column_values_[display.best_[1]] == results["params"][7]["C"]

    def test_other_parameters_can_be_asked_for(self, search, ax):
        display = sw.TuningDisplay.from_estimator(search, rows="divergence", columns="width", ax=ax)
        assert texts(ax.get_yticklabels()) == ["kl", "js"]
        assert texts(ax.get_xticklabels()) == ["0.25", "1", "4"]
        assert display.others == {"C": search.best_params_["C"]}

    def test_a_pipeline_whose_grids_differ(self, ax):
        """Polynomials have a degree in the place of a width; a combination that is not in the grid stays empty."""
        params = [{"setsvc__degree": d, "setsvc__C": 10.0**c} for d in (1, 2, 3) for c in (0, 3, 6)][:-1]
        params += [{"setsvc__width": 1.0, "setsvc__C": 1.0}]
        scores = np.arange(9) / 10
        scores[-1] = 0
        results = {
            "params": params,
            "mean_test_score": scores,
            "std_test_score": 0 * scores,
            "rank_test_score": np.argsort(np.argsort(-scores)) + 1,
        }
        display = drawn(sw.TuningDisplay.from_predictions(results, ax=ax))
        assert (display.rows, display.columns) == ("setsvc__degree", "setsvc__C")
        assert (ax.get_ylabel(), ax.get_xlabel()) == ("degree", "C")
        assert texts(ax.get_xticklabels()) == ["$10^{0}$", "$10^{3}$", "$10^{6}$"]
        assert np.isnan(display.scores_[2, 2]) and display.best_ == (2, 1)
        assert len(display.texts_) == 8

    def test_one_disaster_does_not_take_all_colours(self, ax):
        scores = np.array([0.8, 0.9, 0.7, 0.8, -100.0, 0.9])
        results = {"mean_test_score": scores, "std_test_score": scores, "rank_test_score": np.argsort(-scores)}
        params = [{"C": c, "width": w} for c in (1, 2) for w in (1, 2, 3)]
        display = sw.TuningDisplay.from_predictions({"params": params, **results}, ax=ax)
        assert display.im_.get_clim() == pytest.approx((0.55, 0.9))  # .9 - 2 (.9 - .725), the lower quartile
        assert sorted(texts(display.texts_))[0] == "-100.000"

    def test_powers_of_two_are_written_as_such(self, ax):
        values = [2.0**power for power in (-9, 0, 21)]
        params = [{"C": c, "width": w} for c in values for w in (1.0, 3.0)]
        results = {name: np.arange(6) for name in ("mean_test_score", "std_test_score", "rank_test_score")}
        sw.TuningDisplay.from_predictions({"params": params, **results}, ax=ax)
        assert texts(ax.get_xticklabels()) == ["$2^{-9}$", "$2^{0}$", "$2^{21}$"]
        assert texts(ax.get_yticklabels()) == ["1", "3"]

    def test_what_cannot_be_drawn(self, search):
        for wrong, said in (
            (lambda: sw.TuningDisplay({"params": []}), "mean_test_score"),
            (lambda: sw.TuningDisplay.from_estimator(sw.SetSVC()), "SetSVC has no cv_results_"),
            (lambda: sw.TuningDisplay.from_estimator(search, rows="degree"), "'degree'.*width"),
        ):
            with pytest.raises(sw.InputError, match=said):
                wrong()


def test_scikit_learns_confusion_matrix_takes_sets(sets, svc, ax):
    for model in (svc, make_pipeline(svc)):
        display = ConfusionMatrixDisplay.from_estimator(model, sets, KINDS, ax=ax)
        assert display.confusion_matrix.sum() == len(sets)
        assert texts(ax.get_yticklabels()) == ["middle", "narrow", "wide"]
