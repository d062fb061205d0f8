"""The pieces that all tri-factorizations ``X_d ~ G_d S' F_d'`` with a shared S are made of.

``X_d`` holds a document a row, ``G_d`` its memberships in the classes, ``F_d`` the word clusters of
the domain and ``S`` (clusters x classes) the associations that the domains share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.solvers.progress import Callback, Monitor, Stopping


@dataclass(frozen=True)
class Side:
    """One domain of a tri-factorization with its starting factors."""

    documents: Documents
    clusters: Array
    """``F`` at the start."""
    memberships: Array
    """``G`` at the start."""
    fixed: Array | None = None
    """Rows of ``G`` that never move; None: all may."""
    weight: float = 1.0
    """Weight of this domain's reconstruction error."""
    anchor: Array | None = None
    """Memberships towards which ``pull`` draws the rows."""
    pull: Array | None = None
    is_target: bool = False


@dataclass(frozen=True)
class TriFactorization:
    """The factors at the end, one array a side, and the curve of the objective."""

    clusters: list[Array]
    memberships: list[Array]
    associations: Array
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


class _State:
    """A side on its way, with the products that several steps need."""

    def __init__(self, side: Side, engine: Engine) -> None:
        self.side, self.engine = side, engine
        self.clusters, self.memberships = side.clusters, side.memberships
        self.moves = side.fixed is None or not bool(side.fixed.all())
        self.products = side.documents.transposed_times(side.memberships)
        self.squared_norm = side.documents.squared_norm()
        self._refresh_documents()
        self.refresh_words()

    def _refresh_documents(self) -> None:
        self.gram = self.memberships.T @ self.memberships

    def refresh_words(self) -> None:
        """The small products of the word clusters, which the S step and the objective share."""
        self.word_gram = self.clusters.T @ self.clusters
        self.word_products = self.clusters.T @ self.products

    def iterate(self, associations: Array, normalise: bool) -> None:
        """F step, then G step."""
        side = self.side
        self.clusters = self.engine.word_step(
            self.clusters, self.products, associations, self.gram, normalise=normalise
        )
        if self.moves:
            profiles = self.clusters @ associations
            step = side.documents.membership_step(
                self.memberships,
                profiles,
                profiles.T @ profiles,
                fixed=side.fixed,
                anchor=side.anchor,
                # The pass works on the reconstruction error without its weight.
                pull=None if side.pull is None else side.pull / side.weight,
                normalise=normalise,
            )
            self.memberships, self.products = step.memberships, step.products
            self._refresh_documents()
        self.refresh_words()

    def error(self, associations: Array) -> float:
        """``weight * ||X - G S' F'||^2`` without another pass, plus the pull's penalty."""
        to_host = self.engine.to_host
        S = to_host(associations).astype(np.float64)
        cross = float((S * to_host(self.word_products)).sum())
        model = float(
            ((to_host(self.word_gram).astype(np.float64) @ S) * (S @ to_host(self.gram))).sum()
        )
        total = self.side.weight * (self.squared_norm - 2 * cross + model)
        if self.side.pull is not None and self.side.anchor is not None:
            apart = ((self.memberships - self.side.anchor) ** 2).sum(axis=1)
            total += float((self.side.pull * apart).sum())
        return total

    def labels(self) -> NDArray[Any]:
        moving = slice(None) if self.side.fixed is None else ~self.side.fixed
        return self.engine.to_host(self.memberships[moving].argmax(axis=1))


def factorize(
    sides: Sequence[Side],
    associations: Array,
    *,
    engine: Engine,
    stopping: Stopping,
    normalise: bool = True,
    move_associations: bool = True,
    callback: Callback | None = None,
) -> TriFactorization:
    """Multiplicative updates of every F and G, then of the shared S, until ``stopping`` says so."""
    states = [_State(side, engine) for side in sides]
    targets = [state for state in states if state.side.is_target]
    monitor = Monitor(stopping, callback)
    monitor.begin(sum(state.error(associations) for state in states))
    labels = [state.labels() for state in targets]
    for _ in range(stopping.max_iter):
        for state in states:
            state.iterate(associations, normalise)
        if move_associations:
            numerator = sum(state.side.weight * state.word_products for state in states)
            denominator = sum(
                state.side.weight * (state.word_gram @ associations @ state.gram)
                for state in states
            )
            associations = engine.multiplied(associations, numerator, denominator)
        before, labels = labels, [state.labels() for state in targets]
        if monitor.finished(
            sum(state.error(associations) for state in states), _share_changed(before, labels)
        ):
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


def _share_changed(before: list[NDArray[Any]], now: list[NDArray[Any]]) -> float:
    total = sum(len(labels) for labels in now)
    if total == 0:
        return 0.0
    return sum(int((a != b).sum()) for a, b in zip(before, now, strict=True)) / total
