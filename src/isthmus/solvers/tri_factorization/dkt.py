"""DKT: tri-factorization with shared associations and tied word clusters (SIGIR 2011).

minimize  sum_a ( ||X_a - G_a S' F_a'||^2 + alpha tr((G_a - Y_a)' C_a (G_a - Y_a)) )
          + sum_t ( ||X_t - G_t S' F_t'||^2 + beta tr((G_t - Y_t)' C_t (G_t - Y_t)) )
          + sum_a,t gamma_a tr((F_t - F_a)' V_at (F_t - F_a))    (several sources a and targets t)

with all factors >= 0 and no normalization. ``C_d`` selects the labeled rows of a domain and
``V_at`` the terms that both domains use.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Engine
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization._base import (
    DomainFactors,
    InitialFactors,
    Tie,
    TriFactorization,
    factorize,
)


def labeled_domain(
    domain: Domain, clusters: Array, memberships: Array, pull: float
) -> DomainFactors:
    """A domain with a penalty on changes of its labels."""
    documents = domain.documents
    dtype = documents.dtype
    truth = np.eye(memberships.shape[1], dtype=dtype)[np.maximum(domain.labels, 0)]
    return DomainFactors(
        documents,
        clusters,
        memberships,
        anchor=documents.asarray(truth),
        pull=documents.asarray(np.where(domain.labeled, pull, 0).astype(dtype)),
        open_rows=int((~domain.labeled).sum()),
        is_target=domain.is_target,
    )


def scaled_by_class_size(weight: float, domain: Domain, n_classes: int) -> float:
    """The weight times the mean class size n_d / k2, about the curvature of the word clusters."""
    return weight * domain.documents.shape[0] / n_classes


def ties_of(domains: Sequence[Domain], gammas: Sequence[float]) -> list[Tie]:
    """Ties of every source to every target by their shared terms; one gamma per domain."""
    used = [domain.documents.column_sums() > 0 for domain in domains]
    ties = []
    for a, source in enumerate(domains):
        for t, target in enumerate(domains):
            if gammas[a] > 0 and target.is_target and not source.is_target:
                pull = gammas[a] * (used[a] & used[t])
                ties.append(Tie(a, t, pull.astype(source.documents.dtype)))
    return ties


def dkt(
    domains: Sequence[Domain],
    initial: InitialFactors,
    *,
    engine: Engine,
    stopping: Stopping,
    alpha: float = 1.0,
    beta: float = 1.0,
    gammas: Sequence[float] = (),
    callback: Callback | None = None,
) -> TriFactorization:
    """Solve the joint problem; ``gammas`` holds one number per domain, or none."""
    factors = [
        labeled_domain(domain, initial.clusters, G, beta if domain.is_target else alpha)
        for domain, G in zip(domains, initial.memberships, strict=True)
    ]
    return factorize(
        factors,
        initial.associations,
        engine=engine,
        stopping=stopping,
        ties=ties_of(domains, gammas) if len(gammas) else (),
        normalize=False,
        targets_last=True,
        callback=callback,
    )
