"""Gram matrices with their ids."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

import setwise as sw
from tests.kernels.test_set_kernel import some_sets


class MeanProducts(TransformerMixin, BaseEstimator):
    """Any transformer of sets: the inner products of their means."""

    def fit(self, X, y=None):
        self.means_ = np.array([points.mean(axis=0) for points in X])
        return self

    def transform(self, X):
        return np.array([points.mean(axis=0) for points in X]) @ self.means_.T


def test_of_sets():
    sets = some_sets()
    gram = sw.gram_matrix(sets)
    assert gram.shape == (9, 9) and gram.ids_x == gram.ids_y == sets.ids
    np.testing.assert_array_equal(gram.values, sw.SetKernel().fit_transform(sets))
    np.testing.assert_array_equal(np.asarray(gram), gram.values)
    assert gram.projection is gram.kernel.projection_
    assert np.linalg.eigvalsh(gram).min() >= -1e-10


def test_of_other_sets():
    sets, new = some_sets(), some_sets(3, seed=5)[[2, 0]]
    kernel = sw.SetKernel("js", width=2.0)
    gram = sw.gram_matrix(new, sets, kernel)
    assert gram.shape == (2, 9) and gram.ids_x == ("s2", "s0") and gram.ids_y == sets.ids
    np.testing.assert_array_equal(gram.values, sw.SetKernel("js", width=2.0).fit(sets).transform(new))
    assert not hasattr(kernel, "steps_")


def test_lists_are_numbered():
    assert sw.gram_matrix(list(some_sets(3))).ids_x == (0, 1, 2)


def test_to_frame():
    pytest.importorskip("pandas")
    gram = sw.gram_matrix(some_sets(3, seed=5), some_sets())
    frame = gram.to_frame()
    assert list(frame.index) == ["s0", "s1", "s2"] and list(frame.columns) == [f"s{i}" for i in range(9)]
    assert frame.loc["s1", "s7"] == gram.values[1, 7]
    assert gram.to_frame("pyarrow").column_names == ["set", *frame.columns]


def test_read_only_and_copied_on_request():
    gram = sw.gram_matrix(some_sets())
    with pytest.raises(ValueError, match="read-only"):
        gram.values[0, 0] = 2
    copy = np.array(gram)
    copy[0, 0] = 2
    assert gram.values[0, 0] != 2
    assert np.asarray(gram, dtype=np.float32).dtype == np.float32


def test_repr_says_what_was_discarded():
    gram = sw.gram_matrix(some_sets(), kernel=sw.SetKernel("kl", k=1))
    n, mass = gram.projection.n_negative_, gram.projection.negative_mass_
    assert n > 0
    account = f"{n} of 9 eigenvalues negative, {mass:.1%} of the spectrum, discarded"
    assert repr(gram) == f"<Gram: 9 x 9 sets; SetKernel(divergence='kl', k=1); {account}>"


def test_any_transformer_of_sets():
    sets = some_sets()
    gram = sw.gram_matrix(sets, kernel=MeanProducts())
    means = np.array([points.mean(axis=0) for points in sets])
    np.testing.assert_allclose(gram.values, means @ means.T)
    assert gram.projection is None
    assert repr(gram) == "<Gram: 9 x 9 sets; MeanProducts()>"


def test_containers_that_the_kernel_is_told_to_give():
    pytest.importorskip("pandas")
    kernel = sw.SetKernel().set_output(transform="pandas")
    np.testing.assert_array_equal(sw.gram_matrix(some_sets(), kernel=kernel).values, sw.gram_matrix(some_sets()).values)


@pytest.mark.parametrize("kernel", ["linear", sw.GaussianKernel(), sw.SetKernel], ids=str)
def test_what_takes_no_sets(kernel):
    with pytest.raises(sw.InputError, match=r"takes no sets; write SetKernel\(kernel=\.\.\.\)"):
        sw.gram_matrix(some_sets(), kernel=kernel)
