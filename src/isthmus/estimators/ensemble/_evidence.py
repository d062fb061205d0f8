"""Facts about a labeling that speak for or against it, without target labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.estimators.base.result_checks import RELIABLE_CERTAINTY, target_alignments
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.ensemble._cross_validation import CrossValidation
from isthmus.estimators.ensemble._members import Member
from isthmus.estimators.ensemble._target import Target, TargetLabels
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.rows import take_rows
from isthmus.solvers.ensemble.consensus import mean_agreement

__all__ = ["Evidence", "collect_evidence"]

# Classes can be learned at all if labels are this many standard errors better than random ones.
_CLEARLY_BETTER = 2.5


@dataclass(frozen=True)
class Evidence:
    """What is known about the labels of a target."""

    n_classes: int
    n_members: int
    """Number of members that were fitted."""
    agreement: float
    """Mean proportion of documents on which two members agree."""
    source_agreement: float
    """Proportion of documents on which the source-only classifier agrees with the labels."""
    kappa: float
    """How well one half of the target learns the labels from the other; NaN if unknown."""
    cross_validation: float
    """Accuracy of a classifier on labeled documents that it was not trained on; NaN if unknown."""
    is_learnable: bool
    """Whether this accuracy is clearly better than that of random labels; True if unknown."""
    n_documents: int
    """Number of documents that were labeled."""
    n_labeled: int
    """Number of documents with a given label."""
    proportion_change: float
    """Total variation distance of the class proportions of target and source."""
    may_be_swapped: bool
    """Whether the certainty that no classes are swapped is low; see ``alignment_certainty_``."""
    shared_words: float
    """Proportion of the words of the target that also occur in labeled documents."""
    empty_classes: tuple[int, ...]
    """Classes that no document of the target got."""
    source_only_weight: float = 0.0
    """Weight with which the labels were moved towards those of the source-only classifier."""


def collect_evidence(
    data: TrainingData,
    target: Target,
    result: TargetLabels,
    members: list[Member],
    source_only: NDArray[Any],
    cross_validation: CrossValidation | None,
) -> Evidence:
    """Facts about the labels of one target."""
    labels = result.labels
    by_member = {m.name: m.memberships[target.rows].argmax(axis=1) for m in members}
    source_labels = source_only[target.rows].argmax(axis=1)
    n_classes = data.problem.n_classes
    prior = data.problem.class_prior()
    alignment = _alignment(data, target, result)
    # A single member agrees with itself: the source-only classifier is the second opinion.
    opinions = [*by_member.values(), *([source_labels] if len(by_member) < 2 else [])]
    return Evidence(
        n_classes=n_classes,
        n_members=len(members),
        # Without a member nothing is known, as if labels were random.
        agreement=mean_agreement(opinions) if members else 1 / n_classes,
        source_agreement=float(np.mean(source_labels == labels)),
        kappa=result.kappa,
        cross_validation=float("nan") if cross_validation is None else cross_validation.accuracy,
        is_learnable=cross_validation is None or cross_validation.z_score > _CLEARLY_BETTER,
        n_documents=len(target),
        n_labeled=int(np.count_nonzero(data.problem.labels >= 0)),
        proportion_change=float(np.abs(result.proportions.prior - prior).sum() / 2),
        may_be_swapped=(
            alignment is not None
            and alignment.is_uncertain(RELIABLE_CERTAINTY)
            and len(_expected_classes(result)) > 1
        ),
        shared_words=_shared_words(data, target),
        empty_classes=tuple(sorted(_expected_classes(result) - set(labels.tolist()))),
    )


def _expected_classes(result: TargetLabels) -> set[int]:
    """All classes, without those that do not occur by given proportions."""
    proportions = result.proportions
    is_expected = proportions.prior > 0 if proportions.is_given else proportions.prior >= 0
    return set(np.flatnonzero(is_expected).tolist())


def _alignment(data: TrainingData, target: Target, result: TargetLabels) -> Any:
    """Alignment of the classes of source and target by their words; None if there is none."""
    predicted = [np.zeros(len(d.labels), np.intp) for d in data.problem.domains]
    position = [d.number for d in data.problem.domains].index(target.domain.number)
    predicted[position][target.positions] = result.labels
    return target_alignments(data.problem, data.X, predicted).get(position)


def _shared_words(data: TrainingData, target: Target) -> float:
    in_target = _used(data.X, target.rows)
    in_known = _used(data.X, np.flatnonzero(data.problem.labels >= 0))
    return float((in_target & in_known).sum() / max(in_target.sum(), 1))


def _used(X: Any, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which columns have a value in these rows."""
    part = take_rows(X, rows)
    if is_distributed(part):
        return np.asarray(part.column_counts() > 0)
    if not sparse.issparse(part):
        return np.asarray((part != 0).any(axis=0))
    return np.asarray(np.bincount(part.indices, minlength=part.shape[1]) > 0)
