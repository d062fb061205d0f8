"""The information bottleneck with fixed classes of labelled documents (Ling et al. 2008).

Assigns all documents X to classes X^ with the least loss of information about their words.
Labelled documents keep their class.

``J = I(X; W) - I(X^; W) = sum_x p(x) KL(p(W|x) || p(W|x^))``

Adding a document to a class costs ``(p(x) + p(c))`` times the Jensen-Shannon divergence of the two.
For a document that is small compared with the class this is ``p(x) KL(p(W|x) || p(W|c))``. All free
documents move at once to the class with the lowest cost, by one product with a table of one column
per class. This minimises the sum above for fixed word distributions of the classes, and the updated
distributions reduce it further. So ``J`` never increases, and the order of the documents has no
influence.
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
    argmax_or_current,
    class_word_table,
    log_word_probabilities,
    mutual_information,
    smoothed,
)


@dataclass(frozen=True)
class Bottleneck:
    """Classes of the documents, and word distributions of the classes."""

    labels: list[NDArray[np.intp]]
    """Labels of every block after the last step."""
    log_word_probabilities: NDArray[np.float64]
    """``log p(w|class)``, one row per term; zeros for a term that occurs in no document."""
    objective: list[float]
    """``J`` without the constant ``I(X; W)``."""
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
    """Iterate from initial memberships; documents in ``fixed`` keep theirs.

    A document with memberships of zero first joins the class that is nearest without it.
    """
    n_terms, n_classes = blocks[0].shape[1], memberships[0].shape[1]
    current = list(memberships)
    labels = [np.asarray(part.argmax(axis=1), np.intp) for part in current]
    free = [np.asarray(~part, bool) for part in fixed]
    n_free = sum(int(np.count_nonzero(part)) for part in free)

    def class_table() -> NDArray[np.float64]:
        return smoothed(class_word_table(blocks, current, n_terms, n_classes), smoothing)

    def move(masks: Sequence[NDArray[np.bool_]]) -> int:
        """Move these documents to their nearest classes; return the number of changed labels."""
        scores, n_moved = log_word_probabilities(table), 0
        for number, (block, rows) in enumerate(zip(blocks, masks, strict=True)):
            nearest = argmax_or_current(np.asarray(block.times(scores)), labels[number])
            n_moved += int(np.count_nonzero(nearest[rows] != labels[number][rows]))
            labels[number] = np.where(rows, nearest, labels[number])
            one_hot = np.eye(n_classes)[labels[number]]
            current[number] = np.where(rows[:, None], one_hot, current[number])
        return n_moved

    table = class_table()
    unassigned = [np.asarray(~part.any(axis=1), bool) for part in current]
    if any(part.any() for part in unassigned):
        move(unassigned)
        table = class_table()
    monitor = Monitor(stopping, callback)
    monitor.begin(-mutual_information(table))
    for _ in range(stopping.max_iter):
        n_moved = move(free)
        table = class_table()
        if monitor.finished(-mutual_information(table), n_moved / max(n_free, 1)):
            break
    return Bottleneck(
        labels,
        log_word_probabilities(table),
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )
