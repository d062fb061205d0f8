"""LSSMTC, the multi-task clustering of Gu and Zhou (2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.clusterer import TransferClusterer
from isthmus.estimators.base.fitted_model import ClusterFit, ClusterModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import (
    check_choice,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.components.repeatable_kmeans import repeatable_kmeans
from isthmus.estimators.subspace._base import (
    CentroidModel,
    Coordinates,
    Part,
    SharedSubspaceMixin,
    kmeans_apart,
)
from isthmus.numerics.progress import Callback
from isthmus.solvers.subspace._shared_subspace import Task, WStep
from isthmus.solvers.subspace.lssmtc import clustering_task


@dataclass(frozen=True, kw_only=True)
class LSSMTCModel(CentroidModel, ClusterModel):
    """Clusters by the nearest centroid or the largest membership."""

    def predict_labels(self, X: Any, domain: int) -> NDArray[np.intp]:
        A, known = self.products(X, domain)
        scores = self.scores(A, domain)
        if self.multiplicative:
            scores = np.where(known[:, None], self.nonnegative_memberships(A, domain), scores)
        return np.asarray(scores.argmax(axis=1), np.intp)


class LSSMTC(SharedSubspaceMixin, TransferClusterer):
    """Clusters several domains at once, by centroids of each and, in a subspace, of all together.

    Minimizes, over the memberships ``P_k`` of the documents ``X_k`` of every domain,

    ``lam sum_k ||X_k' - M_k P_k'||^2 + (1 - lam) g^2 sum_k ||W'X_k' - M P_k'||^2``

    where ``M_k`` are the centroids of a domain and ``M`` those of all domains in the subspace ``W``
    (orthonormal columns). ``X`` holds the documents minus the mean of their domain, in the
    ``n_components`` leading directions of their singular value decomposition. Cluster numbers mean
    the same in all domains.

    The initialization is K-means on these coordinates (``init_labels_``), a strong method by
    itself: on all documents together, and on every domain separately with clusters matched by their
    centroids. The one with the lower objective is used. The defaults differ from the paper in two
    ways, so that the iterations do not make the initial clusters worse. The subspace is
    discriminant, because the paper's subspace contains almost nothing of the documents, and
    ``g = ||X|| / ||X W||`` compensates for its small number of directions. Second, ``P`` is not
    relaxed: a document belongs to one cluster, the nearest by both terms. Nonnegative memberships
    absorb the norm of a document and drift away from good clusters.

    Counts should be damped (the weighting "log-tfidf"). Otherwise a few documents that repeat a
    word form a cluster of their own.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters in every domain.
    lam : float, default=0.25
        Weight of the centroids of each domain; the shared centroids have the weight ``1 - lam``.
    w_step : {"discriminant", "smallest", "smallest_in_span"}, default="discriminant"
        Subspace; see :class:`LSSTTC`.
    p_step : {"binary", "multiplicative"}, default="binary"
        Whether a row belongs to one cluster, or has nonnegative memberships as in the paper.
    n_components : int, default=50
        Number of singular directions of the documents.
    n_subspace : int or "clusters", default="clusters"
        Dimension of the subspace; "clusters" is the number of clusters. Directions in which the
        clusters do not differ are left out.
    init : {"best", "together", "apart"}, default="best"
        Whether K-means runs on all domains together, on every domain separately, or both ways, to
        keep the result with the lower objective. If domains have little in common, clustering them
        together often separates the domains.
    smoothing : float, default=0.2
        Added to every initial membership if ``p_step`` is "multiplicative". Zeros would stay zeros,
        and the labels would not change.
    n_init : int, default=30
        Number of random initializations of K-means.
    max_iter : int, default=50
        0 returns the clusters of K-means.
    random_state : int, RandomState or None, default=None
        Random seed of K-means and of the singular value decomposition.

    Attributes
    ----------
    init_labels_ : array of shape (n_rows,)
        Clusters of K-means.
    memberships_ : array of shape (n_rows, n_clusters)
        ``P``; zeros for an empty document.

    Notes
    -----
    ``from_preset("paper")`` is the method of the paper as far as it is defined: the smallest ``W``
    with l = 4 (of its grid 2 to 16), nonnegative memberships, ``lam=0.5``, 20 iterations, no
    centering. K-means runs on all domains together, so that cluster numbers mean the same in all of
    them, and the memberships are smoothed.

    References
    ----------
    Q. Gu, J. Zhou. Learning the Shared Subspace for Multi-Task Clustering and Transductive Transfer
    Classification. ICDM 2009.

    Examples
    --------
    >>> from isthmus import LSSMTC
    >>> X = [[2, 0, 1], [3, 0, 0], [0, 4, 1], [1, 0, 2], [3, 0, 2], [0, 5, 0]]
    >>> model = LSSMTC(n_clusters=2, random_state=0).fit(X, sample_domain=[0, 0, 0, 1, 1, 1])
    >>> model.labels_.tolist()
    [0, 0, 1, 0, 0, 1]
    >>> model.predict([[0, 2, 0]], sample_domain=[1]).tolist()
    [1]
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            "lam": 0.5,
            "w_step": "smallest",
            "p_step": "multiplicative",
            "n_subspace": 4,
            "center": False,
            "init": "together",
            "max_iter": 20,
            "tol": 0.0,
        }
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        lam: float = 0.25,
        w_step: WStep = "discriminant",
        p_step: str = "binary",
        n_components: int = 50,
        n_subspace: int | str = "clusters",
        ridge: float = 0.1,
        center: bool = True,
        unit_rows: bool = True,
        init: str = "best",
        smoothing: float = 0.2,
        n_init: int = 30,
        max_iter: int = 50,
        tol: float = 0.001,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.w_step = w_step
        self.p_step = p_step
        self.n_components = n_components
        self.n_subspace = n_subspace
        self.ridge = ridge
        self.center = center
        self.unit_rows = unit_rows
        self.init = init
        self.smoothing = smoothing
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        self._check_subspace_parameters()
        check_choice("init", self.init, ("best", "together", "apart"))
        check_number("smoothing", self.smoothing, least=0)
        check_whole_number("n_init", self.n_init, least=1)

    def _fit(self, data: TrainingData, callback: Callback | None) -> ClusterFit:
        problem = data.problem
        generator = make_generator(self.random_state)
        coordinates = self._coordinates(problem, generator)
        empty = [~domain.filled for domain in problem.domains]
        initial = self._initial_labels(coordinates, generator)
        candidates = [self._tasks(coordinates, labels, empty) for labels in initial]
        # The objective before any iteration decides, so that max_iter does not change the choice.
        objectives = [self._solve(tasks, coordinates, max_iter=0).objective for tasks in candidates]
        best = int(np.argmin(objectives))
        result = self._solve(
            candidates[best], coordinates, max_iter=self.max_iter, callback=callback
        )
        model = LSSMTCModel(**self._model_fields(problem, coordinates, result))
        diagnostics = {
            **self._diagnostics(problem, coordinates, result, generator),
            "init_labels_": problem.gather(initial[best]),
        }
        if self.max_iter == 0:
            return ClusterFit(model, initial[best], diagnostics)
        labels = []
        for domain, P, is_empty in zip(problem.domains, result.memberships, empty, strict=True):
            # An empty document goes to the centroid that is nearest to the mean.
            nearest = int(np.diag(model.profile_grams[domain.number]).argmin())
            labels.append(np.where(is_empty, nearest, P.argmax(axis=1)))
        return ClusterFit(model, labels, diagnostics)

    def _tasks(
        self,
        coordinates: Coordinates,
        labels: list[NDArray[np.intp]],
        empty: list[NDArray[np.bool_]],
    ) -> list[Task]:
        return [
            clustering_task(
                F,
                part,
                is_empty,
                n_clusters=self.n_clusters,
                smoothing=self.smoothing if self.p_step == "multiplicative" else 0.0,
                lam=self.lam,
                engine=coordinates.documents.engine,
            )
            for F, part, is_empty in zip(coordinates.split(), labels, empty, strict=True)
        ]

    def _initial_labels(
        self, coordinates: Coordinates, generator: np.random.Generator
    ) -> list[list[NDArray[np.intp]]]:
        """One or two clusterings to start from, each as labels of every domain."""
        parts = coordinates.ordered(generator)
        clusterings = []
        if self.init != "apart" or len(parts) == 1:
            clusterings.append(kmeans_together(parts, self.n_clusters, generator, self.n_init))
        if self.init != "together" and len(parts) > 1:
            clusterings.append(kmeans_apart(parts, self.n_clusters, generator, self.n_init))
        return clusterings


def kmeans_together(
    parts: Sequence[Part], n_clusters: int, generator: np.random.Generator, n_init: int
) -> list[NDArray[np.intp]]:
    """Labels of every domain after K-means on the documents of all domains."""
    rows = np.concatenate([coordinates for coordinates, _ in parts])
    places = np.concatenate([own_places for _, own_places in parts])
    clusters = repeatable_kmeans(rows, n_clusters, generator, projections=places, n_init=n_init)
    return np.split(clusters.labels, np.cumsum([len(rows) for rows, _ in parts])[:-1])
