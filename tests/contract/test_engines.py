"""What every method guarantees about the engines that its registry row names.

The strict engine refuses every implicit conversion of its arrays to NumPy, so that a machine
without a GPU tests that a method leaves no part of a fit on the wrong device.
"""

from __future__ import annotations

import numpy as np
import pytest

from engines.strict import StrictEngine
from isthmus.estimators.components import linear_models
from isthmus.estimators.registry import METHODS
from isthmus.matrices.engines import fit_engine
from methods import build, parametrize
from toy import make_toy

pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

ON_GPU = parametrize(m for m in METHODS.values() if "gpu" in m.engines)


@pytest.fixture(autouse=True)
def one_solver_of_linear_classifiers(monkeypatch):
    """Use the same solver on both engines: scikit-learn stops earlier, with other digits.

    tests/solvers/linear compares the two.
    """
    monkeypatch.setattr(linear_models, "_SKLEARN_ENGINES", ())


def fitted(method, toy, **parameters):
    estimator = build(method, **parameters)
    labels = {} if method.kind == "transformer" else {"y": toy.y}
    return estimator.fit(toy.X, sample_domain=toy.sample_domain, **labels)


def results(estimator, toy):
    """The numbers of a fit: memberships of fitted and of new documents, or features."""
    if hasattr(estimator, "label_distributions_"):
        new = estimator.predict_proba(toy.X, toy.sample_domain)
        return np.hstack([estimator.label_distributions_, new])
    return estimator.transform(toy.X, sample_domain=toy.sample_domain)


@ON_GPU
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("layout", ["sparse", "dense"])
def test_strict_engine_gives_the_same_result(method, n_classes, layout):
    toy = make_toy((0, 1, -1), n_classes)
    if layout == "dense":
        toy = type(toy)(toy.X.toarray(), toy.truth, toy.sample_domain, toy.y)
    expected = results(fitted(method, toy), toy)
    with fit_engine(StrictEngine()):
        found = results(fitted(method, toy), toy)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@ON_GPU
def test_strict_engine_with_a_class_prior(method):
    if "class_prior" not in build(method).get_params(deep=False):
        pytest.skip("the method has no class prior")
    toy = make_toy((0, -1), 2)
    expected = results(fitted(method, toy, class_prior=[0.6, 0.4]), toy)
    with fit_engine(StrictEngine()):
        found = results(fitted(method, toy, class_prior=[0.6, 0.4]), toy)
    np.testing.assert_allclose(found, expected, atol=1e-6)
