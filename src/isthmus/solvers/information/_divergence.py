"""Tables of words and classes: mutual information and conditional distributions.

A table has one row per word (or word cluster) and one column per class. Divided by its sum it is a
joint distribution ``p(w, c)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents

# Lower bound of probabilities under the logarithm. Its value does not matter where the data do
# not determine a probability.
_TINY = 1e-300
# Sums that differ by less than this multiple of the machine precision are equal.
_ROUNDING = 64


def class_word_table(
    blocks: Sequence[Documents], memberships: Sequence[NDArray[Any]], n_terms: int, n_classes: int
) -> NDArray[np.float64]:
    """``sum X.T @ memberships`` over blocks of documents, one row per term."""
    table = np.zeros((n_terms, n_classes))
    for block, part in zip(blocks, memberships, strict=True):
        table += block.transposed_times(part)
    return table


def smoothed(table: NDArray[np.float64], smoothing: float) -> NDArray[np.float64]:
    """The table divided by its sum, with one additional document in every class.

    The document has the word distribution of the whole table and ``smoothing`` times its weight.
    Then no class lacks a word, and the table is still a table of documents with fixed classes, so
    the monotonicity of the algorithms is preserved. A table of zeros is returned unchanged.
    """
    total = float(table.sum())
    if total <= 0:
        return table
    joint = table / total
    return np.asarray(joint + smoothing * joint.sum(axis=1, keepdims=True))


def mutual_information(table: NDArray[np.float64]) -> float:
    """``I(row; column)`` of a joint distribution, in nats; 0 for a table of zeros."""
    total = float(table.sum())
    if total <= 0:
        return 0.0
    return (_entropy(table.sum(axis=0)) + _entropy(table.sum(axis=1)) - _entropy(table)) / total


def _entropy(masses: NDArray[np.float64]) -> float:
    """Entropy of the masses divided by their sum, times the sum."""
    total = float(masses.sum())
    used = masses[masses > 0]
    return total * float(np.log(total)) - float((used * np.log(used)).sum())


def log_word_probabilities(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log p(row | class)``; zeros for a row of zeros."""
    totals = np.maximum(table.sum(axis=0), _TINY)
    logs = np.log(np.maximum(table / totals, _TINY))
    return np.asarray(np.where(table.any(axis=1, keepdims=True), logs, 0.0))


def log_class_probabilities(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log p(class | row)``; ``log p(class)`` for a row of zeros."""
    means = table.sum(axis=0) / max(float(table.sum()), _TINY)
    totals = table.sum(axis=1, keepdims=True)
    conditional = np.divide(table, totals, out=np.tile(means, (len(table), 1)), where=totals > 0)
    return np.asarray(np.log(np.maximum(conditional, _TINY)))


def argmax_or_current(gains: NDArray[Any], current: NDArray[np.intp]) -> NDArray[np.intp]:
    """The column with the largest gain of every row; the current one if it is equally large.

    Rounding errors must not separate equal documents, for example while two classes have the same
    words.
    """
    current_gain = np.take_along_axis(gains, current[:, None], axis=1)[:, 0]
    rounding = _ROUNDING * np.finfo(gains.dtype).eps * np.abs(gains).max(axis=1, initial=0.0)
    better = gains.max(axis=1) > current_gain + rounding
    return np.where(better, gains.argmax(axis=1), current).astype(np.intp)
