"""Co-clustering based classification (Dai, Xue, Yang and Yu 2007).

The target's documents D are put into the classes and the words W into clusters, so that little is
lost of what documents tell about words and of what the labelled documents' classes C do:

``J = I(D; W) - I(D^; W^) + weight (I(C; W) - I(C; W^))``

With ``T`` the target's class-word table, ``p(w, d^)``, and ``Q`` that of the labelled rows,
``q(w, c)``, everything but a constant of ``J`` follows from the two tables with the rows of a word
cluster added up. For given shares of the clusters, J is the sum of

- ``p(d) KL(p(W|d) || p^(W|d^))`` over documents, where ``p^(w|d^) = p(w|w^) p(w^|d^)``: the class
  of a document matters only by ``-sum_w p(w|d) log p(w^|d^)``, a product with a table of one
  column a class;
- ``p(w) KL(p(D|w) || p^(D|w^)) + weight q(w) KL(q(C|w) || q(C|w^))`` over words, where
  ``p^(d|w^) = p(d|d^) p(d^|w^)``: the cluster of a word matters only by
  ``-sum_c T[w, c] log p(c|w^) - weight sum_c Q[w, c] log q(c|w^)``.

Each step takes the least of its sum for the shares as they are, and new shares make it less again,
so ``J`` never rises, whatever is put for a share that no word or document fixes. Memberships of
the start may be soft: the sums are linear in them.
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
    class_words,
    largest_or_same,
    log_class_shares,
    log_word_shares,
    mutual_information,
    with_background,
)
from isthmus.solvers.information._kd_split import axis_cuts


@dataclass(frozen=True)
class Cocc:
    """Classes of the target's documents and clusters of the words."""

    labels: list[NDArray[np.intp]]
    """Of every block, after the last step of the documents."""
    word_clusters: NDArray[np.intp]
    """The cluster of every term, -1 for a term that nobody uses."""
    associations: NDArray[np.float64]
    """``p(w^, d^)``, a row a word cluster, with the background."""
    log_shares: NDArray[np.float64]
    """``log p(w^|d^)`` of every term's cluster, a row a term; of clusters that the target lacks,
    what the labelled rows say, and zeros for a term that nobody uses."""
    labelled_log_shares: NDArray[np.float64]
    """``log q(w^|c)`` likewise: the target says what the labelled rows lack."""
    objective: list[float]
    """``J`` without ``I(D; W)``, which no clustering changes."""
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
    """Alternate from first memberships; documents marked in ``fixed`` keep theirs.

    ``labelled_words`` is the class-word table of all labelled rows. Where the target has no word,
    it stands for the target's own.
    """
    labelled = with_background(labelled_words, smoothing)
    found = list(memberships)
    labels = [np.asarray(part.argmax(axis=1), np.intp) for part in found]
    n_free = sum(int(np.count_nonzero(~part)) for part in fixed)

    def own_table() -> NDArray[np.float64]:
        table = with_background(class_words(blocks, found, *labelled.shape), smoothing)
        return table if table.any() else labelled

    table = own_table()
    clusters = _first_clusters(table, labelled, weight, n_word_clusters)
    both = _joined(table, labelled, clusters, n_word_clusters)
    monitor = Monitor(stopping, callback)
    monitor.begin(_objective(*both, labelled, weight))
    for _ in range(stopping.max_iter):
        scores = log_word_shares(both[0])[clusters]
        moved = 0
        for number, block in enumerate(blocks):
            free = np.asarray(~fixed[number], bool)
            nearest = largest_or_same(np.asarray(block.times(scores)), labels[number])
            moved += int(np.count_nonzero(nearest[free] != labels[number][free]))
            labels[number] = np.where(free, nearest, labels[number])
            found[number] = np.eye(labelled.shape[1])[labels[number]]
        table = own_table()
        both = _joined(table, labelled, clusters, n_word_clusters)
        clusters = _nearest_clusters(table, labelled, both, weight, clusters)
        both = _joined(table, labelled, clusters, n_word_clusters)
        if monitor.finished(_objective(*both, labelled, weight), moved / max(n_free, 1)):
            break
    used = np.asarray(table.any(axis=1) | labelled.any(axis=1), bool)
    own, given = (
        np.where(used[:, None], _reading(*tables)[clusters], 0.0) for tables in (both, both[::-1])
    )
    return Cocc(
        labels,
        np.where(used, clusters, -1),
        both[0],
        own,
        given,
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


def _first_clusters(
    table: NDArray[np.float64], labelled: NDArray[np.float64], weight: float, n_clusters: int
) -> NDArray[np.intp]:
    """Words grouped by the classes that use them, in the target and among the labelled."""
    points = np.hstack([np.exp(log_class_shares(part)) for part in (table, labelled)])
    use = [table.sum(axis=1), weight * labelled.sum(axis=1)]
    return axis_cuts(points, np.repeat(np.column_stack(use), table.shape[1], axis=1), n_clusters)


def _joined(
    table: NDArray[np.float64],
    labelled: NDArray[np.float64],
    clusters: NDArray[np.intp],
    n_clusters: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both tables with the rows of every word cluster added up."""

    def joined(part: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = [np.bincount(clusters, column, n_clusters) for column in part.T]
        return np.asarray(np.column_stack(columns), np.float64)

    return joined(table), joined(labelled)


def _nearest_clusters(
    table: NDArray[np.float64],
    labelled: NDArray[np.float64],
    joined: tuple[NDArray[np.float64], NDArray[np.float64]],
    weight: float,
    clusters: NDArray[np.intp],
) -> NDArray[np.intp]:
    """The step of the words; one that ties stays where it is."""
    own, given = (log_class_shares(part) for part in joined)
    with one_thread():
        gains = table @ own.T + weight * (labelled @ given.T)
    return largest_or_same(gains, clusters)


def _reading(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log p(w^|class)`` in the first table; in the second of clusters that the first lacks."""
    lacking = ~first.any(axis=1, keepdims=True)
    return np.where(lacking, log_word_shares(second), log_word_shares(first))


def _objective(
    own: NDArray[np.float64],
    given: NDArray[np.float64],
    labelled: NDArray[np.float64],
    weight: float,
) -> float:
    lost = mutual_information(labelled) - mutual_information(given)
    return weight * lost - mutual_information(own)
