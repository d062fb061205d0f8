"""What every clusterer guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, KFold

from isthmus import clustering_accuracy, clustering_nmi
from methods import build, fit_once, methods_of, one_per_base_path, parametrize
from toy import make_toy

# Not every method converges on the toy problems, or is certain of its labels.
pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

CLUSTERERS = parametrize(methods_of("clusterer"))
BASE_PATHS = parametrize(one_per_base_path(methods_of("clusterer")))
# The classes of the toy problem are far apart.
LEAST = 0.9


def accuracies(toy, clusters):
    """Clustering accuracy of every domain by itself."""
    parts = [toy.sample_domain == number for number in np.unique(toy.sample_domain)]
    return [clustering_accuracy(toy.truth[rows], clusters[rows]) for rows in parts]


@CLUSTERERS
@pytest.mark.parametrize(
    ("domains", "n_classes"), [((0, -1), 2), ((0, 1, 2), 4), ((3, -1, -2), 3)], ids=str
)
def test_recovers_the_classes_of_every_domain(method, domains, n_classes):
    toy, estimator = fit_once(method, domains, n_classes)
    assert min(accuracies(toy, estimator.labels_)) > LEAST
    assert estimator.labels_.shape == toy.y.shape
    assert estimator.labels_.dtype.kind == "i"
    assert set(estimator.labels_.tolist()) == set(range(n_classes))
    assert set(estimator.domains_) == set(domains)
    assert estimator.n_clusters_ == n_classes
    again = estimator.predict(toy.X, sample_domain=toy.sample_domain)
    assert np.mean(again == estimator.labels_) > 0.95


@CLUSTERERS
def test_new_documents_join_the_clusters_of_their_domain(method):
    toy, estimator = fit_once(method, n_classes=3)
    new = make_toy(n_classes=3, seed=7)
    clusters = estimator.predict(new.X, sample_domain=new.sample_domain)
    assert clusters.dtype.kind == "i"
    for number in (0, -1):
        before, after = toy.sample_domain == number, new.sample_domain == number
        truth = np.concatenate([toy.truth[before], new.truth[after]])
        found = np.concatenate([estimator.labels_[before], clusters[after]])
        assert clustering_accuracy(truth, found) > LEAST
    target = new.is_target
    np.testing.assert_array_equal(estimator.predict(new.X[target]), clusters[target])
    one_document = estimator.predict(new.X[[-1]])
    np.testing.assert_array_equal(one_document, clusters[[-1]])


@BASE_PATHS
def test_fit_predict_passes_the_domains_on(method):
    toy, expected = fit_once(method, (0, 1, 2))
    found = build(method).fit_predict(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(found, expected.labels_)
    estimator = build(method)
    estimator.fit_predict(toy.X, None, toy.sample_domain)
    assert estimator.domains_.tolist() == [0, 1, 2]


@BASE_PATHS
@pytest.mark.parametrize("label", [0, "?", np.nan])
def test_labels_are_not_read(method, label):
    toy, expected = fit_once(method)
    found = build(method).fit(toy.X, [label] * len(toy.y), sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(found.labels_, expected.labels_)


@CLUSTERERS
def test_one_domain_without_a_number(method):
    toy, given = fit_once(method, (0,), n_classes=3)
    assert clustering_accuracy(toy.truth, given.labels_) > LEAST
    np.testing.assert_array_equal(build(method, n_clusters=3).fit(toy.X).labels_, given.labels_)
    assert np.mean(given.predict(toy.X) == given.labels_) > 0.95  # in the only domain


@BASE_PATHS
def test_several_domains_without_a_target_need_sample_domain_at_predict(method):
    toy, estimator = fit_once(method, (0, 1, 2))
    with pytest.raises(ValueError, match=r"3 domains.*sample_domain is required"):
        estimator.predict(toy.X)


@CLUSTERERS
def test_more_clusters_than_documents(method):
    toy = make_toy()
    keep = np.concatenate([np.flatnonzero(~toy.is_target), np.flatnonzero(toy.is_target)[:3]])
    with pytest.raises(ValueError, match=r"n_clusters=4.*target domain -1.*n_samples=3") as error:
        build(method, n_clusters=4).fit(toy.X[keep], sample_domain=toy.sample_domain[keep])
    assert "\n" not in str(error.value)


@BASE_PATHS
@pytest.mark.parametrize(
    ("n_clusters", "words"), [(0, "at least"), (2.5, "whole number"), ("auto", "whole number")]
)
def test_bad_numbers_of_clusters(method, n_clusters, words):
    with pytest.raises(ValueError, match=f"n_clusters.*{words}"):
        build(method, n_clusters=n_clusters).fit(make_toy().X)


@parametrize(
    method
    for method in methods_of("clusterer")
    if not method.build().__sklearn_tags__().input_tags.positive_only
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_coordinates_of_any_sign(method, dtype):
    toy = make_toy(n_classes=3)
    # Few columns, as an embedding has, and every domain centered.
    X = toy.X.toarray() @ np.random.default_rng(0).standard_normal((toy.X.shape[1], 30))
    for number in (0, -1):
        rows = toy.sample_domain == number
        X[rows] -= X[rows].mean(axis=0)
    X = X.astype(dtype)
    estimator = build(method, n_clusters=3).fit(X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, estimator.labels_)) > LEAST
    again = estimator.predict(X, sample_domain=toy.sample_domain)
    assert np.mean(again == estimator.labels_) > 0.95


@CLUSTERERS
@pytest.mark.parametrize("change", [lambda X: 0 * X, lambda X: X[[0] * 80]], ids=["zero", "equal"])
def test_documents_that_do_not_differ(method, change):
    toy = make_toy()
    X = change(toy.X)
    estimator = build(method).fit(X, sample_domain=toy.sample_domain)
    assert set(estimator.labels_.tolist()) <= {0, 1}
    assert set(estimator.predict(X).tolist()) <= {0, 1}


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


@BASE_PATHS
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
