"""LSSTTC on the strict engine, with parameters other than the defaults."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from engines.strict import StrictEngine
from isthmus import LSSTTC
from isthmus.matrices.engines import fit_engine
from toy import make_toy

pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

PRECISE = LogisticRegression(tol=1e-9, max_iter=1000)
OPTIONS = {
    "paper": {**LSSTTC.from_preset("paper").get_params(), "init_classifier": PRECISE},
    "not centered": {"center": False, "unit_rows": False, "init_classifier": PRECISE},
    "no iterations": {"max_iter": 0},
    "kmeans": {"init_classifier": "kmeans", "w_step": "smallest_in_span"},
    "complement_nb": {"init_classifier": "complement_nb", "lam": 1.0},
}


@pytest.mark.filterwarnings("ignore:The subspace of w_step")
@pytest.mark.parametrize("name", OPTIONS)
def test_parameters(name):
    toy = make_toy((0, 1, -1), 3)
    rows = np.ones(len(toy.y))
    rows[[2, 130]] = 0  # empty documents
    X = sparse.csr_array(toy.X * rows[:, None])
    options = {**OPTIONS[name], "random_state": 0}
    expected = LSSTTC(**options).fit(X, toy.y, toy.sample_domain)
    with fit_engine(StrictEngine()):
        estimator = LSSTTC(**options).fit(X, toy.y, toy.sample_domain)
        proba = estimator.predict_proba(X, toy.sample_domain)
    # The initial logistic regressions of the engines agree up to the tolerance of scikit-learn.
    atol = 5e-3 if name == "no iterations" else 1e-6
    np.testing.assert_allclose(estimator.objective_, expected.objective_, rtol=atol)
    np.testing.assert_allclose(
        estimator.label_distributions_, expected.label_distributions_, atol=atol
    )
    np.testing.assert_allclose(proba, expected.predict_proba(X, toy.sample_domain), atol=atol)
