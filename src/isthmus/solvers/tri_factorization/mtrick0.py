"""MTrick0: the source problem first (eq. 2.7), then the target with its associations (eq. 2.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Engine
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization._base import InitialFactors, TriFactorization, factorize
from isthmus.solvers.tri_factorization.mtrick import initial_domains


def mtrick0(
    domains: Sequence[Domain],
    initial: InitialFactors,
    *,
    engine: Engine,
    stopping: Stopping,
    alpha: float = 1.0,
    callback: Callback | None = None,
) -> TriFactorization:
    """Solve the source problem, then the target problem.

    The objective is that of the targets, or of the sources if there is no target. The callback is
    called in both steps, each counted from 1.
    """
    factors = initial_domains(domains, initial, alpha=alpha, beta=1.0, engine=engine)
    sources = [part for part in factors if not part.is_target]
    targets = [part for part in factors if part.is_target]
    first = factorize(
        sources,
        initial.associations,
        engine=engine,
        stopping=stopping,
        callback=callback,
    )
    if not targets:
        return first
    if first.interrupted:  # the targets keep their initial factors
        stopping = replace(stopping, max_iter=0)
    second = factorize(
        targets,
        first.associations,
        engine=engine,
        stopping=stopping,
        move_associations=False,
        callback=callback,
    )
    return replace(second.after(first), converged=first.converged and second.converged)
