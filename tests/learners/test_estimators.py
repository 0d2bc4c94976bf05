"""Set estimators in scikit-learn's manners. Its own checks skip silently what takes no 2-d array, so these are ours.

The estimators stand in estimators.py; each is run through all that is here.
"""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

import setwise as sw
from tests.learners.estimators import ESTIMATORS, OUTPUTS, new_sets, outputs, targets, training_sets

every = pytest.mark.parametrize("case", ESTIMATORS, ids=lambda case: case.name)
supervised = pytest.mark.parametrize(
    "case", [case for case in ESTIMATORS if case.kind in ("classifier", "regressor")], ids=lambda case: case.name
)
predicting = pytest.mark.parametrize(
    "case", [case for case in ESTIMATORS if case.kind in ("classifier", "regressor", "outlier")], ids=lambda c: c.name
)

# The sets are few and tiny, and so their Gram matrices indefinite.
pytestmark = pytest.mark.filterwarnings("ignore::setwise.errors.SpectrumWarning")

# Sums of some tens of terms in another order: of decisions about 1, and of what eigenvectors make of rounding.
ROUNDING = 1e-9


def fitted(case, sets=None):
    sets = training_sets() if sets is None else sets
    return case.make().fit(sets, targets(case.kind))


def assert_equal(found, expected, places=slice(None), tolerance=0.0):
    assert found.keys() == expected.keys()
    for name in found:
        values = expected[name][places]
        if values.dtype.kind == "f":
            scale = max(1.0, np.abs(values).max())
            np.testing.assert_allclose(found[name], values, rtol=0, atol=tolerance * scale, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], values, err_msg=name)


@every
def test_parameters_are_stored_as_they_are(case):
    model = case.make()
    parameters = model.get_params(deep=False)
    rebuilt = type(model)(**parameters)
    assert all(rebuilt.get_params(deep=False)[name] is value for name, value in parameters.items())
    assert vars(rebuilt) == parameters, "nothing but parameters before fit"
    assert clone(model).get_params() == model.get_params()
    assert type(model).__name__ in repr(model)


@every
def test_parameters_change(case):
    model = case.make()
    (name, values), *_ = case.grid.items()
    for value in values:
        assert model.set_params(**{name: value}) is model
        assert model.get_params()[name] == value
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(no_such_parameter=1)


@every
def test_set_params_then_fit_is_a_new_model(case):
    (name, values), *_ = case.grid.items()
    model = fitted(case).set_params(**{name: values[1]}).fit(training_sets(), targets(case.kind))
    afresh = clone(case.make()).set_params(**{name: values[1]}).fit(training_sets(), targets(case.kind))
    assert_equal(outputs(model, new_sets()), outputs(afresh, new_sets()))


@every
def test_not_fitted(case):
    model = case.make()
    present = [name for name in OUTPUTS if hasattr(model, name)]
    assert present or hasattr(model, "fit_transform")
    for name in present:
        with pytest.raises(NotFittedError):
            getattr(model, name)(new_sets())


@every
def test_learned_attributes_end_in_an_underscore(case):
    model = case.make()
    before = set(vars(model))
    fitted_model = model.fit(training_sets(), targets(case.kind))
    assert fitted_model is model
    assert all(name.endswith("_") or name.startswith("_") for name in set(vars(model)) - before)
    assert model.n_features_in_ == 2


@every
def test_parameters_survive_fitting(case):
    model = case.make()
    before = {name: repr(value) for name, value in model.get_params().items()}
    model.fit(training_sets(), targets(case.kind))
    assert {name: repr(value) for name, value in model.get_params().items()} == before


@every
def test_inputs_are_left_as_they_are(case):
    arrays, new, y = list(map(np.copy, training_sets())), list(map(np.copy, new_sets())), targets(case.kind)
    kept = [array.copy() for array in arrays + new]
    kept_y = pickle.loads(pickle.dumps(y))
    model = case.make().fit(arrays, y)
    expected = outputs(model, new)
    for array, before in zip(arrays + new, kept, strict=True):
        np.testing.assert_array_equal(array, before)
    if isinstance(y, np.ndarray):
        np.testing.assert_array_equal(y, kept_y)
        y[:] = y[0]
    for array in arrays:
        array[:] = 0
    assert_equal(outputs(model, new), expected)


