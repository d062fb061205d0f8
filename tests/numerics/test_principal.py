"""Leading singular directions against dense decompositions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.rows import as_documents
from isthmus.numerics.truncated_svd import principal_directions


def random_documents(n_rows, n_terms, dtype="float64"):
    generator = np.random.default_rng(n_rows)
    X = generator.random((n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.2)
    X[:, 0] += 0.1  # no document is empty
    return sparse.csr_array(X.astype(dtype)), generator.standard_normal(n_terms)


@pytest.mark.parametrize("shape", [(12, 30), (30, 12), (150, 260), (260, 150)])
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_directions_equal_those_of_a_dense_decomposition(shape, centered, dtype):
    X, start = random_documents(*shape, dtype)
    dense = X.toarray().astype(float)
    dense -= dense.mean(axis=0) if centered else 0
    _, values, directions = np.linalg.svd(dense, full_matrices=False)
    principal = principal_directions(as_documents(X), 4, start, centered=centered)
    close = 1e-7 if dtype == "float64" else 2e-3
    np.testing.assert_allclose(principal.squares, values[:4] ** 2, rtol=close)
    assert principal.total == pytest.approx(np.sum(values**2), rel=1e-5)
    cosines = np.abs(np.sum(principal.directions * directions[:4].T, axis=0))
    np.testing.assert_allclose(cosines, 1, atol=close)
    np.testing.assert_allclose(principal.directions.T @ principal.directions, np.eye(4), atol=close)


def test_no_more_directions_than_the_rank():
    X = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 0.0])
    one = principal_directions(as_documents(X), 3, np.ones(4))
    assert one.directions.shape == (4, 1)
    np.testing.assert_allclose(one.squares, [np.sum(X**2)])
    none = principal_directions(as_documents(np.ones((3, 4))), 2, np.arange(4.0), centered=True)
    assert (none.total, none.squares.tolist()) == (0, [0])
    np.testing.assert_array_equal(none.mean, np.ones(4))
