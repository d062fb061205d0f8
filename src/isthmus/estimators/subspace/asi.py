"""Adaptive subspace iteration (Li, Ma and Ogihara 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.scoped_clusterer import Found, ScopedClusterer
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.components.repeatable_kmeans import (
    by_size,
    random_places,
    repeatable_kmeans,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.principal import principal_directions
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.subspace.asi import Subspace, asi


class ASI(ScopedClusterer):
    """Clusters and the subspace that they lie in, found in turn.

    Minimises ``||X - P M W'||^2`` over hard memberships ``P``, centroids ``M`` and an orthonormal
    ``W`` of ``n_components`` columns: ``W`` are the leading eigenvectors of the between-cluster
    part ``X'P (P'P)^-1 P'X``, ``M`` the means in that subspace, and every document goes to its
    nearest centroid there. The objective never rises.

    A reconstruction: the original paper was not at hand. The start is ours: K-means in the leading
    singular directions of the documents, as many as ``n_components``. The between-cluster part has
    no more directions than there are clusters, so with as many components (the default) or more
    the steps are those of K-means, and what sets this apart from K-means is the start. Fewer
    components hold the centroids in a smaller subspace; on web pages and newsgroups that was worse.

    Parameters
    ----------
    n_clusters : int, default=2
    n_components : int or None, default=None
        Dimensions of the subspace; None for as many as clusters.
    scope : "domain" or "all", default="domain"
        Whether every domain has a subspace and clusters of its own, or all have one. In the first
        case cluster numbers belong to a domain by itself: cluster 0 of one domain has nothing to do
        with cluster 0 of another.
    max_iter : int, default=100
    tol : float, default=1e-6
        The fit ends when the objective, summed over the domains, changes by less than this share of
        itself; 0 runs ``max_iter`` iterations.
    n_init : int, default=10
        How many starts of K-means at the beginning; the best end counts.
    unit_rows : bool, default=True
        Whether documents are scaled to length 1, so that long ones do not rule.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        The cluster of every fitted document.
    cluster_centers_ : dict
        By domain number, ``M W'``, an array of shape (n_clusters, n_terms): the nearest centre
        among the terms is the nearest centroid in the subspace. Zeros for a cluster without a
        document.
    objective_ : array
        The curve of the objective, from the start on.
    n_iter_ : int
    domains_ : array of int
    n_clusters_ : int

    References
    ----------
    T. Li, S. Ma, M. Ogihara. Document Clustering via Adaptive Subspace Iteration. SIGIR 2004.

    Examples
    --------
    >>> from isthmus import ASI
    >>> X = [[2, 0, 1], [3, 0, 0], [0, 4, 1], [1, 0, 2], [0, 0, 3], [0, 5, 0]]
    >>> ASI(scope="all", random_state=0).fit_predict(X).tolist()
    [0, 0, 1, 0, 0, 1]
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **ScopedClusterer._fitted_shapes,
        "objective_": "i",
        "n_iter_": "",
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_components: int | None = None,
        scope: str = "domain",
        max_iter: int = 100,
        tol: float = 1e-6,
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.scope = scope
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.unit_rows = unit_rows
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_components is not None:
            check_whole_number("n_components", self.n_components, least=1)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    def _cluster_parts(
        self, parts: Sequence[Any], seed: int, callback: Callback | None
    ) -> list[Found]:
        n_components = self.n_components or self.n_clusters
        places = [random_places(X, np.random.default_rng(seed)) for X in parts]
        documents = [as_documents(X) for X in parts]
        starts = [
            self._first_labels(part, n_components, where, np.random.default_rng(seed))
            for part, where in zip(documents, places, strict=True)
        ]
        result = asi(
            documents,
            starts,
            self.n_clusters,
            n_components,
            stopping=Stopping(self.max_iter, self.tol),
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol)
        self.objective_ = np.asarray(result.objective)
        self.n_iter_ = result.n_iter
        found = zip(result.labels, result.subspaces, places, strict=True)
        return [_largest_first(*part) for part in found]

    def _first_labels(
        self,
        documents: Documents,
        n_components: int,
        places: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> NDArray[np.intp]:
        """K-means in the leading singular directions."""
        start = generator.standard_normal(documents.shape[1])
        principal = principal_directions(documents, n_components, start)
        coordinates = documents.times(principal.directions)
        return repeatable_kmeans(
            coordinates, self.n_clusters, generator, places=places, n_init=self.n_init
        ).labels


def _largest_first(labels: NDArray[np.intp], space: Subspace, places: NDArray[np.float64]) -> Found:
    """Clusters numbered anew, and their centres among the terms."""
    ranks = by_size(labels, places, len(space.centroids))
    with one_thread():
        centers = space.centroids[ranks] @ space.directions.T
    return np.argsort(ranks)[labels], {"cluster_centers_": centers}
