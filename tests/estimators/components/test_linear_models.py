"""Linear classifiers on engines other than the CPU agree with those of scikit-learn."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engines.strict import StrictEngine
from isthmus.domains.parse import make_problem
from isthmus.estimators.baselines.source_logistic import SourceLogistic
from isthmus.estimators.baselines.source_svm import SourceSVM
from isthmus.estimators.components.linear_models import (
    fit_logistic_to_memberships,
    predict_initial_memberships,
)
from isthmus.matrices.engines import fit_engine
from isthmus.matrices.rows import with_unit_rows
from toy import make_toy


def shuffled(toy, seed=0):
    """Rows of the domains in any order, and some labeled rows of the target."""
    order = np.random.default_rng(seed).permutation(len(toy.y))
    y = np.where(np.arange(len(toy.y)) % 7 == 0, toy.truth, toy.y)
    return type(toy)(toy.X[order], toy.truth[order], toy.sample_domain[order], y[order])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("order", [lambda toy: toy, shuffled])
def test_initial_memberships_on_an_engine(n_classes, order):
    toy = order(make_toy((0, 1, -1), n_classes))
    problem = make_problem(toy.X, toy.y, toy.sample_domain)
    expected = predict_initial_memberships(problem, toy.X, "logistic", {})
    with fit_engine(StrictEngine()):
        problem = make_problem(toy.X, toy.y, toy.sample_domain)
        # Only the type of the matrix is read: its rows are on the engine.
        found = predict_initial_memberships(
            problem, SimpleNamespace(dtype=toy.X.dtype), "logistic", {}
        )
    for part, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, other, atol=5e-3)
        np.testing.assert_array_equal(part.any(axis=1), other.any(axis=1))
        assert part.dtype == toy.X.dtype


def test_the_fit_is_shared():
    toy = make_toy()
    toy = type(toy)(with_unit_rows(toy.X), toy.truth, toy.sample_domain, toy.y)
    shared = {}
    with fit_engine(StrictEngine()):
        problem = make_problem(toy.X, toy.y, toy.sample_domain)
        predict_initial_memberships(problem, toy.X, "logistic", shared)
        fit = shared["logistic on engine"]
        predict_initial_memberships(problem, toy.X, "logistic", shared)
        model = SourceLogistic().fit(toy.X, toy.y, toy.sample_domain)
    assert shared["logistic on engine"] is fit
    np.testing.assert_allclose(2 * model.coef_[1], fit.coef[0], atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rule_of_memberships_on_an_engine(n_classes):
    toy = shuffled(make_toy((0, -1), n_classes))
    memberships = np.eye(n_classes + 1)[toy.truth]  # the last class has no row
    memberships[::5] = 0
    coef, intercept = fit_logistic_to_memberships(toy.X, memberships, 1.0)
    with fit_engine(StrictEngine()):
        problem = make_problem(toy.X, toy.y, toy.sample_domain)
        found = fit_logistic_to_memberships(toy.X, memberships, 1.0, problem)
        alone = fit_logistic_to_memberships(toy.X, memberships, 1.0)
    np.testing.assert_allclose(found[0], coef, atol=0.02)
    np.testing.assert_allclose(found[1], intercept, atol=0.02)
    np.testing.assert_allclose(found[0], alone[0], atol=1e-3)


@pytest.mark.parametrize("classifier", [SourceLogistic, SourceSVM])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"b": 3.0}])
def test_source_only_classifiers_on_an_engine(classifier, n_classes, class_weight):
    toy = shuffled(make_toy((0, 1, -1), n_classes))
    keep = (toy.truth != 0) | (np.arange(len(toy.truth)) % 3 == 0)  # classes of different sizes
    X, domain = toy.X[keep], toy.sample_domain[keep]
    y = np.array([None if code < 0 else "abc"[code] for code in toy.y[keep]], object)
    expected = classifier(C=0.5, class_weight=class_weight).fit(X, y, domain)
    with fit_engine(StrictEngine()):
        found = classifier(C=0.5, class_weight=class_weight).fit(X, y, domain)
        new = found.predict_proba(X, domain)
    distributions = expected.label_distributions_
    np.testing.assert_allclose(found.label_distributions_, distributions, atol=0.02)
    np.testing.assert_allclose(new, expected.predict_proba(X, domain), atol=0.02)
    clear = np.abs(distributions[:, 0] - distributions.max(axis=1)) > 0.04
    np.testing.assert_array_equal(found.transduction_[clear], expected.transduction_[clear])


@pytest.mark.parametrize("scale", [1e13, 1e-13])
def test_values_far_from_one_are_refused_on_an_engine(scale):
    toy = make_toy()
    with fit_engine(StrictEngine()), pytest.raises(ValueError, match="scale the values"):
        SourceSVM().fit(toy.X * scale, toy.y, toy.sample_domain)
