"""Comparison of predicted classes with labeled classes by the words that they share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.class_probabilities import row_sums

# Upper bound of the contrast of one word, so that few words do not decide.
_MAX_CONTRAST = 3.0
# Few words cannot reach a high certainty, but a correlation of this size is reliable too.
_RELIABLE_CORRELATION = 0.25
# Minimum mean number of documents per class for any statement.
_MIN_DOCUMENTS = 10


@dataclass(frozen=True)
class WordMoments:
    """Moments of the weight of every word (row) in the documents of every class (column)."""

    counts: NDArray[np.float64]
    """Number of documents of every class."""
    sums: NDArray[np.float64]
    """Sums of the weights."""
    squares: NDArray[np.float64]
    """Sums of the squared weights."""

    @property
    def used(self) -> NDArray[np.bool_]:
        """Which words occur."""
        return np.asarray(row_sums(self.sums) > 0)

    def contrasts(self) -> NDArray[np.float64]:
        """Mean weight in a class minus the mean weight in the other classes, in standard errors.

        Zeros for a class without documents and for a class that has all documents.
        """
        here, rest = self.counts, self.counts.sum() - self.counts
        own, other = np.maximum(here, 1.0), np.maximum(rest, 1.0)
        # One column after the other in memory: NumPy is slow on rows of a few values.
        sums, squares = np.asfortranarray(self.sums), np.asfortranarray(self.squares)
        means = sums / own
        others = (row_sums(self.sums)[:, None] - sums) / other
        variance = np.maximum(squares / own - means**2, 0.0) / own
        other_squares = row_sums(self.squares)[:, None] - squares
        variance += np.maximum(other_squares / other - others**2, 0.0) / other
        # Add half a document with the word to both groups: the variance of a word that occurs once
        # or twice is underestimated.
        variance += 0.5 * self._typical_weights()[:, None] ** 2 * (own**-2.0 + other**-2.0)
        t = np.zeros_like(means)
        defined = (variance > 0) & (here > 0) & (rest > 0)
        np.divide(means - others, np.sqrt(variance), out=t, where=defined)
        return np.ascontiguousarray(t)

    def _typical_weights(self) -> NDArray[np.float64]:
        """Typical weight of every word in the documents that contain it."""
        total = row_sums(self.sums)
        weights = np.zeros_like(total)
        np.divide(row_sums(self.squares), total, out=weights, where=total > 0)
        return weights


@dataclass(frozen=True)
class ClassAlignment:
    """Evidence of the shared words for or against the class names of predicted groups."""

    certainty: float
    """Evidence against swapping two classes, for the pair with the least evidence: a sum over words
    in standard deviations. A negative value is evidence for the swap. 0 if there is nothing to
    compare."""
    correlation: float
    """Correlation of the contrasts of these two classes between the two sets of documents."""
    class_of_group: NDArray[np.intp]
    """The class of every group in the one-to-one assignment with the most evidence."""
    swap_evidence: float
    """Evidence for that assignment against the present names; 0 if it is the same."""
    n_documents: float
    """Mean number of documents per class, in the smaller set of documents."""

    def is_uncertain(self, reliable: float) -> bool:
        """Whether there are enough documents, but the evidence is weak."""
        is_reliable = self.certainty >= reliable or self.correlation >= _RELIABLE_CORRELATION
        return not is_reliable and self.n_documents >= _MIN_DOCUMENTS


def align_classes(source: WordMoments, target: WordMoments) -> ClassAlignment:
    """Compare how labeled documents and predicted groups use their shared words.

    For every shared word and every class, the contrast in the labeled documents is multiplied by
    the contrast in the predicted groups. All words have equal weight: thousands of weak words can
    identify the classes where a sum over documents, which a few strong words dominate, cannot.
    """
    with one_blas_thread():
        return _align_classes(source, target)


def _align_classes(source: WordMoments, target: WordMoments) -> ClassAlignment:
    shared = source.used & target.used
    A, B = (_votes(moments.contrasts()[shared]) for moments in (source, target))
    n_classes = A.shape[1]
    present = np.flatnonzero(target.counts > 0)
    certainty, correlation = np.inf, 0.0
    for a, b in combinations(present.tolist(), 2):
        left, right = A[:, a] - A[:, b], B[:, a] - B[:, b]
        evidence = _z_score(left * right)
        if evidence < certainty:
            scale = np.sqrt(float(left @ left) * float(right @ right))
            certainty, correlation = evidence, float(left @ right) / scale if scale > 0 else 0.0
    # The rows of the product are classes, the columns groups.
    classes, groups = linear_sum_assignment(A.T @ B, maximize=True)
    class_of_group = np.arange(n_classes)
    class_of_group[groups] = classes
    swap_evidence = _z_score(row_sums(B * (A[:, class_of_group] - A)))
    if swap_evidence <= 0:
        class_of_group, swap_evidence = np.arange(n_classes), 0.0
    smaller = min(float(moments.counts.sum()) for moments in (source, target)) / n_classes
    if len(present) < 2 or not shared.any():  # nothing to swap, or nothing to compare
        return ClassAlignment(0.0, 0.0, np.arange(n_classes), 0.0, 0.0)
    return ClassAlignment(certainty, correlation, class_of_group, swap_evidence, smaller)


def _votes(contrasts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bounded contrasts, centered over the words.

    If the documents of one class are longer, all words have a contrast for it, which is no
    evidence.
    """
    common = contrasts.mean(axis=0) if len(contrasts) else 0.0
    return np.clip(contrasts - common, -_MAX_CONTRAST, _MAX_CONTRAST)


def _z_score(votes: NDArray[np.float64]) -> float:
    """The sum of votes in standard deviations of a sum with random signs."""
    norm = float(np.sqrt(votes @ votes))
    return float(votes.sum()) / norm if norm > 0 else 0.0


def min_pairwise_agreement(first: NDArray[Any], second: NDArray[Any], n_classes: int) -> float:
    """Agreement of two labelings on the pair of classes with the lowest agreement.

    The agreement on a pair is the proportion of equal labels among the documents to which both
    labelings give one of the two classes. It is near 1 for similar labelings and below 1/2 if the
    two classes are swapped. 1 if no pair has a document.
    """
    pairs = np.bincount(n_classes * first + second, minlength=n_classes**2)
    counts = pairs.reshape(n_classes, n_classes)
    lowest = 1.0
    for a, b in combinations(range(n_classes), 2):
        same = counts[a, a] + counts[b, b]
        swapped = counts[a, b] + counts[b, a]
        if same + swapped > 0:
            lowest = min(lowest, float(same / (same + swapped)))
    return lowest
