"""Which class a found group of documents is: whether labels of a target point the right way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["ClassAlignment", "Moments", "find_direction", "least_agreement"]

# A word counts no more than this however clear its preference is: few words must not decide.
_CLEAREST = 3.0
# Few words cannot speak clearly, but they can speak with one voice.
_ONE_VOICE = 0.25
# Documents of a class, on average, below which words have nothing to say.
_TOO_FEW = 10


@dataclass(frozen=True)
class Moments:
    """How documents of every class (a column) use every word (a row)."""

    counts: NDArray[np.float64]
    """Documents of every class."""
    sums: NDArray[np.float64]
    """Sums of every word's weights."""
    squares: NDArray[np.float64]
    """Sums of their squares."""

    @property
    def used(self) -> NDArray[np.bool_]:
        return np.asarray(self.sums.sum(axis=1) > 0)

    def contrasts(self) -> NDArray[np.float64]:
        """How much more a class uses a word than the other classes do, in standard errors.

        Zeros for a class without documents and for one that has all of them.
        """
        here, rest = self.counts, self.counts.sum() - self.counts
        own, other = np.maximum(here, 1.0), np.maximum(rest, 1.0)
        means = self.sums / own
        others = (self.sums.sum(axis=1, keepdims=True) - self.sums) / other
        spread = np.maximum(self.squares / own - means**2, 0.0) / own
        squares = self.squares.sum(axis=1, keepdims=True) - self.squares
        spread += np.maximum(squares / other - others**2, 0.0) / other
        # As if half a document more on either side had used the word: a word seen once or twice
        # has no spread to speak of, and is no witness for that.
        spread += 0.5 * self._weights()[:, None] ** 2 * (own**-2.0 + other**-2.0)
        t = np.zeros_like(means)
        seen = (spread > 0) & (here > 0) & (rest > 0)
        np.divide(means - others, np.sqrt(spread), out=t, where=seen)
        return t

    def _weights(self) -> NDArray[np.float64]:
        """What every word usually weighs where it stands."""
        total = self.sums.sum(axis=1)
        weights = np.zeros_like(total)
        np.divide(self.squares.sum(axis=1), total, out=weights, where=total > 0)
        return weights


@dataclass(frozen=True)
class ClassAlignment:
    """What words that two sides share say of the names that one of them gave its groups."""

    certainty: float
    """How clearly they speak for the names against swapping two of them, for the two of which they
    speak least: a sum over words in standard deviations. Below 0 they speak for the swap. 0 if
    there is nothing to compare."""
    likeness: float
    """Correlation of the two sides' contrasts of those two classes."""
    order: NDArray[np.intp]
    """The class that group ``k`` should be, for every ``k``: the best one-to-one naming."""
    doubt: float
    """How clearly they speak for that naming against the names as they are; 0 if it is the same."""
    n_documents: float
    """Documents of a class on average, on the side that has fewer."""

    def is_open(self, clear: float) -> bool:
        """Whether there are documents enough to tell, and yet the words do not."""
        told = self.certainty >= clear or self.likeness >= _ONE_VOICE
        return not told and self.n_documents >= _TOO_FEW


def find_direction(source: Moments, target: Moments) -> ClassAlignment:
    """Compare how labelled documents and groups of others, named after classes, use shared words.

    For every word that both use, and every class, the contrast among the labelled is multiplied
    with the contrast among the others. Words take part as witnesses of equal rank: a few thousand
    weak ones tell the direction where the sum of documents, which a few strong words rule, cannot.
    """
    shared = source.used & target.used
    A, B = (_votes(side.contrasts()[shared]) for side in (source, target))
    n_classes = A.shape[1]
    present = np.flatnonzero(target.counts > 0)
    certainty, likeness = np.inf, 0.0
    for a, b in combinations(present.tolist(), 2):
        left, right = A[:, a] - A[:, b], B[:, a] - B[:, b]
        clear = _z_score(left * right)
        if clear < certainty:
            scale = np.sqrt(float(left @ left) * float(right @ right))
            certainty, likeness = clear, float(left @ right) / scale if scale > 0 else 0.0
    # A class goes to every group, the best sum of all: rows of the product are classes.
    classes, groups = linear_sum_assignment(A.T @ B, maximize=True)
    order = np.arange(n_classes)
    order[groups] = classes
    doubt = _z_score((B * (A[:, order] - A)).sum(axis=1))
    if doubt <= 0:
        order, doubt = np.arange(n_classes), 0.0
    smaller = min(float(side.counts.sum()) for side in (source, target)) / n_classes
    if len(present) < 2 or not shared.any():  # nothing to swap, or nothing to tell by
        return ClassAlignment(0.0, 0.0, np.arange(n_classes), 0.0, 0.0)
    return ClassAlignment(certainty, likeness, order, doubt, smaller)


def _votes(contrasts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Contrasts, none of them too large, without what all words have in common.

    Where the documents of one class are longer, all words prefer it, which says nothing.
    """
    common = contrasts.mean(axis=0) if len(contrasts) else 0.0
    return np.clip(contrasts - common, -_CLEAREST, _CLEAREST)


def _z_score(votes: NDArray[np.float64]) -> float:
    """The sum of votes in standard deviations of a sum with random signs."""
    length = float(np.sqrt(votes @ votes))
    return float(votes.sum()) / length if length > 0 else 0.0


def least_agreement(first: NDArray[Any], second: NDArray[Any], n_classes: int) -> float:
    """How far two labellings agree on the pair of classes on which they agree least.

    Of the documents that both labellings give to one of two classes, the share that gets the same
    class from both. Near 1 the labellings point the same way; below 1/2 they call the two classes
    by each other's name. 1 if no pair has a document.
    """
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (first, second), 1)
    least = 1.0
    for a, b in combinations(range(n_classes), 2):
        same = counts[a, a] + counts[b, b]
        swapped = counts[a, b] + counts[b, a]
        if same + swapped > 0:
            least = min(least, float(same / (same + swapped)))
    return least
