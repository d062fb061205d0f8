"""K-means on the leading principal components of every domain, or of all domains as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isthmus.estimators.base.clusterer import GroupFit, GroupModel, ScopedClusterer
from isthmus.estimators.base.fitted_model import number
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.components.repeatable_kmeans import random_projections, repeatable_kmeans
from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.truncated_svd import check_gram_size, principal_directions


@dataclass(frozen=True, kw_only=True)
class ComponentsModel(GroupModel):
    """Cluster centers, with the number and the variance of the principal components."""

    n_components: int = number()
    variance_kept: float = number()


class PCAKMeansClusterer(ScopedClusterer):
    """K-means after a principal component analysis (PCAKM in the tables of LSSMTC's paper).

    Minimizes ``sum_i ||V'(x_i - mean) - m_c(i)||^2`` over the centers ``m`` and the cluster
    ``c(i)`` of every document. The columns of ``V`` are the leading principal directions: as many
    as explain the proportion ``variance`` of the total variance, but at most ``max_components``.

    The total variance follows from the norms of the documents and of their mean, so the explained
    proportion is known without computing the other directions. Sparse documents stay sparse: the
    mean is a rank-one correction. The variance of texts is spread over hundreds of directions, and
    ``max_components`` is often reached; see ``variance_kept_``. ``from_preset("paper")`` has no
    such limit.

    Parameters
    ----------
    variance : float, default=0.95
        Proportion of the variance to keep, as in the paper.
    max_components : int or None, default=100
        Largest number of principal directions. None is no limit and computes all directions, so the
        smaller of the numbers of documents and terms of a group may be at most 5,000.

    Attributes
    ----------
    cluster_centers_ : dict of domain number to array of shape (n_clusters, n_terms)
        Centers in term space, ``mean + V m``. The nearest center of a document is the same there as
        among the components.
    n_components_ : dict of domain number to int
        Number of components.
    variance_kept_ : dict of domain number to float
        Proportion of the variance that they explain.

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

    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
    _presets: ClassVar[dict[str, dict[str, Any]]] = {"paper": {"max_components": None}}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        variance: float = 0.95,
        max_components: int | None = 100,
        scope: str = "domain",
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters, scope=scope, n_init=n_init, unit_rows=unit_rows, random_state=random_state
        )
        self.variance = variance
        self.max_components = max_components

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("variance", self.variance, least=0, most=1)
        if self.max_components is not None:
            check_whole_number("max_components", self.max_components, least=1)

    def _cluster_group(self, X: Any, generator: np.random.Generator) -> GroupFit:
        start = generator.standard_normal(X.shape[1])
        documents = as_documents(X)
        if self.max_components is None:
            check_gram_size(X.shape, "max_components=None", "set a number")
        principal = principal_directions(documents, self.max_components, start, centered=True)
        explained = np.cumsum(principal.squares) / (principal.total or 1.0)
        n_kept = min(int(np.searchsorted(explained, self.variance)) + 1, len(explained))
        V = principal.directions[:, :n_kept]
        places = random_projections(X, generator)
        with one_thread():
            coordinates = documents.times(V) - (principal.mean @ V).astype(X.dtype)
            clusters = repeatable_kmeans(
                coordinates, self.n_clusters, generator, projections=places, n_init=self.n_init
            )
            centers = principal.mean + clusters.centers @ V.T
        model = ComponentsModel(
            cluster_centers=centers.astype(X.dtype),
            n_components=n_kept,
            variance_kept=float(explained[n_kept - 1]),
        )
        return GroupFit(clusters.labels, model)
