"""Kernel mean matching: tests beyond the contract."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from isthmus import KernelMeanMatching
from toy import make_toy


def fit(model, toy, **options):
    return model.fit(toy.X, toy.y, toy.sample_domain, **options)


def shifted_problem(seed=0, n_source=400, n_target=200):
    """The same term indicates opposite classes in nine of ten source documents and elsewhere."""
    generator = np.random.default_rng(seed)
    alike = np.concatenate([np.arange(n_source) % 10 == 0, np.full(n_target, True)])
    term = generator.integers(0, 2, n_source + n_target)
    truth = np.where(alike, term, 1 - term)
    X = np.zeros((len(alike), 4))
    X[np.arange(len(alike)), np.where(alike, 0, 1)] = 1.0
    X[np.arange(len(alike)), 2 + term] = 1.0
    X += 0.1 * generator.random(X.shape)
    return X, np.where(np.arange(len(alike)) < n_source, truth, -1), truth


def test_weights_correct_a_covariate_shift():
    X, y, truth = shifted_problem()
    target = y < 0
    plain = KernelMeanMatching(1, C=10).fit(X, y)
    assert np.mean(plain.transduction_[target] == truth[target]) < 0.1
    weighted = KernelMeanMatching(20, C=10).fit(X, y)
    assert np.mean(weighted.transduction_[target] == truth[target]) > 0.9
    assert weighted.effective_size_ < 80  # 40 source documents are like the target
    assert weighted.objective_[-1] < 0.05 * weighted.objective_[0]


@pytest.mark.parametrize(
    ("name", "model"),
    [("svm", LinearSVC(C=1.0, dual=False)), ("logistic", LogisticRegression(C=1.0, max_iter=1000))],
    ids=["svm", "logistic"],
)
def test_max_weight_1_is_the_unweighted_classifier(name, model):
    toy = make_toy(n_classes=3)
    unweighted = fit(KernelMeanMatching(1, classifier=name), toy)
    X = normalize(toy.X)
    model.fit(X[~toy.is_target], toy.y[~toy.is_target])
    np.testing.assert_allclose(unweighted.coef_, model.coef_, atol=1e-4)
    assert unweighted.effective_size_ == pytest.approx((~toy.is_target).sum())


@pytest.mark.parametrize("epsilon", [0.0, 0.1, None])
def test_weights_keep_their_bounds(epsilon):
    toy = make_toy()
    model = fit(KernelMeanMatching(3, epsilon=epsilon), toy)
    weights = model.sample_weight_[~toy.is_target]
    assert weights.min() >= 1e-3
    assert weights.max() <= 3
    assert abs(weights.mean() - 1) <= (1 - 40**-0.5 if epsilon is None else epsilon) + 2e-3
    assert not model.sample_weight_[toy.is_target].any()


def test_only_labeled_source_documents_with_terms_are_matched():
    toy = make_toy()
    X, y = toy.X.toarray(), toy.y.copy()
    X[3] = 0
    y[5] = -1
    y[-2:] = toy.truth[-2:]
    model = KernelMeanMatching().fit(X, y, toy.sample_domain)
    assert model.sample_weight_[3] == 1
    assert model.sample_weight_[5] == 0
    assert model.sample_weight_[-2:].tolist() == [1, 1]
    rows = ~toy.is_target & (np.arange(len(y)) != 3) & (np.arange(len(y)) != 5)
    assert model.sample_weight_[rows].mean() == pytest.approx(1, abs=1e-3)
    alone = KernelMeanMatching().fit(
        X[rows | toy.is_target],
        np.where(toy.is_target, -1, y)[rows | toy.is_target],
        toy.sample_domain[rows | toy.is_target],
    )
    expected = alone.sample_weight_[: rows.sum()]
    np.testing.assert_allclose(model.sample_weight_[rows], expected, atol=1e-9)


def test_sources_and_targets_are_pooled():
    toy = make_toy((0, 1, -1, -2), n_classes=3)
    apart = fit(KernelMeanMatching(tol=0.0), toy)
    pooled = KernelMeanMatching(tol=0.0).fit(toy.X, toy.y, np.where(toy.is_target, -1, 0))
    np.testing.assert_allclose(apart.sample_weight_, pooled.sample_weight_, atol=1e-6)
    np.testing.assert_allclose(apart.coef_, pooled.coef_, atol=1e-4)


def test_a_class_that_the_target_does_not_have_is_kept():
    X = np.repeat(np.eye(3), 10, axis=0)
    X = np.vstack([X, np.repeat(np.eye(3)[:2], 10, axis=0)])
    y = np.concatenate([np.repeat([0, 1, 2], 10), np.full(20, -1)])
    model = KernelMeanMatching(5).fit(X, y)
    np.testing.assert_allclose(model.sample_weight_[20:30], 1e-3)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.transduction_[30:].tolist() == [0] * 10 + [1] * 10
    assert np.isfinite(model.coef_).all()


def test_few_similar_documents_give_a_warning():
    X = np.eye(3)[[0, 1] + [2] * 98 + [0, 1] * 10]
    y = np.concatenate([np.arange(100) % 2, np.full(20, -1)])
    with pytest.warns(UserWarning, match=r"effective sample size of 2\.0.*lower max_weight"):
        model = KernelMeanMatching(1000).fit(X, y)
    assert model.transduction_[100:].tolist() == [0, 1] * 10


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_weight", 0.9),
        ("epsilon", -0.1),
        ("classifier", "tree"),
        ("C", 0),
        ("max_iter", 0),
        ("tol", -1),
    ],
)
def test_parameters_that_make_no_sense(name, value):
    toy = make_toy()
    with pytest.raises(ValueError, match=f"^{name} must be"):
        fit(KernelMeanMatching(**{name: value}), toy)
