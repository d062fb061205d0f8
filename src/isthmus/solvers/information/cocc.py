"""Co-clustering based classification (Dai, Xue, Yang and Yu 2007).

Assigns target documents D to classes D^ and words W to clusters W^ with the least loss of mutual
information, between documents and words and between the classes C of labeled documents and words:

``J = I(D; W) - I(D^; W^) + weight (I(C; W) - I(C; W^))``

``T`` is the word-class table ``p(w, d^)`` of the target, and ``Q`` the table ``q(w, c)`` of the
labeled rows. Up to a constant, ``J`` depends only on the two tables with the rows of each word
cluster summed. For given distributions of the clusters, J is the sum of

- ``p(d) KL(p(W|d) || p^(W|d^))`` over documents, where ``p^(w|d^) = p(w|w^) p(w^|d^)``. The class
  of a document enters only through ``-sum_w p(w|d) log p(w^|d^)``, a product with a table of one
  column per class.
- ``p(w) KL(p(D|w) || p^(D|w^)) + weight q(w) KL(q(C|w) || q(C|w^))`` over words, where
  ``p^(d|w^) = p(d|d^) p(d^|w^)``. The cluster of a word enters only through
  ``-sum_c T[w, c] log p(c|w^) - weight sum_c Q[w, c] log q(c|w^)``.

Each step minimizes its sum for fixed distributions, and updated distributions reduce it further, so
``J`` never increases. This holds for any value of a probability that the data does not determine.
Initial memberships may be soft, because the sums are linear in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.progress import Callback, Monitor, Stopping
from isthmus.solvers.information._divergence import (
    argmax_or_current,
    class_word_table,
    log_class_probabilities,
    log_word_probabilities,
    mutual_information,
    one_hot_rows,
    smoothed,
)

# Absolute tolerance of comparisons with a threshold and relative tolerance of comparisons of
# spreads, so that rounding errors do not decide.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Cocc:
    """Classes of the target documents and clusters of the words."""

    labels: list[Array]
    """Labels of every block after the last document step, on the engine."""
    word_clusters: NDArray[np.intp]
    """The cluster of every term; -1 for a term that occurs in no document."""
    associations: NDArray[np.float64]
    """``p(w^, d^)`` with smoothing, one row per word cluster."""
    log_word_probabilities: NDArray[np.float64]
    """``log p(w^|d^)`` of the cluster of every term, one row per term. For clusters that the target
    does not use, the value of the labeled rows; zeros for a term that occurs in no document."""
    labeled_log_word_probabilities: NDArray[np.float64]
    """``log q(w^|c)`` likewise; for clusters that the labeled rows do not use, the value of the
    target."""
    objective: list[float]
    """``J`` without the constant ``I(D; W)``."""
    n_iter: int
    converged: bool
    interrupted: bool


def cocc(
    blocks: Sequence[Documents],
    memberships: Sequence[Array],
    fixed: Sequence[NDArray[np.bool_]],
    labeled_words: Array,
    *,
    n_word_clusters: int,
    weight: float,
    smoothing: float,
    engine: Engine,
    stopping: Stopping,
    callback: Callback | None = None,
) -> Cocc:
    """Alternate both steps from initial memberships; documents in ``fixed`` keep theirs.

    ``labeled_words`` is the word-class table of all labeled rows. It is also used as the table of
    a target without words.
    """
    xp = engine.xp
    labeled = smoothed(labeled_words, smoothing)
    labeled_information = mutual_information(labeled, xp)
    n_terms, n_classes = labeled.shape
    current = list(memberships)
    labels = [part.argmax(axis=1) for part in current]
    free = [block.asarray(~part) for block, part in zip(blocks, fixed, strict=True)]
    n_free = sum(int(np.count_nonzero(~part)) for part in fixed)

    def target_table() -> Array:
        table = class_word_table(blocks, current, n_terms, n_classes, engine)
        table = smoothed(table, smoothing)
        return table if bool(table.any()) else labeled

    def cluster_tables() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both tables with the rows of each word cluster summed."""
        sums = [engine.group_sums(part, clusters, n_word_clusters) for part in (table, labeled)]
        return sums[0], sums[1]

    def objective() -> float:
        loss = labeled_information - mutual_information(both[1])
        return weight * loss - mutual_information(both[0])

    table = target_table()
    clusters = engine.asarray(
        _initial_clusters(engine.to_host(table), engine.to_host(labeled), weight, n_word_clusters)
    )
    both = cluster_tables()
    monitor = Monitor(stopping, callback)
    monitor.begin(objective())
    for _ in range(stopping.max_iter):
        scores = engine.asarray(log_word_probabilities(both[0]))[clusters]
        n_moved = 0
        for number, block in enumerate(blocks):
            nearest = argmax_or_current(block.times(scores), labels[number], xp)
            moved = free[number] & (nearest != labels[number])
            n_moved += int(xp.count_nonzero(moved))
            labels[number] = xp.where(moved, nearest, labels[number])
            current[number] = one_hot_rows(labels[number], n_classes, block.dtype, xp)
        table = target_table()
        both = cluster_tables()
        clusters = _best_clusters(table, labeled, both, weight, clusters, engine)
        both = cluster_tables()
        if monitor.finished(objective(), n_moved / max(n_free, 1)):
            break
    used = engine.to_host(table.any(axis=1) | labeled.any(axis=1))
    word_clusters = engine.to_host(clusters)
    target_logs, labeled_logs = (
        np.where(used[:, None], _log_probabilities(*tables)[word_clusters], 0.0)
        for tables in (both, both[::-1])
    )
    return Cocc(
        labels,
        np.where(used, word_clusters, -1),
        both[0],
        target_logs,
        labeled_logs,
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


def _initial_clusters(
    table: NDArray[np.float64], labeled: NDArray[np.float64], weight: float, n_clusters: int
) -> NDArray[np.intp]:
    """Words grouped by their class distributions in the target and in the labeled rows."""
    points = np.hstack([np.exp(log_class_probabilities(part)) for part in (table, labeled)])
    totals = np.column_stack([table.sum(axis=1), weight * labeled.sum(axis=1)])
    return kd_split(points, np.repeat(totals, table.shape[1], axis=1), n_clusters)


def _best_clusters(
    table: Array,
    labeled: Array,
    cluster_sums: tuple[NDArray[np.float64], NDArray[np.float64]],
    weight: float,
    clusters: Array,
    engine: Engine,
) -> Array:
    """The word step; a word with equal gains keeps its cluster."""
    target_logs, labeled_logs = (log_class_probabilities(part) for part in cluster_sums)
    gains = engine.product(table, target_logs.T)
    gains += engine.product(labeled, weight * labeled_logs.T)
    return argmax_or_current(gains, clusters, engine.xp)


def _log_probabilities(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``log p(w^|class)`` in the first table; in the second one for rows of zeros in the first."""
    unused = ~first.any(axis=1, keepdims=True)
    logs = np.where(unused, log_word_probabilities(second), log_word_probabilities(first))
    return np.asarray(logs)


@dataclass(frozen=True)
class _Group:
    rows: NDArray[np.intp]
    axis: int
    threshold: float
    spread: float
    """Sum of weighted squared deviations along that axis."""


def kd_split(
    points: NDArray[np.float64], weights: NDArray[np.float64], n_groups: int
) -> NDArray[np.intp]:
    """The group of every point, from 0; fewer than ``n_groups`` if points coincide.

    The group with the largest spread along one coordinate is split there at its mean, repeatedly.
    A point has one weight per coordinate.
    """
    groups = [_make_group(points, weights, np.arange(len(points)))]
    min_spread = _ROUNDING**2 * float(weights.sum())
    while len(groups) < n_groups:
        widest = max(range(len(groups)), key=lambda g: (groups[g].spread, -g))
        group = groups[widest]
        if group.spread <= min_spread:
            break
        above = points[group.rows, group.axis] > group.threshold + _ROUNDING
        groups[widest] = _make_group(points, weights, group.rows[~above])
        groups.append(_make_group(points, weights, group.rows[above]))
    labels = np.zeros(len(points), np.intp)
    for number, group in enumerate(groups):
        labels[group.rows] = number
    return labels


def _make_group(
    points: NDArray[np.float64], weights: NDArray[np.float64], rows: NDArray[np.intp]
) -> _Group:
    own, w = points[rows], weights[rows]
    totals = np.maximum(w.sum(axis=0), np.finfo(float).tiny)
    means = (w * own).sum(axis=0) / totals
    spreads = (w * (own - means) ** 2).sum(axis=0)
    widest = float(spreads.max(initial=0.0))
    axis = int(np.argmax(spreads >= widest * (1 - _ROUNDING)))
    above = own[:, axis] > means[axis] + _ROUNDING
    can_split = bool(above.any()) and not bool(above.all())
    return _Group(rows, axis, float(means[axis]), widest if can_split else 0.0)
