"""The multiplicative updates of all tri-factorizations ``X_d ~ G_d S' F_d'`` with a shared S.

``X_d`` holds one document per row, ``G_d`` their class memberships, ``F_d`` the word clusters of
the domain and ``S`` (clusters x classes) the associations that all domains share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import with_labels
from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Documents, Engine, StepOptions
from isthmus.numerics.progress import Callback, Monitor, Stopping


@dataclass(frozen=True)
class DomainFactors:
    """One domain of a tri-factorization with its initial factors."""

    documents: Documents
    clusters: Array
    """Initial ``F``."""
    memberships: Array
    """Initial ``G``."""
    fixed: Array | None = None
    """Rows of ``G`` that are not updated; None: all rows are."""
    weight: float = 1.0
    """Weight of the reconstruction error of this domain."""
    anchor: Array | None = None
    """Memberships of the penalty ``pull_i ||G_i - anchor_i||^2``."""
    pull: Array | None = None
    """Weight of the penalty, one number per row."""
    open_rows: int | None = None
    """Number of rows whose class is predicted; None: all that are updated."""
    is_target: bool = False


@dataclass(frozen=True)
class Tie:
    """The penalty ``sum_j pull_j ||F_domain[j] - F_other[j]||^2`` on different word clusters."""

    domain: int
    other: int | Array
    """Another domain, or fixed clusters."""
    pull: Array
    """Weight of the penalty, one number per term."""


@dataclass(frozen=True)
class TriFactorization:
    """The fitted factors, one array per domain, and the objective of every iteration."""

    clusters: list[Array]
    memberships: list[Array]
    associations: NDArray[Any]
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool
    own_associations: list[NDArray[Any]] | None = None
    """``S`` of every domain, if the domains do not share one."""

    @property
    def profiles(self) -> list[Array]:
        """``F @ S`` of every domain: the association of every word with every class."""
        own = self.own_associations or [self.associations] * len(self.clusters)
        return [F @ S for F, S in zip(self.clusters, own, strict=True)]

    def on_host(self, engine: Engine) -> TriFactorization:
        """The same factors as NumPy arrays."""
        return replace(
            self,
            clusters=[engine.to_host(F) for F in self.clusters],
            memberships=[engine.to_host(G) for G in self.memberships],
        )

    def after(self, first: TriFactorization) -> TriFactorization:
        """This result as the second of two steps, with the domains of the first step before it."""
        return replace(
            self,
            clusters=first.clusters + self.clusters,
            memberships=first.memberships + self.memberships,
            interrupted=first.interrupted or self.interrupted,
        )


class _State:
    """Current factors of a domain, with the products that several steps need."""

    def __init__(self, initial: DomainFactors, associations: NDArray[Any], engine: Engine) -> None:
        self.initial, self.engine = initial, engine
        # Steps work in place, and domains may share their initial factors.
        self.clusters = engine.own_copy(initial.clusters)
        self.memberships = engine.own_copy(initial.memberships)
        n_fixed = 0 if initial.fixed is None else int(initial.fixed.sum())
        self.n_updated = initial.memberships.shape[0] - n_fixed
        self.open_rows = self.n_updated if initial.open_rows is None else initial.open_rows
        self.products = initial.documents.transposed_times(initial.memberships)
        memberships = initial.memberships.astype(np.float64)
        self.gram = engine.gram(memberships, memberships)
        self.squared_norm = initial.documents.squared_norm()
        self.update_profiles(associations)
        self._update_terms(engine.cluster_products(self.clusters, self.profiles.values))

    def update_profiles(self, associations: NDArray[Any]) -> None:
        """Compute ``F @ S`` for new associations, and the terms of the objective."""
        self.profiles = self.engine.profiles(self.clusters, associations, self.products)

    def _update_terms(self, cluster_products: NDArray[Any]) -> None:
        """Compute ``F'X'G`` and ``F'F S G'G`` for the S step, from ``F'F S``."""
        self.numerator = self.engine.cluster_products(self.clusters, self.products)
        self.denominator = cluster_products @ self.gram

    def iterate(
        self,
        associations: NDArray[Any],
        normalize: bool,
        anchor: Array | None,
        pull: Array | None,
    ) -> int:
        """F step, then G step; returns the number of rows with a new class."""
        initial, profiles, changed = self.initial, self.profiles.values, 0
        # Both steps use the reconstruction error without its weight.
        options = StepOptions(
            anchor=None if anchor is None else anchor / initial.weight,
            pull=None if pull is None else pull / initial.weight,
            normalize=normalize,
        )
        cluster_products = self.engine.word_step(
            self.clusters, profiles, self.products, associations, self.gram, options
        )
        if self.n_updated:
            options = StepOptions(
                fixed=initial.fixed,
                anchor=initial.anchor,
                pull=None if initial.pull is None else initial.pull / initial.weight,
                normalize=normalize,
            )
            gram = associations.T @ cluster_products
            step = initial.documents.membership_step(self.memberships, profiles, gram, options)
            self.products, self.gram, changed = step.products, step.gram, step.changed
        self._update_terms(cluster_products)
        return changed

    def error(self) -> float:
        """``weight * ||X - G S' F'||^2`` from known products, plus the penalty of the anchors."""
        model = float((self.profiles.gram * self.gram).sum())
        total = self.initial.weight * (self.squared_norm - 2 * self.profiles.overlap + model)
        if self.initial.pull is not None and self.initial.anchor is not None:
            distances = ((self.memberships - self.initial.anchor) ** 2).sum(axis=1)
            total += float((self.initial.pull * distances).sum())
        return total


