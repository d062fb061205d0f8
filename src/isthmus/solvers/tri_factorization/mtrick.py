"""MTrick: joint tri-factorization of sources and targets with shared associations (SDM 2010).

minimize  sum_s ( ||X_s - G_s S' F_s'||^2 + (alpha / n_s) ||G_s - G_0||^2 )
          + beta sum_t ||X_t - G_t S' F_t'||^2        (eq. 2.10; several sources and targets)

with all factors >= 0 and rows of F and G that sum to 1; ``X_d`` is divided by its sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Engine
from isthmus.numerics.derived_documents import joint_probability
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization._base import (
    DomainFactors,
    InitialFactors,
    TriFactorization,
    factorize,
)


def initial_domains(
    domains: Sequence[Domain], initial: InitialFactors, *, alpha: float, beta: float, engine: Engine
) -> list[DomainFactors]:
    """All domains of the joint problem with their initial factors.

    A one-hot label cannot change, because zeros stay zero and rows are normalized. Such rows are
    fixed, which saves time; ``alpha`` affects smoothed labels only.
    """
    factors = []
    for domain, G in zip(domains, initial.memberships, strict=True):
        labeled = domain.labeled
        one_hot = labeled & engine.to_host((G == 1).any(axis=1))
        anchor: Array | None = None
        pull: Array | None = None
        if bool((labeled & ~one_hot).any()):
            n_rows, n_classes = G.shape
            truth = np.eye(n_classes, dtype=G.dtype)[np.maximum(domain.labels, 0)]
            anchor = domain.documents.asarray(truth)
            weights = np.where(labeled, alpha / n_rows, 0.0).astype(G.dtype)
            pull = domain.documents.asarray(weights)
        factors.append(
            DomainFactors(
                joint_probability(domain.documents),
                initial.clusters,
                G,
                fixed=domain.documents.asarray(one_hot),
                weight=beta if domain.is_target else 1.0,
                anchor=anchor,
                pull=pull,
                is_target=domain.is_target,
            )
        )
    return factors


def mtrick(
    domains: Sequence[Domain],
    initial: InitialFactors,
    *,
    engine: Engine,
    stopping: Stopping,
    alpha: float = 1.0,
    beta: float = 1.5,
    callback: Callback | None = None,
) -> TriFactorization:
    """Solve the joint problem (Algorithm 1)."""
    return factorize(
        initial_domains(domains, initial, alpha=alpha, beta=beta, engine=engine),
        initial.associations,
        engine=engine,
        stopping=stopping,
        callback=callback,
    )
