"""Leading eigenpairs."""

from __future__ import annotations

import numpy as np
import pytest

import isthmus.numerics.eigen as eigen
from isthmus.numerics.eigen import largest_eigenpairs


@pytest.mark.parametrize("n", [3, 40, 300])
@pytest.mark.parametrize("k", [1, 2, 7, 60])
def test_eigenpairs_equal_those_of_a_dense_decomposition(n, k):
    generator = np.random.default_rng(0)
    half = generator.standard_normal((n, n))
    matrix = half @ half.T / n
    pairs = largest_eigenpairs(lambda V: matrix @ V, generator.standard_normal(n), k)
    k = min(k, n)
    values = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(pairs.values, values[::-1][:k], rtol=1e-7)
    np.testing.assert_allclose(matrix @ pairs.vectors, pairs.vectors * pairs.values, atol=1e-5)
    largest = np.abs(pairs.vectors).argmax(axis=0)
    assert (pairs.vectors[largest, np.arange(k)] > 0).all()


def test_no_convergence_is_an_error(monkeypatch):
    sizes = []

    def never(matrix, k, ncv, **options):
        sizes.append(ncv)
        raise eigen.ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((400, 0)))

    monkeypatch.setattr(eigen, "eigsh", never)
    with pytest.raises(RuntimeError, match=r"3 leading eigenvectors .* 1e-08"):
        largest_eigenpairs(lambda V: V, np.ones(400), 3)
    assert sizes[1] > sizes[0]  # the second try has a larger subspace
