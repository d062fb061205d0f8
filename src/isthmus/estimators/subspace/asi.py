"""ASI, adaptive subspace iteration (Li, Ma and Ogihara 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.clusterer import GroupFit, GroupModel, ScopedClusterer
from isthmus.estimators.components.parameters import (
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.estimators.components.repeatable_kmeans import (
    by_size,
    random_projections,
    repeatable_kmeans,
)
from isthmus.estimators.subspace._base import warn_if_negligible
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback, Stopping
from isthmus.numerics.truncated_svd import check_gram_size, principal_directions
from isthmus.solvers.subspace.asi import AdaptiveSubspace, asi, asi_within


class ASI(ScopedClusterer):
    """Alternates between clusters and the subspace that separates them.

    Minimizes ``||X - P M W'||^2`` over hard memberships ``P``, centroids ``M`` and an orthonormal
    ``W`` with ``n_components`` columns. ``W`` holds the leading eigenvectors of the between-cluster
    scatter ``X'P (P'P)^-1 P'X``, ``M`` the cluster means in that subspace, and every document
    moves to its nearest centroid there. The objective never increases.

    This follows descriptions in other papers, not the original. The initialization is ours:
    K-means in the ``n_components`` leading singular directions of the documents. The rank of the
    between-cluster scatter is at most the number of clusters. With that many components (the
    default) or more, the iterations are therefore those of K-means, and only the initialization
    differs. With fewer components the centroids lie in a smaller subspace; on web pages and
    newsgroups the results were worse.

    The paper of LSSMTC describes another method by this name, which is LSSMTC with ``lam=0``: it
    minimizes ``||XW - P M||^2``, the distances within the subspace only, and ``W`` holds the
    eigenvectors of the within-cluster scatter with the smallest eigenvalues.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the subspace. None means the number of clusters.
    w_step : {"between", "smallest", "smallest_in_span"}, default="between"
        Subspace: "between" is the first method above, and the others are the second one, from
        K-means of the documents; see :class:`LSSTTC`. If there are fewer documents than terms,
        "smallest" contains nothing of the documents, and "smallest_in_span" with at most
        ``n_clusters`` components changes no label.
    max_iter : int, default=100
        Maximum number of iterations.
    tol : float, default=1e-6
        The fit stops when the objective, summed over the domains, changes by less than this
        proportion. 0 runs ``max_iter`` iterations.

    Attributes
    ----------
    cluster_centers_ : dict of domain number to array of shape (n_clusters, n_terms)
        ``M W'``. The nearest center in term space is the nearest centroid in the subspace. Zeros
        for a cluster without documents.
    objective_ : array of shape (n_iterations + 1,)
        Objective at the start and after every iteration.
    n_iter_ : int
        Number of iterations.

    Notes
    -----
    ``from_preset("paper")`` is the method of LSSMTC's paper with the settings of LSSMTC there: the
    smallest ``W`` with l = 4 (of its grid 2 to 16) and 20 iterations. ``W`` is in the span of the
    documents: otherwise all documents become one cluster if they are fewer than the terms.

    References
    ----------
    T. Li, S. Ma, M. Ogihara. Document Clustering via Adaptive Subspace Iteration. SIGIR 2004.

    Q. Gu, J. Zhou. Learning the Shared Subspace for Multi-Task Clustering and Transductive Transfer
    Classification. ICDM 2009.

    Examples
    --------
    >>> from isthmus import ASI
    >>> X = [[2, 0, 1], [3, 0, 0], [0, 4, 1], [1, 0, 2], [0, 0, 3], [0, 5, 0]]
    >>> ASI(scope="all", random_state=0).fit_predict(X).tolist()
    [0, 0, 1, 0, 0, 1]
    """

    _has_objective: ClassVar[bool] = True
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"w_step": "smallest_in_span", "n_components": 4, "max_iter": 20, "tol": 0.0}
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_components: int | None = None,
        w_step: Literal["between", "smallest", "smallest_in_span"] = "between",
        scope: str = "domain",
        max_iter: int = 100,
        tol: float = 1e-6,
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters, scope=scope, n_init=n_init, unit_rows=unit_rows, random_state=random_state
        )
        self.n_components = n_components
        self.w_step = w_step
        self.max_iter = max_iter
        self.tol = tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_components is not None:
            check_whole_number("n_components", self.n_components, least=1)
        check_choice("w_step", self.w_step, ("between", "smallest", "smallest_in_span"))
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    def _cluster_groups(
        self, groups: Sequence[Any], seed: int, callback: Callback | None
    ) -> tuple[list[GroupFit], dict[str, Any]]:
        n_components = self.n_components or self.n_clusters
        places = [random_projections(X, np.random.default_rng(seed)) for X in groups]
        documents = [as_documents(X) for X in groups]
        initial_labels = [
            self._initial_labels(*part, n_components, np.random.default_rng(seed))
            for part in zip(groups, documents, places, strict=True)
        ]
        stopping = Stopping(self.max_iter, self.tol)
        arguments = (documents, initial_labels, self.n_clusters, n_components)
        if self.w_step == "between":
            result = asi(*arguments, stopping=stopping, callback=callback)
        else:
            for rows in documents:
                check_gram_size(rows.shape, f"w_step={self.w_step!r}", "use w_step='between'")
            result = asi_within(*arguments, self.w_step, stopping=stopping, callback=callback)
            pairs = zip(documents, result.subspaces, strict=True)
            kept = sum(float((rows.times(own.directions) ** 2).sum()) for rows, own in pairs)
            norms = sum(rows.squared_norm() for rows in documents)
            warn_if_negligible(
                self.w_step, kept / (norms or 1.0), "the clusters are arbitrary", "between"
            )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol)
        parts = zip(result.labels, result.subspaces, places, strict=True)
        diagnostics = {"objective_": np.asarray(result.objective), "n_iter_": result.n_iter}
        return [_largest_first(*part) for part in parts], diagnostics

    def _initial_labels(
        self,
        X: Any,
        documents: Documents,
        places: NDArray[np.float64],
        n_components: int,
        generator: np.random.Generator,
    ) -> NDArray[np.intp]:
        """Clusters by K-means of the documents, or in their leading singular directions."""
        if self.w_step != "between":
            return repeatable_kmeans(X, self.n_clusters, generator, n_init=self.n_init).labels
        start = generator.standard_normal(documents.shape[1])
        principal = principal_directions(documents, n_components, start)
        coordinates = documents.times(principal.directions)
        return repeatable_kmeans(
            coordinates, self.n_clusters, generator, projections=places, n_init=self.n_init
        ).labels


def _largest_first(
    labels: NDArray[np.intp], subspace: AdaptiveSubspace, places: NDArray[np.float64]
) -> GroupFit:
    """The clusters renumbered by size, with their centers in term space."""
    ranks = by_size(labels, places, len(subspace.centroids))
    with one_thread():
        centers = subspace.centroids[ranks] @ subspace.directions.T
    return GroupFit(np.argsort(ranks)[labels], GroupModel(cluster_centers=centers))
