"""Probabilistic latent semantic analysis by expectation-maximisation (Hofmann 2001).

Maximises ``sum_ij x_ij log sum_z P(z|d_i) P(w_j|z)`` over topics ``P(w|z)`` and the documents'
mixtures ``P(z|d)``.
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
class Plsa:
    """Topics and mixtures, with the log-likelihood before every step."""

    topics: Array
    """``P(w|z)``: a row a term, columns sum to 1."""
    mixtures: list[Array]
    """``P(z|d)``, one array a block of documents, rows sum to 1."""
    word_topics: Array
    """``P(z|w)``: a row a term, rows sum to 1 (zero for a term that never occurs)."""
    log_likelihood: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def random_topics(
    n_terms: int, n_topics: int, generator: np.random.Generator, dtype: Any
) -> NDArray[Any]:
    """A random ``P(w|z)``, drawn term by term: the order of the documents plays no part."""
    topics = generator.random((n_terms, n_topics)) + 0.1
    return np.asarray(topics / topics.sum(axis=0), dtype)


def plsa(
    blocks: Sequence[Documents],
    topics: Array,
    *,
    engine: Engine,
    stopping: Stopping,
    mixtures: Sequence[Array] | None = None,
    callback: Callback | None = None,
) -> Plsa:
    """Fit topics on all blocks of documents together.

    ``mixtures`` starts uniform unless given. The objective handed to the callback is the negative
    log-likelihood after the step, which the next step brings: the last one is not reported.
    """
    xp = engine.xp
    n_topics = topics.shape[1]
    if mixtures is None:
        mixtures = [
            xp.full((block.shape[0], n_topics), 1 / n_topics, dtype=block.dtype) for block in blocks
        ]
    mixtures = list(mixtures)
    word_topics = engine.normalised_rows(topics)
    monitor = Monitor(stopping, callback)
    n_steps = 0
    for iteration in range(stopping.max_iter):
        counts = xp.zeros_like(topics)
        likelihood = 0.0
        updated = []
        for block, mixture in zip(blocks, mixtures, strict=True):
            step = block.topic_step(mixture, topics)
            counts = counts + step.word_side
            likelihood += step.log_likelihood
            updated.append(engine.normalised_rows(mixture * step.document_side))
        # The value belongs to the factors before this step: one pass serves both.
        if iteration == 0:
            monitor.begin(-likelihood)
        elif monitor.finished(-likelihood, float("nan")):
            break
        n_steps += 1
        mixtures = updated
        counts = counts * topics
        # P(w|z) P(z) are the expected counts themselves, so P(z|w) is their share in a row.
        word_topics = engine.normalised_rows(counts)
        totals = xp.maximum(counts.sum(axis=0), np.finfo(topics.dtype).tiny)
        topics = engine.without_dust(counts / totals)
    return Plsa(
        topics,
        mixtures,
        word_topics,
        [-value for value in monitor.objective],
        n_steps,
        monitor.converged,
        monitor.interrupted,
    )


def fold_in_topics(
    documents: Documents, topics: Array, *, engine: Engine, max_iter: int = 100, tol: float = 1e-4
) -> Array:
    """Mixtures of new documents under fixed topics; zeros for one without a known word."""
    n_topics = topics.shape[1]
    shape = (documents.shape[0], n_topics)
    xp = engine.xp
    mixtures = xp.full(shape, 1 / n_topics, dtype=documents.dtype)
    settled = xp.zeros((documents.shape[0], 1), dtype=bool)
    for _ in range(max_iter):
        before = mixtures
        step = documents.topic_step(mixtures, topics)
        # A row stops by itself: its answer must not depend on the company it came in.
        mixtures = xp.where(settled, before, engine.normalised_rows(mixtures * step.document_side))
        settled = settled | (abs(mixtures - before).max(axis=1, keepdims=True) < tol)
        if bool(settled.all()):
            break
    return mixtures
