"""What word tables say: how much each class uses every word, and what is lost by grouping.

A table has a row a word (or a group of words) and a column a class; divided by its total it is a
joint distribution ``p(w, c)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents

# Under the logarithm of a share of nothing. Any share may stand for one that the data does not
# fix: the objective is the least over all of them.
_LEAST = 1e-300
# Sums that differ by less than this many times what a float can tell apart are the same.
_ROUNDING = 64


def class_words(
    blocks: Sequence[Documents], memberships: Sequence[NDArray[Any]], n_terms: int, n_classes: int
) -> NDArray[np.float64]:
    """``sum X.T @ memberships`` over blocks of documents, one row a term."""
    table = np.zeros((n_terms, n_classes))
    for block, found in zip(blocks, memberships, strict=True):
        table += block.transposed_times(found)
    return table


def with_background(table: NDArray[np.float64], smoothing: float) -> NDArray[np.float64]:
    """The table divided by its total, and in every class one document more.

    It has every word as often as all documents have it together, and ``smoothing`` times their
    weight. No class then lacks a word, and the table is still that of documents in classes: what
    holds of documents that never move holds of it. A table of zeros is returned as it is.
    """
    total = float(table.sum())
    if total <= 0:
        return table
    shares = table / total
    return np.asarray(shares + smoothing * shares.sum(axis=1, keepdims=True))


def mutual_information(table: NDArray[np.float64]) -> float:
    """``I(row; column)`` of a joint distribution, in nats; 0 for a table of zeros."""
    total = float(table.sum())
    if total <= 0:
        return 0.0
    return (_entropy(table.sum(axis=0)) + _entropy(table.sum(axis=1)) - _entropy(table)) / total


def _entropy(masses: NDArray[np.float64]) -> float:
    """The entropy of masses divided by their total, times the total."""
    total = float(masses.sum())
    used = masses[masses > 0]
    return total * float(np.log(total)) - float((used * np.log(used)).sum())


def log_word_shares(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log p(row | class)``; zeros for a row that no class has."""
    totals = np.maximum(table.sum(axis=0), _LEAST)
    logs = np.log(np.maximum(table / totals, _LEAST))
    return np.asarray(np.where(table.any(axis=1, keepdims=True), logs, 0.0))


def log_class_shares(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log p(class | row)``; those of all rows together for a row that no class has."""
    means = table.sum(axis=0) / max(float(table.sum()), _LEAST)
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.tile(means, (len(table), 1)), where=totals > 0)
    return np.asarray(np.log(np.maximum(shares, _LEAST)))


def largest_or_same(gains: NDArray[Any], now: NDArray[np.intp]) -> NDArray[np.intp]:
    """The column with the largest gain of every row; the present one if it is as large.

    Rounding must not part what is the same, such as documents between two classes that so far
    have the same words.
    """
    held = np.take_along_axis(gains, now[:, None], axis=1)[:, 0]
    rounding = _ROUNDING * np.finfo(gains.dtype).eps * np.abs(gains).max(axis=1, initial=0.0)
    better = gains.max(axis=1) > held + rounding
    return np.where(better, gains.argmax(axis=1), now).astype(np.intp)
