"""scikit-learn's own checks of every method."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from isthmus import ColumnNormalizer
from isthmus.estimators.registry import METHODS

# The problems of these checks are clouds of random points.
pytestmark = [
    pytest.mark.ends_early,
    pytest.mark.doubtful,
    # CDSC fits a ridge classifier to coordinates of very different scales.
    pytest.mark.filterwarnings("ignore:An ill-conditioned matrix:scipy.linalg.LinAlgWarning"),
]


@parametrize_with_checks([*(method.build() for method in METHODS.values()), ColumnNormalizer()])
def test_scikit_learn_check(estimator, check):
    check(estimator)