class _Ties:
    """The penalties on different word clusters."""

    def __init__(self, ties: Sequence[Tie], states: Sequence[_State]) -> None:
        self._ties, self._states = ties, states

    def of(self, number: int) -> tuple[Array | None, Array | None]:
        """For a domain, the sum of tied clusters times their weights, and the sum of weights."""
        anchor: Array | None = None
        pull: Array | None = None
        for tie in self._ties:
            if number == tie.domain:
                other = self._clusters(tie.other)
            elif isinstance(tie.other, int) and number == tie.other:
                other = self._clusters(tie.domain)
            else:
                continue
            part = tie.pull[:, None] * other
            anchor = part if anchor is None else anchor + part
            pull = tie.pull if pull is None else pull + tie.pull
        return anchor, pull

    def penalty(self) -> float:
        """The part of the objective."""
        total = 0.0
        for tie in self._ties:
            difference = self._clusters(tie.domain) - self._clusters(tie.other)
            total += float((tie.pull[:, None] * difference.astype(np.float64) ** 2).sum())
        return total

    def _clusters(self, which: int | Array) -> Array:
        return self._states[which].clusters if isinstance(which, int) else which


def _moved(associations: NDArray[Any], numerator: Any, denominator: Any) -> NDArray[Any]:
    """``S * sqrt(numerator / denominator)``; zeros stay zero."""
    limits = np.finfo(associations.dtype)
    with np.errstate(over="ignore"):
        ratio = numerator / np.maximum(denominator, limits.tiny)
    # Zero times infinity would be NaN.
    moved = associations * np.sqrt(np.minimum(ratio, limits.max))
    return np.asarray(moved, associations.dtype)


def _counted_domains(states: Sequence[_State]) -> list[int]:
    """Domains whose label changes are counted: targets, or else sources with unlabeled rows."""
    unlabeled = [i for i, state in enumerate(states) if state.open_rows > 0]
    return [i for i in unlabeled if states[i].initial.is_target] or unlabeled


