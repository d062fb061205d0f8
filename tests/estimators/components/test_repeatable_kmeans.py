"""K-means that does not depend on the order of the rows."""

from __future__ import annotations

import numpy as np

from isthmus.estimators.components.repeatable_kmeans import nearest_center, repeatable_kmeans


def test_fewer_rows_than_clusters():
    X = np.array([[0.0, 1.0], [5.0, 0.0]])
    clusters = repeatable_kmeans(X, 4, np.random.default_rng(0))
    assert sorted(clusters.labels.tolist()) == [0, 1]
    assert clusters.centers.shape == (4, 2)
    np.testing.assert_array_equal(nearest_center(X, clusters.centers), clusters.labels)
