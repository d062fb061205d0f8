"""K-means of every domain, or of all domains as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.estimators.base.clusterer import GroupFit, GroupModel, ScopedClusterer
from isthmus.estimators.components.repeatable_kmeans import repeatable_kmeans


class KMeansClusterer(ScopedClusterer):
    """K-means, the baseline of the clusterers (KM and All KM in the tables of LSSMTC's paper).

    Minimizes ``sum_i ||x_i - m_c(i)||^2`` over the centers ``m`` and the cluster ``c(i)`` of every
    document. Uses scikit-learn's ``KMeans``; sparse matrices stay sparse. The result does not
    depend on the order of the rows.

    Attributes
    ----------
    cluster_centers_ : dict of domain number to array of shape (n_clusters, n_terms)
        With ``scope="all"`` all domains have the same array.

    References
    ----------
    S. P. Lloyd. Least Squares Quantization in PCM. IEEE Transactions on Information Theory 28,
    1982.

    D. Arthur, S. Vassilvitskii. k-means++: The Advantages of Careful Seeding. SODA 2007.

    Examples
    --------
    >>> from isthmus import KMeansClusterer
    >>> X = [[2, 0, 1], [3, 0, 0], [0, 4, 1], [1, 0, 2], [0, 0, 3], [0, 5, 0]]
    >>> model = KMeansClusterer(random_state=0).fit(X, sample_domain=[0, 0, 0, 1, 1, 1])
    >>> model.labels_.tolist()
    [0, 0, 1, 0, 0, 1]
    >>> model.predict([[0, 2, 0]], sample_domain=[1]).tolist()
    [1]
    """

    def _cluster_group(self, X: Any, generator: np.random.Generator) -> GroupFit:
        clusters = repeatable_kmeans(X, self.n_clusters, generator, n_init=self.n_init)
        return GroupFit(clusters.labels, GroupModel(cluster_centers=clusters.centers))
