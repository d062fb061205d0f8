"""K-means of every domain, or of all as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.estimators.base.scoped_clusterer import Found, ScopedClusterer
from isthmus.estimators.components.repeatable_kmeans import repeatable_kmeans


class KMeansClusterer(ScopedClusterer):
    """K-means, the baseline of clusterings (KM, and All KM, in the tables of LSSMTC's paper).

    Minimises ``sum_i ||x_i - m_c(i)||^2`` over the centres ``m`` and the cluster ``c(i)`` of every
    document, by scikit-learn's ``KMeans`` on the documents as they are: a sparse matrix stays one.
    The order of the rows plays no part.

    Parameters
    ----------
    n_clusters : int, default=2
    scope : "domain" or "all", default="domain"
        Whether every domain is clustered by itself, or the documents of all domains as one. Cluster
        numbers, the largest cluster first, belong to a domain by itself in the first case: cluster
        0 of one domain has nothing to do with cluster 0 of another.
    n_init : int, default=10
        How many starts; the best end counts.
    unit_rows : bool, default=True
        Whether documents are scaled to length 1, so that long ones do not rule.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        The cluster of every fitted document.
    cluster_centers_ : dict
        By domain number, an array of shape (n_clusters, n_terms); one and the same for all domains
        with ``scope="all"``.
    domains_ : array of int
    n_clusters_ : int

    References
    ----------
    S. P. Lloyd. Least Squares Quantization in PCM. IEEE Transactions on Information Theory 28,
    1982. D. Arthur, S. Vassilvitskii. k-means++: The Advantages of Careful Seeding. SODA 2007.

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

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        scope: str = "domain",
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.scope = scope
        self.n_init = n_init
        self.unit_rows = unit_rows
        self.random_state = random_state

    def _cluster_part(self, X: Any, generator: np.random.Generator) -> Found:
        clusters = repeatable_kmeans(X, self.n_clusters, generator, n_init=self.n_init)
        return clusters.labels, {"cluster_centers_": clusters.centers}
