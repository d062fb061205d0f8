"""The baselines among the clusterers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from isthmus import ASI, KMeansClusterer, NormalizedCut, PCAKMeansClusterer, clustering_accuracy
from isthmus.estimators.components.repeatable_kmeans import nearest_center, repeatable_kmeans
from toy import make_toy

BASELINES = [KMeansClusterer, PCAKMeansClusterer, NormalizedCut, ASI]
ALL = pytest.mark.parametrize("cls", BASELINES, ids=lambda cls: cls.__name__)
SCOPES = pytest.mark.parametrize("scope", ["domain", "all"])


@ALL
def test_a_domain_gets_the_clusters_that_it_would_get_alone(cls):
    toy = make_toy((0, 1, -1), n_classes=3)
    together = cls(3, random_state=0).fit(toy.X, sample_domain=toy.sample_domain)
    for number in (0, 1, -1):
        rows = toy.sample_domain == number
        alone = cls(3, random_state=0).fit_predict(toy.X[rows])
        np.testing.assert_array_equal(alone, together.labels_[rows])


@ALL
def test_with_scope_all_domains_do_not_count(cls):
    toy = make_toy((0, 1, -1), n_classes=3)
    pooled = cls(3, scope="all", random_state=0).fit(toy.X, sample_domain=toy.sample_domain)
    as_one = cls(3, random_state=0).fit(toy.X)
    np.testing.assert_array_equal(pooled.labels_, as_one.labels_)
    assert clustering_accuracy(toy.truth, pooled.labels_) > 0.9  # one numbering for all domains
    assert pooled.cluster_centers_[0] is pooled.cluster_centers_[-1]
    new = make_toy((0, 1, -1), n_classes=3, seed=7)
    numbers = new.sample_domain
    found = pooled.predict(new.X, sample_domain=numbers)
    np.testing.assert_array_equal(found, pooled.predict(new.X, sample_domain=numbers[::-1]))


@ALL
@SCOPES
def test_the_largest_cluster_comes_first(cls, scope):
    toy = make_toy(n_classes=3)
    counts = {0: 20, 1: 6, 2: 13}
    keep = np.concatenate(
        [
            np.flatnonzero((toy.sample_domain == number) & (toy.truth == c))[: counts[c]]
            for number in (0, -1)
            for c in counts
        ]
    )
    labels = cls(3, scope=scope, random_state=0).fit_predict(
        toy.X[keep], sample_domain=toy.sample_domain[keep]
    )
    together = toy.sample_domain[keep] == 0 if scope == "domain" else slice(None)
    sizes = np.bincount(labels[together], minlength=3)
    assert sizes[0] >= sizes[1] >= sizes[2]
    assert sizes[0] > sizes[2]


@ALL
def test_scope_all_asks_for_enough_documents_in_all(cls):
    toy = make_toy()
    rows = [0, 1, 20, 40, 60]  # three and two
    labels = cls(3, scope="all", random_state=0).fit_predict(
        toy.X[rows], sample_domain=toy.sample_domain[rows]
    )
    assert labels.shape == (5,)
    with pytest.raises(ValueError, match=r"documents of all domains \(n_samples=5\)"):
        cls(6, scope="all").fit(toy.X[rows], sample_domain=toy.sample_domain[rows])


@ALL
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"scope": "both"}, "scope must be one of 'domain', 'all'"),
        ({"n_init": 0}, "n_init must be at least 1"),
    ],
)
def test_bad_parameters(cls, parameters, message):
    with pytest.raises(ValueError, match=message):
        cls(**parameters).fit(make_toy().X)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (PCAKMeansClusterer(variance=1.5), "variance must be at most 1"),
        (PCAKMeansClusterer(max_components=0), "max_components must be at least 1"),
        (ASI(n_components=0), "n_components must be at least 1"),
        (ASI(max_iter=0), "max_iter must be at least 1"),
        (ASI(tol=-1), "tol must be at least 0"),
    ],
)
def test_bad_parameters_of_one(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(make_toy().X)


@ALL
def test_one_cluster_and_one_document(cls):
    toy = make_toy()
    assert not cls(1, random_state=0).fit_predict(toy.X).any()
    assert cls(1).fit(toy.X[[0]]).predict(toy.X[[1, 2]]).tolist() == [0, 0]
    labels = cls(3, random_state=0).fit_predict(toy.X[[0, 20, 1]])
    assert set(labels.tolist()) <= {0, 1, 2}


@ALL
def test_unit_rows_keep_long_documents_from_ruling(cls):
    toy = make_toy((0,))
    lengths = 10.0 ** np.random.default_rng(0).integers(0, 4, len(toy.y))
    X = sparse.csr_array(toy.X * lengths[:, None])
    scaled, plain = (
        clustering_accuracy(toy.truth, cls(unit_rows=unit, random_state=0).fit_predict(X))
        for unit in (True, False)
    )
    assert scaled > 0.9
    if cls is not NormalizedCut:  # a graph is normalised by its degrees anyway
        assert plain < 0.8


@ALL
def test_what_is_kept_has_the_type_of_the_documents(cls):
    toy = make_toy(dtype=np.float32)
    estimator = cls(random_state=0).fit(toy.X, sample_domain=toy.sample_domain)
    arrays = [estimator.cluster_centers_[0]]
    if cls is NormalizedCut:
        arrays += [estimator.projections_[0], estimator.offsets_[0]]
    assert [array.dtype for array in arrays] == [np.float32] * len(arrays)
    assert set(estimator._fitted_shapes) <= set(vars(estimator))


def test_kmeans_finds_what_scikit_learn_finds():
    toy = make_toy((0,), n_classes=4)
    ours = KMeansClusterer(4, unit_rows=False, random_state=0).fit(toy.X)
    theirs = KMeans(4, n_init=10, random_state=0).fit(toy.X)
    assert clustering_accuracy(theirs.labels_, ours.labels_) == 1
    for cluster in range(4):
        mean = toy.X[ours.labels_ == cluster].mean(axis=0)
        np.testing.assert_allclose(ours.cluster_centers_[-1][cluster], mean)


def test_kmeans_of_fewer_rows_than_clusters():
    X = np.array([[0.0, 1.0], [5.0, 0.0]])
    found = repeatable_kmeans(X, 4, np.random.default_rng(0))
    assert sorted(found.labels.tolist()) == [0, 1]
    assert found.centers.shape == (4, 2)
    np.testing.assert_array_equal(nearest_center(X, found.centers), found.labels)


def test_components_keep_the_variance_that_they_say():
    toy = make_toy((0,), n_classes=3)
    dense = toy.X.toarray()
    whole = PCA().fit(dense)
    shares = np.cumsum(whole.explained_variance_ratio_)
    for variance in (0.3, 0.6):
        model = PCAKMeansClusterer(3, variance=variance, unit_rows=False, random_state=0)
        model.fit(toy.X)
        n_kept = int(np.searchsorted(shares, variance)) + 1
        assert model.n_components_ == {-1: n_kept}
        assert model.variance_kept_[-1] == pytest.approx(shares[n_kept - 1])
        # The centres among the terms are those among the components, and of the same documents.
        coordinates = whole.transform(dense)[:, :n_kept]
        means = [coordinates[model.labels_ == c].mean(axis=0) for c in range(3)]
        expected = whole.mean_ + np.array(means) @ whole.components_[:n_kept]
        np.testing.assert_allclose(model.cluster_centers_[-1], expected, atol=1e-6)
        np.testing.assert_array_equal(model.predict(toy.X), model.labels_)


def test_no_more_components_than_allowed():
    toy = make_toy((0,))
    model = PCAKMeansClusterer(max_components=4, random_state=0).fit(toy.X)
    assert model.n_components_ == {-1: 4}
    assert 0 < model.variance_kept_[-1] < 0.95
    everything = PCAKMeansClusterer(variance=1.0, random_state=0).fit(toy.X[:6])
    assert everything.n_components_[-1] == 5  # the mean takes one direction
    assert everything.variance_kept_[-1] == pytest.approx(1)


def test_cut_refuses_inner_products_that_are_no_edges():
    X = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match=r"X holds values below 0.*leave unit_rows=True"):
        NormalizedCut(unit_rows=False).fit(X)


def test_cut_puts_documents_without_company_into_the_largest_cluster():
    toy = make_toy((0,))
    X = sparse.hstack([toy.X, sparse.csr_array((40, 1))], format="lil")
    X[3] = 0
    X[5] = 0
    X[5, -1] = 1.0  # a term of its own
    model = NormalizedCut(random_state=0).fit(X.tocsr())
    assert model.labels_[[3, 5]].tolist() == [0, 0]
    assert model.predict(sparse.csr_array((2, X.shape[1]))).tolist() == [0, 0]
    others = np.setdiff1d(np.arange(40), [3, 5])
    assert clustering_accuracy(toy.truth[others], model.labels_[others]) > 0.9


def test_asi_with_few_components_keeps_its_centres_in_their_subspace():
    toy = make_toy((0,), n_classes=4)
    model = ASI(4, n_components=2, random_state=0).fit(toy.X)
    assert np.linalg.matrix_rank(model.cluster_centers_[-1], tol=1e-8) == 2
    assert len(model.objective_) == model.n_iter_ + 1
    unit = toy.X.toarray() / np.linalg.norm(toy.X.toarray(), axis=1, keepdims=True)
    distance = np.sum((unit - model.cluster_centers_[-1][model.labels_]) ** 2)
    assert model.objective_[-1] == pytest.approx(distance)
