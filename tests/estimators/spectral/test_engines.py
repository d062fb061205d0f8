"""CDSC on the strict engine, with parameters other than the defaults."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from engines.strict import StrictEngine
from isthmus import CDSC
from isthmus.estimators.spectral._self_training import self_train, self_train_ridge
from isthmus.matrices.engines import fit_engine
from toy import make_toy

pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

OPTIONS = {
    "paper": CDSC.from_preset("paper").get_params(),
    "neighbors": {"n_neighbors": 12, "eigen_tol": 1e-9},
    "logistic": {"classifier": "logistic", "eigen_tol": 1e-9},
    "no rounds": {"n_rounds": 0, "eigen_tol": 1e-9},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_parameters(name):
    toy = make_toy((0, 1, -1), 3)
    rows = np.ones(len(toy.y))
    rows[[2, 130]] = 0  # empty documents
    X = sparse.csr_array(toy.X * rows[:, None])
    expected = CDSC(**OPTIONS[name]).fit(X, toy.y, toy.sample_domain)
    with fit_engine(StrictEngine()):
        estimator = CDSC(**OPTIONS[name]).fit(X, toy.y, toy.sample_domain)
        proba = estimator.predict_proba(X, toy.sample_domain)
    np.testing.assert_allclose(
        estimator.label_distributions_, expected.label_distributions_, atol=1e-5
    )
    # With neighbors, new documents get the labels of a logistic regression, whose tolerance on the
    # CPU is that of scikit-learn.
    atol = 5e-3 if name == "neighbors" else 1e-5
    np.testing.assert_allclose(proba, expected.predict_proba(X, toy.sample_domain), atol=atol)


def test_signed_documents():
    toy = make_toy((0, -1), 2)
    X = toy.X.toarray() - 0.3
    expected = CDSC().fit(X, toy.y, toy.sample_domain).label_distributions_
    with fit_engine(StrictEngine()):
        found = CDSC().fit(X, toy.y, toy.sample_domain).label_distributions_
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("n_known_classes", [2, 3])
@pytest.mark.parametrize("n_unknown", [0, 150])
def test_self_training_of_the_ridge_classifier(n_known_classes, n_unknown):
    generator, engine, n_classes = np.random.default_rng(0), StrictEngine(), 4
    truth = generator.integers(0, n_known_classes, 60 + n_unknown)
    coordinates = generator.standard_normal((len(truth), 5)) + 1.2 * np.eye(5)[truth]
    labels = np.where(np.arange(len(truth)) < 60, truth, -1)
    steps = [[], []]
    expected = self_train("ridge", coordinates, labels, n_classes, 20, steps[0].append)
    found = self_train_ridge(
        engine.asarray(coordinates), labels, n_classes, 20, steps[1].append, engine
    )
    assert found.n_rounds == expected.n_rounds
    np.testing.assert_array_equal(found.estimator.classes_, expected.estimator.classes_)
    rules = [
        np.column_stack([t.estimator.coef_, t.estimator.intercept_]) for t in (expected, found)
    ]
    np.testing.assert_allclose(rules[1], rules[0], rtol=1e-6, atol=1e-9)
    assert len(steps[0]) == len(steps[1])
    for before, after in zip(*steps, strict=True):
        assert after.changed == pytest.approx(before.changed)
        assert after.objective == pytest.approx(before.objective, rel=1e-6)
