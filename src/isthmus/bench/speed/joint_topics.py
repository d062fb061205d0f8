"""An iteration of PJNMF against scikit-learn's multiplicative updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.bench.speed.contestants import AT_ONCE, Iteration, Ticks, compiling, sklearn_nmf
from isthmus.bench.speed.corpus import Corpus
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.host import HostEngine
from isthmus.numerics.progress import Stopping
from isthmus.solvers.pivots.pjnmf import Penalties, first_coefficients, pjnmf, random_factors

# Of all topics, one in so many is a domain's own, for each of the two.
_OWN_SHARE = 10


def ranks(total: int) -> tuple[int, int]:
    """Shared topics and those of each domain that make up a total rank."""
    own = max(1, total // _OWN_SHARE)
    return total - 2 * own, own


def pjnmf_here(corpus: Corpus, total: int, dtype: Any) -> Iteration:
    """PJNMF on the source and the target half, with its objective at every step."""
    X = corpus.X.astype(dtype)
    blocks = [as_documents(X[: corpus.n_source]), as_documents(X[corpus.n_source :])]
    n_shared, n_domain_components = ranks(total)
    engine = HostEngine()
    shared, own = random_factors(blocks, n_shared, n_domain_components, np.random.default_rng(0))
    start = [
        first_coefficients(block, np.hstack([shared, factor]), engine)
        for block, factor in zip(blocks, own, strict=True)
    ]

    def iterate() -> float:
        ticks = Ticks()
        with compiling("always"):
            pjnmf(
                blocks,
                shared,
                own,
                start,
                penalties=Penalties([0.0, 0.0], 0.0),
                engine=engine,
                stopping=Stopping(AT_ONCE + 1, 0.0),
                callback=ticks,
            )
        return ticks.seconds

    return iterate


def nmf_of_each(corpus: Corpus, total: int, dtype: Any) -> Iteration:
    """scikit-learn on either half, with as many topics as PJNMF has columns there."""
    n_source = corpus.n_source
    halves = [
        Corpus(corpus.X[rows], corpus.labels[rows])
        for rows in (slice(0, n_source), slice(n_source, None))
    ]
    sides = [sklearn_nmf(half, sum(ranks(total)), dtype, "frobenius") for half in halves]
    return lambda: sum(side() for side in sides)


def sides_of(corpus: Corpus, total: int, dtype: str) -> dict[str, Iteration]:
    """All sides of the comparison in one precision."""
    return {
        f"isthmus, {dtype}": pjnmf_here(corpus, total, dtype),
        f"scikit-learn NMF (mu) of all documents, rank {total}, {dtype}": sklearn_nmf(
            corpus, total, dtype, "frobenius"
        ),
        f"scikit-learn NMF (mu) of each domain, rank {sum(ranks(total))}, {dtype}": nmf_of_each(
            corpus, total, dtype
        ),
    }
