"""DKT and KTW as people use them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from isthmus import DKT, KTW, BilingualVectorizer, MTrick
from isthmus.datasets import make_bilingual_corpus
from toy import make_toy


def test_unlabelled_rows_need_sample_domain():
    toy = make_toy()
    with pytest.raises(ValueError, match="labels may stand in any domain, so sample_domain is req"):
        DKT().fit(toy.X, toy.y)
    DKT().fit(toy.X, toy.truth)  # all labelled: nothing is in doubt


def test_labels_on_either_side():
    toy = make_toy(n_classes=3)
    y = np.full(len(toy.y), None, object)
    rows = np.random.default_rng(0).permutation(len(y))[:30]
    y[rows] = toy.truth[rows]
    estimator = DKT().fit(toy.X, y, toy.sample_domain)
    assert np.mean(estimator.transduction_ == toy.truth) > 0.9
    np.testing.assert_array_equal(estimator.transduction_[rows], toy.truth[rows])


def test_labels_in_the_target_alone():
    toy = make_toy()
    y = np.full(len(toy.y), None, object)
    rows = np.flatnonzero(toy.is_target)[::3]
    y[rows] = toy.truth[rows]
    estimator = DKT().fit(toy.X, y, toy.sample_domain)
    assert np.mean(estimator.transduction_ == toy.truth) > 0.8
    np.testing.assert_allclose(estimator.class_prior_.sum(), 1)
    with pytest.raises(ValueError, match="source domain 0 has no labelled row"):
        MTrick().fit(toy.X, y, toy.sample_domain)


def test_gamma_draws_the_clusters_together():
    toy = make_toy()
    apart = []
    for gamma in (0.0, 0.1, 10.0):
        fit = DKT(gamma=gamma, tol=0).fit(toy.X, toy.y, toy.sample_domain)
        source, target = (
            fit.word_clusters_[n] / fit.word_clusters_[n].sum(axis=1, keepdims=True)
            for n in (0, -1)
        )
        apart.append(
            abs(source - target)[(fit.term_totals_[0] > 0) & (fit.term_totals_[-1] > 0)].sum()
        )
    assert apart[0] > apart[1] > apart[2]


def test_gamma_in_proportion_to_the_documents_a_class():
    toy = make_toy()
    options = {"tol": 0.0, "max_iter": 5}
    n_source = int((~toy.is_target).sum())
    relative = DKT(gamma=0.3, **options).fit(toy.X, toy.y, toy.sample_domain)
    literal = DKT(gamma=0.3 * n_source / 2, relative_gamma=False, **options)
    literal.fit(toy.X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(relative.objective_, literal.objective_)


def test_the_papers_preset():
    estimator = DKT.from_preset("paper")
    assert (estimator.gamma, estimator.relative_gamma) == (1.5, False)
    assert (estimator.init, estimator.n_word_clusters) == ("plsa", "classes")
    assert estimator.column_power == 0
    toy = make_toy(n_classes=3)
    estimator.set_params(random_state=0).fit(toy.X, toy.y, toy.sample_domain)
    assert estimator.n_iter_ == 100
    assert estimator.associations_.shape == (3, 3)


@pytest.mark.parametrize("method", [DKT, KTW, MTrick])
def test_stops_when_labels_have_settled(method):
    toy = make_toy()
    seen = []
    estimator = method(stopping="labels", tol=0.02, max_iter=60)
    estimator.fit(toy.X, toy.y, toy.sample_domain, callback=lambda p: seen.append(p.changed))
    last = seen[-estimator.n_iter_ :]
    assert len(last) >= 3
    assert last[-1] < 0.02
    assert all(changed >= 0.02 for changed in last[2:-1])


def test_columns_are_balanced_for_the_factors_not_for_the_first_classifier():
    toy = make_toy()
    fit = DKT().fit(toy.X, toy.y, toy.sample_domain)
    shares = toy.X.toarray() / toy.X.sum(axis=1)[:, None]
    np.testing.assert_allclose(fit.column_scale_, shares.sum(axis=0) ** -0.4)
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


def test_labels_that_do_not_settle_are_told():
    toy = make_toy()
    with pytest.warns(ConvergenceWarning, match="before the target's labels settled.*larger tol"):
        DKT(max_iter=2).fit(toy.X, toy.y, toy.sample_domain)


def test_rows_to_be_found_may_all_be_in_the_source():
    """The stop by labels looks at the rows that have none, wherever they stand."""
    corpus = make_bilingual_corpus()
    vectorizer = BilingualVectorizer("en", "de", corpus.dictionary)
    X = vectorizer.fit_transform_sides(corpus.source_texts, corpus.target_texts)
    n_source = len(corpus.source_texts)
    y = np.array([*[None] * n_source, *corpus.target_labels], dtype=object)
    sample_domain = np.repeat([0, -1], [n_source, len(corpus.target_texts)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as "none is left to find"
        estimator = DKT().fit(X, y, sample_domain)
    assert estimator.n_iter_ > 3
    assert np.mean(estimator.transduction_[:n_source] == np.array(corpus.source_labels)) > 0.95


def test_only_a_fit_without_an_open_row_is_told_so():
    toy = make_toy()
    with pytest.warns(UserWarning, match="none is left to find"):
        DKT().fit(toy.X, toy.truth, toy.sample_domain)


def test_ktw_on_sources_alone_has_no_label_to_wait_for():
    toy = make_toy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = KTW().fit(toy.X[~toy.is_target], toy.truth[~toy.is_target])
    assert fit.n_iter_ == fit.max_iter


@pytest.mark.parametrize("method", [DKT, KTW])
def test_a_target_of_other_words_is_told_unless_it_has_labels(method):
    toy = make_toy()
    X = toy.X.toarray()
    apart = np.hstack([X * ~toy.is_target[:, None], X * toy.is_target[:, None]])
    with pytest.warns(UserWarning, match="no term in common with the sources"):
        method().fit(apart, toy.y, toy.sample_domain)
    some = toy.y.copy()
    some[np.flatnonzero(toy.is_target)[::2]] = toy.truth[toy.is_target][::2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method(tol=0).fit(apart, some, toy.sample_domain)


def test_the_classifier_for_new_documents_learns_the_labels_that_were_given():
    toy = make_toy()
    y = np.where(toy.is_target, -1, toy.truth)
    given = np.flatnonzero(~toy.is_target)[::4]
    y[given] = 1 - toy.truth[given]  # against all words
    fit = DKT(label_smoothing=0.4, alpha=0).fit(toy.X, y, toy.sample_domain)
    assert np.mean(fit.predict(toy.X[given], toy.sample_domain[given]) == y[given]) > 0.7


def test_one_class_found_and_words_that_nobody_used():
    X = np.array([[1.0, 0, 0], [0, 0, 0], [2, 0, 0], [1, 0, 0]])
    fit = KTW(tol=0).fit(X, ["a", "b", None, None], [0, 0, -1, -1])
    assert fit.predict([[1.0, 0, 0]]).tolist() == ["a"]
    toy = make_toy()
    padded = np.hstack([toy.X.toarray(), np.zeros((len(toy.y), 1))])
    fit = DKT().fit(padded, toy.y, toy.sample_domain)
    new = np.zeros((1, padded.shape[1]))
    new[0, -1] = 3
    np.testing.assert_allclose(fit.predict_proba(new)[0], fit.class_prior_)


def test_as_many_clusters_as_classes():
    toy = make_toy(n_classes=4)
    fit = DKT("classes", init="plsa", random_state=0).fit(toy.X, toy.y, toy.sample_domain)
    assert fit.associations_.shape == (4, 4)
