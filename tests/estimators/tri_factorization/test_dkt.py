"""DKT and KTW: tests beyond the contract."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from isthmus import DKT, KTW, BilingualVectorizer, MTrick
from isthmus.datasets import make_bilingual_corpus
from toy import make_toy


def test_unlabeled_rows_need_sample_domain():
    toy = make_toy()
    with pytest.raises(ValueError, match="sample_domain is required"):
        DKT().fit(toy.X, toy.y)
    DKT().fit(toy.X, toy.truth)  # all rows are labeled


def test_labels_in_both_domains():
    toy = make_toy(n_classes=3)
    y = np.full(len(toy.y), None, object)
    rows = np.random.default_rng(0).permutation(len(y))[:30]
    y[rows] = toy.truth[rows]
    estimator = DKT().fit(toy.X, y, toy.sample_domain)
    assert np.mean(estimator.transduction_ == toy.truth) > 0.9
    np.testing.assert_array_equal(estimator.transduction_[rows], toy.truth[rows])


def test_labels_in_the_target_only():
    toy = make_toy()
    y = np.full(len(toy.y), None, object)
    rows = np.flatnonzero(toy.is_target)[::3]
    y[rows] = toy.truth[rows]
    estimator = DKT().fit(toy.X, y, toy.sample_domain)
    assert np.mean(estimator.transduction_ == toy.truth) > 0.8
    np.testing.assert_allclose(estimator.class_prior_.sum(), 1)
    with pytest.raises(ValueError, match="source domain 0 has no labeled row"):
        MTrick().fit(toy.X, y, toy.sample_domain)


def test_gamma_makes_the_clusters_similar():
    toy = make_toy()
    distances = []
    for gamma in (0.0, 0.1, 10.0):
        fit = DKT(gamma=gamma, tol=0).fit(toy.X, toy.y, toy.sample_domain)
        source, target = (
            fit.word_clusters_[n] / fit.word_clusters_[n].sum(axis=1, keepdims=True)
            for n in (0, -1)
        )
        distances.append(
            abs(source - target)[(fit.term_totals_[0] > 0) & (fit.term_totals_[-1] > 0)].sum()
        )
    assert distances[0] > distances[1] > distances[2]


def test_relative_gamma_is_multiplied_by_the_class_size():
    toy = make_toy()
    options = {"tol": 0.0, "max_iter": 5}
    n_source = int((~toy.is_target).sum())
    relative = DKT(gamma=0.3, **options).fit(toy.X, toy.y, toy.sample_domain)
    literal = DKT(gamma=0.3 * n_source / 2, relative_gamma=False, **options)
    literal.fit(toy.X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(relative.objective_, literal.objective_)


@pytest.mark.ends_early
def test_paper_preset():
    estimator = DKT.from_preset("paper")
    assert (estimator.gamma, estimator.relative_gamma) == (1.5, False)
    assert (estimator.init, estimator.n_word_clusters) == ("plsa", "classes")
    assert estimator.column_power == 0
    toy = make_toy(n_classes=3)
    estimator.set_params(random_state=0).fit(toy.X, toy.y, toy.sample_domain)
    assert estimator.n_iter_ == 100
    assert estimator.associations_.shape == (3, 3)


@pytest.mark.parametrize("method", [DKT, KTW, MTrick])
def test_stops_when_labels_have_converged(method):
    toy = make_toy()
    seen = []
    estimator = method(stopping="labels", tol=0.02, max_iter=60)
    estimator.fit(toy.X, toy.y, toy.sample_domain, callback=lambda p: seen.append(p.changed))
    last = seen[-estimator.n_iter_ :]
    assert len(last) >= 3
    assert last[-1] < 0.02
    assert all(changed >= 0.02 for changed in last[2:-1])


def test_column_scale():
    toy = make_toy()
    fit = DKT().fit(toy.X, toy.y, toy.sample_domain)
    scaled = toy.X.toarray() / toy.X.sum(axis=1)[:, None]
    np.testing.assert_allclose(fit.column_scale_, scaled.sum(axis=0) ** -0.4)
    plain = DKT(column_power=0).fit(toy.X, toy.y, toy.sample_domain)
    np.testing.assert_array_equal(plain.column_scale_, 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": -1}, "gamma must be at least 0"),
        ({"gamma": 1e38}, "gamma must be at most"),
        ({"n_word_clusters": "some"}, "n_word_clusters .unless 'auto' or 'classes'. must be"),
        ({"beta": "x"}, "beta must be a finite number"),
        ({"column_power": 2}, "column_power must be at most 1"),
        ({"stopping": "never"}, "stopping must be one of 'relative', 'absolute', 'labels'"),
    ],
)
def test_bad_parameters(parameters, message):
    toy = make_toy()
    with pytest.raises(ValueError, match=message):
        DKT(**parameters).fit(toy.X, toy.y, toy.sample_domain)


def test_a_warning_if_labels_do_not_converge():
    toy = make_toy()
    with pytest.warns(ConvergenceWarning, match="before the target labels converged.*increase tol"):
        DKT(max_iter=2).fit(toy.X, toy.y, toy.sample_domain)


def test_all_unlabeled_rows_may_be_in_the_source():
    """The stopping criterion counts unlabeled rows of any domain."""
    corpus = make_bilingual_corpus()
    vectorizer = BilingualVectorizer("en", "de", corpus.dictionary)
    X = vectorizer.fit_transform_domains(corpus.source_texts, corpus.target_texts)
    n_source = len(corpus.source_texts)
    y = np.array([*[None] * n_source, *corpus.target_labels], dtype=object)
    sample_domain = np.repeat([0, -1], [n_source, len(corpus.target_texts)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as "there is nothing to predict"
        estimator = DKT().fit(X, y, sample_domain)
    assert estimator.n_iter_ > 3
    assert np.mean(estimator.transduction_[:n_source] == np.array(corpus.source_labels)) > 0.95


def test_a_warning_if_all_rows_are_labeled():
    toy = make_toy()
    with pytest.warns(UserWarning, match="there is nothing to predict"):
        DKT().fit(toy.X, toy.truth, toy.sample_domain)


def test_ktw_without_a_target_gives_no_warning():
    toy = make_toy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = KTW().fit(toy.X[~toy.is_target], toy.truth[~toy.is_target])
    assert fit.n_iter_ == fit.max_iter


@pytest.mark.doubtful
@pytest.mark.parametrize("method", [DKT, KTW])
def test_a_warning_if_domains_share_no_words_and_the_target_has_no_labels(method):
    toy = make_toy()
    X = toy.X.toarray()
    distances = np.hstack([X * ~toy.is_target[:, None], X * toy.is_target[:, None]])
    with pytest.warns(UserWarning, match="shares no term with the sources"):
        method().fit(distances, toy.y, toy.sample_domain)
    some = toy.y.copy()
    some[np.flatnonzero(toy.is_target)[::2]] = toy.truth[toy.is_target][::2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method(tol=0).fit(distances, some, toy.sample_domain)


def test_the_classifier_for_new_documents_uses_given_labels():
    toy = make_toy()
    y = np.where(toy.is_target, -1, toy.truth)
    given = np.flatnonzero(~toy.is_target)[::4]
    y[given] = 1 - toy.truth[given]  # labels that contradict the words
    fit = DKT(label_smoothing=0.4, alpha=0).fit(toy.X, y, toy.sample_domain)
    assert np.mean(fit.predict(toy.X[given], toy.sample_domain[given]) == y[given]) > 0.7


def test_a_single_predicted_class_and_unused_words():
    X = np.array([[1.0, 0, 0], [0, 0, 0], [2, 0, 0], [1, 0, 0]])
    fit = KTW(tol=0).fit(X, ["a", "b", None, None], [0, 0, -1, -1])
    assert fit.predict([[1.0, 0, 0]]).tolist() == ["a"]
    toy = make_toy()
    padded = np.hstack([toy.X.toarray(), np.zeros((len(toy.y), 1))])
    fit = DKT().fit(padded, toy.y, toy.sample_domain)
    new = np.zeros((1, padded.shape[1]))
    new[0, -1] = 3
    np.testing.assert_allclose(fit.predict_proba(new)[0], fit.class_prior_)


def test_one_cluster_per_class():
    toy = make_toy(n_classes=4)
    fit = DKT("classes", init="plsa", random_state=0).fit(toy.X, toy.y, toy.sample_domain)
    assert fit.associations_.shape == (4, 4)
