"""How far word clusters of source and target share their words (MTrick's r1 and r2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from isthmus.bench.documents.problems import Problem
from isthmus.matrices.rows import with_unit_rows

__all__ = ["overlap_shares", "start_topics", "word_overlap"]

N_WORDS = 20


def word_overlap(
    estimator: Any, problem: Problem, X: sparse.csr_matrix | np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """r1 and r2 of a classifier by tri-factorization that began at topics.

    A cluster's most probable words are those of the largest ``P(w|z)``, the share of the cluster
    in a word times the use of the word in the domain: by the share alone, words that stand in one
    document would win.
    """
    numbers = estimator.domains_
    if len(numbers) != 2:
        raise ValueError(
            "The measure 'word overlap' compares one source and one target, not "
            f"{len(numbers)} domains: leave it out."
        )
    by_domain = [
        estimator.word_clusters_[number] * estimator.term_totals_[number][:, None]
        for number in numbers
    ]
    words = [
        _most_probable(weights) for weights in (*by_domain, start_topics(estimator, X, problem))
    ]
    r1, r2 = overlap_shares(*words)
    return {"r1": round(r1, 6), "r2": round(r2, 6)}


def overlap_shares(
    source: Sequence[set[int]], target: Sequence[set[int]], topics: Sequence[set[int]]
) -> tuple[float, float]:
    """Means over the clusters, equations 5.29 and 5.30.

    The first is the number of words that source and target share, the second that of the topic's
    words that either has; both are divided by the number of the topic's words.
    """
    clusters = list(zip(source, target, topics, strict=True))
    r1 = np.mean([len(a & b) / len(c) for a, b, c in clusters])
    r2 = np.mean([len((a | b) & c) / len(c) for a, b, c in clusters])
    return float(r1), float(r2)


def start_topics(estimator: Any, X: sparse.csr_matrix | np.ndarray, problem: Problem) -> np.ndarray:
    """``P(w|z)`` of the topics at which a fit began, a column a topic: the same draw again."""
    from isthmus.estimators.tri_factorization.plsa import PLSA

    sample = getattr(estimator, "plsa_sample", None)
    drawn = sample is not None and sample < X.shape[0]
    if getattr(estimator, "init", None) != "plsa" or drawn:
        raise ValueError(
            "The measure 'word overlap' needs a fit that began at topics of all documents "
            "(init='plsa', plsa_sample=None): set them, or leave the measure out."
        )
    if len(estimator.transduction_) != X.shape[0]:
        raise ValueError(
            "The measure 'word overlap' needs problems whose documents are all in the fit: leave "
            "'new_documents' out."
        )
    topics = PLSA(
        estimator.associations_.shape[0],
        max_iter=estimator.plsa_iter,
        tol=0.0,
        random_state=estimator.random_state,
    )
    documents = with_unit_rows(X) if estimator.unit_rows else X
    topics.fit(documents, sample_domain=problem.sample_domain)
    return np.asarray(topics.components_.T)


def _most_probable(weights: np.ndarray) -> list[set[int]]:
    """The words of the largest weights in every column."""
    order = np.argsort(-weights, axis=0, kind="stable")[:N_WORDS]
    return [set(column) for column in order.T.tolist()]
