"""The base of transformers."""

from __future__ import annotations

import numpy as np

from isthmus.estimators.registry import METHODS
from toy import make_toy


def test_transformer_names_its_columns():
    toy = make_toy()
    plsa = METHODS["plsa"].build(n_topics=3, random_state=0, tol=1e-3).fit(toy.X)
    assert plsa.get_feature_names_out().tolist() == ["plsa0", "plsa1", "plsa2"]
    mixtures = plsa.transform(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(mixtures.sum(axis=1), 1)
    np.testing.assert_allclose(plsa.components_.sum(axis=1), 1)
