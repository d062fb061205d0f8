"""The pieces that all tri-factorizations ``X_d ~ G_d S' F_d'`` with a shared S are made of.

``X_d`` holds a document a row, ``G_d`` its memberships in the classes, ``F_d`` the word clusters of
the domain and ``S`` (clusters x classes) the associations that the domains share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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

    def __init__(self, side: Side, associations: Array, engine: Engine) -> None:
        self.side, self.engine = side, engine
        # Steps work in place, and a start may serve several sides.
        self.clusters = engine.own_copy(side.clusters)
        self.memberships = engine.own_copy(side.memberships)
        everything = side.memberships.shape[0]
        held = 0 if side.fixed is None else int(side.fixed.sum())
        self.moving = everything - held
        self.products = side.documents.transposed_times(side.memberships)
        precise = side.memberships.astype(np.float64)
        self.gram = engine.to_host(precise.T @ precise)
        self.squared_norm = side.documents.squared_norm()
        self.read_profiles(associations)

    def read_profiles(self, associations: Array) -> None:
        """``F @ S`` for associations that are new, and what the objective needs of it."""
        self.profiles = self.engine.profiles(self.clusters, associations, self.products)

    def iterate(self, associations: Array, normalise: bool) -> int:
        """F step, then G step; returns how many rows changed their class."""
        side, profiles, changed = self.side, self.profiles.values, 0
        own_use = self.engine.word_step(
            self.clusters, profiles, self.products, associations, self.gram, normalise=normalise
        )
        if self.moving:
            step = side.documents.membership_step(
                self.memberships,
                profiles,
                associations.T @ own_use,
                fixed=side.fixed,
                anchor=side.anchor,
                # The pass works on the reconstruction error without its weight.
                pull=None if side.pull is None else side.pull / side.weight,
                normalise=normalise,
            )
            self.products, self.gram, changed = step.products, step.gram, step.changed
        # F'X'G and F'F S G'G, for the S step.
        self.numerator = self.engine.word_use(self.clusters, self.products)
        self.denominator = own_use @ self.gram
        return changed

    def error(self) -> float:
        """``weight * ||X - G S' F'||^2`` without another pass, plus the pull's penalty."""
        model = float((self.profiles.gram * self.gram).sum())
        total = self.side.weight * (self.squared_norm - 2 * self.profiles.overlap + model)
        if self.side.pull is not None and self.side.anchor is not None:
            apart = ((self.memberships - self.side.anchor) ** 2).sum(axis=1)
            total += float((self.side.pull * apart).sum())
        return total


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
    states = [_State(side, associations, engine) for side in sides]
    monitor = Monitor(stopping, callback)
    monitor.begin(sum(state.error() for state in states))
    moving = sum(state.moving for state in states if state.side.is_target)
    for _ in range(stopping.max_iter):
        changed = 0
        for state in states:
            turned = state.iterate(associations, normalise)
            changed += turned if state.side.is_target else 0
        if move_associations:
            numerator = sum(state.side.weight * state.numerator for state in states)
            denominator = sum(state.side.weight * state.denominator for state in states)
            associations = engine.multiplied(associations, numerator, denominator)
        for state in states:
            state.read_profiles(associations)
        if monitor.finished(sum(state.error() for state in states), changed / max(1, moving)):
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
