"""Clusterers and classifiers on the graph of all documents with Gaussian weights, as in the papers.

The library keeps cosines only and forms no matrix of all pairs. Here it is formed, for up to 10,000
documents.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.metrics.pairwise import euclidean_distances

from isthmus.estimators.base.clusterer import GroupFit, GroupModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.neighbor_graph import GraphNodes
from isthmus.estimators.components.parameters import check_flag, check_number, check_whole_number
from isthmus.estimators.components.repeatable_kmeans import random_projections, repeatable_kmeans
from isthmus.estimators.graph._base import GraphClassifier
from isthmus.estimators.graph.gfhf import GFHF
from isthmus.estimators.spectral.ncut import NormalizedCut
from isthmus.matrices.rows import as_documents, with_unit_rows
from isthmus.numerics.affinity import Affinity, GraphAffinity, inverse_sqrt_degrees
from isthmus.solvers.graph.llgc import consistency
from isthmus.solvers.spectral.ncut import unit_norm_rows

__all__ = ["MAX_ROWS", "GaussianCut", "GaussianGFHF", "GaussianLLGC", "check_rows"]

MAX_ROWS = 10_000
# Up to this size a full decomposition is fast.
_SMALL = 300


def check_rows(n_rows: int, name: str) -> None:
    """Raise ValueError if there are too many rows for a matrix of all pairs."""
    if n_rows > MAX_ROWS:
        raise ValueError(
            f"{name} compares all pairs of {n_rows} documents, and at most {MAX_ROWS} are allowed: "
            "use fewer documents ('sample'), or a method without a Gaussian kernel."
        )


def _distances(X: Any, name: str) -> NDArray[np.float64]:
    """Squared distances between all rows, in float64: wide Gaussians need the digits."""
    check_rows(X.shape[0], name)
    return np.asarray(euclidean_distances(X.astype(np.float64), squared=True))


def _weights(squares: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """``exp(-squares / scale)`` between different documents; ``squares`` is overwritten."""
    squares /= -max(scale, np.finfo(np.float64).tiny)
    weights = np.exp(squares, out=squares)
    np.fill_diagonal(weights, 0.0)
    return weights


def _leading_vectors(
    matrix: NDArray[np.float64], k: int, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The eigenvectors of the ``k`` largest eigenvalues; ``start`` is the initial vector."""
    n_rows = len(matrix)
    if n_rows > _SMALL:
        # With narrow Gaussians many eigenvalues are nearly 1, and the full solver is faster.
        with suppress(ArpackNoConvergence):
            options: dict[str, Any] = {"ncv": 2 * k + 40, "maxiter": 20, "tol": 1e-8}
            vectors = np.asarray(eigsh(matrix, k, which="LA", v0=start, **options)[1])
            if vectors.shape[1] == k:  # some versions return those that converged
                return vectors
    return np.asarray(eigh(matrix, subset_by_index=[n_rows - k, n_rows - 1])[1])


