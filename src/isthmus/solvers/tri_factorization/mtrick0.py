"""MTrick0: the source problem first (eq. 2.7), then the target with its associations (eq. 2.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Engine
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization._base import TriFactorization, factorize
from isthmus.solvers.tri_factorization._init import InitialFactors
from isthmus.solvers.tri_factorization.mtrick import sides_of


def mtrick0(
    domains: Sequence[Domain],
    start: InitialFactors,
    *,
    engine: Engine,
    stopping: Stopping,
    alpha: float = 1.0,
    callback: Callback | None = None,
) -> TriFactorization:
    """Solve the two problems one after the other.

    The curve of the objective is the target's (the source's if there is no target). The callback
    is told of both, each counted from 1.
    """
    sides = sides_of(domains, start, alpha=alpha, beta=1.0, engine=engine)
    sources = [side for side in sides if not side.is_target]
    targets = [side for side in sides if side.is_target]
    first = factorize(
        sources,
        start.associations,
        engine=engine,
        stopping=stopping,
        callback=callback,
    )
    if not targets:
        return first
    if first.interrupted:  # the targets stay at their start
        stopping = replace(stopping, max_iter=0)
    second = factorize(
        targets,
        first.associations,
        engine=engine,
        stopping=stopping,
        move_associations=False,
        callback=callback,
    )
    return replace(
        second,
        clusters=first.clusters + second.clusters,
        memberships=first.memberships + second.memberships,
        converged=first.converged and second.converged,
        interrupted=first.interrupted or second.interrupted,
    )
