"""Tables of words and classes: mutual information and conditional distributions.

A table has one row per word (or word cluster) and one column per class. Divided by its sum it is a
joint distribution ``p(w, c)``. Tables of words are arrays of the engine, and ``xp`` is its array
namespace; tables of word clusters are NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine

# Lower bound of probabilities under the logarithm. Its value does not matter where the data do
# not determine a probability.
_TINY = 1e-300
# Sums that differ by less than this multiple of the machine precision are equal.
_ROUNDING = 64


def class_word_table(
    blocks: Sequence[Documents],
    memberships: Sequence[Array],
    n_terms: int,
    n_classes: int,
    engine: Engine,
) -> Array:
    """``sum X.T @ memberships`` over blocks of documents, one row per term, in float64."""
    table = engine.xp.zeros((n_terms, n_classes))
    for block, part in zip(blocks, memberships, strict=True):
        table += block.transposed_times(part)
    return table


def smoothed(table: Array, smoothing: float) -> Array:
    """The table divided by its sum, with one additional document in every class.

    The document has the word distribution of the whole table and ``smoothing`` times its weight.
    Then no class lacks a word, and the table is still a table of documents with fixed classes, so
    the monotonicity of the algorithms is preserved. A table of zeros is returned unchanged.
    """
    total = float(table.sum())
    if total <= 0:
        return table
    joint = table / total
    return joint + smoothing * joint.sum(axis=1, keepdims=True)


def mutual_information(table: Array, xp: Any = np) -> float:
    """``I(row; column)`` of a joint distribution, in nats; 0 for a table of zeros."""
    total = float(table.sum())
    if total <= 0:
        return 0.0
    parts = (table.sum(axis=0), table.sum(axis=1), table)
    columns, rows, both = (_entropy(part, xp) for part in parts)
    return (columns + rows - both) / total


def _entropy(masses: Array, xp: Any) -> float:
    """Entropy of the masses divided by their sum, times the sum."""
    total = float(masses.sum())
    used = masses[masses > 0]
    return total * float(np.log(total)) - float((used * xp.log(used)).sum())


def log_word_probabilities(table: Array, xp: Any = np) -> Array:
    """``log p(row | class)``; zeros for a row of zeros."""
    totals = xp.maximum(table.sum(axis=0), _TINY)
    logs = xp.log(xp.maximum(table / totals, _TINY))
    return xp.where(table.any(axis=1, keepdims=True), logs, 0.0)


def log_class_probabilities(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log p(class | row)``; ``log p(class)`` for a row of zeros."""
    means = table.sum(axis=0) / max(float(table.sum()), _TINY)
    totals = table.sum(axis=1, keepdims=True)
    conditional = np.divide(table, totals, out=np.tile(means, (len(table), 1)), where=totals > 0)
    return np.asarray(np.log(np.maximum(conditional, _TINY)))


def argmax_or_current(gains: Array, current: Array, xp: Any = np) -> Array:
    """The column with the largest gain of every row; the current one if it is equally large.

    Rounding errors must not separate equal documents, for example while two classes have the same
    words.
    """
    current_gain = xp.take_along_axis(gains, current[:, None], axis=1)[:, 0]
    rounding = _ROUNDING * np.finfo(gains.dtype).eps * xp.abs(gains).max(axis=1)
    better = gains.max(axis=1) > current_gain + rounding
    return xp.where(better, gains.argmax(axis=1), current).astype(np.intp)


def one_hot_rows(labels: Array, n_classes: int, dtype: Any, xp: Any) -> Array:
    """One row per label with a 1 in the column of its class."""
    return (labels[:, None] == xp.arange(n_classes)).astype(dtype)
