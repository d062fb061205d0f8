"""Clusterers of single domains, or of all domains as one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus import ASI, KMeansClusterer, NormalizedCut, PCAKMeansClusterer, clustering_accuracy
from toy import make_toy

CLUSTERERS = [KMeansClusterer, PCAKMeansClusterer, NormalizedCut, ASI]
ALL = pytest.mark.parametrize("cls", CLUSTERERS, ids=lambda cls: cls.__name__)
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
def test_scope_all_ignores_the_domains(cls):
    toy = make_toy((0, 1, -1), n_classes=3)
    pooled = cls(3, scope="all", random_state=0).fit(toy.X, sample_domain=toy.sample_domain)
    as_one = cls(3, random_state=0).fit(toy.X)
    np.testing.assert_array_equal(pooled.labels_, as_one.labels_)
    assert clustering_accuracy(toy.truth, pooled.labels_) > 0.9  # one numbering for all domains
    assert pooled.cluster_centers_[0] is pooled.cluster_centers_[-1]
    new = make_toy((0, 1, -1), n_classes=3, seed=7)
    numbers = new.sample_domain
    labels = pooled.predict(new.X, sample_domain=numbers)
    np.testing.assert_array_equal(labels, pooled.predict(new.X, sample_domain=numbers[::-1]))


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


@pytest.mark.ends_early
@ALL
def test_scope_all_counts_the_documents_of_all_domains(cls):
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


@pytest.mark.ends_early
@ALL
def test_one_cluster_and_one_document(cls):
    toy = make_toy()
    assert not cls(1, random_state=0).fit_predict(toy.X).any()
    assert cls(1).fit(toy.X[[0]]).predict(toy.X[[1, 2]]).tolist() == [0, 0]
    labels = cls(3, random_state=0).fit_predict(toy.X[[0, 20, 1]])
    assert set(labels.tolist()) <= {0, 1, 2}


@ALL
def test_with_unit_rows_long_documents_do_not_dominate(cls):
    toy = make_toy((0,))
    lengths = 10.0 ** np.random.default_rng(0).integers(0, 4, len(toy.y))
    X = sparse.csr_array(toy.X * lengths[:, None])
    scaled, plain = (
        clustering_accuracy(toy.truth, cls(unit_rows=unit, random_state=0).fit_predict(X))
        for unit in (True, False)
    )
    assert scaled > 0.9
    if cls is not NormalizedCut:  # the graph is normalized by its degrees
        assert plain < 0.8


@ALL
def test_fitted_arrays_have_the_type_of_the_documents(cls):
    toy = make_toy(dtype=np.float32)
    estimator = cls(random_state=0).fit(toy.X, sample_domain=toy.sample_domain)
    arrays = [estimator.cluster_centers_[0]]
    if cls is NormalizedCut:
        arrays += [estimator.projections_[0], estimator.offsets_[0]]
    assert [array.dtype for array in arrays] == [np.float32] * len(arrays)
    for name, value in vars(estimator.model_.groups[0]).items():
        assert getattr(estimator, f"{name}_")[0] is value
