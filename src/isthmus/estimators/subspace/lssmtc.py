"""LSSMTC, the multi-task clustering of Gu and Zhou (2009)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.base.clusterer import TransferClusterer
from isthmus.estimators.components.parameters import (
    check_choice,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.subspace._base import Coordinates, SharedSubspaceMixin
from isthmus.estimators.subspace._matched_kmeans import kmeans_apart, kmeans_together
from isthmus.numerics.progress import Callback
from isthmus.solvers.subspace._shared_subspace import Task


class LSSMTC(SharedSubspaceMixin, TransferClusterer):
    """Clusters of several tasks at once, in each of them and, in a subspace, in all together.

    Minimises, over the memberships ``P_k`` of the documents ``X_k`` of every domain,

    ``lam sum_k ||X_k' - M_k P_k'||^2 + (1 - lam) g^2 sum_k ||W'X_k' - M P_k'||^2``

    where ``M_k`` are the centroids of a domain and ``M`` those of all domains in the subspace ``W``
    (orthonormal columns). ``X`` stands for the documents without the mean of their domain, in the
    leading ``n_components`` directions of their singular value decomposition. Cluster 0 of one
    domain is cluster 0 of all.

    It starts from K-means in these coordinates (``init_labels_``), a strong method by itself: of
    all documents together, and of every domain apart with its clusters matched to the others' by
    their centroids; the one with the lower objective counts. Two things differ from the
    paper by default, so that the iteration does not lose what the start had. The subspace is
    discriminant, for the paper's lies where the documents hold nothing, and ``g = ||X|| / ||X W||``
    makes up for the few directions that it keeps. And ``P`` is not relaxed: a document belongs to
    one cluster, the nearest by both terms. Nonnegative memberships absorb the length of a document
    and go on moving away from good clusters.

    Counts should be damped (the weighting "log-tfidf"): a few documents that repeat a word are
    otherwise a cluster of their own.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters in every domain.
    lam : float, default=0.25
        Weight of a domain's own centroids against the shared ones.
    n_components : int, default=50
        Directions that are kept of the documents.
    w_step, p_step, n_subspace, ridge, centre, unit_rows
        See :class:`LSSTTC`.
    init : {"best", "together", "apart"}, default="best"
        Whether K-means is taken of all domains together, of every domain apart, or of both, to keep
        the one with the lower objective. Where domains have little in common, clusters of all
        together are often those of one domain.
    smoothing : float, default=0.2
        What is added to every membership at the start where they are "multiplicative": zeros would
        stay zeros, and the answer the start.
    n_init : int, default=30
        How many starts K-means has.
    max_iter : int, default=50
        0 leaves the clusters of K-means.
    tol : float, default=0.001
        The fit ends when an iteration changes less than this share of the labels; 0 runs
        ``max_iter`` iterations.
    random_state : int, RandomState or None, default=None
        Draws the starts of K-means, and where the search for the leading directions begins.

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
    init_labels_ : array of shape (n_rows,)
        Clusters of K-means.
    memberships_ : array of shape (n_rows, n_clusters)
        ``P``; zeros for an empty document.
    subspace_, subspace_share_, singular_values_, profiles_, profile_offsets_, profile_grams_, \
objective_
        See :class:`LSSTTC`.
    n_iter_, n_clusters_, domains_

    Notes
    -----
    ``from_preset("paper")`` is the paper's method as far as it is defined: the smallest ``W`` with
    l = 4 (of its grid 2 to 16), nonnegative memberships, ``lam=0.5``, 20 iterations, no mean
    subtracted. Its K-means is taken over all domains, so that cluster numbers mean the same in
    all, and smoothed.

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

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClusterer._fitted_shapes,
        **SharedSubspaceMixin._subspace_shapes,
    }
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
        w_step: Literal["discriminant", "smallest"] = "discriminant",
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

    def _cluster(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[np.intp]]:
        generator = make_generator(self.random_state)
        found = self._coordinates(problem, generator)
        empty = [domain.documents.row_norms() == 0 for domain in problem.domains]
        starts = self._starts(found, generator)
        runs = [self._tasks(found, labels, empty) for labels in starts]
        # By the objective before any iteration: the start is then the same with and without them.
        best = int(np.argmin([self._iterate(tasks, found, max_iter=0).objective for tasks in runs]))
        result = self._solve(runs[best], found, callback)
        self._keep(problem, found, result, generator)
        self.init_labels_ = problem.gather(starts[best])
        self.memberships_ = problem.gather(result.memberships)
        if self.max_iter == 0:
            return starts[best]
        # An empty document lies where all are without their mean: it goes to the nearest centroid.
        nearest = [int(np.diag(self.profile_grams_[d.number]).argmin()) for d in problem.domains]
        parts = zip(result.memberships, empty, nearest, strict=True)
        return [np.where(none, near, P.argmax(axis=1)) for P, none, near in parts]

    def _tasks(
        self, found: Coordinates, labels: list[NDArray[np.intp]], empty: list[NDArray[np.bool_]]
    ) -> list[Task]:
        one_hot = np.eye(self.n_clusters, dtype=found.svd.coordinates.dtype)
        soft = one_hot.dtype.type(self.smoothing if self.p_step == "multiplicative" else 0.0)
        return [
            Task(F, np.where(none[:, None], 0, one_hot[start] + soft), none, self.lam)
            for F, start, none in zip(found.split(), labels, empty, strict=True)
        ]

    def _starts(
        self, found: Coordinates, generator: np.random.Generator
    ) -> list[list[NDArray[np.intp]]]:
        """The clusters to start from, labels of every domain."""
        # Coordinates are known up to their sign: rows are put into an order by the documents.
        drawn = generator.standard_normal((found.documents.shape[1], 1))
        places = found.documents.split(found.documents.times(drawn)[:, 0].astype(np.float64))
        parts = list(zip(found.split(), places, strict=True))
        starts = []
        if self.init != "apart" or len(parts) == 1:
            starts.append(kmeans_together(parts, self.n_clusters, generator, self.n_init))
        if self.init != "together" and len(parts) > 1:
            starts.append(kmeans_apart(parts, self.n_clusters, generator, self.n_init))
        return starts

    def _new_labels(self, X: Any, number: int) -> NDArray[np.intp]:
        A, known = self._read_new(X, number)
        scores = self._new_scores(A, number)
        if self.p_step == "multiplicative":
            scores = np.where(known[:, None], self._new_partition(A, number), scores)
        return np.asarray(scores.argmax(axis=1), np.intp)
