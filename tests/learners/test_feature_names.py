"""Columns that have names are known again by them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import setwise as sw
from tests.learners.estimators import ESTIMATORS, new_sets, outputs, targets, training_sets


def named(sets, *names):
    return sw.SampleSets(list(sets), ids=sets.ids, feature_names=names)


@pytest.mark.parametrize("case", ESTIMATORS, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::setwise.errors.SetwiseWarning")
def test_columns_are_known_by_their_names(case):
    sets, y = training_sets(), targets(case.kind)
    model = case.make().fit(named(sets, "x", "y"), y)
    assert model.feature_names_in_.tolist() == ["x", "y"]
    expected = outputs(model, new_sets())  # without names, they are taken in their order
    for name, value in outputs(model, named(new_sets(), "x", "y")).items():
        np.testing.assert_array_equal(value, expected[name])
    for name in expected:
        with pytest.raises(sw.InputError, match=r"columns are y, x; this .* was fitted on x, y"):
            getattr(model, name)(named(new_sets(), "y", "x"))
    assert not hasattr(model.fit(sets, y), "feature_names_in_")
    assert not hasattr(clone(model), "feature_names_in_")
