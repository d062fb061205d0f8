"""Class weights of the source-only classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from isthmus import SourceLogistic, SourceSVM
from toy import make_toy

MODELS = {
    SourceLogistic: lambda weight: LogisticRegression(max_iter=1000, class_weight=weight),
    SourceSVM: lambda weight: LinearSVC(dual=False, class_weight=weight),
}


def skewed_toy():
    """The toy problem with three quarters of the labels of one class removed."""
    toy = make_toy()
    y = toy.y.copy()
    ones = np.flatnonzero(~toy.is_target & (toy.y == 1))
    y[ones[len(ones) // 4 :]] = -1
    return toy, y


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("weight", [None, "balanced", {1: 5.0}], ids=str)
def test_equals_scikit_learn(model, weight):
    toy, y = skewed_toy()
    known = y != -1
    expected = MODELS[model](weight).fit(toy.X[known], y[known])
    fitted = model(class_weight=weight).fit(toy.X, y, toy.sample_domain)
    np.testing.assert_allclose(fitted.coef_[1] - fitted.coef_[0], expected.coef_[0], atol=1e-4)


@pytest.mark.parametrize("model", list(MODELS))
def test_balanced_weights_find_more_of_the_rare_class(model):
    toy, y = skewed_toy()
    rates = [
        np.mean(model(class_weight=w).fit(toy.X, y, toy.sample_domain).transduction_ == 1)
        for w in (None, "balanced")
    ]
    assert rates[1] >= rates[0]


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("even", "class_weight must be one of 'balanced', got 'even'"),
        ({0: -1.0}, r"class_weight\[0\]"),
        ({7: 1.0}, "class_weight has the class 7, which no row has"),
    ],
)
def test_errors(model, weight, message):
    toy = make_toy()
    with pytest.raises(ValueError, match=message):
        model(class_weight=weight).fit(toy.X, toy.y, toy.sample_domain)
