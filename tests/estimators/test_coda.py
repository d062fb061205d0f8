"""CODA: what the contract does not say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

import isthmus.estimators.self_training.coda as module
import isthmus.solvers.self_training.coda as solver
from isthmus import CODA, SourceLogistic
from isthmus.numerics.prior_shift import class_counts
from isthmus.storage.estimators import pack_method, unpack_method
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy


def fit(toy, callback=None, **options):
    return CODA(**options).fit(toy.X, toy.y, sample_domain=toy.sample_domain, callback=callback)


def watch_lessons(monkeypatch):
    """A list to which every round adds what it teaches: the labels of every target, or -1."""
    taught = []
    plain = module.with_labels

    def watched(problem, found):
        taught.append(list(found.values()))
        return plain(problem, found)

    monkeypatch.setattr(module, "with_labels", watched)
    return taught


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_rounds_it_is_two_logistic_regressions(n_classes, monkeypatch):
    monkeypatch.setattr(solver, "_ENOUGH", 1e-15)
    toy = make_toy(n_classes=n_classes)
    model = fit(toy, n_rounds=0, C=2.0)
    assert set(model.views_.tolist()) == {0, 1}
    source, X = ~toy.is_target, normalize(toy.X)
    scores = 0.0
    for view in (0, 1):
        own = X[:, np.flatnonzero(model.views_ == view)]
        alone = LogisticRegression(C=2.0, tol=1e-10, max_iter=5000)
        alone.fit(own[source], toy.truth[source])
        decision = alone.decision_function(own[toy.is_target])
        both = np.column_stack([-decision / 2, decision / 2]) if n_classes == 2 else decision
        scores = scores + both
    found = X[toy.is_target] @ model.coef_.T + model.intercept_
    common = (found - scores).mean(axis=1, keepdims=True)  # which softmax does not see
    np.testing.assert_allclose(found - common, scores, atol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_words_of_the_target_alone_are_learnt(n_classes):
    toy = make_toy(n_classes=n_classes)
    # Which terms only the target's classes have, see make_toy.
    first = n_classes * (6 + 8)
    own = np.arange(first, first + n_classes * 8)
    kind = np.repeat(np.arange(n_classes), 8)
    alone = fit(toy, n_rounds=0).coef_[:, own].argmax(axis=0)
    taught = fit(toy).coef_[:, own].argmax(axis=0)
    assert np.mean(alone == kind) < 0.8
    assert np.mean(taught == kind) > 0.9


def test_it_beats_logistic_regression_where_words_differ():
    toy = make_toy(n_per_class=40)
    kinds = {"class_prior": "source"}
    plain = SourceLogistic(**kinds).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    model = fit(toy)
    assert toy.target_accuracy(model.transduction_) > toy.target_accuracy(plain.transduction_)
    assert model.n_rounds_ == 10
    assert len(model.expansion_) == 10
    assert min(model.expansion_) >= 0.1


def test_views_that_do_not_expand_teach_nothing():
    toy = make_toy()
    held = fit(toy, epsilon=1e9)
    assert held.n_rounds_ == 0
    assert held.expansion_ == []
    np.testing.assert_array_equal(held.coef_, fit(toy, n_rounds=0).coef_)


def test_a_term_that_the_target_lacks_becomes_dear():
    toy = make_toy()
    own = slice(2 * 6, 2 * 6 + 2 * 8)  # the source's own terms
    shared = slice(0, 2 * 6)

    def ratio(model):
        return np.abs(model.coef_[1, own]).sum() / np.abs(model.coef_[1, shared]).sum()

    assert ratio(fit(toy, feature_penalty=1.0)) < 0.9 * ratio(fit(toy, feature_penalty=0.0))


@pytest.mark.parametrize("shares", [[0.8, 0.2], [0.3, 0.7]])
def test_class_shares_rule_what_is_taught(shares, monkeypatch):
    taught = watch_lessons(monkeypatch)
    toy = make_toy(n_per_class=60)
    model = fit(toy, class_prior=shares, fraction=0.2, n_rounds=5)
    found = np.bincount(model.transduction_[toy.is_target].astype(int)) / 120
    np.testing.assert_allclose(found, shares, atol=0.02)
    # 4.8, 9.6, ... of 120 documents may be taught, no class more than its share of them.
    most = [class_counts(round(4.8 * t), np.array(shares)) for t in range(1, 6)]
    counts = [np.bincount(labels[labels >= 0], minlength=2) for [labels] in taught]
    assert (np.array(counts) <= np.array(most)).all()
    assert sum(map(np.sum, counts)) > 0.6 * np.sum(most)


def test_without_shares_labels_come_as_they_are():
    toy = make_toy()
    model = fit(toy, class_prior=None)
    assert not any(shift.any() for shift in model.log_prior_shift_.values())
    assert toy.target_accuracy(model.transduction_) > 0.9


def test_several_sources_and_targets_each_teach():
    toy = make_toy((0, 1, -1, -2), n_classes=3)
    model = fit(toy)
    for number in (-1, -2):
        rows = toy.sample_domain == number
        assert np.mean(model.transduction_[rows] == toy.truth[rows]) > 0.9


def test_copies_of_a_document_count_once(monkeypatch):
    taught = watch_lessons(monkeypatch)
    toy = make_toy()
    target = np.flatnonzero(toy.is_target)
    # Thirty more of every tenth document.
    rows = np.concatenate([np.arange(len(toy.y)), np.repeat(target[::10], 30)])
    model = CODA(n_rounds=3, fraction=0.3).fit(
        toy.X[rows], toy.y[rows], sample_domain=toy.sample_domain[rows]
    )
    which = rows[toy.is_target[rows]]
    for number, [labels] in enumerate(taught, start=1):
        assert len(set(which[labels >= 0].tolist())) <= round(0.3 * number / 3 * len(target))
        for document in target[::10]:
            assert len(set(labels[which == document].tolist())) == 1
    copies = model.label_distributions_[rows == target[0]]
    np.testing.assert_allclose(copies, np.tile(copies[0], (31, 1)))


def test_empty_documents_are_never_taught():
    toy = make_toy()
    X = toy.X.toarray()
    X[toy.is_target] = 0
    model = CODA().fit(sparse.csr_array(X), toy.y, sample_domain=toy.sample_domain)
    assert model.n_rounds_ == 0
    np.testing.assert_allclose(model.label_distributions_[toy.is_target], 0.5)


def test_the_length_of_documents_does_not_matter():
    toy = make_toy()
    sizes = np.geomspace(1e-25, 1e25, len(toy.y))[:, None]
    X = toy.X.toarray() * sizes
    model = CODA().fit(X, toy.y, sample_domain=toy.sample_domain)
    expected = fit(toy).label_distributions_
    np.testing.assert_allclose(model.label_distributions_, expected, atol=1e-5)


def test_a_callback_sees_every_round_and_may_stop():
    toy, seen = make_toy(), []

    def stop_at_two(progress):
        seen.append(progress)
        return progress.iteration == 2

    model = fit(toy, callback=stop_at_two)
    assert model.n_rounds_ == 2
    assert [progress.iteration for progress in seen] == [1, 2]
    assert all(np.isfinite(progress.objective) for progress in seen)
    assert seen[0].changed == 1.0
    assert seen[1].changed < 0.5


def test_a_model_as_data():
    toy = make_toy()
    model = fit(toy)
    packer = Packer()
    state = pack_method(model, packer)
    state = Unpacker(packer.arrays).unpack(state)
    again = unpack_method(state, toy.X.shape[1])
    np.testing.assert_array_equal(again.predict_proba(toy.X), model.predict_proba(toy.X))


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
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(make_toy(), **parameters)
