"""What words of labelled documents say of labels that were found."""

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
from isthmus.numerics.class_alignment import ClassAlignment, Moments, find_direction

# Chosen on families of newsgroup problems that no table has (benchmarks/directions.md): labels are
# changed where words speak clearly, and vouched for where they speak a little more clearly still.
_CLEARLY_WRONG = 3.0
_CLEARLY_RIGHT = 4.0
# Rows that are read at a time: a copy of their numbers is made on the way.
_BLOCK = 20_000


def target_alignments(
    problem: Problem, X: Any, memberships: Sequence[NDArray[Any]]
) -> dict[int, ClassAlignment]:
    """By place among the domains: every target with rows to label, against all labelled rows."""
    labels = problem.labels
    known = np.flatnonzero(labels >= 0)
    targets = [
        i
        for i, domain in enumerate(problem.domains)
        if domain.is_target and not domain.labelled.all()
    ]
    if not targets or problem.n_classes < 2:
        return {}
    learnt = class_moments(X, known, labels[known], problem.n_classes)
    directions = {}
    for i in targets:
        rows, free = _free_rows(problem, problem.domains[i])
        found = memberships[i][free].argmax(axis=1)
        directions[i] = find_direction(learnt, class_moments(X, rows, found, problem.n_classes))
    return directions


def clearly_wrong(found: Mapping[int, ClassAlignment]) -> dict[int, NDArray[np.intp]]:
    """What the classes of targets should be called, where words clearly say that they are not."""
    return {i: one.order for i, one in found.items() if one.doubt > _clearly_wrong(len(one.order))}


def _clearly_wrong(n_classes: int) -> float:
    """What the best of all namings has to reach: of more namings, chance makes a better one."""
    return float(np.sqrt(_CLEARLY_WRONG**2 + 2 * (gammaln(n_classes + 1) - np.log(2))))


def check_class_swaps(problem: Problem, X: Any, memberships: Sequence[NDArray[Any]]) -> float:
    """Warn if classes of a target may be swapped; returns the certainty that they are not."""
    alignments = target_alignments(problem, X, memberships)
    warn_of_class_swaps(problem, alignments)
    return min((alignment.certainty for alignment in alignments.values()), default=0.0)


def warn_of_class_swaps(problem: Problem, found: Mapping[int, ClassAlignment]) -> None:
    """Warn of every target about which words hardly tell."""
    for i, one in found.items():
        if one.is_open(_CLEARLY_RIGHT):
            warn_user(
                f"Classes in {problem.domains[i].name} may be swapped: the words that it shares "
                "with the labelled documents give only weak evidence (alignment_certainty_="
                f"{one.certainty:.1f}; {_CLEARLY_RIGHT:.0f} or more is reliable). Check some "
                "predictions, or label a few target documents and fit again."
            )


def class_moments(X: Any, rows: NDArray[np.intp], labels: NDArray[Any], n_classes: int) -> Moments:
    """How every class uses every word, in rows (in rising order) scaled to length 1."""
    sums = np.zeros((X.shape[1], n_classes))
    squares = np.zeros_like(sums)
    one_hot = np.eye(n_classes, dtype=X.dtype)
    for start in range(0, len(rows), _BLOCK):
        block = with_unit_rows(take_rows(X, rows[start : start + _BLOCK]))
        classes = one_hot[labels[start : start + _BLOCK]]
        sums += as_documents(block).transposed_times(classes)
        squares += as_documents(_squared(block)).transposed_times(classes)
    counts = np.bincount(labels, minlength=n_classes).astype(np.float64)
    return Moments(counts, sums, squares)


def _free_rows(problem: Problem, domain: Domain) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Unlabelled rows of a domain: where they stand in the whole matrix, and which they are."""
    free = ~domain.labelled
    return np.arange(problem.n_rows)[domain.rows][free], free


def _squared(X: Any) -> Any:
    if not sparse.issparse(X):
        return X**2
    # Only the numbers change: the places are shared.
    return row_block(X.data**2, X.indices, X.indptr, 0, *X.shape)
