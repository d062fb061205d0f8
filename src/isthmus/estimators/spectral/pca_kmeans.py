"""K-means in the leading principal components of every domain, or of all as one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from isthmus.estimators.base.scoped_clusterer import Found, ScopedClusterer
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.components.repeatable_kmeans import random_places, repeatable_kmeans
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.principal import principal_directions


class PCAKMeansClusterer(ScopedClusterer):
    """K-means after a principal component analysis (PCAKM in the tables of LSSMTC's paper).

    Minimises ``sum_i ||V'(x_i - mean) - m_c(i)||^2`` over the centres ``m`` and the cluster
    ``c(i)`` of every document, where the columns of ``V`` are as many leading principal directions
    as keep the share ``variance`` of the variance, but at most ``max_components``.

    The whole variance is known from the lengths of the documents and of their mean, so that share
    is known without the other directions. Documents stay sparse: the mean is a correction of rank
    one. In texts variance is spread over hundreds of directions, and the limit is often what
    decides; ``variance_kept_`` says how much was kept.

    Parameters
    ----------
    n_clusters : int, default=2
    variance : float, default=0.95
        Share of the variance to keep, as the paper does.
    max_components : int, default=100
        The most directions that are computed.
    scope : "domain" or "all", default="domain"
        Whether every domain is analysed and clustered by itself, or all as one. In the first case
        cluster numbers belong to a domain by itself: cluster 0 of one domain has nothing to do with
        cluster 0 of another.
    n_init : int, default=10
        How many starts of K-means; the best end counts.
    unit_rows : bool, default=True
        Whether documents are scaled to length 1, so that long ones do not rule.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        The cluster of every fitted document.
    cluster_centers_ : dict
        By domain number, an array of shape (n_clusters, n_terms): the centres among the terms,
        ``mean + V m``. A document's nearest centre is the same there as in the components.
    n_components_ : dict
        By domain number, how many components were kept.
    variance_kept_ : dict
        By domain number, their share of the variance.
    domains_ : array of int
    n_clusters_ : int

    References
    ----------
    Q. Gu, J. Zhou. Learning the Shared Subspace for Multi-Task Clustering and Transductive Transfer
    Classification. ICDM 2009, section V.

    Examples
    --------
    >>> from isthmus import PCAKMeansClusterer
    >>> X = [[2, 0, 1], [3, 0, 0], [0, 4, 1], [1, 0, 2], [0, 0, 3], [0, 5, 0]]
    >>> PCAKMeansClusterer(scope="all", random_state=0).fit_predict(X).tolist()
    [0, 0, 1, 0, 0, 1]
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **ScopedClusterer._fitted_shapes,
        "n_components_": "domain:",
        "variance_kept_": "domain:",
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        variance: float = 0.95,
        max_components: int = 100,
        scope: str = "domain",
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variance = variance
        self.max_components = max_components
        self.scope = scope
        self.n_init = n_init
        self.unit_rows = unit_rows
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("variance", self.variance, least=0, most=1)
        check_whole_number("max_components", self.max_components, least=1)

    def _cluster_part(self, X: Any, generator: np.random.Generator) -> Found:
        start = generator.standard_normal(X.shape[1])
        documents = as_documents(X)
        principal = principal_directions(documents, self.max_components, start, centred=True)
        shares = np.cumsum(principal.squares) / (principal.total or 1.0)
        n_kept = min(int(np.searchsorted(shares, self.variance)) + 1, len(shares))
        V = principal.directions[:, :n_kept]
        places = random_places(X, generator)
        with one_thread():
            coordinates = documents.times(V) - (principal.mean @ V).astype(X.dtype)
            clusters = repeatable_kmeans(
                coordinates, self.n_clusters, generator, places=places, n_init=self.n_init
            )
            centers = principal.mean + clusters.centers @ V.T
        fitted = {
            "cluster_centers_": centers.astype(X.dtype),
            "n_components_": n_kept,
            "variance_kept_": float(shares[n_kept - 1]),
        }
        return clusters.labels, fitted
