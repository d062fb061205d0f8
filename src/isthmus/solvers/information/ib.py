"""The information bottleneck with some documents held in their classes (Ling et al. 2008).

All documents X, labelled or not, are put into the classes X^, the labelled ones into their own, so
that little is lost of what documents tell about words:

``J = I(X; W) - I(X^; W) = sum_x p(x) KL(p(W|x) || p(W|x^))``

Putting a document into a class costs ``(p(x) + p(c))`` times the Jensen-Shannon divergence of the
two. That is, for a document much lighter than the class, ``p(x) KL(p(W|x) || p(W|c))``. All free
documents move at once to the class where this is least: one product with a table of one column a
class. For the classes as they are that makes the sum above least, and the words of the new
classes make it less again, so ``J`` never rises and the order of the documents decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.progress import Callback, Monitor, Stopping
from isthmus.solvers.information._divergence import (
    class_words,
    largest_or_same,
    log_word_shares,
    mutual_information,
    with_background,
)


@dataclass(frozen=True)
class Bottleneck:
    """Documents in classes, and the classes' words."""

    labels: list[NDArray[np.intp]]
    """Of every block, after the last move."""
    log_shares: NDArray[np.float64]
    """``log p(w|class)``, a row a term; zeros for a term that nobody uses."""
    objective: list[float]
    """``J`` without ``I(X; W)``, which no grouping changes."""
    n_iter: int
    converged: bool
    interrupted: bool


def information_bottleneck(
    blocks: Sequence[Documents],
    memberships: Sequence[NDArray[Any]],
    fixed: Sequence[NDArray[np.bool_]],
    *,
    smoothing: float,
    stopping: Stopping,
    callback: Callback | None = None,
) -> Bottleneck:
    """Move documents from first memberships on; those marked in ``fixed`` stay.

    A document whose memberships are zeros first joins the class that is nearest without it.
    """
    n_terms, n_classes = blocks[0].shape[1], memberships[0].shape[1]
    found = list(memberships)
    labels = [np.asarray(part.argmax(axis=1), np.intp) for part in found]
    free = [np.asarray(~part, bool) for part in fixed]
    n_free = sum(int(np.count_nonzero(part)) for part in free)

    def class_table() -> NDArray[np.float64]:
        return with_background(class_words(blocks, found, n_terms, n_classes), smoothing)

    def move(chosen: Sequence[NDArray[np.bool_]]) -> int:
        """Put these documents into their nearest classes; how many labels are new."""
        scores, moved = log_word_shares(table), 0
        for number, (block, rows) in enumerate(zip(blocks, chosen, strict=True)):
            nearest = largest_or_same(np.asarray(block.times(scores)), labels[number])
            moved += int(np.count_nonzero(nearest[rows] != labels[number][rows]))
            labels[number] = np.where(rows, nearest, labels[number])
            hard = np.eye(n_classes)[labels[number]]
            found[number] = np.where(rows[:, None], hard, found[number])
        return moved

    table = class_table()
    unknown = [np.asarray(~part.any(axis=1), bool) for part in found]
    if any(part.any() for part in unknown):
        move(unknown)
        table = class_table()
    monitor = Monitor(stopping, callback)
    monitor.begin(-mutual_information(table))
    for _ in range(stopping.max_iter):
        moved = move(free)
        table = class_table()
        if monitor.finished(-mutual_information(table), moved / max(n_free, 1)):
            break
    return Bottleneck(
        labels,
        log_word_shares(table),
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )
