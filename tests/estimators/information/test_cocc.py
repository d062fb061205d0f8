"""CoCC: tests beyond the contract."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from isthmus import CoCC, SourceLogistic
from toy import make_toy


def fit(toy, callback=None, **options):
    return CoCC(**options).fit(toy.X, toy.y, sample_domain=toy.sample_domain, callback=callback)


@pytest.mark.doubtful
@pytest.mark.parametrize("n_classes", [2, 4])
def test_more_accurate_than_logistic_regression(n_classes):
    toy = make_toy(n_classes=n_classes, n_per_class=40)
    plain = SourceLogistic().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    accuracy = toy.target_accuracy(fit(toy).transduction_)
    assert accuracy > toy.target_accuracy(plain.transduction_)
    assert accuracy > 0.95


@pytest.mark.parametrize("n_classes", [2, 3])
def test_target_only_words_are_clustered_by_class(n_classes):
    toy = make_toy(n_classes=n_classes, n_per_class=40)
    model = fit(toy, n_word_clusters=n_classes + 1)
    # Terms that only target documents have, see make_toy.
    first = n_classes * (6 + 8)
    kind = np.repeat(np.arange(n_classes), 8)
    own = np.arange(first, first + n_classes * 8)
    np.testing.assert_array_equal(model.coef_[:, own].argmax(axis=0), kind)
    for c in range(n_classes):
        clusters = set(model.word_clusters_[own[kind == c]].tolist())
        others = set(model.word_clusters_[own[kind != c]].tolist())
        assert not clusters & others


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_domain_is_predicted_by_its_own_words(n_classes):
    toy = make_toy(n_classes=n_classes, n_per_class=40)
    model = fit(toy)
    sources_own = slice(n_classes * 6, n_classes * (6 + 8))
    kind = np.repeat(np.arange(n_classes), 8)
    assert np.mean(model.source_coef_[:, sources_own].argmax(axis=0) == kind) > 0.9
    new = make_toy(n_classes=n_classes, seed=7)
    labels = model.predict(new.X, sample_domain=new.sample_domain)
    assert np.mean(labels[~new.is_target] == new.truth[~new.is_target]) > 0.9
    assert np.mean(labels[new.is_target] == new.truth[new.is_target]) > 0.9


def test_weights_are_log_probabilities_of_clusters():
    toy = make_toy(n_classes=3)
    model = fit(toy, n_word_clusters=7)
    logs = np.log(model.associations_ / model.associations_.sum(axis=0))[model.word_clusters_]
    centered = (logs - logs.mean(axis=1, keepdims=True)).T
    factor = model.coef_.std() / centered.std()
    np.testing.assert_allclose(model.coef_, factor * centered, rtol=1e-6, atol=1e-9)
    assert model.associations_.sum() == pytest.approx(1 + 3 * model.smoothing)


def test_noisy_labels_reduce_the_confidence():
    clear = make_toy(n_per_class=40)
    model = fit(clear)
    certain = model.label_distributions_[clear.is_target].max(axis=1)
    assert certain.mean() > 0.9
    generator = np.random.default_rng(0)
    y = clear.y.copy()
    changed = np.flatnonzero(y >= 0)[generator.random(80) < 0.4]
    y[changed] = 1 - y[changed]
    doubtful = CoCC().fit(clear.X, y, sample_domain=clear.sample_domain)
    assert doubtful.label_distributions_[clear.is_target].max(axis=1).mean() < certain.mean()


@pytest.mark.doubtful
def test_soft_init_corrects_a_biased_initial_classifier():
    toy = make_toy(n_per_class=40)
    biased = LogisticRegression(class_weight={0: 30, 1: 1})
    plain = clone(biased).fit(normalize(toy.X[~toy.is_target]), toy.truth[~toy.is_target])
    assert set(plain.predict(normalize(toy.X[toy.is_target])).tolist()) == {0}
    soft = fit(toy, init_classifier=biased)
    assert toy.target_accuracy(soft.transduction_) > 0.95
    hard = fit(toy, init_classifier=biased, soft_init=False)
    assert toy.target_accuracy(hard.transduction_) < 0.6


def test_labeled_target_rows_are_used():
    toy = make_toy(n_per_class=40)
    X = toy.X.toarray()
    X[:, : 2 * 6] = 0  # the domains share no word
    y = toy.y.copy()
    given = np.flatnonzero(toy.is_target)[::10]
    y[given] = toy.truth[given]
    model = CoCC().fit(X, y, sample_domain=toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > 0.95


def test_unlabeled_source_rows_are_predicted_by_source_words():
    toy = make_toy(n_per_class=40)
    y = toy.y.copy()
    hidden = np.flatnonzero(~toy.is_target)[::4]
    y[hidden] = -1
    model = CoCC().fit(toy.X, y, sample_domain=toy.sample_domain)
    assert np.mean(model.transduction_[hidden] == toy.truth[hidden]) > 0.9


def test_class_prior_of_a_skewed_target_is_matched():
    toy = make_toy(n_per_class=60)
    last = np.flatnonzero(toy.is_target & (toy.truth == 1))
    keep = np.setdiff1d(np.arange(len(toy.y)), last[6:])
    X, y, domain = toy.X[keep], toy.y[keep], toy.sample_domain[keep]
    target, truth = domain < 0, toy.truth[keep]
    model = CoCC(class_prior=[60 / 66, 6 / 66]).fit(X, y, sample_domain=domain)
    assert np.bincount(model.transduction_[target].astype(int)).tolist() == [60, 6]
    assert np.mean(model.transduction_[target] == truth[target]) > 0.9


def test_an_unused_term_is_in_no_cluster():
    toy = make_toy()
    X = sparse.hstack([toy.X, sparse.csr_array((toy.X.shape[0], 1))]).tocsr()
    model = CoCC().fit(X, toy.y, sample_domain=toy.sample_domain)
    assert model.word_clusters_[-1] == -1
    np.testing.assert_array_equal(model.coef_[:, -1], 0)
    nothing = sparse.csr_array(([1.0], ([0], [X.shape[1] - 1])), shape=(1, X.shape[1]))
    np.testing.assert_allclose(model.predict_proba(nothing), [[0.5, 0.5]])


def test_document_length_matters_only_without_unit_rows():
    toy = make_toy()
    X = toy.X.toarray() * np.geomspace(1e-3, 1e3, len(toy.y))[:, None]
    model = CoCC().fit(X, toy.y, sample_domain=toy.sample_domain)
    expected = fit(toy).label_distributions_
    np.testing.assert_allclose(model.label_distributions_, expected, atol=1e-6)
    unscaled = CoCC(unit_rows=False).fit(X, toy.y, sample_domain=toy.sample_domain)
    assert not np.allclose(unscaled.label_distributions_, expected, atol=1e-3)


def test_paper_preset():
    toy = make_toy(n_per_class=40)
    model = CoCC.from_preset("paper").fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert model.n_iter_ == 10
    assert toy.target_accuracy(model.transduction_) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_word_clusters": 0}, "n_word_clusters must be at least 1"),
        ({"lam": -1}, "lam must be at least 0"),
        ({"smoothing": -0.1}, "smoothing must be at least 0"),
        ({"unit_rows": 1}, "unit_rows must be True or False"),
        ({"soft_init": "yes"}, "soft_init must be True or False"),
        ({"init_classifier": "magic"}, "init_classifier must be one of"),
        ({"init_classifier": None}, "init_classifier must be"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"tol": -1}, "tol must be at least 0"),
        ({"class_prior": [0.5, 0.4]}, "add up to 0.9"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(make_toy(), **parameters)
