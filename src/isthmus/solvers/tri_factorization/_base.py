"""The pieces that all tri-factorizations ``X_d ~ G_d S' F_d'`` with a shared S are made of.

``X_d`` holds a document a row, ``G_d`` its memberships in the classes, ``F_d`` the word clusters of
the domain and ``S`` (clusters x classes) the associations that the domains share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.progress import Callback, Monitor, Stopping


@dataclass(frozen=True)
class DomainFactors:
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
    open_rows: int | None = None
    """Rows whose class is to be found; None: all that may move."""
    is_target: bool = False


@dataclass(frozen=True)
class Tie:
    """``sum_j pull_j ||F_side[j] - F_other[j]||^2``: word clusters that are drawn together."""

    side: int
    other: int | Array
    """Another side, or clusters that stay as they are."""
    pull: Array
    """A number for every term."""


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
    own_associations: list[Array] | None = None
    """``S`` of every side, where the sides do not share one."""

    @property
    def profiles(self) -> list[Array]:
        """``F @ S`` of every side: how much every word speaks for every class."""
        own = self.own_associations or [self.associations] * len(self.clusters)
        return [F @ S for F, S in zip(self.clusters, own, strict=True)]


class _State:
    """A side on its way, with the products that several steps need."""

    def __init__(self, side: DomainFactors, associations: Array, engine: Engine) -> None:
        self.side, self.engine = side, engine
        # Steps work in place, and a start may serve several sides.
        self.clusters = engine.own_copy(side.clusters)
        self.memberships = engine.own_copy(side.memberships)
        everything = side.memberships.shape[0]
        held = 0 if side.fixed is None else int(side.fixed.sum())
        self.moving = everything - held
        self.open_rows = self.moving if side.open_rows is None else side.open_rows
        self.products = side.documents.transposed_times(side.memberships)
        precise = side.memberships.astype(np.float64)
        self.gram = engine.to_host(precise.T @ precise)
        self.squared_norm = side.documents.squared_norm()
        self.read_profiles(associations)
        self._read_use(engine.word_use(self.clusters, self.profiles.values))

    def read_profiles(self, associations: Array) -> None:
        """``F @ S`` for associations that are new, and what the objective needs of it."""
        self.profiles = self.engine.profiles(self.clusters, associations, self.products)

    def _read_use(self, own_use: Array) -> None:
        """``F'X'G`` and ``F'F S G'G``, for the S step, from ``F'F S``."""
        self.numerator = self.engine.word_use(self.clusters, self.products)
        self.denominator = own_use @ self.gram

    def iterate(
        self, associations: Array, normalise: bool, anchor: Array | None, pull: Array | None
    ) -> int:
        """F step, then G step; returns how many rows changed their class."""
        side, profiles, changed = self.side, self.profiles.values, 0
        own_use = self.engine.word_step(
            self.clusters,
            profiles,
            self.products,
            associations,
            self.gram,
            # Both passes work on the reconstruction error without its weight.
            anchor=None if anchor is None else anchor / side.weight,
            pull=None if pull is None else pull / side.weight,
            normalise=normalise,
        )
        if self.moving:
            step = side.documents.membership_step(
                self.memberships,
                profiles,
                associations.T @ own_use,
                fixed=side.fixed,
                anchor=side.anchor,
                pull=None if side.pull is None else side.pull / side.weight,
                normalise=normalise,
            )
            self.products, self.gram, changed = step.products, step.gram, step.changed
        self._read_use(own_use)
        return changed

    def error(self) -> float:
        """``weight * ||X - G S' F'||^2`` without another pass, plus the pull's penalty."""
        model = float((self.profiles.gram * self.gram).sum())
        total = self.side.weight * (self.squared_norm - 2 * self.profiles.overlap + model)
        if self.side.pull is not None and self.side.anchor is not None:
            apart = ((self.memberships - self.side.anchor) ** 2).sum(axis=1)
            total += float((self.side.pull * apart).sum())
        return total


class _Ties:
    """What draws the word clusters of every side."""

    def __init__(self, ties: Sequence[Tie], states: Sequence[_State]) -> None:
        self._ties, self._states = ties, states

    def of(self, number: int) -> tuple[Array | None, Array | None]:
        """The sum of the clusters that draw a side, each times its pull, and the sum of pulls."""
        anchor: Array | None = None
        pull: Array | None = None
        for tie in self._ties:
            if number == tie.side:
                other = self._clusters(tie.other)
            elif isinstance(tie.other, int) and number == tie.other:
                other = self._clusters(tie.side)
            else:
                continue
            part = tie.pull[:, None] * other
            anchor = part if anchor is None else anchor + part
            pull = tie.pull if pull is None else pull + tie.pull
        return anchor, pull

    def penalty(self) -> float:
        """The ties' part of the objective."""
        total = 0.0
        for tie in self._ties:
            apart = self._clusters(tie.side) - self._clusters(tie.other)
            total += float((tie.pull[:, None] * apart.astype(np.float64) ** 2).sum())
        return total

    def _clusters(self, which: int | Array) -> Array:
        return self._states[which].clusters if isinstance(which, int) else which


def _watched(states: Sequence[_State]) -> list[int]:
    """The sides whose labels are to be found: targets, or else sources with rows without one."""
    open_sides = [i for i, state in enumerate(states) if state.open_rows > 0]
    return [i for i in open_sides if states[i].side.is_target] or open_sides


def factorize(
    sides: Sequence[DomainFactors],
    associations: Array,
    *,
    engine: Engine,
    stopping: Stopping,
    ties: Sequence[Tie] = (),
    normalise: bool = True,
    move_associations: bool = True,
    targets_last: bool = False,
    callback: Callback | None = None,
) -> TriFactorization:
    """Multiplicative updates of every F and G and of the shared S until ``stopping`` says so.

    S moves after all sides (MTrick's order) or, with ``targets_last``, between the sources and
    the targets (DKT's).
    """
    states = [_State(side, associations, engine) for side in sides]
    tied = _Ties(ties, states)
    monitor = Monitor(stopping, callback)

    def objective() -> float:
        return sum(state.error() for state in states) + tied.penalty()

    def move_sides(wanted: Sequence[int]) -> int:
        changed = 0
        for number in wanted:
            turned = states[number].iterate(associations, normalise, *tied.of(number))
            changed += turned if number in watched else 0
        return changed

    watched = _watched(states)
    n_watched = sum(states[number].open_rows for number in watched)
    late = [i for i, side in enumerate(sides) if targets_last and side.is_target]
    early = [i for i in range(len(sides)) if i not in late]
    monitor.begin(objective())
    for _ in range(stopping.max_iter):
        changed = move_sides(early)
        if move_associations:
            numerator = sum(state.side.weight * state.numerator for state in states)
            denominator = sum(state.side.weight * state.denominator for state in states)
            associations = engine.multiplied(associations, numerator, denominator)
        for i in late:
            states[i].read_profiles(associations)
        changed += move_sides(late)
        for state in states:
            state.read_profiles(associations)
        if monitor.finished(objective(), changed / max(1, n_watched)):
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
