"""The splitter and the scorer for choosing parameters without target labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from isthmus import DomainScorer, MTrick, SourceFolds, SourceLogistic, stack_domains
from isthmus.datasets import make_corpus
from toy import make_toy


def test_test_rows_are_labelled_source_rows_only():
    toy = make_toy()
    y = toy.y.copy()
    y[0] = -1  # an unlabelled row of the source
    labelled_target = np.flatnonzero(toy.is_target)[:3]
    y[labelled_target] = toy.truth[labelled_target]
    folds = list(SourceFolds(4, random_state=0).split(toy.X, y, sample_domain=toy.sample_domain))
    tested = np.concatenate([test for _, test in folds])
    expected = np.flatnonzero((toy.sample_domain >= 0) & (y >= 0))
    assert sorted(tested.tolist()) == expected.tolist()
    for train, test in folds:
        assert len(np.intersect1d(train, test)) == 0
        assert len(train) + len(test) == len(y)
        shares = np.bincount(y[test])
        assert abs(shares[0] - shares[1]) <= 1


def test_folds_need_labels():
    with pytest.raises(ValueError, match="needs y"):
        next(SourceFolds().split(np.ones((3, 1))))
    with pytest.raises(ValueError, match="No labelled source row"):
        next(SourceFolds().split(np.ones((3, 1)), [None] * 3))


def test_scorer_reads_rows_in_their_domain_and_skips_unlabelled_ones():
    toy = make_toy()
    estimator = MTrick().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    score = DomainScorer()(estimator, toy.X, toy.y, sample_domain=toy.sample_domain)
    source = ~toy.is_target
    labels = estimator.predict(toy.X[source], sample_domain=toy.sample_domain[source])
    assert score == np.mean(labels == toy.truth[source])
    log_loss = DomainScorer("neg_log_loss")(estimator, toy.X, toy.y, toy.sample_domain)
    assert log_loss < 0
    with pytest.raises(ValueError, match="No labelled row to score"):
        DomainScorer()(estimator, toy.X, [None] * len(toy.y))


def test_grid_search_with_routing():
    toy = make_toy((0, 1, -1))
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            MTrick(),
            {"beta": [0.5, 1.5], "max_iter": [1, 30]},
            cv=SourceFolds(3, random_state=0),
            scoring=DomainScorer(),
        )
        search.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.8
    assert toy.target_accuracy(search.best_estimator_.transduction_) > 0.9
    assert set(search.best_estimator_.domains_) == {0, 1, -1}


def test_grid_search_without_routing():
    toy = make_toy()
    search = GridSearchCV(
        SourceLogistic(),
        {"C": [1e-6, 1.0]},
        cv=SourceFolds(3, random_state=0),
        scoring=DomainScorer(),
    )
    search.fit(toy.X, toy.y)
    assert search.best_params_ == {"C": 1.0}


def test_cross_val_score_with_named_labels():
    toy = make_toy()
    y = np.array(["no", "yes", None], object)[toy.y]
    scores = cross_val_score(
        MTrick(), toy.X, y, cv=SourceFolds(3, random_state=0), scoring=DomainScorer()
    )
    assert len(scores) == 3
    assert (scores > 0.6).all()


def by_number(toy):
    X, y, sample_domain = stack_domains(
        {"a": (toy.X[~toy.is_target], toy.truth[~toy.is_target])}, {"b": toy.X[toy.is_target]}
    )
    return X, y, sample_domain


@pytest.mark.parametrize("container", [lambda X: X, lambda X: pd.DataFrame(X.toarray())])
def test_grid_search_on_stacked_whole_numbers(container):
    X, y, sample_domain = by_number(make_toy())
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            MTrick(),
            {"beta": [0.5, 1.5]},
            cv=SourceFolds(3, random_state=0),
            scoring=DomainScorer(),
            error_score="raise",
        ).fit(container(X), y, sample_domain=sample_domain)
        assert search.best_score_ > 0.8


def test_grid_search_over_a_pipeline_of_texts():
    corpus = make_corpus(60, 60)
    texts = corpus.source_texts + corpus.target_texts
    y = np.array(corpus.source_labels + [None] * 60, object)
    sample_domain = np.repeat([0, -1], 60)
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            make_pipeline(TfidfVectorizer(min_df=2), MTrick(max_iter=20, tol=0.0)),
            {"mtrick__beta": [0.5, 1.5]},
            cv=SourceFolds(3, random_state=0),
            scoring=DomainScorer(),
            error_score="raise",
        ).fit(texts, y, sample_domain=sample_domain)
        assert search.best_score_ > 0.8


def test_scorer_takes_the_classes_from_the_estimator():
    toy = make_toy()
    estimator = MTrick().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    ones = np.flatnonzero(toy.is_target & (estimator.transduction_ == 1))[:5]
    y = np.full(len(toy.y), -1)  # with the ones these would be two values, one of them -1
    y[ones] = 1
    rows = toy.is_target
    assert DomainScorer()(estimator, toy.X[rows], y[rows], toy.sample_domain[rows]) == 1.0


def test_scorer_checks_lengths():
    toy = make_toy()
    estimator = MTrick().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        DomainScorer()(estimator, toy.X, toy.truth[:-1])
    with pytest.raises(ValueError, match="sample_domain has shape"):
        DomainScorer()(estimator, toy.X, toy.truth, sample_domain=toy.sample_domain[:-1])
