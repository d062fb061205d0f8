"""scikit-learn's own checks over every method of the registry."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from isthmus import ColumnNormalizer
from isthmus.estimators.registry import METHODS


@parametrize_with_checks([*(method.build() for method in METHODS.values()), ColumnNormalizer()])
def test_scikit_learn_check(estimator, check):
    check(estimator)