class GaussianCut(NormalizedCut):
    """Normalized cut of the graph with the weights ``exp(-||x - y||^2 / (2 width^2))``.

    With ``D`` the row sums of the weights ``W``, whose diagonal is 0 as in
    :class:`isthmus.NormalizedCut`, K-means clusters the unit-norm rows of the ``n_clusters``
    leading eigenvectors of ``D^-1/2 W D^-1/2``. Documents whose weights are all 0 in floating
    point, as with a very small width, are assigned to the largest cluster. A new document gets the
    cluster with the nearest mean.

    Parameters
    ----------
    width : float, default=1.0
        Standard deviation of the Gaussian. The paper of LSSMTC searches 1e-3, 1e-2, ..., 1e3.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        width: float = 1.0,
        scope: str = "domain",
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters, scope=scope, n_init=n_init, unit_rows=unit_rows, random_state=random_state
        )
        self.width = width

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("width", self.width, above=0, most=1e6)

    def _cluster_group(self, X: Any, generator: np.random.Generator) -> GroupFit:
        places = random_projections(X, generator)
        weights = _weights(_distances(X, type(self).__name__), 2 * self.width**2)
        degrees = weights.sum(axis=1)
        linked = degrees > np.finfo(np.float64).tiny
        labels = np.zeros(X.shape[0], np.intp)
        if linked.any():
            scale = inverse_sqrt_degrees(degrees, linked)
            weights *= scale
            weights *= scale[:, None]
            start = places if places.any() else np.ones(len(places))
            vectors = _leading_vectors(weights, self.n_clusters, start)
            clusters = repeatable_kmeans(
                unit_norm_rows(vectors[linked]),
                self.n_clusters,
                generator,
                projections=places[linked],
                n_init=self.n_init,
            )
            labels[linked] = clusters.labels
        members = np.eye(self.n_clusters)[labels]
        sizes = np.maximum(members.sum(axis=0), 1)[:, None]
        centers = np.asarray((X.T @ members).T / sizes)
        return GroupFit(labels, GroupModel(cluster_centers=centers.astype(X.dtype)))


class _GaussianGraph(GraphClassifier):
    """The graph of GFHF and LLGC, with Gaussian weights and the nearest neighbors only.

    Parameters
    ----------
    n_neighbors : int or "all", default="all"
        A pair is kept if one is among this many nearest documents of the other; those that tie with
        the last one count, too. The paper of LSSTTC searches 5, 10, 50, 80 and all.
    width : float, default=1.0
        Squared width of the Gaussian in units of ``s0^2``, where ``s0`` is the mean distance
        between two documents. The paper of LSSTTC searches 1/8, 1/4, ..., 8.
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {}
    #: What divides a squared distance, in units of ``width s0^2``.
    _divisor: ClassVar[float]

    n_neighbors: Any
    width: float
    solver_tol: float

    def _check_parameters(self) -> None:
        if self.n_neighbors != "all":
            check_whole_number("n_neighbors", self.n_neighbors, least=1)
        check_number("width", self.width, above=0, most=1e6)
        check_number("solver_tol", self.solver_tol, least=1e-12, most=0.1)

    def _affinity(self, nodes: GraphNodes, X: Any) -> Affinity:
        squares = _distances(with_unit_rows(X), type(self).__name__)
        n_rows = len(squares)
        mean = np.sqrt(squares).sum() / max(1, n_rows * (n_rows - 1))
        weights = _weights(squares, self._divisor * self.width * mean**2)
        if self.n_neighbors != "all" and self.n_neighbors < n_rows - 1:
            place = n_rows - self.n_neighbors
            least = np.partition(weights, place, axis=1)[:, place, None]
            weights[weights < least] = 0
            weights = np.maximum(weights, weights.T)
        return GraphAffinity.of(as_documents(weights), [n_rows])


class GaussianGFHF(_GaussianGraph, GFHF):
    """Harmonic functions on a graph with the weights ``exp(-||x - y||^2 / (width s0^2))``.

    Rows have unit norm, and ``s0`` is the mean distance between two documents. As in
    :class:`isthmus.GFHF`, equal documents of a domain with the same label are one node, and empty
    documents have none.
    """

    _divisor: ClassVar[float] = 1.0

    def __init__(
        self,
        n_neighbors: int | Literal["all"] = "all",
        *,
        width: float = 1.0,
        class_masses: bool = True,
        solver_tol: float = 1e-8,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.width = width
        self.class_masses = class_masses
        self.solver_tol = solver_tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("class_masses", self.class_masses)


class GaussianLLGC(_GaussianGraph):
    """Local and global consistency on a graph with the weights ``exp(-d^2 / (2 width s0^2))``.

    ``d`` is the distance of two unit-norm rows, and ``s0`` its mean over all pairs. Labels have the
    same weight in all classes, as in the paper of LLGC. Otherwise as :class:`GaussianGFHF`.

    Parameters
    ----------
    mu : float, default=0.1
        Penalty of changes of the given labels: ``alpha = 1 / (1 + mu)`` in
        :class:`isthmus.LLGC`. The paper of LSSTTC searches 0.1, 1, 10 and 100.
    """

    _divisor: ClassVar[float] = 2.0

    def __init__(
        self,
        n_neighbors: int | Literal["all"] = "all",
        *,
        width: float = 1.0,
        mu: float = 0.1,
        solver_tol: float = 1e-8,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.width = width
        self.mu = mu
        self.solver_tol = solver_tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("mu", self.mu, least=1e-4, most=1e6)

    def _label_nodes(
        self, affinity: Affinity, nodes: GraphNodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        solution = consistency(
            affinity,
            nodes.labels,
            data.problem.n_classes,
            alpha=1 / (1 + self.mu),
            tol=self.solver_tol,
        )
        self._warn_if_unsolved(solution.converged)
        return solution.values, {}
