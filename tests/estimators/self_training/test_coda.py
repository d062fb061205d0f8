"""CODA beyond the contract tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

import isthmus.solvers.self_training.coda as solver
from isthmus import CODA, SourceLogistic
from isthmus.estimators.base.training_data import TrainingData
from isthmus.numerics.class_probabilities import class_counts
from toy import make_toy


def fit(toy, callback=None, **options):
    return CODA(**options).fit(toy.X, toy.y, sample_domain=toy.sample_domain, callback=callback)


def record_pseudo_labels(monkeypatch):
    """A list to which every round adds its pseudo-labels, one array per target."""
    rounds = []
    with_labels = TrainingData.with_labels

    def recorded(data, labels):
        rounds.append(list(labels.values()))
        return with_labels(data, labels)

    monkeypatch.setattr(TrainingData, "with_labels", recorded)
    return rounds


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_rounds_it_is_two_logistic_regressions(n_classes, monkeypatch):
    monkeypatch.setattr(solver, "_LOSS_TOLERANCE", 1e-15)
    toy = make_toy(n_classes=n_classes)
    model = fit(toy, n_rounds=0, C=2.0)
    assert set(model.views_.tolist()) == {0, 1}
    source, X = ~toy.is_target, normalize(toy.X)
    scores = 0.0
    for view in (0, 1):
        own = X[:, np.flatnonzero(model.views_ == view)]
        logistic = LogisticRegression(C=2.0, tol=1e-10, max_iter=5000)
        logistic.fit(own[source], toy.truth[source])
        decision = logistic.decision_function(own[toy.is_target])
        both = np.column_stack([-decision / 2, decision / 2]) if n_classes == 2 else decision
        scores = scores + both
    joint = X[toy.is_target] @ model.coef_.T + model.intercept_
    common = (joint - scores).mean(axis=1, keepdims=True)  # softmax ignores it
    np.testing.assert_allclose(joint - common, scores, atol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_words_that_only_the_target_uses_get_weights(n_classes):
    toy = make_toy(n_classes=n_classes)
    # Terms that only the target uses, see make_toy.
    first = n_classes * (6 + 8)
    own = np.arange(first, first + n_classes * 8)
    class_of_term = np.repeat(np.arange(n_classes), 8)
    before = fit(toy, n_rounds=0).coef_[:, own].argmax(axis=0)
    after = fit(toy).coef_[:, own].argmax(axis=0)
    assert np.mean(before == class_of_term) < 0.8
    assert np.mean(after == class_of_term) > 0.9


def test_better_than_the_source_only_classifier():
    toy = make_toy(n_per_class=40)
    source_only = SourceLogistic(class_prior="source")
    source_only.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    model = fit(toy)
    accuracies = [toy.target_accuracy(m.transduction_) for m in (model, source_only)]
    assert accuracies[0] > accuracies[1]
    assert model.n_rounds_ == 10
    assert len(model.expansion_) == 10
    assert min(model.expansion_) >= 0.1


def test_views_without_expansion_add_no_labels():
    toy = make_toy()
    model = fit(toy, epsilon=1e9)
    assert model.n_rounds_ == 0
    assert model.expansion_ == []
    np.testing.assert_array_equal(model.coef_, fit(toy, n_rounds=0).coef_)


def test_terms_that_the_target_does_not_use_are_penalized():
    toy = make_toy()
    own = slice(2 * 6, 2 * 6 + 2 * 8)  # the source's own terms
    shared = slice(0, 2 * 6)

    def ratio(model):
        return np.abs(model.coef_[1, own]).sum() / np.abs(model.coef_[1, shared]).sum()

    assert ratio(fit(toy, feature_penalty=1.0)) < 0.9 * ratio(fit(toy, feature_penalty=0.0))


@pytest.mark.parametrize("prior", [[0.8, 0.2], [0.3, 0.7]])
def test_pseudo_labels_match_the_class_prior(prior, monkeypatch):
    rounds = record_pseudo_labels(monkeypatch)
    toy = make_toy(n_per_class=60)
    model = fit(toy, class_prior=prior, fraction=0.2, n_rounds=5)
    proportions = np.bincount(model.transduction_[toy.is_target].astype(int)) / 120
    np.testing.assert_allclose(proportions, prior, atol=0.02)
    # At most 4.8, 9.6, ... of 120 documents, and at most the prior proportion of every class.
    maximum = [class_counts(round(4.8 * t), np.array(prior)) for t in range(1, 6)]
    counts = [np.bincount(labels[labels >= 0], minlength=2) for [labels] in rounds]
    assert (np.array(counts) <= np.array(maximum)).all()
    assert sum(map(np.sum, counts)) > 0.6 * np.sum(maximum)


def test_without_a_prior_labels_are_not_shifted():
    toy = make_toy()
    model = fit(toy, class_prior=None)
    assert not any(shift.any() for shift in model.log_prior_shift_.values())
    assert toy.target_accuracy(model.transduction_) > 0.9


def test_duplicates_count_once(monkeypatch):
    rounds = record_pseudo_labels(monkeypatch)
    toy = make_toy()
    target = np.flatnonzero(toy.is_target)
    # Thirty duplicates of every tenth document.
    rows = np.concatenate([np.arange(len(toy.y)), np.repeat(target[::10], 30)])
    model = CODA(n_rounds=3, fraction=0.3).fit(
        toy.X[rows], toy.y[rows], sample_domain=toy.sample_domain[rows]
    )
    originals = rows[toy.is_target[rows]]
    for number, [labels] in enumerate(rounds, start=1):
        assert len(set(originals[labels >= 0].tolist())) <= round(0.3 * number / 3 * len(target))
        for document in target[::10]:
            assert len(set(labels[originals == document].tolist())) == 1
    copies = model.label_distributions_[rows == target[0]]
    np.testing.assert_allclose(copies, np.tile(copies[0], (31, 1)))


def test_empty_documents_get_no_pseudo_label():
    toy = make_toy()
    X = toy.X.toarray()
    X[toy.is_target] = 0
    model = CODA().fit(sparse.csr_array(X), toy.y, sample_domain=toy.sample_domain)
    assert model.n_rounds_ == 0
    np.testing.assert_allclose(model.label_distributions_[toy.is_target], 0.5)


def test_the_norm_of_documents_does_not_matter():
    toy = make_toy()
    sizes = np.geomspace(1e-25, 1e25, len(toy.y))[:, None]
    X = toy.X.toarray() * sizes
    model = CODA().fit(X, toy.y, sample_domain=toy.sample_domain)
    expected = fit(toy).label_distributions_
    np.testing.assert_allclose(model.label_distributions_, expected, atol=1e-5)


def test_a_callback_can_stop_the_fit():
    toy, calls = make_toy(), []

    def stop_at_two(progress):
        calls.append(progress)
        return progress.iteration == 2

    model = fit(toy, callback=stop_at_two)
    assert model.n_rounds_ == 2
    assert [progress.iteration for progress in calls] == [1, 2]
    assert all(np.isfinite(progress.objective) for progress in calls)
    assert calls[0].changed == 1.0
    assert calls[1].changed < 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be above 0"),
        ({"split": -1}, "split must be at least 0"),
        ({"feature_penalty": -0.1}, "feature_penalty must be at least 0"),
        ({"n_rounds": 2.5}, "n_rounds must be a whole number"),
        ({"fraction": 0}, "fraction must be above 0"),
        ({"fraction": 1.5}, "fraction must be at most 1"),
        ({"confident_share": 0}, "confident_share must be above 0"),
        ({"epsilon": "much"}, "epsilon must be a finite number"),
        ({"class_prior": [0.5, 0.4]}, "add up to"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(make_toy(), **parameters)
