"""What every clusterer promises."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline

from isthmus import clustering_accuracy, clustering_nmi, make_weighting
from isthmus.estimators.registry import METHODS
from toy import make_toy

CLUSTERERS = [method for method in METHODS.values() if method.kind == "clusterer"]
ALL = pytest.mark.parametrize("method", CLUSTERERS, ids=lambda method: method.name)
# The toy's classes are far apart: whoever misses them is broken.
LEAST = 0.9


def build(method, n_clusters=2, **parameters):
    estimator = method.build(n_clusters=n_clusters, **parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def accuracies(toy, clusters):
    """Clustering accuracy of every domain by itself."""
    parts = [toy.sample_domain == number for number in np.unique(toy.sample_domain)]
    return [clustering_accuracy(toy.truth[rows], clusters[rows]) for rows in parts]


@ALL
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("domains", [(0, -1), (0, 1, 2), (3, -1, -2)])
def test_recovers_the_classes_of_every_domain(method, n_classes, domains):
    toy = make_toy(domains, n_classes)
    estimator = build(method, n_classes).fit(toy.X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, estimator.labels_)) > LEAST
    assert estimator.labels_.shape == toy.y.shape
    assert estimator.labels_.dtype.kind == "i"
    assert set(estimator.labels_.tolist()) == set(range(n_classes))
    assert set(estimator.domains_) == set(domains)
    assert estimator.n_clusters_ == n_classes


@ALL
@pytest.mark.parametrize("n_classes", [2, 4])
def test_fitted_rows_predicted_again_keep_their_cluster(method, n_classes):
    toy = make_toy((0, 1, -1), n_classes)
    estimator = build(method, n_classes).fit(toy.X, sample_domain=toy.sample_domain)
    again = estimator.predict(toy.X, sample_domain=toy.sample_domain)
    assert np.mean(again == estimator.labels_) > 0.95


@ALL
def test_new_documents_join_the_clusters_of_their_domain(method):
    toy, new = make_toy(n_classes=3), make_toy(n_classes=3, seed=7)
    estimator = build(method, 3).fit(toy.X, sample_domain=toy.sample_domain)
    clusters = estimator.predict(new.X, sample_domain=new.sample_domain)
    assert clusters.dtype.kind == "i"
    for number in (0, -1):
        before, after = toy.sample_domain == number, new.sample_domain == number
        truth = np.concatenate([toy.truth[before], new.truth[after]])
        found = np.concatenate([estimator.labels_[before], clusters[after]])
        assert clustering_accuracy(truth, found) > LEAST
    target = new.is_target
    np.testing.assert_array_equal(estimator.predict(new.X[target]), clusters[target])
    np.testing.assert_array_equal(
        estimator.predict(new.X[[-1]]), clusters[[-1]]
    )  # a document by itself


@ALL
def test_fit_predict_hands_the_domains_on(method):
    toy = make_toy((0, 1, 2))
    expected = build(method).fit(toy.X, sample_domain=toy.sample_domain).labels_
    found = build(method).fit_predict(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(found, expected)
    estimator = build(method)
    estimator.fit_predict(toy.X, None, toy.sample_domain)
    assert estimator.domains_.tolist() == [0, 1, 2]


@ALL
def test_labels_are_not_read(method):
    toy = make_toy()
    expected = build(method).fit(toy.X, sample_domain=toy.sample_domain).labels_
    for y in (toy.truth, ["?"] * len(toy.y), np.full(len(toy.y), np.nan)):
        found = build(method).fit(toy.X, y, sample_domain=toy.sample_domain).labels_
        np.testing.assert_array_equal(found, expected)


@ALL
def test_one_domain_whatever_it_is_called(method):
    toy = make_toy((0,), n_classes=3)
    given = build(method, 3).fit(toy.X, sample_domain=toy.sample_domain)
    assert clustering_accuracy(toy.truth, given.labels_) > LEAST
    np.testing.assert_array_equal(build(method, 3).fit(toy.X).labels_, given.labels_)
    assert np.mean(given.predict(toy.X) == given.labels_) > 0.95  # the only domain is meant


@ALL
def test_several_domains_need_sample_domain_at_predict(method):
    several_targets, no_target = make_toy((0, -1, -2)), make_toy((0, 1))
    for toy, words in ((several_targets, "2 target domains"), (no_target, "2 domains")):
        estimator = build(method).fit(toy.X, sample_domain=toy.sample_domain)
        with pytest.raises(ValueError, match=f"{words} were fitted, so sample_domain is required"):
            estimator.predict(toy.X)
        with pytest.raises(ValueError, match=r"Unknown domain 5 in sample_domain \(row 2\)"):
            estimator.predict(toy.X[:3], sample_domain=[0, 0, 5])


@ALL
def test_more_clusters_than_documents(method):
    toy = make_toy()
    keep = np.concatenate([np.flatnonzero(~toy.is_target), np.flatnonzero(toy.is_target)[:3]])
    with pytest.raises(
        ValueError, match=r"n_clusters=4 is more than the documents of target domain -1 \(n_sam"
    ) as error:
        build(method, 4).fit(toy.X[keep], sample_domain=toy.sample_domain[keep])
    assert "\n" not in str(error.value)


@ALL
@pytest.mark.parametrize(
    ("n_clusters", "message"),
    [(0, "n_clusters must be at least"), (2.5, "whole number"), ("auto", "whole number")],
)
def test_bad_numbers_of_clusters(method, n_clusters, message):
    toy = make_toy()
    with pytest.raises(ValueError, match=message):
        build(method, n_clusters).fit(toy.X)


@ALL
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_coordinates_of_any_sign(method, dtype):
    toy = make_toy(n_classes=3)
    estimator = build(method, 3)
    if estimator.__sklearn_tags__().input_tags.positive_only:
        pytest.skip("takes no values below 0")
    # Few columns, as an embedding has, and the mean of every domain in the middle.
    X = toy.X.toarray() @ np.random.default_rng(0).standard_normal((toy.X.shape[1], 30))
    for number in (0, -1):
        rows = toy.sample_domain == number
        X[rows] -= X[rows].mean(axis=0)
    X = X.astype(dtype)
    estimator.fit(X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, estimator.labels_)) > LEAST
    again = estimator.predict(X, sample_domain=toy.sample_domain)
    assert np.mean(again == estimator.labels_) > 0.95


@ALL
def test_nothing_to_tell_apart(method):
    toy = make_toy()
    for X in (0 * toy.X, toy.X[np.zeros(len(toy.y), int)]):
        estimator = build(method).fit(X, sample_domain=toy.sample_domain)
        assert set(estimator.labels_.tolist()) <= {0, 1}
        assert set(estimator.predict(X).tolist()) <= {0, 1}


@ALL
def test_pipeline_with_metadata_routing(method):
    toy = make_toy((0, 1, -1))
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(make_weighting("log-tfidf"), build(method))
        pipeline.fit(toy.X, sample_domain=toy.sample_domain)
        clusters = pipeline.predict(toy.X, sample_domain=toy.sample_domain)
        both = pipeline.fit_predict(toy.X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, clusters)) > LEAST
    assert min(accuracies(toy, both)) > LEAST
    np.testing.assert_array_equal(both, pipeline[-1].labels_)


@ALL
def test_pipeline_without_metadata_routing(method):
    toy = make_toy()
    pipeline = make_pipeline(make_weighting("log-tfidf"), build(method))
    step = pipeline.steps[-1][0]
    clusters = pipeline.fit_predict(toy.X, **{f"{step}__sample_domain": toy.sample_domain})
    assert min(accuracies(toy, clusters)) > LEAST


def agreement(estimator, X, y, sample_domain):
    clusters = estimator.predict(X, sample_domain=sample_domain)
    parts = [sample_domain == number for number in np.unique(sample_domain)]
    return np.mean([clustering_nmi(y[rows], clusters[rows]) for rows in parts])


class Agreement:
    """A scorer that passes the domains on."""

    def __call__(self, estimator, X, y, sample_domain):
        return agreement(estimator, X, y, sample_domain)

    def get_metadata_routing(self):
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="Agreement")
        request.score.add_request(param="sample_domain", alias=True)
        return request


@ALL
def test_grid_search_finds_the_number_of_clusters(method):
    toy = make_toy(n_classes=3, n_per_class=15)
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            build(method),
            {"n_clusters": [2, 3]},
            cv=KFold(3, shuffle=True, random_state=0),
            scoring=Agreement(),
        ).fit(toy.X, toy.truth, sample_domain=toy.sample_domain)
    assert search.best_params_ == {"n_clusters": 3}
    assert search.best_score_ > 0.8


@ALL
def test_texts_instead_of_a_matrix(method):
    texts = ["good book", "bad book"]
    for X in (texts, np.array(texts), pd.Series(texts, index=[3, 4])):
        with pytest.raises(ValueError, match="X holds texts: count them first"):
            build(method).fit(X)
