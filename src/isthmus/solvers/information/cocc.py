"""Co-clustering based classification (Dai, Xue, Yang and Yu 2007).

Assigns target documents D to classes D^ and words W to clusters W^ with the least loss of mutual
information, between documents and words and between the classes C of labelled documents and words:

``J = I(D; W) - I(D^; W^) + weight (I(C; W) - I(C; W^))``

``T`` is the word-class table ``p(w, d^)`` of the target, and ``Q`` the table ``q(w, c)`` of the
labelled rows. Up to a constant, ``J`` depends only on the two tables with the rows of each word
cluster summed. For given distributions of the clusters, J is the sum of

- ``p(d) KL(p(W|d) || p^(W|d^))`` over documents, where ``p^(w|d^) = p(w|w^) p(w^|d^)``. The class
  of a document enters only through ``-sum_w p(w|d) log p(w^|d^)``, a product with a table of one
  column per class.
- ``p(w) KL(p(D|w) || p^(D|w^)) + weight q(w) KL(q(C|w) || q(C|w^))`` over words, where
  ``p^(d|w^) = p(d|d^) p(d^|w^)``. The cluster of a word enters only through
  ``-sum_c T[w, c] log p(c|w^) - weight sum_c Q[w, c] log q(c|w^)``.

Each step minimises its sum for fixed distributions, and updated distributions reduce it further, so
``J`` never increases. This holds for any value of a probability that the data does not determine.
Initial memberships may be soft, because the sums are linear in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback, Monitor, Stopping
from isthmus.solvers.information._divergence import (
    argmax_or_current,
    class_word_table,
    log_class_probabilities,
    log_word_probabilities,
    mutual_information,
    smoothed,
)
from isthmus.solvers.information._kd_split import kd_split


@dataclass(frozen=True)
class Cocc:
    """Classes of the target documents and clusters of the words."""

    labels: list[NDArray[np.intp]]
    """Labels of every block after the last document step."""
    word_clusters: NDArray[np.intp]
    """The cluster of every term; -1 for a term that occurs in no document."""
    associations: NDArray[np.float64]
    """``p(w^, d^)`` with smoothing, one row per word cluster."""
    log_word_probabilities: NDArray[np.float64]
    """``log p(w^|d^)`` of the cluster of every term, one row per term. For clusters that the target
    does not use, the value of the labelled rows; zeros for a term that occurs in no document."""
    labelled_log_word_probabilities: NDArray[np.float64]
    """``log q(w^|c)`` likewise; for clusters that the labelled rows do not use, the value of the
    target."""
    objective: list[float]
    """``J`` without the constant ``I(D; W)``."""
    n_iter: int
    converged: bool
    interrupted: bool


def cocc(
    blocks: Sequence[Documents],
    memberships: Sequence[NDArray[Any]],
    fixed: Sequence[NDArray[np.bool_]],
    labelled_words: NDArray[np.float64],
    *,
    n_word_clusters: int,
    weight: float,
    smoothing: float,
    stopping: Stopping,
    callback: Callback | None = None,
) -> Cocc:
    """Alternate both steps from initial memberships; documents in ``fixed`` keep theirs.

    ``labelled_words`` is the word-class table of all labelled rows. It is also used as the table of
    a target without words.
    """
    labelled = smoothed(labelled_words, smoothing)
    current = list(memberships)
    labels = [np.asarray(part.argmax(axis=1), np.intp) for part in current]
    n_free = sum(int(np.count_nonzero(~part)) for part in fixed)

    def target_table() -> NDArray[np.float64]:
        table = smoothed(class_word_table(blocks, current, *labelled.shape), smoothing)
        return table if table.any() else labelled

    table = target_table()
    clusters = _initial_clusters(table, labelled, weight, n_word_clusters)
    both = _sums_by_cluster(table, labelled, clusters, n_word_clusters)
    monitor = Monitor(stopping, callback)
    monitor.begin(_objective(*both, labelled, weight))
    for _ in range(stopping.max_iter):
        scores = log_word_probabilities(both[0])[clusters]
        n_moved = 0
        for number, block in enumerate(blocks):
            free = np.asarray(~fixed[number], bool)
            nearest = argmax_or_current(np.asarray(block.times(scores)), labels[number])
            n_moved += int(np.count_nonzero(nearest[free] != labels[number][free]))
            labels[number] = np.where(free, nearest, labels[number])
            current[number] = np.eye(labelled.shape[1])[labels[number]]
        table = target_table()
        both = _sums_by_cluster(table, labelled, clusters, n_word_clusters)
        clusters = _best_clusters(table, labelled, both, weight, clusters)
        both = _sums_by_cluster(table, labelled, clusters, n_word_clusters)
        if monitor.finished(_objective(*both, labelled, weight), n_moved / max(n_free, 1)):
            break
    used = np.asarray(table.any(axis=1) | labelled.any(axis=1), bool)
    target_logs, labelled_logs = (
        np.where(used[:, None], _log_probabilities(*tables)[clusters], 0.0)
        for tables in (both, both[::-1])
    )
    return Cocc(
        labels,
        np.where(used, clusters, -1),
        both[0],
        target_logs,
        labelled_logs,
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


def _initial_clusters(
    table: NDArray[np.float64], labelled: NDArray[np.float64], weight: float, n_clusters: int
) -> NDArray[np.intp]:
    """Words grouped by their class distributions in the target and in the labelled rows."""
    points = np.hstack([np.exp(log_class_probabilities(part)) for part in (table, labelled)])
    totals = np.column_stack([table.sum(axis=1), weight * labelled.sum(axis=1)])
    return kd_split(points, np.repeat(totals, table.shape[1], axis=1), n_clusters)


def _sums_by_cluster(
    table: NDArray[np.float64],
    labelled: NDArray[np.float64],
    clusters: NDArray[np.intp],
    n_clusters: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both tables with the rows of each word cluster summed."""

    def summed(part: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = [np.bincount(clusters, column, n_clusters) for column in part.T]
        return np.asarray(np.column_stack(columns), np.float64)

    return summed(table), summed(labelled)


def _best_clusters(
    table: NDArray[np.float64],
    labelled: NDArray[np.float64],
    cluster_sums: tuple[NDArray[np.float64], NDArray[np.float64]],
    weight: float,
    clusters: NDArray[np.intp],
) -> NDArray[np.intp]:
    """The word step; a word with equal gains keeps its cluster."""
    target_logs, labelled_logs = (log_class_probabilities(part) for part in cluster_sums)
    with one_thread():
        gains = table @ target_logs.T + weight * (labelled @ labelled_logs.T)
    return argmax_or_current(gains, clusters)


def _log_probabilities(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``log p(w^|class)`` in the first table; in the second one for rows of zeros in the first."""
    unused = ~first.any(axis=1, keepdims=True)
    return np.where(unused, log_word_probabilities(second), log_word_probabilities(first))


def _objective(
    target_sums: NDArray[np.float64],
    labelled_sums: NDArray[np.float64],
    labelled: NDArray[np.float64],
    weight: float,
) -> float:
    loss = mutual_information(labelled) - mutual_information(labelled_sums)
    return weight * loss - mutual_information(target_sums)
