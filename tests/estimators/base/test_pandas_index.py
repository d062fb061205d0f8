"""Rows of pandas objects are not matched by position if their indexes differ."""

from __future__ import annotations

import pandas as pd
import pytest

from isthmus import PLSA, KMeansClusterer, SourceLogistic
from toy import make_toy


@pytest.mark.parametrize(
    ("estimator", "apply"),
    [
        (SourceLogistic(), "predict"),
        (SourceLogistic(), "predict_proba"),
        (KMeansClusterer(2, random_state=0), "predict"),
        (PLSA(2, max_iter=2, tol=0, random_state=0), "transform"),
    ],
)
def test_sample_domain_with_another_index(estimator, apply):
    toy = make_toy()
    X = pd.DataFrame(toy.X.toarray())
    domains = pd.Series(toy.sample_domain)
    shuffled = domains.sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match=r"X and sample_domain .* different indexes") as error:
        estimator.fit(X, toy.y, sample_domain=shuffled)
    assert str(error.value).count(". ") == 0
    estimator.fit(X, toy.y, sample_domain=domains)
    with pytest.raises(ValueError, match=r"X and sample_domain .* different indexes"):
        getattr(estimator, apply)(X, sample_domain=shuffled)
    result = getattr(estimator, apply)(X, sample_domain=domains)
    assert len(result) == len(X)
    # Without an index, rows are matched by position.
    assert len(getattr(estimator, apply)(X, sample_domain=shuffled.to_numpy())) == len(X)
