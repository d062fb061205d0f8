"""Weightings of counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus import ColumnNormalizer, make_weighting

COUNTS = np.array([[1.0, 0, 4, 0], [2, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]])


def test_column_normaliser_by_hand():
    logs = np.where(COUNTS > 0, 1 + np.log(np.maximum(COUNTS, 1)), 0)
    shares = np.divide(
        logs,
        logs.sum(1, keepdims=True),
        where=logs.sum(1, keepdims=True) > 0,
        out=np.zeros_like(logs),
    )
    sums = shares.sum(axis=0)
    weighted = shares * np.where(sums > 0, 1 / np.sqrt(np.where(sums > 0, sums, 1)), 0)
    norms = np.linalg.norm(weighted, axis=1, keepdims=True)
    expected = weighted / np.where(norms > 0, norms, 1)
    for container in (np.asarray, sparse.csr_array, sparse.csr_matrix):
        X = container(COUNTS)
        result = ColumnNormalizer().fit_transform(X)
        result = result.toarray() if sparse.issparse(result) else result
        np.testing.assert_allclose(result, expected)
    np.testing.assert_array_equal(X.toarray(), COUNTS)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("counts", [1, 0, 4, 0]),
        ("presence", [1, 0, 1, 0]),
        ("tfidf", [1 * (np.log(5 / 4) + 1), 0, 4 * (np.log(5 / 3) + 1), 0]),
    ],
)
def test_named_weightings(name, row):
    result = make_weighting(name).fit_transform(sparse.csr_array(COUNTS))
    np.testing.assert_allclose(result.toarray()[0], row)


def test_log_tfidf_has_unit_rows():
    result = make_weighting("log-tfidf").fit_transform(sparse.csr_array(COUNTS)).toarray()
    np.testing.assert_allclose(np.linalg.norm(result, axis=1), [1, 1, 0, 1])


def test_unknown_weighting():
    with pytest.raises(ValueError, match="Unknown weighting 'bm25'; weightings are: counts"):
        make_weighting("bm25")
