"""Adaptive subspace iteration."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus import ASI
from toy import make_toy


def test_centers_lie_in_the_subspace():
    toy = make_toy((0,), n_classes=4)
    model = ASI(4, n_components=2, random_state=0).fit(toy.X)
    assert np.linalg.matrix_rank(model.cluster_centers_[-1], tol=1e-8) == 2
    assert len(model.objective_) == model.n_iter_ + 1
    unit = toy.X.toarray() / np.linalg.norm(toy.X.toarray(), axis=1, keepdims=True)
    distance = np.sum((unit - model.cluster_centers_[-1][model.labels_]) ** 2)
    assert model.objective_[-1] == pytest.approx(distance)
