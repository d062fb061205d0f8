"""KTW: word clusters carried from the source to the target (Li, Sindhwani, Ding, Zhang 2009).

First, on the sources,  ``min sum_s ||X_s - G_s S' F_s'||^2 + alpha tr((G_s - Y)' C (G_s - Y))``,
then, on the targets,   ``min sum_t ||X_t - G_t S_t' F_t'||^2 + carry tr((F_t - F)' (F_t - F))``

over nonnegative factors: what the two steps share is F, where MTrick and DKT share S. Words that no
source uses are not drawn anywhere; labelled rows of a target are drawn to their labels as those of
the sources are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Engine
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization._base import Tie, TriFactorization, factorize
from isthmus.solvers.tri_factorization._init import InitialFactors
from isthmus.solvers.tri_factorization.dkt import labelled_side


def carried_clusters(
    domains: Sequence[Domain], clusters: Sequence[Array], start: Array, engine: Engine
) -> tuple[Array, Array]:
    """The mean of the sources' clusters of every word, over the sources that use it.

    A word that no source uses has nothing to carry over: it keeps its start. Also returns which
    words some source uses.
    """
    xp = engine.xp
    uses = [xp.asarray(d.documents.column_sums() > 0)[:, None] for d in domains]
    total = sum(xp.where(used, F, 0) for used, F in zip(uses, clusters, strict=True))
    votes = sum(used.astype(start.dtype) for used in uses)
    return xp.where(votes > 0, total / xp.maximum(votes, 1), start), votes[:, 0] > 0


def ktw(
    domains: Sequence[Domain],
    start: InitialFactors,
    *,
    engine: Engine,
    stopping: Stopping,
    alpha: float = 1.0,
    carries: Sequence[float] = (),
    callback: Callback | None = None,
) -> TriFactorization:
    """Solve the two problems one after the other.

    ``carries`` holds the weight of the tie to the sources' clusters, one number a domain. The
    curve of the objective, and whether it settled, are the targets' (the sources' if there is no
    target). The callback is told of both steps, each counted from 1.
    """
    sides = [
        labelled_side(domain, start.clusters, G, alpha, engine)
        for domain, G in zip(domains, start.memberships, strict=True)
    ]
    sources = [domain for domain in domains if not domain.is_target]
    n_sources = len(sources)
    # The first step hears of no target, so it stops by the objective alone.
    first = factorize(
        sides[:n_sources],
        start.associations,
        engine=engine,
        stopping=stopping.without_labels(),
        normalise=False,
        callback=callback,
    )
    own = [first.associations] * n_sources
    if n_sources == len(domains):
        # A stop by labels has none to wait for.
        return replace(first, converged=first.converged or stopping.of == "labels")
    if first.interrupted:  # the targets stay at their start
        stopping = replace(stopping, max_iter=0)
    F, taught = carried_clusters(sources, first.clusters, start.clusters, engine)
    targets = [replace(side, clusters=F) for side in sides[n_sources:]]
    dtype = sides[0].documents.dtype
    ties = [
        Tie(i, F, (carry * taught).astype(dtype))
        for i, carry in enumerate(carries[n_sources:])
        if carry > 0
    ]
    second = factorize(
        targets,
        first.associations,
        engine=engine,
        stopping=stopping,
        ties=ties,
        normalise=False,
        callback=callback,
    )
    return replace(
        second,
        clusters=first.clusters + second.clusters,
        memberships=first.memberships + second.memberships,
        own_associations=own + [second.associations] * len(targets),
        interrupted=first.interrupted or second.interrupted,
    )
