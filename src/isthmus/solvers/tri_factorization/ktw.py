"""KTW: word clusters transferred from sources to targets (Li, Sindhwani, Ding, Zhang 2009).

First, on the sources,  ``min sum_s ||X_s - G_s S' F_s'||^2 + alpha tr((G_s - Y)' C (G_s - Y))``,
then, on the targets,   ``min sum_t ||X_t - G_t S_t' F_t'||^2 + carry tr((F_t - F)' (F_t - F))``

over nonnegative factors. The two steps share F, whereas MTrick and DKT share S. There is no penalty
for words that no source uses. Labels of target rows have the same penalty as those of sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Engine
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization._base import InitialFactors, Tie, TriFactorization, factorize
from isthmus.solvers.tri_factorization.dkt import labeled_domain


def mean_source_clusters(
    domains: Sequence[Domain], clusters: Sequence[Array], initial: Array, engine: Engine
) -> tuple[Array, Array]:
    """Mean word clusters over the sources that use a word, and which words some source uses.

    A word that no source uses keeps its initial clusters.
    """
    xp = engine.xp
    used = [(d.documents.column_sums() > 0)[:, None] for d in domains]
    total = sum(xp.where(mask, F, 0) for mask, F in zip(used, clusters, strict=True))
    counts = sum(mask.astype(initial.dtype) for mask in used)
    return xp.where(counts > 0, total / xp.maximum(counts, 1), initial), counts[:, 0] > 0


def ktw(
    domains: Sequence[Domain],
    initial: InitialFactors,
    *,
    engine: Engine,
    stopping: Stopping,
    alpha: float = 1.0,
    carries: Sequence[float] = (),
    callback: Callback | None = None,
) -> TriFactorization:
    """Solve the source problem, then the target problem.

    ``carries`` holds the weight of the tie to the source clusters, one number per domain. The
    objective and its convergence are those of the targets, or of the sources if there is no target.
    The callback is called in both steps, each counted from 1.
    """
    factors = [
        labeled_domain(domain, initial.clusters, G, alpha)
        for domain, G in zip(domains, initial.memberships, strict=True)
    ]
    sources = [domain for domain in domains if not domain.is_target]
    n_sources = len(sources)
    # The first step has no target labels, so it can only use the objective to stop.
    first = factorize(
        factors[:n_sources],
        initial.associations,
        engine=engine,
        stopping=stopping.without_labels(),
        normalize=False,
        callback=callback,
    )
    source_associations = [first.associations] * n_sources
    if n_sources == len(domains):
        # There are no labels that could converge.
        return replace(first, converged=first.converged or stopping.criterion == "labels")
    if first.interrupted:  # the targets keep their initial factors
        stopping = replace(stopping, max_iter=0)
    F, in_sources = mean_source_clusters(sources, first.clusters, initial.clusters, engine)
    targets = [replace(part, clusters=F) for part in factors[n_sources:]]
    dtype = factors[0].documents.dtype
    ties = [
        Tie(i, F, (carry * in_sources).astype(dtype))
        for i, carry in enumerate(carries[n_sources:])
        if carry > 0
    ]
    second = factorize(
        targets,
        first.associations,
        engine=engine,
        stopping=stopping,
        ties=ties,
        normalize=False,
        callback=callback,
    )
    return replace(
        second.after(first),
        own_associations=source_associations + [second.associations] * len(targets),
    )
