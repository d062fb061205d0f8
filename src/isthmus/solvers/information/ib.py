"""The information bottleneck with fixed classes of labeled documents (Ling et al. 2008).

Assigns all documents X to classes X^ with the least loss of information about their words.
Labeled documents keep their class.

``J = I(X; W) - I(X^; W) = sum_x p(x) KL(p(W|x) || p(W|x^))``

Adding a document to a class costs ``(p(x) + p(c))`` times the Jensen-Shannon divergence of the two.
For a document that is small compared with the class this is ``p(x) KL(p(W|x) || p(W|c))``. All free
documents move at once to the class with the lowest cost, by one product with a table of one column
per class. This minimizes the sum above for fixed word distributions of the classes, and the updated
distributions reduce it further. So ``J`` never increases, and the order of the documents has no
influence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents
from isthmus.numerics.progress import Callback, Monitor, Stopping
from isthmus.solvers.information._divergence import (
    argmax_or_current,
    class_word_table,
    log_word_probabilities,
    mutual_information,
    one_hot_rows,
    smoothed,
)


@dataclass(frozen=True)
class Bottleneck:
    """Classes of the documents, and word distributions of the classes."""

    labels: list[Array]
    """Labels of every block after the last step, on the engine."""
    log_word_probabilities: NDArray[np.float64]
    """``log p(w|class)``, one row per term; zeros for a term that occurs in no document."""
    objective: list[float]
    """``J`` without the constant ``I(X; W)``."""
    n_iter: int
    converged: bool
    interrupted: bool


def information_bottleneck(
    blocks: Sequence[Documents],
    memberships: Sequence[Array],
    fixed: Sequence[NDArray[np.bool_]],
    *,
    smoothing: float,
    stopping: Stopping,
    callback: Callback | None = None,
) -> Bottleneck:
    """Iterate from initial memberships; documents in ``fixed`` keep theirs.

    A document with memberships of zero first joins the class that is nearest without it.
    """
    engine = blocks[0].engine
    xp = engine.xp
    n_terms, n_classes = blocks[0].shape[1], memberships[0].shape[1]
    current = list(memberships)
    labels = [part.argmax(axis=1) for part in current]
    free = [engine.asarray(~part) for part in fixed]
    n_free = sum(int(np.count_nonzero(~part)) for part in fixed)

    def class_table() -> Array:
        table = class_word_table(blocks, current, n_terms, n_classes, engine)
        return smoothed(table, smoothing)

    def move(masks: Sequence[Array]) -> int:
        """Move these documents to their nearest classes; return the number of changed labels."""
        scores, n_moved = log_word_probabilities(table, xp), 0
        for number, (block, rows) in enumerate(zip(blocks, masks, strict=True)):
            nearest = argmax_or_current(block.times(scores), labels[number], xp)
            n_moved += int(xp.count_nonzero(rows & (nearest != labels[number])))
            labels[number] = xp.where(rows, nearest, labels[number])
            one_hot = one_hot_rows(labels[number], n_classes, block.dtype, xp)
            current[number] = xp.where(rows[:, None], one_hot, current[number])
        return n_moved

    table = class_table()
    unassigned = [~part.any(axis=1) for part in current]
    if any(bool(part.any()) for part in unassigned):
        move(unassigned)
        table = class_table()
    monitor = Monitor(stopping, callback)
    monitor.begin(-mutual_information(table, xp))
    for _ in range(stopping.max_iter):
        n_moved = move(free)
        table = class_table()
        if monitor.finished(-mutual_information(table, xp), n_moved / max(n_free, 1)):
            break
    return Bottleneck(
        labels,
        engine.to_host(log_word_probabilities(table, xp)),
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )
