"""Probabilistic latent semantic analysis by expectation-maximization (Hofmann 2001).

Maximizes ``sum_ij x_ij log sum_z P(z|d_i) P(w_j|z)`` over topics ``P(w|z)`` and mixtures ``P(z|d)``
of the documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.progress import Callback, Monitor, Stopping


@dataclass(frozen=True)
class Plsa:
    """Topics and mixtures, and the log-likelihood before every step."""

    topics: Array
    """``P(w|z)``: one row per term, columns sum to 1."""
    mixtures: list[Array]
    """``P(z|d)``, one array per block of documents, rows sum to 1."""
    word_topics: Array
    """``P(z|w)``: one row per term, rows sum to 1 (zeros for a term that never occurs)."""
    log_likelihood: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def random_topics(
    n_terms: int, n_topics: int, generator: np.random.Generator, dtype: Any
) -> NDArray[Any]:
    """A random ``P(w|z)``, drawn by term, so it does not depend on the order of documents."""
    topics = generator.random((n_terms, n_topics)) + 0.1
    return np.asarray(topics / topics.sum(axis=0), dtype)


def plsa(
    blocks: Sequence[Documents],
    topics: Array,
    *,
    engine: Engine,
    stopping: Stopping,
    mixtures: Sequence[Array] | None = None,
    likelihood: bool = True,
    callback: Callback | None = None,
) -> Plsa:
    """Fit topics to all blocks of documents.

    ``mixtures`` are uniform by default. The callback gets the negative log-likelihood after a step.
    The next step computes it, so the callback is not called for the last step. With
    ``likelihood=False`` it is not computed, and ``max_iter`` steps are made.
    """
    xp = engine.xp
    n_topics = topics.shape[1]
    topics = engine.own_copy(topics)
    if mixtures is None:
        mixtures = [block.full(1 / n_topics, n_topics, block.dtype) for block in blocks]
    else:
        mixtures = [engine.own_copy(mixture) for mixture in mixtures]
    monitor = Monitor(stopping, callback)
    topic_prior = xp.ones(n_topics, dtype=topics.dtype)
    n_steps = 0
    for iteration in range(stopping.max_iter):
        steps = [
            block.topic_step(mixture, topics, likelihood=likelihood)
            for block, mixture in zip(blocks, mixtures, strict=True)
        ]
        word_side: Array = steps[0].word_side
        for step in steps[1:]:
            word_side += step.word_side
        topic_prior = engine.topic_update(topics, word_side)
        n_steps += 1
        # The step computes the likelihood of the factors before it.
        value = -sum(step.log_likelihood for step in steps)
        if iteration == 0:
            monitor.begin(value)
        elif monitor.finished(value, float("nan")):
            break
    # P(z|w) is proportional to P(w|z) P(z).
    word_topics = engine.normalized_rows(topics * topic_prior)
    return Plsa(
        topics,
        mixtures,
        word_topics,
        [-value for value in monitor.objective] if likelihood else [],
        n_steps,
        monitor.converged,
        monitor.interrupted,
    )


def fold_in_topics(
    documents: Documents, topics: Array, *, engine: Engine, max_iter: int = 100, tol: float = 1e-4
) -> Array:
    """Mixtures of new documents under fixed topics; zeros for documents without a known word."""
    n_topics = topics.shape[1]
    xp = engine.xp
    mixtures = documents.full(1 / n_topics, n_topics, documents.dtype)
    converged = documents.full(False, 1, bool)
    for _ in range(max_iter):
        before = engine.own_copy(mixtures)
        documents.topic_step(mixtures, topics, words=False, likelihood=False)
        # Rows stop one by one, so that a result does not depend on the other rows.
        mixtures = xp.where(converged, before, mixtures)
        converged = converged | (abs(mixtures - before).max(axis=1, keepdims=True) < tol)
        if bool(converged.all()):
            break
    return mixtures
