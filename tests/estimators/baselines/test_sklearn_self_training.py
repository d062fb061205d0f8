"""The self-training of scikit-learn: tests beyond the contract."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import SelfTrainingClassifier

from isthmus import SklearnSelfTraining
from toy import make_toy


def fit(model, toy, **options):
    return model.fit(toy.X, toy.y, toy.sample_domain, **options)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "settings", [{}, {"threshold": 0.6}, {"criterion": "k_best", "k_best": 7}], ids=str
)
def test_equals_scikit_learn(settings, n_classes):
    toy = make_toy((0, 1, -1), n_classes)
    model = fit(SklearnSelfTraining(**settings), toy)
    X = normalize(toy.X)
    own = SelfTrainingClassifier(LogisticRegression(max_iter=1000), **settings).fit(X, toy.y)
    target_rows = X[toy.is_target]
    np.testing.assert_allclose(
        model.label_distributions_[toy.is_target], own.predict_proba(target_rows), atol=1e-6
    )
    np.testing.assert_array_equal(model.labeled_iter_, own.labeled_iter_)
    assert model.n_iter_ == own.n_iter_


@pytest.mark.doubtful
def test_iterations_of_added_documents():
    toy = make_toy()
    model = fit(SklearnSelfTraining(0.6), toy)
    assert (model.labeled_iter_[~toy.is_target] == 0).all()
    assert model.labeled_iter_[toy.is_target].max() >= 2  # some were added because of others
    assert model.n_iter_ >= 2
    none = fit(SklearnSelfTraining(max_iter=0), toy)
    assert none.n_iter_ == 1
    alone = LogisticRegression(max_iter=1000).fit(normalize(toy.X)[~toy.is_target], toy.y[:40])
    np.testing.assert_allclose(none.coef_[1] - none.coef_[0], alone.coef_[0], atol=1e-6)


def test_class_prior_is_matched():
    toy = make_toy()
    model = fit(SklearnSelfTraining(class_prior=[0.3, 0.7]), toy)
    assert np.mean(model.transduction_[toy.is_target] == 0) == pytest.approx(0.3, abs=0.04)


def test_few_or_no_unlabeled_rows_give_no_warning():
    toy = make_toy()
    rows = np.flatnonzero(~toy.is_target)
    few = np.concatenate([rows, [len(toy.y) - 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SklearnSelfTraining(criterion="k_best").fit(toy.X[few], toy.y[few])
        assert model.transduction_.shape == (41,)
        model = SklearnSelfTraining().fit(toy.X[rows], toy.y[rows])
    assert model.n_iter_ == 1
    assert not model.labeled_iter_.any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": 1.0}, "threshold must be below 1"),
        ({"threshold": -0.5}, "threshold must be at least 0"),
        ({"criterion": "best"}, "criterion must be one of 'threshold', 'k_best'"),
        ({"k_best": 0}, "k_best must be at least 1"),
        ({"max_iter": -1}, "max_iter must be at least 0"),
        ({"C": 0}, "C must be above 0"),
    ],
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(SklearnSelfTraining(**parameters), make_toy())
