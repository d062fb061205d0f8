"""What LSSTTC and LSSMTC share: coordinates of the documents, and the rule for new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.centered import CentredDocuments
from isthmus.numerics.progress import Callback, Stopping
from isthmus.numerics.scaling import unit_rows
from isthmus.numerics.stacked import StackedDocuments
from isthmus.numerics.truncated_svd import LONGEST_GRAM, Svd, truncated_svd, whole_svd
from isthmus.solvers.subspace._shared_subspace import (
    SharedSubspace,
    Subspace,
    Task,
    shared_subspace,
)
from isthmus.solvers.subspace._steps import binary_scores, multiplicative_step

# Below this share of the data in it the subspace plays no part.
_NOTHING = 1e-3
# A cluster that no document is in is so far from every one, against the length of a centroid.
_FAR = 1e9
# Steps that find the memberships of a new document.
_NEW_STEPS = 100


@dataclass(frozen=True)
class Coordinates:
    """Documents of all domains in the directions that hold most of them."""

    documents: StackedDocuments
    svd: Svd
    means: NDArray[Any]
    """One row a domain; zeros if nothing was subtracted."""
    squared_norm: float

    def split(self) -> list[NDArray[Any]]:
        return self.documents.split(self.svd.coordinates)

    @property
    def n_null(self) -> int:
        """How many further directions there are, if all are known in which documents differ."""
        return self.documents.shape[1] - self.svd.directions.shape[1]


class SharedSubspaceMixin(DomainEstimator):
    """Parameters, fitted attributes and new documents of the two methods."""

    _subspace_shapes: ClassVar[dict[str, str]] = {
        "profiles_": "domain:mc",
        "profile_offsets_": "domain:c",
        "profile_grams_": "domain:cc",
        "used_terms_": "m",
    }

    lam: float
    w_step: Literal["discriminant", "smallest"]
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
        check_choice("w_step", self.w_step, ("discriminant", "smallest"))
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
        stacked = StackedDocuments([unit_rows(b) for b in blocks] if self.unit_rows else blocks)
        self.used_terms_ = _used_terms(blocks)
        means = np.zeros((len(blocks), stacked.shape[1]), stacked.dtype)
        rows: StackedDocuments | CentredDocuments = stacked
        if self.center:
            rows = CentredDocuments(stacked)
            means = rows.means
        if self.w_step == "smallest":
            _check_small_enough(stacked.shape)
            svd = whole_svd(rows)
        else:
            svd = truncated_svd(rows, self.n_components, generator)
        self.singular_values_ = svd.singular_values
        return Coordinates(stacked, svd, means, rows.squared_norm())

    def _n_directions(self, n_clusters: int, found: Coordinates) -> int:
        wanted = n_clusters if self.n_subspace == "clusters" else int(self.n_subspace)
        return min(wanted, found.documents.shape[1])

    def _iterate(
        self,
        tasks: Sequence[Task],
        found: Coordinates,
        *,
        max_iter: int,
        callback: Callback | None = None,
    ) -> SharedSubspace:
        n_clusters = tasks[0].memberships.shape[1]
        return shared_subspace(
            tasks,
            found.svd.singular_values,
            lam=self.lam,
            subspace=Subspace(
                self.w_step,
                self._n_directions(n_clusters, found),
                self.ridge,
                found.n_null if self.w_step == "smallest" else 0,
            ),
            binary=self.p_step == "binary",
            stopping=Stopping(max_iter, self.tol, of="labels"),
            callback=callback,
        )

    def _solve(
        self, tasks: Sequence[Task], found: Coordinates, callback: Callback | None
    ) -> SharedSubspace:
        result = self._iterate(tasks, found, max_iter=self.max_iter, callback=callback)
        self.objective_ = np.asarray(result.objective)
        self.n_iter_ = result.n_iter
        if self.max_iter > 0:
            self._warn_if_unfinished(result.converged, result.interrupted, self.tol, "the labels")
        return result

    def _keep(
        self,
        problem: Problem,
        found: Coordinates,
        result: SharedSubspace,
        generator: np.random.Generator,
    ) -> None:
        """Set the fitted attributes of the subspace, and what new documents need."""
        V, dtype = found.svd.directions, found.svd.directions.dtype
        n_clusters = len(result.centroids.taken)
        n_null = 0
        if self.w_step == "smallest":
            n_null = min(found.n_null, self._n_directions(n_clusters, found))
        with one_thread():
            W = result.centroids.directions
            W = W / np.maximum(np.linalg.norm(W, axis=0), np.finfo(float).tiny)
            kept = float(((W * self.singular_values_[:, None]) ** 2).sum())
            self.subspace_ = np.hstack(
                [_null_directions(V, n_null, generator), V @ W.astype(dtype)]
            )
            profiles = [V @ profile.astype(dtype) for profile in result.centroids.profiles]
            offsets = [mean @ profile for mean, profile in zip(found.means, profiles, strict=True)]
        self.subspace_share_ = kept / found.squared_norm if found.squared_norm > 0 else 0.0
        numbers = [domain.number for domain in problem.domains]
        self.profiles_ = dict(zip(numbers, profiles, strict=True))
        self.profile_offsets_ = dict(zip(numbers, offsets, strict=True))
        largest = max(1.0, *(float(np.abs(gram).max()) for gram in result.centroids.grams))
        far = np.diag(np.where(result.centroids.taken, 0.0, _FAR * largest))
        grams = [(gram + far).astype(dtype) for gram in result.centroids.grams]
        self.profile_grams_ = dict(zip(numbers, grams, strict=True))
        if self.w_step == "smallest" and self.subspace_share_ < _NOTHING:
            warn_user(
                f"The subspace of w_step='smallest' holds {self.subspace_share_:.1e} of the data, "
                "so domains learn next to nothing from each other: take w_step='discriminant'."
            )

    def _read_new(self, X: Any, number: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """``A`` of new documents of a domain, and which of them hold any fitted term."""
        documents = as_documents(X).scaled(columns=self.used_terms_)
        known = documents.row_norms() > 0
        if self.unit_rows:
            documents = unit_rows(documents)
        A = np.asarray(documents.times(self.profiles_[number]))
        return np.where(known[:, None], A - self.profile_offsets_[number], 0), known

    def _new_scores(self, A: NDArray[Any], number: int) -> NDArray[Any]:
        """Half the squared distance to every centroid, negative, but for a constant."""
        return binary_scores(A, self.profile_grams_[number].astype(A.dtype))

    def _new_partition(self, A: NDArray[Any], number: int) -> NDArray[Any]:
        """The nonnegative memberships of new documents under the fitted centroids."""
        B = self.profile_grams_[number].astype(A.dtype)
        P = np.full(A.shape, 1 / A.shape[1], A.dtype)
        with one_thread():
            for _ in range(_NEW_STEPS):
                P = multiplicative_step(P, A, B)
        return P


def _used_terms(blocks: Sequence[Any]) -> NDArray[Any]:
    """1 for every term that any document uses, 0 for others."""
    # Values of both signs may add up to zero, but not with random weights.
    generator = np.random.default_rng(0)
    sums = [b.transposed_times(generator.standard_normal((b.shape[0], 1)))[:, 0] for b in blocks]
    return np.asarray(np.any(sums, axis=0), blocks[0].dtype)


def _check_small_enough(shape: tuple[int, int]) -> None:
    if min(shape) > LONGEST_GRAM:
        raise ValueError(
            f"w_step='smallest' needs every direction of the documents, the least of all included, "
            f"and {shape[0]} documents of {shape[1]} terms have too many (one of the two may be at "
            f"most {LONGEST_GRAM}): take w_step='discriminant'."
        )


def _null_directions(V: NDArray[Any], number: int, generator: np.random.Generator) -> NDArray[Any]:
    """Orthonormal directions in which no document has anything."""
    drawn = generator.standard_normal((V.shape[0], number)).astype(V.dtype)
    if number == 0:
        return drawn
    for _ in range(2):  # once leaves what rounding brought in
        drawn = drawn - V @ (V.T @ drawn)
    return np.asarray(qr(drawn, mode="economic")[0])