def factorize(
    domains: Sequence[DomainFactors],
    associations: NDArray[Any],
    *,
    engine: Engine,
    stopping: Stopping,
    ties: Sequence[Tie] = (),
    normalize: bool = True,
    move_associations: bool = True,
    targets_last: bool = False,
    callback: Callback | None = None,
) -> TriFactorization:
    """Multiplicative updates of every F and G and of the shared S, until convergence.

    S is updated after all domains (as in MTrick) or, with ``targets_last``, between the sources and
    the targets (as in DKT).
    """
    states = [_State(initial, associations, engine) for initial in domains]
    tied = _Ties(ties, states)
    monitor = Monitor(stopping, callback)

    def objective() -> float:
        return sum(state.error() for state in states) + tied.penalty()

    def update(numbers: Sequence[int]) -> int:
        n_changed = 0
        for number in numbers:
            changed = states[number].iterate(associations, normalize, *tied.of(number))
            n_changed += changed if number in counted else 0
        return n_changed

    counted = _counted_domains(states)
    n_counted = sum(states[number].open_rows for number in counted)
    last = [i for i, initial in enumerate(domains) if targets_last and initial.is_target]
    first = [i for i in range(len(domains)) if i not in last]
    monitor.begin(objective())
    for _ in range(stopping.max_iter):
        n_changed = update(first)
        if move_associations:
            numerator = sum(state.initial.weight * state.numerator for state in states)
            denominator = sum(state.initial.weight * state.denominator for state in states)
            associations = _moved(associations, numerator, denominator)
        for i in last:
            states[i].update_profiles(associations)
        n_changed += update(last)
        for state in states:
            state.update_profiles(associations)
        if monitor.finished(objective(), n_changed / max(1, n_counted)):
            break
    return TriFactorization(
        [state.clusters for state in states],
        [state.memberships for state in states],
        associations,
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


@dataclass(frozen=True)
class InitialFactors:
    """Initial factors; ``memberships`` holds one array per domain."""

    clusters: Array
    """``F``, the same for every domain."""
    memberships: list[Array]
    associations: NDArray[Any]


def smoothed_labels(n_classes: int, smoothing: float) -> NDArray[np.float64]:
    """One-hot labels (row c for class c) with ``smoothing`` distributed over the other classes."""
    off = smoothing / max(1, n_classes - 1)
    return (1 - smoothing - off) * np.eye(n_classes) + off


def smoothed_memberships(
    domains: Sequence[Domain], predicted: Sequence[NDArray[Any]], smoothing: float
) -> list[Array]:
    """``G`` of every domain, from the labels and the predictions for unlabeled rows.

    Labels of source rows are smoothed; labels of target rows are not.
    """
    memberships = []
    for domain, part in zip(domains, predicted, strict=True):
        n_classes = part.shape[1]
        labels = smoothed_labels(n_classes, 0.0 if domain.is_target else smoothing)
        part = part.astype(domain.documents.dtype, copy=False)
        memberships.append(domain.documents.asarray(with_labels(part, domain.labels, labels)))
    return memberships


def equal_associations(n_clusters: int, n_classes: int, dtype: Any) -> NDArray[Any]:
    """A constant ``S`` with rows that sum to 1, as in the paper."""
    return np.full((n_clusters, n_classes), 1 / n_classes, dtype=dtype)


def class_conditional(
    documents: Sequence[Documents], memberships: Sequence[Array], engine: Engine
) -> InitialFactors:
    """One word cluster per class, from the words of each class in every domain.

    ``F`` holds the rows of ``sum_d X_d' G_d / (1' G_d)`` scaled to sum 1 and ``S = I + 0.01``.
    """
    xp = engine.xp
    dtype = documents[0].dtype
    words = xp.zeros((documents[0].shape[1], memberships[0].shape[1]), dtype=dtype)
    for block, G in zip(documents, memberships, strict=True):
        mass = xp.maximum(G.sum(axis=0), np.finfo(dtype).tiny)
        words = words + block.transposed_times(G) / mass
    # Multiplicative updates cannot change a zero; the value is far below that of any word.
    words = words + 1e-9 * max(float(words.mean()), float(np.finfo(dtype).tiny) * 1e12)
    n_classes = memberships[0].shape[1]
    associations = np.eye(n_classes, dtype=dtype) + dtype.type(0.01)
    return InitialFactors(engine.normalized_rows(words), list(memberships), associations)


def fold_in(
    documents: Documents,
    profiles: Array,
    *,
    engine: Engine,
    max_iter: int = 200,
    tol: float = 1e-4,
) -> Array:
    """Iterate the G step ``G <- G * sqrt(X B / (G B'B))`` with normalized rows, B = F S.

    ``X B`` is computed once. A document without a known word gets a row of zeros. The scale of a
    document does not matter, because rows are normalized.
    """
    xp = engine.xp
    products = documents.times(profiles)
    gram = engine.gram(profiles, profiles)
    n_classes = profiles.shape[1]
    memberships = documents.full(1 / n_classes, n_classes, products.dtype)
    converged = documents.full(False, 1, bool)
    for _ in range(max_iter):
        before = memberships
        updated = engine.normalized_rows(
            engine.multiplied(memberships, products, engine.product(memberships, gram))
        )
        # Rows stop one by one, so that a result does not depend on the other rows.
        memberships = xp.where(converged, before, updated)
        converged = converged | (abs(memberships - before).max(axis=1, keepdims=True) < tol)
        if bool(converged.all()):
            break
    return memberships
