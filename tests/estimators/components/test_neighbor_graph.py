"""Graphs of nearest neighbors."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.estimators.components.neighbor_graph import neighbor_graph


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("with_self", [False, True])
def test_graph_contains_the_nearest_neighbors(signed, with_self):
    X = np.random.default_rng(0).standard_normal((30, 12))
    X = X if signed else np.abs(X)
    graph = neighbor_graph(X, 4, signed=signed, with_self=with_self).toarray()
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosines = unit @ unit.T
    similar = (1 + cosines) / 2 if signed else cosines
    np.fill_diagonal(cosines, -2)
    near = cosines >= np.sort(cosines, axis=1)[:, [-4]]
    expected = np.where(near | near.T, similar, 0)
    np.fill_diagonal(expected, float(with_self))
    np.testing.assert_allclose(graph, expected, atol=1e-9)
