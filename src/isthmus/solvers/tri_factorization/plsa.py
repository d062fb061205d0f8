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
from isthmus.numerics.progress import Callback, Monitor, Stopping


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
    likelihood: bool = True,
    callback: Callback | None = None,
) -> Plsa:
    """Fit topics on all blocks of documents together.

    ``mixtures`` starts uniform unless given. The objective handed to the callback is the negative
    log-likelihood after the step, which the next step brings: the last one is not reported. With
    nobody to look at it (``likelihood=False``) it is not computed, and all steps are taken.
    """
    xp = engine.xp
    n_topics = topics.shape[1]
    topics = engine.own_copy(topics)
    if mixtures is None:
        mixtures = [
            xp.full((block.shape[0], n_topics), 1 / n_topics, dtype=block.dtype) for block in blocks
        ]
    else:
        mixtures = [engine.own_copy(mixture) for mixture in mixtures]
    monitor = Monitor(stopping, callback)
    shares = xp.ones(n_topics, dtype=topics.dtype)
    n_steps = 0
    for iteration in range(stopping.max_iter):
        steps = [
            block.topic_step(mixture, topics, likelihood=likelihood)
            for block, mixture in zip(blocks, mixtures, strict=True)
        ]
        word_side: Array = steps[0].word_side
        for step in steps[1:]:
            word_side += step.word_side
        shares = engine.topic_update(topics, word_side)
        n_steps += 1
        # The value belongs to the factors before this step: one pass serves both.
        value = -sum(step.log_likelihood for step in steps)
        if iteration == 0:
            monitor.begin(value)
        elif monitor.finished(value, float("nan")):
            break
    # P(z|w) is the share of P(w|z) P(z) in a row.
    word_topics = engine.normalised_rows(topics * shares)
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
    """Mixtures of new documents under fixed topics; zeros for one without a known word."""
    n_topics = topics.shape[1]
    shape = (documents.shape[0], n_topics)
    xp = engine.xp
    mixtures = xp.full(shape, 1 / n_topics, dtype=documents.dtype)
    settled = xp.zeros((documents.shape[0], 1), dtype=bool)
    for _ in range(max_iter):
        before = engine.own_copy(mixtures)
        documents.topic_step(mixtures, topics, words=False, likelihood=False)
        # A row stops by itself: its answer must not depend on the company it came in.
        mixtures = xp.where(settled, before, mixtures)
        settled = settled | (abs(mixtures - before).max(axis=1, keepdims=True) < tol)
        if bool(settled.all()):
            break
    return mixtures
