"""TSVM beyond the contract tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from isthmus import TSVM, SourceSVM, Transfer, load
from isthmus.datasets import make_corpus
from toy import make_toy


def fit(toy, **options):
    return TSVM(**options).fit(toy.X, toy.y, sample_domain=toy.sample_domain)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scaling", [1.0, 4.0])
def test_without_unlabeled_documents_it_equals_linear_svc(n_classes, scaling):
    toy = make_toy(n_classes=n_classes)
    source = ~toy.is_target
    svm = LinearSVC(C=0.5, dual=False, intercept_scaling=scaling, tol=1e-8)
    svm.fit(normalize(toy.X[source]), toy.truth[source])
    model = fit(toy, C=0.5, unlabeled_C=0, intercept_scaling=scaling)
    scores = normalize(toy.X) @ model.coef_.T + model.intercept_
    decision = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores
    np.testing.assert_allclose(decision, svm.decision_function(normalize(toy.X)), atol=5e-3)
    assert model.n_iter_ == 1


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", [{}, TSVM._presets["paper"]], ids=["default", "paper"])
def test_better_than_the_source_only_classifier(n_classes, options):
    toy = make_toy((0, 1, -1), n_classes, n_per_class=60)
    source_only = SourceSVM(class_prior="source")
    source_only.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    models = (fit(toy, **options), source_only)
    accuracies = [toy.target_accuracy(model.transduction_) for model in models]
    assert accuracies[0] > accuracies[1]
    # Words that the source hardly uses have weights.
    totals = np.asarray([toy.X[rows].sum(axis=0) for rows in (toy.is_target, ~toy.is_target)])
    own = totals[0] > 5 * totals[1]
    assert own.any()
    weights = [np.abs(m.coef_[:, own]).sum() / np.abs(m.coef_).sum() for m in models]
    assert weights[0] > 2 * weights[1]


def test_the_objective_decreases_while_the_weight_is_fixed():
    toy = make_toy(n_per_class=40)
    model = fit(toy, unlabeled_C=0.4, initial_C_ratio=0.25, max_iter=3)
    objective, weights = np.array(model.objective_), np.array(model.unlabeled_C_)
    assert sorted(set(weights.tolist())) == [0.0, 0.1, 0.2, 0.4]
    assert len(objective) == len(weights) == model.n_iter_
    same = weights[1:] == weights[:-1]
    assert (np.diff(objective)[same] <= 0).all()
    assert max(np.unique(weights, return_counts=True)[1]) <= 3


def test_every_target_has_its_own_quota():
    toy = make_toy((0, -1, -2), n_per_class=40)
    skewed = (toy.sample_domain == -2) & (toy.truth == 1)
    keep = np.setdiff1d(np.arange(len(toy.y)), np.flatnonzero(skewed)[10:])
    model = TSVM(class_prior="estimate")
    model.fit(toy.X[keep], toy.y[keep], sample_domain=toy.sample_domain[keep])
    numbers = toy.sample_domain[keep]
    for number in (-1, -2):
        labels = model.transduction_[numbers == number]
        expected = model.domain_prior_[number][1]
        assert np.mean(labels == 1) == pytest.approx(expected, abs=0.02)
    assert model.domain_prior_[-2][1] < model.domain_prior_[-1][1]
    assert np.mean(model.transduction_ == toy.truth[keep]) > 0.95


def test_without_a_prior_the_first_machine_determines_the_quota():
    toy = make_toy(n_per_class=40)
    drop = np.flatnonzero(toy.is_target & (toy.truth == 1))[:30]
    keep = np.setdiff1d(np.arange(len(toy.y)), drop)
    rows, y, numbers = toy.X[keep], toy.y[keep], toy.sample_domain[keep]
    first = TSVM(C=1.0, unlabeled_C=0, class_prior=None).fit(rows, y, numbers)
    model = TSVM(C=1.0, unlabeled_C=1.0, class_prior=None).fit(rows, y, numbers)
    balanced = TSVM(C=1.0, unlabeled_C=1.0).fit(rows, y, numbers)
    target = numbers < 0
    of_first, of_model, of_balanced = (
        np.mean(m.transduction_[target]) for m in (first, model, balanced)
    )
    assert abs(of_model - of_first) < 0.05
    assert of_balanced == pytest.approx(0.5, abs=0.02)
    assert of_first < 0.4


def test_labeled_target_documents_are_used():
    toy = make_toy(n_per_class=40)
    y = toy.y.copy()
    given = np.flatnonzero(toy.is_target)[::4]
    y[given] = toy.truth[given]
    settings = {"unlabeled_C": 0, "C": 1.0}
    models = (
        TSVM(**settings).fit(toy.X, y, sample_domain=toy.sample_domain),
        fit(toy, **settings),
    )
    others = np.setdiff1d(np.flatnonzero(toy.is_target), given)
    accuracies = [np.mean(m.transduction_[others] == toy.truth[others]) for m in models]
    assert accuracies[0] > accuracies[1]


def test_empty_documents_and_unlabeled_source_rows_are_ignored():
    toy = make_toy()
    model = fit(toy)
    empty, unlabeled = sparse.csr_array((7, toy.X.shape[1])), toy.X[:5]
    X = sparse.vstack([toy.X, empty, unlabeled]).tocsr()
    y = np.concatenate([toy.y, np.full(12, -1)])
    numbers = np.concatenate([toy.sample_domain, np.full(7, -1), np.full(5, 0)])
    more = TSVM().fit(X, y, sample_domain=numbers)
    np.testing.assert_allclose(more.coef_, model.coef_, atol=1e-6)
    np.testing.assert_allclose(
        more.label_distributions_[: len(toy.y)], model.label_distributions_, atol=1e-6
    )
    assert np.isfinite(more.label_distributions_).all()


def test_model_file_round_trip_and_float32(tmp_path):
    corpus = make_corpus()
    model = Transfer("tsvm").fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    model.save(tmp_path / "m.isthmus")
    texts = corpus.target_texts[:30]
    loaded = load(tmp_path / "m.isthmus")
    np.testing.assert_array_equal(model.predict_proba(texts), loaded.predict_proba(texts))
    toy = make_toy(dtype=np.float32)
    assert fit(toy).coef_.dtype == np.float32


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be above 0, got 0"),
        ({"C": 1e11}, "C must be at most"),
        ({"unlabeled_C": -1.0}, "unlabeled_C must be at least 0"),
        ({"initial_C_ratio": 0.0}, "initial_C_ratio must be at least"),
        ({"initial_C_ratio": 2.0}, "initial_C_ratio must be at most 1"),
        ({"intercept_scaling": 0.0}, "intercept_scaling must be above 0"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"tol": -0.1}, "tol must be at least 0"),
        ({"tol": "none"}, "tol must be a finite number"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(make_toy(), **parameters)
