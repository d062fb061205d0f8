"""Warnings about doubtful results: swapped classes, empty classes, targets without known words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from isthmus._warnings import warn_user
from isthmus.domains.labels import one_hot
from isthmus.domains.model import UNLABELED, Problem, count_classes
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import take_rows
from isthmus.numerics.class_alignment import ClassAlignment, WordMoments, align_classes

# The certainty that no classes are swapped can be high and wrong, because the words that both
# domains share can point to the wrong class. An example from 20 Newsgroups: the source has
# ``misc.forsale`` against ``sci.crypt``, the target ``comp.windows.x`` against ``sci.electronics``.
# ``Transfer(method="mtrick")`` labels 7.9 % of the target correctly with a certainty of 13.0,
# without a warning. The verdict also uses other evidence (tests/corpora/test_verdicts.py).
#
# Chosen on newsgroup problems that are in no benchmark table (benchmarks/studies/class_swaps.md).
# Classes are swapped from the first value of evidence on, and reliable from the second one on.
_SWAP_EVIDENCE = 3.0
RELIABLE_CERTAINTY = 4.0
# A class with at least this expected number of documents should not be empty.
_MIN_EXPECTED = 10


def target_alignments(
    problem: Problem, X: Any, predicted: Sequence[NDArray[Any]]
) -> dict[int, ClassAlignment]:
    """Alignment of the predicted classes of every target, by position among the domains.

    ``predicted`` has the class of every row, one array per domain.

    Targets without unlabeled rows are left out.
    """
    targets = [
        i
        for i, domain in enumerate(problem.domains)
        if domain.is_target and not domain.labeled.all()
    ]
    if not targets or problem.n_classes < 2:
        return {}
    # The documents of the problem may be scaled as a method needs it.
    engine = problem.domains[0].documents.engine
    blocks = [engine.documents(X, domain.rows).unit_rows() for domain in problem.domains]
    given = [domain.labels for domain in problem.domains]
    known_moments = class_moments(blocks, given, problem.n_classes)
    alignments = {}
    for i in targets:
        labels = np.where(problem.domains[i].labeled, UNLABELED, predicted[i])
        moments = class_moments([blocks[i]], [labels], problem.n_classes)
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


def check_class_swaps(problem: Problem, X: Any, predicted: Sequence[NDArray[Any]]) -> float:
    """Warn if classes of a target may be swapped; return the certainty that they are not.

    A high certainty is not a proof: it was 13.0 where only 7.9 % of the labels were correct.
    """
    alignments = target_alignments(problem, X, predicted)
    warn_of_class_swaps(problem, alignments)
    return min((alignment.certainty for alignment in alignments.values()), default=0.0)


def warn_of_class_swaps(problem: Problem, alignments: Mapping[int, ClassAlignment]) -> None:
    """Warn about every target with weak evidence."""
    for i, alignment in alignments.items():
        if alignment.is_uncertain(RELIABLE_CERTAINTY):
            warn_user(
                f"Classes in {problem.domains[i].name} may be swapped: the words that it shares "
                "with the labeled documents give only weak evidence (alignment_certainty_="
                f"{alignment.certainty:.1f}; {RELIABLE_CERTAINTY:.0f} or more is reliable). Check "
                "some predictions, or label a few target documents and fit again."
            )


def class_moments(
    blocks: Sequence[Documents], labels: Sequence[NDArray[Any]], n_classes: int
) -> WordMoments:
    """Moments of the words in every class; unlabeled rows are left out."""
    sums = np.zeros((blocks[0].shape[1], n_classes))
    squares, counts = np.zeros_like(sums), np.zeros(n_classes)
    for block, codes in zip(blocks, labels, strict=True):
        counted = count_classes(codes, n_classes)
        if not counted.any():
            continue
        engine = block.engine
        classes = block.asarray(one_hot(codes, n_classes, block.dtype))
        sums += engine.to_host(block.transposed_times(classes))
        squares += engine.to_host(block.squares_transposed_times(classes))
        counts += counted
    return WordMoments(counts, sums, squares)


def warn_of_empty_classes(
    problem: Problem, labels: NDArray[Any], prior: Mapping[int, NDArray[np.float64]]
) -> None:
    """Warn if no document of a target got a class that the prior leads to expect."""
    for domain in problem.targets:
        unlabeled = ~domain.labeled & domain.filled
        predicted = labels[domain.rows][unlabeled]
        for name, proportion in zip(problem.classes, prior[domain.number], strict=True):
            if proportion * len(predicted) >= _MIN_EXPECTED and not (predicted == name).any():
                warn_user(
                    f"None of the {len(predicted)} documents of {domain.name} got class {name!s}, "
                    f"although its expected proportion is {100 * proportion:.0f} %: if there "
                    "should be some, pass class_prior or try another method."
                )


def warn_of_no_shared_terms(problem: Problem, X: Any) -> None:
    """Warn if a target shares no term with the labeled documents."""
    warn_of_disjoint_targets(problem, _terms(X, problem.labels >= 0), "the labeled documents")


def warn_of_disjoint_targets(problem: Problem, terms: NDArray[np.bool_], owner: str) -> None:
    """Warn if a target without labels uses none of the terms; ``owner`` says whose terms."""
    for domain in problem.targets:
        shared = (terms & (domain.term_totals != 0)).any()
        if not shared and not domain.labeled.any() and domain.documents.shape[0]:
            warn_user(
                f"{domain.name} shares no term with {owner}, so its labels are meaningless: "
                "count the documents of all domains with one vocabulary."
            )


def _terms(X: Any, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which terms occur in the rows."""
    if is_distributed(X):
        return np.asarray(take_rows(X, np.flatnonzero(rows)).column_counts() > 0)
    return np.asarray(abs(X[rows]).sum(axis=0)).ravel() > 0
