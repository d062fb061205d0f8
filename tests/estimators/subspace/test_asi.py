"""Adaptive subspace iteration."""

from __future__ import annotations

import numpy as np
import pytest

import isthmus.numerics.truncated_svd as module
from isthmus import ASI, LSSMTC, KMeansClusterer, clustering_accuracy
from toy import make_toy


def test_centers_lie_in_the_subspace():
    toy = make_toy((0,), n_classes=4)
    model = ASI(4, n_components=2, random_state=0).fit(toy.X)
    assert np.linalg.matrix_rank(model.cluster_centers_[-1], tol=1e-8) == 2
    assert len(model.objective_) == model.n_iter_ + 1
    unit = toy.X.toarray() / np.linalg.norm(toy.X.toarray(), axis=1, keepdims=True)
    distance = np.sum((unit - model.cluster_centers_[-1][model.labels_]) ** 2)
    assert model.objective_[-1] == pytest.approx(distance)


def test_smallest_scatter_of_all_domains_is_lssmtc_with_lam_0():
    toy = make_toy(n_classes=3)
    options = {"w_step": "smallest", "max_iter": 6, "tol": 0, "random_state": 0}
    asi = ASI(3, scope="all", **options).fit(toy.X, sample_domain=toy.sample_domain)
    lssmtc = LSSMTC(3, lam=0, center=False, init="together", n_subspace=3, **options)
    lssmtc.fit(toy.X, sample_domain=toy.sample_domain)
    # Both begin with the same clusters of K-means.
    start = KMeansClusterer(3, scope="all", random_state=0).fit_predict(toy.X)
    assert clustering_accuracy(start, lssmtc.init_labels_) == 1
    assert 0.5 < clustering_accuracy(start, asi.labels_) < 1
    assert clustering_accuracy(lssmtc.labels_, asi.labels_) == 1
    np.testing.assert_allclose(asi.objective_, lssmtc.objective_)
    np.testing.assert_array_equal(asi.predict(toy.X, toy.sample_domain), asi.labels_)


def test_with_fewer_documents_than_terms_the_span_decides():
    toy = make_toy(n_classes=3)
    rows = np.arange(0, len(toy.y), 3)  # 40 documents, 54 terms
    X, numbers = toy.X[rows], toy.sample_domain[rows]
    start = KMeansClusterer(3, random_state=0).fit_predict(X, sample_domain=numbers)
    in_span = ASI(3, w_step="smallest_in_span", random_state=0).fit(X, sample_domain=numbers)
    np.testing.assert_array_equal(in_span.labels_, start)
    np.testing.assert_allclose(in_span.objective_, 0, atol=1e-9)
    with pytest.warns(UserWarning, match=r"of 0.0e\+00 of the data, so the clusters are arbitrary"):
        outside = ASI(3, w_step="smallest", random_state=0).fit(X, sample_domain=numbers)
    assert not outside.labels_.any()


def test_preset_of_the_paper_and_bad_steps(monkeypatch):
    model = ASI.from_preset("paper").set_params(n_clusters=3, random_state=0)
    assert (model.w_step, model.n_components, model.max_iter) == ("smallest_in_span", 4, 20)
    toy = make_toy((0,), n_classes=3, n_per_class=30)
    model.fit(toy.X)
    assert model.n_iter_ == 20
    assert (np.diff(model.objective_) <= 1e-9).all()
    with pytest.raises(ValueError, match="w_step must be one of 'between', 'smallest'"):
        ASI(w_step="largest").fit(toy.X)
    monkeypatch.setattr(module, "MAX_GRAM_SIZE", 30)
    with pytest.raises(ValueError, match=r"w_step='smallest' .* at most 30.: use w_step='between'"):
        ASI(w_step="smallest").fit(toy.X)
