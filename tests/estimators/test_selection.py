"""Cross-validation and scoring without target labels."""

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


def test_test_rows_are_labeled_source_rows_only():
    toy = make_toy()
    y = toy.y.copy()
    y[0] = -1  # an unlabeled row of the source
    labeled_target = np.flatnonzero(toy.is_target)[:3]
    y[labeled_target] = toy.truth[labeled_target]
    folds = list(SourceFolds(4, random_state=0).split(toy.X, y, sample_domain=toy.sample_domain))
    tested = np.concatenate([test for _, test in folds])
    expected = np.flatnonzero((toy.sample_domain >= 0) & (y >= 0))
    assert sorted(tested.tolist()) == expected.tolist()
    for train, test in folds:
        assert len(np.intersect1d(train, test)) == 0
        assert len(train) + len(test) == len(y)
        counts = np.bincount(y[test])
        assert abs(counts[0] - counts[1]) <= 1


def test_folds_require_labels():
    with pytest.raises(ValueError, match="requires y"):
        next(SourceFolds().split(np.ones((3, 1))))
    with pytest.raises(ValueError, match="No labeled source row"):
        next(SourceFolds().split(np.ones((3, 1)), [None] * 3))


def test_scorer_predicts_rows_in_their_domain_and_ignores_unlabeled_rows():
    toy = make_toy()
    estimator = MTrick().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    score = DomainScorer()(estimator, toy.X, toy.y, sample_domain=toy.sample_domain)
    source = ~toy.is_target
    labels = estimator.predict(toy.X[source], sample_domain=toy.sample_domain[source])
    assert score == np.mean(labels == toy.truth[source])
    log_loss = DomainScorer("neg_log_loss")(estimator, toy.X, toy.y, toy.sample_domain)
    assert log_loss < 0
    for score_rows in (DomainScorer(), type(estimator).score):
        with pytest.raises(ValueError, match=r"No row to score has a label.*SourceFolds\(\)"):
            score_rows(estimator, toy.X, [None] * len(toy.y))


@pytest.mark.ends_early
@pytest.mark.doubtful
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


@pytest.mark.ends_early
@pytest.mark.doubtful
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


def test_grid_search_over_none_and_strings():
    """The default folds of scikit-learn cannot sort None and strings; SourceFolds can be used."""
    toy = make_toy()
    y = np.array(["no", "yes", None], object)[toy.y]
    grid = {"C": [3.0, 10.0]}
    with pytest.raises(TypeError, match="not supported between instances"):
        GridSearchCV(SourceLogistic(), grid).fit(toy.X, y)
    search = GridSearchCV(
        SourceLogistic(), grid, cv=SourceFolds(3, random_state=0), scoring=DomainScorer()
    )
    search.fit(toy.X, y)
    assert search.best_score_ > 0.9
    assert set(search.best_estimator_.classes_) == {"no", "yes"}


@pytest.mark.parametrize(
    ("labels", "missing_label"), [([0, 1, -1], -1), (["no", "yes", "?"], "?")], ids=["-1", "?"]
)
def test_grid_search_with_default_folds_and_a_comparable_missing_label(labels, missing_label):
    toy = make_toy()
    y = np.array(labels)[toy.y]
    search = GridSearchCV(SourceLogistic(missing_label=missing_label), {"C": [3.0, 10.0]})
    search.fit(toy.X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.9
    assert missing_label not in search.best_estimator_.classes_
    predicted = search.predict(toy.X[toy.is_target])
    assert set(predicted.tolist()) == set(labels[:2])


@pytest.mark.ends_early
@pytest.mark.doubtful
def test_cross_val_score_with_named_labels():
    toy = make_toy()
    y = np.array(["no", "yes", None], object)[toy.y]
    scores = cross_val_score(
        MTrick(), toy.X, y, cv=SourceFolds(3, random_state=0), scoring=DomainScorer()
    )
    assert len(scores) == 3
    assert (scores > 0.6).all()


def stacked(toy):
    X, y, sample_domain = stack_domains(
        {"a": (toy.X[~toy.is_target], toy.truth[~toy.is_target])}, {"b": toy.X[toy.is_target]}
    )
    return X, y, sample_domain


@pytest.mark.ends_early
@pytest.mark.parametrize("container", [lambda X: X, lambda X: pd.DataFrame(X.toarray())])
def test_grid_search_on_stacked_whole_numbers(container):
    X, y, sample_domain = stacked(make_toy())
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


def test_scorer_uses_the_classes_of_the_estimator():
    toy = make_toy()
    estimator = MTrick().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    class_one = np.flatnonzero(toy.is_target & (estimator.transduction_ == 1))[:5]
    y = np.full(len(toy.y), -1)  # -1 and 1 are two values, but the classes are 0 and 1
    y[class_one] = 1
    rows = toy.is_target
    assert DomainScorer()(estimator, toy.X[rows], y[rows], toy.sample_domain[rows]) == 1.0


def test_scorer_checks_lengths():
    toy = make_toy()
    estimator = MTrick().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        DomainScorer()(estimator, toy.X, toy.truth[:-1])
    with pytest.raises(ValueError, match="sample_domain has shape"):
        DomainScorer()(estimator, toy.X, toy.truth, sample_domain=toy.sample_domain[:-1])
