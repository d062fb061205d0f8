"""Self-training beyond the contract tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from isthmus import SFA, MTrick, SelfTraining, SourceSVM, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.domains.parse import make_problem
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.self_training._pseudo_labels import candidates_of
from toy import make_toy


def fit(toy, *args, **options):
    return SelfTraining(*args, **options).fit(toy.X, toy.y, sample_domain=toy.sample_domain)


def test_without_rounds_it_is_the_classifier():
    toy = make_toy()
    svm = SourceSVM(class_prior="source").fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    model = fit(toy, n_rounds=0)
    np.testing.assert_allclose(model.label_distributions_, svm.label_distributions_)
    assert model.n_rounds_ == 0


def test_one_round_equals_a_computation_with_scikit_learn():
    from sklearn.svm import LinearSVC

    toy = make_toy(n_per_class=30)
    X, source = toy.X, ~toy.is_target
    first = LinearSVC(dual=False).fit(X[source], toy.truth[source])
    order = np.argsort(first.decision_function(X[~source]))
    n_each = round(0.5 * (~source).sum() / 2)
    chosen = np.concatenate([order[:n_each], order[-n_each:]])
    y = np.concatenate([toy.truth[source], np.repeat([0, 1], n_each)])
    rows = sparse.vstack([X[source], X[~source][chosen]])
    second = LinearSVC(dual=False).fit(rows, y)
    scores = second.decision_function(X[~source])
    expected = (scores > np.median(scores)).astype(int)
    model = fit(toy, n_rounds=1, fraction=0.5)
    np.testing.assert_allclose(model.estimator_.coef_[1] * 2, second.coef_[0], atol=1e-5)
    np.testing.assert_array_equal(model.transduction_[~source], expected)


def test_better_than_the_source_only_classifier():
    toy = make_toy(n_per_class=60)
    source_only = SourceSVM().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    model = fit(toy)
    accuracies = [toy.target_accuracy(m.transduction_) for m in (model, source_only)]
    assert accuracies[0] > accuracies[1]
    # Words that the source hardly uses have weights.
    totals = np.asarray([toy.X[rows].sum(axis=0) for rows in (toy.is_target, ~toy.is_target)])
    own = totals[0] > 5 * totals[1]
    weights = [np.abs(svm.coef_[:, own]).mean() for svm in (model.estimator_, source_only)]
    assert weights[0] > 2 * weights[1]


@pytest.mark.parametrize("estimator", ["lg", "sfa", "mtrick", "cdsc", "lssttc", "pjnmf"])
def test_every_kind_of_classifier(estimator):
    toy = make_toy(n_classes=3)
    model = fit(toy, estimator, n_rounds=2, random_state=0)
    assert toy.target_accuracy(model.transduction_) > 0.85
    assert np.mean(model.predict(toy.X[toy.is_target]) == toy.truth[toy.is_target]) > 0.85
    assert set(model.top_words(n_words=2)) == {0, 1, 2}
    assert hasattr(model, "top_cluster_words") == (estimator == "mtrick")


def test_features_are_fitted_once(monkeypatch):
    calls = []
    fit_features = SFA._fit_features
    monkeypatch.setattr(
        SFA, "_fit_features", lambda *args: (calls.append(1), fit_features(*args))[1]
    )
    fit(make_toy(), SFA(), n_rounds=3)
    assert len(calls) == 1


def test_duplicates_count_once():
    toy = make_toy(n_per_class=20)
    target = np.flatnonzero(toy.is_target)
    copies = np.repeat(target[:1], 30)
    X = sparse.vstack([toy.X, toy.X[copies]]).tocsr()
    y = np.concatenate([toy.y, np.full(30, -1)])
    numbers = np.concatenate([toy.sample_domain, np.full(30, -1)])
    prior = {-1: np.array([0.5, 0.5])}
    data = TrainingData(make_problem(X, y, numbers), X, target_prior=prior)
    (candidates,) = candidates_of(data, X)
    assert candidates.n_different == len(target)
    # The document with duplicates is the most certain of its class, which gets one of two.
    memberships = np.full((len(y) - (~toy.is_target).sum(), 2), 0.5)
    memberships[:, 0] = np.linspace(0.4, 0.6, len(memberships))
    memberships[candidates.groups == candidates.groups[0]] = [0.9, 0.1]
    _, labels = candidates.most_confident(memberships, 2 / len(target))
    assert (labels == 0).sum() == 31
    assert (labels == 1).sum() == 1


def test_empty_documents_get_no_pseudo_label():
    toy = make_toy(n_per_class=20)
    X = sparse.vstack([toy.X, sparse.csr_array((30, toy.X.shape[1]))]).tocsr()
    y = np.concatenate([toy.y, np.full(30, -1)])
    numbers = np.concatenate([toy.sample_domain, np.full(30, -1)])
    with_empty = SelfTraining("lg", n_rounds=3).fit(X, y, sample_domain=numbers)
    without = fit(toy, "lg", n_rounds=3)
    n_rows = len(toy.y)
    assert np.mean(with_empty.transduction_[:n_rows] == without.transduction_) > 0.98


def test_the_order_of_ties_does_not_matter():
    source = np.array([[2.0, 0, 0, 0], [0, 2, 0, 0]])
    target = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1], [1, 0, 2, 0]])
    y = [0, 1, None, None, None, None, None]
    forwards = SelfTraining(n_rounds=3).fit(np.vstack([source, target]), y)
    backwards = SelfTraining(n_rounds=3).fit(np.vstack([source, target[::-1]]), y)
    np.testing.assert_allclose(
        forwards.label_distributions_[2:], backwards.label_distributions_[2:][::-1], atol=1e-6
    )


@pytest.mark.ends_early
def test_class_swap_is_checked_in_the_first_fit_only():
    toy = make_toy(n_per_class=40)
    mtrick = MTrick().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    model = fit(toy, MTrick(), n_rounds=2)
    assert model.estimator_.alignment_certainty_ == mtrick.alignment_certainty_
    assert model.estimator_.check_class_swap


def test_given_labels_are_kept():
    toy = make_toy()
    y = toy.y.copy()
    target = np.flatnonzero(toy.is_target)
    y[target[:3]] = 1 - toy.truth[target[:3]]  # wrong on purpose
    model = SelfTraining().fit(toy.X, y, sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(model.transduction_[target[:3]], y[target[:3]])
    data = TrainingData(make_problem(toy.X, y, toy.sample_domain), toy.X)
    relabeled = data.with_labels({-1: np.zeros(len(target), np.intp)})
    np.testing.assert_array_equal(relabeled.problem.targets[0].labels[:3], y[target[:3]])


def test_a_callback_can_stop_the_fit():
    toy, calls = make_toy(), []

    def stop(progress):
        calls.append(progress)
        return progress.iteration == 2

    model = SelfTraining(n_rounds=5).fit(
        toy.X, toy.y, sample_domain=toy.sample_domain, callback=stop
    )
    assert [progress.iteration for progress in calls] == [1, 2]
    assert model.n_rounds_ == 2
    assert calls[0].changed == 1.0
    assert 0 <= calls[1].changed < 1


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        ("kmeans", {}, "'kmeans'"),
        ("svn", {}, "svn"),
        (LogisticRegression(), {}, "or a classifier of isthmus"),
        (3, {}, "estimator=3 must be the name of a method"),
        (SourceSVM(C=-1), {}, "C must be above 0"),
        (SFA(classifier=None), {}, "makes features and no labels"),
        ("svm", {"n_rounds": -1}, "n_rounds must be at least 0"),
        ("svm", {"n_rounds": 1.5}, "n_rounds must be a whole number"),
        ("svm", {"fraction": 0}, "fraction must be above 0"),
        ("svm", {"fraction": 1.1}, "fraction must be at most 1"),
    ],
    ids=["clusterer", "typo", "object", "number", "inner", "none", "below", "half", "zero", "more"],
)
def test_invalid_parameters(estimator, options, message):
    toy = make_toy()
    with pytest.raises(ValueError, match=message):
        fit(toy, estimator, **options)


@pytest.mark.ends_early
def test_negative_values_are_refused_if_the_estimator_refuses_them():
    toy = make_toy()
    model = fit(toy, MTrick(), n_rounds=1)
    with pytest.raises(ValueError, match="Negative values"):
        model.predict(toy.X * -1.0)
    with pytest.raises(ValueError, match="Negative values"):
        SelfTraining(MTrick()).fit(toy.X * -1.0, toy.y, sample_domain=toy.sample_domain)


@pytest.mark.parametrize("estimator", ["svm", SFA(n_components=5), MTrick()], ids=str)
def test_model_file_round_trip(estimator, tmp_path):
    corpus = make_corpus()
    model = Transfer(
        SelfTraining(estimator, n_rounds=2), class_prior={"positive": 0.6, "negative": 0.4}
    )
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    model.save(tmp_path / "m.isthmus")
    loaded = load(tmp_path / "m.isthmus")
    texts = corpus.target_texts[:30]
    np.testing.assert_array_equal(model.predict_proba(texts), loaded.predict_proba(texts))
    assert loaded.top_words(3) == model.top_words(3)
    inner = loaded.estimator_.get_params(deep=False)["estimator"]
    assert inner == "svm" if estimator == "svm" else type(inner) is type(estimator)
    # A loaded model can be fitted again.
    loaded.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    np.testing.assert_array_equal(loaded.labels_, model.labels_)


def test_parameters_of_the_estimator():
    model = SelfTraining(SourceSVM()).set_params(estimator__C=2.0, n_rounds=3)
    assert (model.estimator.C, model.n_rounds) == (2.0, 3)
    with pytest.raises(ValueError, match="pass an estimator object instead of 'svm'"):
        SelfTraining("svm").set_params(estimator__C=2.0)


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_values_far_from_1_are_refused(factor):
    toy = make_toy()
    with pytest.raises(
        ValueError, match="too far from 1 for a linear classifier: scale the values"
    ):
        SelfTraining().fit(toy.X * factor, toy.y, sample_domain=toy.sample_domain)
