"""A check whether a method has swapped the classes of a target.

The certainty can be high and wrong, because the words that both domains share can point to the
wrong class. An example from 20 Newsgroups: the source has ``misc.forsale`` against ``sci.crypt``,
the target ``comp.windows.x`` against ``sci.electronics``. ``Transfer(method="mtrick")`` labels
7.9 % of the target correctly with a certainty of 13.0, without a warning. The verdict also uses
other evidence (tests/corpora/test_verdicts.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from isthmus._warnings import warn_user
from isthmus.domains.model import Domain, Problem
from isthmus.matrices.conversion import as_documents, row_block
from isthmus.matrices.rows import take_rows, with_unit_rows
from isthmus.numerics.class_alignment import ClassAlignment, WordMoments, align_classes

# Chosen on newsgroup problems that are in no benchmark table (benchmarks/class_swaps.md). Classes
# are swapped from the first value of evidence on, and reliable from the second one on.
_SWAP_EVIDENCE = 3.0
RELIABLE_CERTAINTY = 4.0
# Rows per block, because a block is copied.
_BLOCK = 20_000


def target_alignments(
    problem: Problem, X: Any, memberships: Sequence[NDArray[Any]]
) -> dict[int, ClassAlignment]:
    """Alignment of the predicted classes of every target, by position among the domains.

    Targets without unlabelled rows are left out.
    """
    labels = problem.labels
    known = np.flatnonzero(labels >= 0)
    targets = [
        i
        for i, domain in enumerate(problem.domains)
        if domain.is_target and not domain.labelled.all()
    ]
    if not targets or problem.n_classes < 2:
        return {}
    known_moments = class_moments(X, known, labels[known], problem.n_classes)
    alignments = {}
    for i in targets:
        rows, unlabelled = _unlabelled_rows(problem, problem.domains[i])
        predicted = memberships[i][unlabelled].argmax(axis=1)
        moments = class_moments(X, rows, predicted, problem.n_classes)
        alignments[i] = align_classes(known_moments, moments)
    return alignments


def find_class_swaps(alignments: Mapping[int, ClassAlignment]) -> dict[int, NDArray[np.intp]]:
    """The correct class of every predicted class, for targets with strong evidence of a swap."""
    return {
        i: alignment.class_of_group
        for i, alignment in alignments.items()
        if alignment.swap_evidence > _swap_threshold(len(alignment.class_of_group))
    }


def _swap_threshold(n_classes: int) -> float:
    """Required evidence of the best assignment; the best of more assignments has more by chance."""
    return float(np.sqrt(_SWAP_EVIDENCE**2 + 2 * (gammaln(n_classes + 1) - np.log(2))))


def check_class_swaps(problem: Problem, X: Any, memberships: Sequence[NDArray[Any]]) -> float:
    """Warn if classes of a target may be swapped; return the certainty that they are not.

    A high certainty is no proof: it was 13.0 where only 7.9 % of the labels were correct.
    """
    alignments = target_alignments(problem, X, memberships)
    warn_of_class_swaps(problem, alignments)
    return min((alignment.certainty for alignment in alignments.values()), default=0.0)


def warn_of_class_swaps(problem: Problem, alignments: Mapping[int, ClassAlignment]) -> None:
    """Warn about every target with weak evidence."""
    for i, alignment in alignments.items():
        if alignment.is_uncertain(RELIABLE_CERTAINTY):
            warn_user(
                f"Classes in {problem.domains[i].name} may be swapped: the words that it shares "
                "with the labelled documents give only weak evidence (alignment_certainty_="
                f"{alignment.certainty:.1f}; {RELIABLE_CERTAINTY:.0f} or more is reliable). Check "
                "some predictions, or label a few target documents and fit again."
            )


def class_moments(
    X: Any, rows: NDArray[np.intp], labels: NDArray[Any], n_classes: int
) -> WordMoments:
    """Moments of the words in every class, over unit-norm rows; ``rows`` must be sorted."""
    sums = np.zeros((X.shape[1], n_classes))
    squares = np.zeros_like(sums)
    one_hot = np.eye(n_classes, dtype=X.dtype)
    for start in range(0, len(rows), _BLOCK):
        block = with_unit_rows(take_rows(X, rows[start : start + _BLOCK]))
        classes = one_hot[labels[start : start + _BLOCK]]
        sums += as_documents(block).transposed_times(classes)
        squares += as_documents(_squared(block)).transposed_times(classes)
    counts = np.bincount(labels, minlength=n_classes).astype(np.float64)
    return WordMoments(counts, sums, squares)


def _unlabelled_rows(
    problem: Problem, domain: Domain
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Unlabelled rows of a domain: their positions in the matrix, and a mask in the domain."""
    unlabelled = ~domain.labelled
    return np.arange(problem.n_rows)[domain.rows][unlabelled], unlabelled


def _squared(X: Any) -> Any:
    if not sparse.issparse(X):
        return X**2
    # Only the values are new; the indices are shared.
    return row_block(X.data**2, X.indices, X.indptr, 0, *X.shape)
