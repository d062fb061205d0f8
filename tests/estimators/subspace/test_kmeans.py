"""K-means of domains."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from isthmus import KMeansClusterer, clustering_accuracy
from toy import make_toy


def test_same_clusters_as_scikit_learn():
    toy = make_toy((0,), n_classes=4)
    model = KMeansClusterer(4, unit_rows=False, random_state=0).fit(toy.X)
    reference = KMeans(4, n_init=10, random_state=0).fit(toy.X)
    assert clustering_accuracy(reference.labels_, model.labels_) == 1
    for cluster in range(4):
        mean = toy.X[model.labels_ == cluster].mean(axis=0)
        np.testing.assert_allclose(model.cluster_centers_[-1][cluster], mean)