@every
def test_fitting_again_changes_nothing(case):
    model = fitted(case)
    before = outputs(model, new_sets())
    other = sw.SampleSets([points[:, :1] for points in training_sets()][::-1])
    assert_equal(outputs(model.fit(training_sets(), targets(case.kind)), new_sets()), before)
    if case.kind != "distribution":
        model.fit(other, targets(case.kind))
        assert model.n_features_in_ == 1
        assert_equal(outputs(model.fit(training_sets(), targets(case.kind)), new_sets()), before)


@every
def test_asking_changes_no_state(case):
    model = fitted(case)
    before = pickle.dumps(model)
    first = outputs(model, new_sets())
    assert pickle.dumps(model) == before
    for values in first.values():
        values[:] = values[0]
    assert_equal(outputs(model, new_sets()), outputs(fitted(case), new_sets()))


@every
def test_pickles(case):
    model = fitted(case)
    back = pickle.loads(pickle.dumps(model))
    assert_equal(outputs(back, new_sets()), outputs(model, new_sets()))


@every
def test_a_subset_is_answered_as_among_the_others(case):
    model, sets = fitted(case), new_sets()
    everything = outputs(model, sets)
    for places in ([3], [5, 0, 2], [4, 4]):
        assert_equal(outputs(model, sets[places]), everything, places, ROUNDING)


@every
def test_the_order_of_the_training_sets_says_nothing(case):
    if case.by_place:
        pytest.skip("it goes by the training sets' places")
    order = np.random.default_rng(3).permutation(18)
    sets, y = training_sets(), targets(case.kind)
    model = case.make().fit(sets[order], None if y is None else y[order])
    expected = outputs(fitted(case), new_sets())
    found = outputs(model, new_sets())
    for name in found:
        if found[name].shape[1:] == (18,):  # a column a training set
            found[name] = found[name][:, np.argsort(order)]
    # An iterative solver stops within its tolerance, at a place that depends on the order.
    assert_equal(found, expected, tolerance=1e-4)


@every
def test_the_order_of_the_points_says_nothing(case):
    rng = np.random.default_rng(4)
    model = case.make().fit([rng.permutation(points) for points in training_sets()], targets(case.kind))
    expected = outputs(fitted(case), new_sets())
    assert_equal(outputs(model, [rng.permutation(points) for points in new_sets()]), expected, tolerance=1e-4)


@every
def test_single_precision_is_read_as_the_numbers_it_holds(case):
    single = training_sets(np.float32)
    double = sw.SampleSets([points.astype(np.float64) for points in single], ids=single.ids)
    assert single[0].dtype == np.float32
    of_single, of_double = fitted(case, single), fitted(case, double)
    new = [points.astype(np.float32) for points in new_sets()]
    # The engine answers single precision within 1e-5.
    assert_equal(outputs(of_single, new), outputs(of_double, [points.astype(float) for points in new]), tolerance=1e-4)


@every
def test_lists_are_as_good_as_sample_sets(case):
    model = case.make().fit(list(training_sets()), targets(case.kind))
    assert_equal(outputs(model, list(new_sets())), outputs(fitted(case), new_sets()))


@every
def test_another_dimension_is_refused(case):
    model = fitted(case)
    for name in OUTPUTS:
        if hasattr(model, name):
            with pytest.raises(sw.InputError, match="3 columns") as said:
                getattr(model, name)([np.ones((13, 3))])
            assert "\n" not in str(said.value)


