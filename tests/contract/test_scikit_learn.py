"""scikit-learn's own checks of every method."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from isthmus import ColumnNormalizer
from isthmus.estimators.registry import METHODS

# The problems of these checks are clouds of random points.
pytestmark = [
    pytest.mark.ends_early,
    pytest.mark.doubtful,
    # CDSC fits a ridge classifier to coordinates of very different scales.
    pytest.mark.filterwarnings("ignore:An ill-conditioned matrix:scipy.linalg.LinAlgWarning"),
]


def _checks():
    """Every check of every method, with the name of the method in its id."""
    estimators = {method.name: method.build() for method in METHODS.values()}
    for name, estimator in {**estimators, "column-normalizer": ColumnNormalizer()}.items():
        for instance, check in estimator_checks_generator(estimator):
            check_name = getattr(check, "func", check).__name__
            yield pytest.param(instance, check, id=f"{name}-{check_name}")


@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
def test_scikit_learn_check(estimator, check):
    check(estimator)
