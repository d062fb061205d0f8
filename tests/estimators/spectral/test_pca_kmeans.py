"""K-means on principal components."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

import isthmus.numerics.truncated_svd as module
from isthmus import PCAKMeansClusterer
from toy import make_toy


def test_components_explain_the_given_variance():
    toy = make_toy((0,), n_classes=3)
    dense = toy.X.toarray()
    pca = PCA().fit(dense)
    explained = np.cumsum(pca.explained_variance_ratio_)
    for variance in (0.3, 0.6):
        model = PCAKMeansClusterer(3, variance=variance, unit_rows=False, random_state=0)
        model.fit(toy.X)
        n_kept = int(np.searchsorted(explained, variance)) + 1
        assert model.n_components_ == {-1: n_kept}
        assert model.variance_kept_[-1] == pytest.approx(explained[n_kept - 1])
        # The centers in term space are those of the components, mapped back.
        coordinates = pca.transform(dense)[:, :n_kept]
        means = [coordinates[model.labels_ == c].mean(axis=0) for c in range(3)]
        expected = pca.mean_ + np.array(means) @ pca.components_[:n_kept]
        np.testing.assert_allclose(model.cluster_centers_[-1], expected, atol=1e-6)
        np.testing.assert_array_equal(model.predict(toy.X), model.labels_)


def test_max_components():
    toy = make_toy((0,))
    model = PCAKMeansClusterer(max_components=4, random_state=0).fit(toy.X)
    assert model.n_components_ == {-1: 4}
    assert 0 < model.variance_kept_[-1] < 0.95
    everything = PCAKMeansClusterer(variance=1.0, random_state=0).fit(toy.X[:6])
    assert everything.n_components_[-1] == 5  # centering removes one direction
    assert everything.variance_kept_[-1] == pytest.approx(1)


@pytest.mark.parametrize("n_rows", [40, 120])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_without_a_limit_the_variance_decides_as_in_scikit_learn(n_rows, dtype):
    toy = make_toy((0,), n_classes=3, n_per_class=40, dtype=dtype)
    X = toy.X[np.random.default_rng(0).permutation(120)[:n_rows]]  # 54 terms
    pca = PCA(0.95).fit(X.toarray())
    model = PCAKMeansClusterer.from_preset("paper").set_params(unit_rows=False, random_state=0)
    model.fit(X)
    assert model.n_components_ == {-1: pca.n_components_}
    explained = pca.explained_variance_ratio_.sum()
    assert model.variance_kept_[-1] == pytest.approx(explained, rel=1e-5)
    coordinates = pca.transform(X.toarray())
    means = np.array([coordinates[model.labels_ == c].mean(axis=0) for c in range(2)])
    expected = pca.mean_ + means @ pca.components_
    np.testing.assert_allclose(model.cluster_centers_[-1], expected, atol=1e-4)


def test_all_directions_of_large_data_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_GRAM_SIZE", 30)
    toy = make_toy((0,))
    with pytest.raises(ValueError, match=r"max_components=None computes all .* at most 30.: set"):
        PCAKMeansClusterer(max_components=None).fit(toy.X)
    PCAKMeansClusterer(random_state=0).fit(toy.X)