@every
def test_what_is_no_sets_is_refused(case):
    y = targets(case.kind)
    for wrong in (np.ones((18, 3)), [], "sets"):
        with pytest.raises(sw.InputError):
            case.make().fit(wrong, y)
    with pytest.raises(sw.InputError, match="no sets given"):
        if hasattr(model := fitted(case), "predict"):
            model.predict(training_sets()[[]])
        elif hasattr(model, "transform"):
            model.transform(training_sets()[[]])
        else:
            case.make().fit(training_sets()[[]])


@every
def test_wrong_parameters_are_said_when_fitting(case):
    (name, _), *_ = case.grid.items()
    model = case.make().set_params(**{name: "nonsense"})
    with pytest.raises(sw.InputError) as said:
        model.fit(training_sets(), targets(case.kind))
    assert "\n" not in str(said.value)


@every
def test_tags(case):
    model = case.make()
    assert is_classifier(model) == (case.kind == "classifier")
    assert is_regressor(model) == (case.kind == "regressor")
    assert is_outlier_detector(model) == (case.kind == "outlier")
    assert not get_tags(model).input_tags.two_d_array
    assert get_tags(model).target_tags.required == (case.kind in ("classifier", "regressor"))


@every
def test_frames_that_scikit_learn_is_set_to_give(case):
    """They are for what comes out, and change nothing inside."""
    pytest.importorskip("pandas")
    expected = outputs(fitted(case), new_sets())
    with config_context(transform_output="pandas"):
        model = fitted(case)
        found = {name: np.asarray(getattr(model, name)(new_sets())) for name in expected}
    assert_equal(found, expected)


@supervised
def test_as_many_targets_as_sets(case):
    for wrong in (targets(case.kind)[:-1], None, np.zeros((18, 2))):
        with pytest.raises(sw.InputError):
            case.make().fit(training_sets(), wrong)


def folds(case):
    kind = StratifiedKFold if case.kind == "classifier" else KFold
    return kind(3, shuffle=True, random_state=0)


def by_hand(case, sets, y, parameters=None):
    """Each fold's model, its test places."""
    for train, test in folds(case).split(np.zeros(len(sets)), y):
        members = [sets[i] for i in train]
        model = case.make().set_params(**(parameters or {}))
        yield model.fit(members, None if y is None else y[train]), test


@predicting
@pytest.mark.parametrize("given", [list, lambda sets: sets], ids=["list", "SampleSets"])
def test_cross_val_predict_is_a_refit_a_fold(case, given):
    sets, y = training_sets(), targets(case.kind)
    for method in ("predict", "decision_function", "predict_proba"):
        if not hasattr(case.make(), method):
            continue
        found = cross_val_predict(case.make(), given(sets), y, cv=folds(case), method=method)
        for model, test in by_hand(case, sets, y):
            np.testing.assert_array_equal(found[test], getattr(model, method)([sets[i] for i in test]))


@supervised
@pytest.mark.parametrize("in_pipeline", [False, True], ids=["alone", "Pipeline"])
def test_cross_val_score_is_a_refit_a_fold(case, in_pipeline):
    sets, y = training_sets(), targets(case.kind)
    model = make_pipeline(FunctionTransformer(), case.make()) if in_pipeline else case.make()
    found = cross_val_score(model, sets, y, cv=folds(case))
    expected = [model.score([sets[i] for i in test], y[test]) for model, test in by_hand(case, sets, y)]
    np.testing.assert_array_equal(found, expected)


@supervised
def test_a_grid_search_is_a_refit_a_fold_and_candidate(case):
    sets, y = training_sets(), targets(case.kind)
    search = GridSearchCV(case.make(), case.grid, cv=folds(case)).fit(sets, y)
    (name, values), *_ = case.grid.items()
    scores = [
        np.mean(
            [model.score([sets[i] for i in test], y[test]) for model, test in by_hand(case, sets, y, {name: value})]
        )
        for value in values
    ]
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], scores)
    assert search.best_params_ == {name: values[int(np.argmax(scores))]}
    best = case.make().set_params(**search.best_params_).fit(sets, y)
    np.testing.assert_array_equal(search.predict(new_sets()), best.predict(new_sets()))
