"""The initial classifier makes no unnecessary copy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.rows import take_rows, with_unit_rows


def random_matrix():
    generator = np.random.default_rng(0)
    return sparse.csr_array(generator.random((12, 5)) * (generator.random((12, 5)) < 0.6))


def test_consecutive_rows_are_a_view():
    X = random_matrix()
    assert np.shares_memory(take_rows(X, np.arange(3, 9)).data, X.data)
    np.testing.assert_array_equal(take_rows(X, np.arange(3, 9)).toarray(), X.toarray()[3:9])
    scattered = np.array([0, 2, 5])
    np.testing.assert_array_equal(take_rows(X, scattered).toarray(), X.toarray()[scattered])


@pytest.mark.parametrize("container", [sparse.csr_array, lambda X: X.toarray()])
def test_unit_rows_do_not_change_their_input(container):
    X = container(random_matrix())
    before = X.copy()
    unit = with_unit_rows(X)
    plain = unit.toarray() if sparse.issparse(unit) else unit
    np.testing.assert_allclose(np.linalg.norm(plain, axis=1), 1)
    assert abs(X - before).sum() == 0
    if sparse.issparse(X):
        assert np.shares_memory(unit.indices, X.indices)
    assert with_unit_rows(unit) is unit


def test_unit_rows_of_whole_numbers():
    counts = sparse.csr_array(np.array([[3, 4, 0], [0, 0, 2]]))
    np.testing.assert_allclose(with_unit_rows(counts).toarray(), [[0.6, 0.8, 0], [0, 0, 1]])


def test_predictions_in_blocks_are_equal(monkeypatch):
    from isthmus import MTrick
    from isthmus.estimators.components import linear_models
    from toy import make_toy

    toy = make_toy()
    fits = []
    for size in (7, 1000):
        monkeypatch.setattr(linear_models, "_BLOCK", size)
        fits.append(MTrick().fit(toy.X, toy.y, toy.sample_domain).label_distributions_)
    np.testing.assert_array_equal(*fits)


@pytest.mark.parametrize("container", [sparse.csr_matrix, lambda X: X.toarray()])
def test_a_classifier_that_works_in_place_does_not_change_the_input(container):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, normalize

    from isthmus import MTrick
    from toy import make_toy

    toy = make_toy()
    X = container(normalize(toy.X))
    before = X.copy()
    classifier = make_pipeline(MaxAbsScaler(copy=False), LogisticRegression())
    MTrick(init_classifier=classifier).fit(X, toy.y, toy.sample_domain)
    assert abs(X - before).sum() == 0
