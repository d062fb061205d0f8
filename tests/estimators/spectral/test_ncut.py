"""Normalized cut."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus import NormalizedCut, clustering_accuracy
from toy import make_toy


def test_negative_inner_products_are_refused():
    X = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match=r"X has negative values.*set unit_rows=True"):
        NormalizedCut(unit_rows=False).fit(X)


def test_isolated_documents_join_the_largest_cluster():
    toy = make_toy((0,))
    X = sparse.hstack([toy.X, sparse.csr_array((40, 1))], format="lil")
    X[3] = 0
    X[5] = 0
    X[5, -1] = 1.0  # a term of its own
    model = NormalizedCut(random_state=0).fit(X.tocsr())
    assert model.labels_[[3, 5]].tolist() == [0, 0]
    assert model.predict(sparse.csr_array((2, X.shape[1]))).tolist() == [0, 0]
    others = np.setdiff1d(np.arange(40), [3, 5])
    assert clustering_accuracy(toy.truth[others], model.labels_[others]) > 0.9
