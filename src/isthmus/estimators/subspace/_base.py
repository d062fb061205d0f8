"""What LSSTTC and LSSMTC share: coordinates of the documents, the fit, and the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import linear_sum_assignment

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.base.fitted_model import array, array_per_domain, flag
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
)
from isthmus.estimators.components.repeatable_kmeans import repeatable_kmeans
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Array, Documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.derived_documents import CenteredDocuments, StackedDocuments
from isthmus.numerics.progress import Callback, Stopping
from isthmus.numerics.truncated_svd import Svd, check_gram_size, full_svd, truncated_svd
from isthmus.solvers.subspace._shared_subspace import (
    Group,
    SharedSubspace,
    Task,
    WStep,
    binary_scores,
    multiplicative_step,
    shared_subspaces,
)

#: Coordinates of a domain's documents, and one number per document that defines their order.
Part = tuple[NDArray[Any], NDArray[np.float64]]

# A subspace with a smaller proportion of the data has no effect.
_NEGLIGIBLE = 1e-3
# Distance of a cluster without documents, relative to the squared norm of a centroid.
_FAR = 1e9
# Iterations for the memberships of a new document.
_NEW_DOCUMENT_ITERATIONS = 100


@dataclass(frozen=True, kw_only=True)
class CentroidModel:
    """Centroids of every domain, as a linear map from documents to scores.

    Fields and rules of the models of both methods. For LSSMTC the "classes" are its clusters.
    """

    profiles: Mapping[int, NDArray[Any]] = array_per_domain("terms", "classes")
    profile_offsets: Mapping[int, NDArray[Any]] = array_per_domain("classes")
    profile_grams: Mapping[int, NDArray[Any]] = array_per_domain("classes", "classes")
    used_terms: NDArray[Any] = array("terms")
    unit_rows: bool = flag()
    """Whether rows are scaled to unit norm first."""
    multiplicative: bool = flag()
    """Whether memberships are nonnegative instead of binary."""

    def products(self, X: Any, domain: int) -> tuple[Array, NDArray[np.bool_]]:
        """``A`` of new documents of a domain, and which of them contain a fitted term.

        ``A`` is an array of the current engine.
        """
        engine = current_engine()
        documents = engine.documents(X).scaled(columns=engine.asarray(self.used_terms))
        known = documents.row_norms() > 0
        if self.unit_rows:
            documents = documents.unit_rows()
        A = documents.times(engine.asarray(self.profiles[domain]))
        A = engine.xp.where(known[:, None], A - engine.asarray(self.profile_offsets[domain]), 0)
        return A, engine.to_host(known)

    def scores(self, A: NDArray[Any], domain: int) -> NDArray[Any]:
        """Minus half the squared distance to every centroid, up to a constant."""
        return binary_scores(A, self.profile_grams[domain].astype(A.dtype))

    def nonnegative_memberships(self, A: Array, domain: int) -> NDArray[Any]:
        """The nonnegative memberships of new documents for the fitted centroids."""
        engine = current_engine()
        P = engine.xp.full_like(A, 1 / A.shape[1])
        for _ in range(_NEW_DOCUMENT_ITERATIONS):
            P = multiplicative_step(P, A, self.profile_grams[domain], engine)
        return engine.to_host(P)


@dataclass(frozen=True)
class Coordinates:
    """Documents of all domains in their leading singular directions."""

    documents: StackedDocuments
    svd: Svd
    means: Array
    """Mean of every domain, one row per domain; zeros if the documents are not centered."""
    squared_norm: float
    used_terms: NDArray[Any]
    """1 for every term that occurs in a document, 0 for the others."""

    def split(self) -> list[Array]:
        """One array per domain."""
        return self.documents.split(self.svd.coordinates)

    def ordered(self, generator: np.random.Generator) -> list[Part]:
        """The coordinates of every domain, and numbers for K-means."""
        # Coordinates are defined up to sign, so the documents define the order of the rows.
        engine = self.documents.engine
        direction = engine.asarray(generator.standard_normal((self.documents.shape[1], 1)))
        places = self.documents.split(self.documents.times(direction)[:, 0].astype(np.float64))
        parts = zip(self.split(), places, strict=True)
        return [(engine.to_host(F), engine.to_host(own)) for F, own in parts]


class SharedSubspaceMixin(DomainEstimator):
    """Parameters and the fit of both methods.

    Parameters
    ----------
    ridge : float, default=0.1
        Regularization of the scatter, relative to its largest eigenvalue.
    unit_rows : bool, default=True
        Whether rows are scaled to unit norm before the mean is subtracted.
    center : bool, default=True
        Whether the mean of a domain is subtracted from its documents, which removes most of the
        difference between domains.
    tol : float, default=0.001
        The fit stops when an iteration changes a smaller proportion of the labels. 0 runs
        ``max_iter`` iterations.

    Attributes
    ----------
    profiles_, profile_offsets_, profile_grams_ : dict of domain number to array
        The squared distance of ``x`` to class ``j`` is ``gram_jj - 2 (x'profile_j - offset_j)``, up
        to a term that is the same for all classes.
    singular_values_ : array
        Singular values of the documents of all domains together, largest first.
    subspace_ : array of shape (n_terms, n_directions)
        ``W``: the directions of the shared subspace.
    subspace_share_ : float
        Share of the documents' norm in the subspace, ``||W'X||^2 / ||X||^2``.
    used_terms_ : array of shape (n_terms,)
        1 for every term that occurs in a fitted document, 0 for the others.
    n_iter_ : int
        Number of iterations.
    objective_ : array of shape (n_iterations + 1,)
        Objective at the start and after every iteration, with the subspace and the centroids of the
        memberships. It may increase, because the discriminant ``W`` does not minimize it.
    """

    _has_objective: ClassVar[bool] = True
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}

    lam: float
    w_step: WStep
    p_step: str
    n_components: int
    n_subspace: int | str
    ridge: float
    center: bool
    unit_rows: bool
    max_iter: int
    tol: float
    random_state: Any

    def _check_subspace_parameters(self) -> None:
        check_number("lam", self.lam, least=0, most=1)
        check_choice("w_step", self.w_step, get_args(WStep))
        check_choice("p_step", self.p_step, ("binary", "multiplicative"))
        check_whole_number("n_components", self.n_components, least=1)
        if self.n_subspace != "clusters":
            check_whole_number("n_subspace (unless 'clusters')", self.n_subspace, least=1)
        check_number("ridge", self.ridge, least=1e-9)
        check_flag("center", self.center)
        check_flag("unit_rows", self.unit_rows)
        check_whole_number("max_iter", self.max_iter, least=0)
        check_number("tol", self.tol, least=0)

    def _coordinates(self, problem: Problem, generator: np.random.Generator) -> Coordinates:
        blocks = [domain.documents for domain in problem.domains]
        stacked = StackedDocuments([b.unit_rows() for b in blocks] if self.unit_rows else blocks)
        used_terms = _used_terms(blocks)
        means = stacked.engine.xp.zeros((len(blocks), stacked.shape[1]), stacked.dtype)
        rows: StackedDocuments | CenteredDocuments = stacked
        if self.center:
            rows = CenteredDocuments(stacked)
            means = rows.means
        if self.w_step == "discriminant":
            svd = truncated_svd(rows, self.n_components, generator)
        else:
            check_gram_size(stacked.shape, f"w_step={self.w_step!r}", "use w_step='discriminant'")
            svd = full_svd(rows)
        return Coordinates(stacked, svd, means, rows.squared_norm(), used_terms)

    def _n_directions(self, n_clusters: int, coordinates: Coordinates) -> int:
        n_directions = n_clusters if self.n_subspace == "clusters" else int(self.n_subspace)
        return min(n_directions, coordinates.documents.shape[1])

    def _n_null(self, n_clusters: int, coordinates: Coordinates) -> int:
        """How many directions of the subspace are orthogonal to all documents."""
        if self.w_step != "smallest":
            return 0
        n_null = coordinates.documents.shape[1] - coordinates.svd.directions.shape[1]
        return min(n_null, self._n_directions(n_clusters, coordinates))

    def _solve(
        self,
        tasks: Sequence[Task],
        coordinates: Coordinates,
        *,
        max_iter: int,
        callback: Callback | None = None,
    ) -> SharedSubspace:
        n_clusters = tasks[0].memberships.shape[1]
        group = Group(
            tasks,
            coordinates.svd.singular_values,
            self.w_step,
            self._n_directions(n_clusters, coordinates),
            self.ridge,
            self._n_null(n_clusters, coordinates),
        )
        [result] = shared_subspaces(
            [group],
            lam=self.lam,
            binary=self.p_step == "binary",
            stopping=Stopping(max_iter, self.tol, criterion="labels"),
            callback=callback,
        )
        if max_iter > 0:
            self._warn_if_unfinished(result.converged, result.interrupted, self.tol, "the labels")
        return result

    def _model_fields(
        self, problem: Problem, coordinates: Coordinates, result: SharedSubspace
    ) -> dict[str, Any]:
        """Fields of :class:`CentroidModel`."""
        V, centroids = coordinates.svd.directions, result.centroids
        engine = coordinates.documents.engine
        with one_thread():
            by_term = [V @ engine.asarray(profile, V.dtype) for profile in centroids.profiles]
            pairs = zip(coordinates.means, by_term, strict=True)
            offsets = [engine.to_host(mean @ profile) for mean, profile in pairs]
        profiles = [engine.to_host(profile) for profile in by_term]
        largest = max(1.0, *(float(np.abs(gram).max()) for gram in centroids.grams))
        far = np.diag(np.where(centroids.nonempty, 0.0, _FAR * largest))
        grams = [(gram + far).astype(V.dtype) for gram in centroids.grams]
        numbers = [domain.number for domain in problem.domains]
        return {
            "profiles": dict(zip(numbers, profiles, strict=True)),
            "profile_offsets": dict(zip(numbers, offsets, strict=True)),
            "profile_grams": dict(zip(numbers, grams, strict=True)),
            "used_terms": coordinates.used_terms,
            "unit_rows": bool(self.unit_rows),
            "multiplicative": self.p_step == "multiplicative",
        }

    def _diagnostics(
        self,
        problem: Problem,
        coordinates: Coordinates,
        result: SharedSubspace,
        generator: np.random.Generator,
    ) -> dict[str, Any]:
        """Fitted attributes that prediction does not need; warns about an empty subspace."""
        V, singular_values = coordinates.svd.directions, coordinates.svd.singular_values
        engine = coordinates.documents.engine
        n_null = self._n_null(len(result.centroids.nonempty), coordinates)
        W = result.centroids.directions
        W = W / np.maximum(np.linalg.norm(W, axis=0), np.finfo(float).tiny)
        kept = float(((W * singular_values[:, None]) ** 2).sum())
        subspace = engine.to_host(engine.product(V, W))
        if n_null > 0:
            subspace = np.hstack([_null_directions(engine.to_host(V), n_null, generator), subspace])
        share = kept / coordinates.squared_norm if coordinates.squared_norm > 0 else 0.0
        if self.w_step != "discriminant":
            effect = "almost nothing is transferred between domains"
            warn_if_negligible(self.w_step, share, effect, "discriminant")
        return {
            "memberships_": problem.gather([engine.to_host(P) for P in result.memberships]),
            "subspace_": subspace,
            "subspace_share_": share,
            "singular_values_": singular_values,
            "objective_": np.asarray(result.objective),
            "n_iter_": result.n_iter,
        }


def warn_if_negligible(w_step: str, share: float, effect: str, instead: str) -> None:
    """Warn of a subspace that contains almost nothing of the documents."""
    if share < _NEGLIGIBLE:
        warn_user(
            f"The subspace of w_step={w_step!r} contains a proportion of {share:.1e} of the data, "
            f"so {effect}: use w_step={instead!r}."
        )


def _used_terms(blocks: Sequence[Documents]) -> NDArray[Any]:
    """1 for every term that occurs in a document, 0 for the others."""
    # Values of both signs may sum to zero, but not with random weights.
    generator, engine = np.random.default_rng(0), blocks[0].engine
    used = engine.xp.zeros(blocks[0].shape[1], bool)
    for block in blocks:
        weights = block.asarray(generator.standard_normal((block.shape[0], 1)), block.dtype)
        used |= block.transposed_times(weights)[:, 0] != 0
    return engine.to_host(used).astype(blocks[0].dtype)


def _null_directions(V: NDArray[Any], number: int, generator: np.random.Generator) -> NDArray[Any]:
    """Orthonormal directions that are orthogonal to all documents."""
    directions = generator.standard_normal((V.shape[0], number)).astype(V.dtype)
    with one_thread():
        for _ in range(2):  # the second projection removes rounding errors of the first
            directions = directions - V @ (V.T @ directions)
        return np.asarray(qr(directions, mode="economic")[0])


def kmeans_apart(
    parts: Sequence[Part],
    n_clusters: int,
    generator: np.random.Generator,
    n_init: int,
    sums: NDArray[np.float64] | None = None,
) -> list[NDArray[np.intp]]:
    """Labels of every domain after K-means on each, with clusters matched between domains.

    Domains are matched in order of size, the largest first: the centers of a domain are assigned
    to the sums of the centers of the earlier domains by cosine similarity. ``sums`` are those
    before the first domain.
    """
    clusters = [
        repeatable_kmeans(rows, n_clusters, generator, projections=places, n_init=n_init)
        for rows, places in parts
    ]
    labels = [part.labels for part in clusters]
    if sums is None:
        sums = np.zeros((n_clusters, parts[0][0].shape[1]))
    for i in np.argsort([-len(part) for part in labels], kind="stable"):
        centers = clusters[i].centers
        _, partners = linear_sum_assignment(-_directions(centers) @ _directions(sums).T)
        labels[i] = partners[labels[i]]
        sums = sums + centers[np.argsort(partners)]
    return labels


def _directions(centers: NDArray[Any]) -> NDArray[Any]:
    norms = np.linalg.norm(centers, axis=1, keepdims=True)
    return np.asarray(centers / np.where(norms > 0, norms, 1))
