"""Facts about a labelling that speak for or against it, without target labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from isthmus.estimators.base.class_swap_check import RELIABLE_CERTAINTY, target_alignments
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.estimators.ensemble._members import Member
from isthmus.estimators.ensemble._target import Target, TargetLabels
from isthmus.matrices.rows import take_rows, with_narrow_indices
from isthmus.matrices.threads import one_thread
from isthmus.solvers.ensemble.consensus import mean_agreement

__all__ = ["CROSS_VALIDATION", "Evidence", "collect_evidence"]

#: Key of the accuracy by cross-validation in ``TrainingData.shared``.
CROSS_VALIDATION = "accuracy by cross-validation"
# Labelled documents for the cross-validation.
_MAX_LABELLED = 3_000
_FOLDS = 3


@dataclass(frozen=True)
class Evidence:
    """What is known about the labels of a target."""

    n_classes: int
    agreement: float
    """Mean proportion of documents on which two members agree."""
    final_agreement: float
    """Mean proportion of documents on which a member agrees with the labels."""
    source_agreement: float
    """Proportion of documents on which the source-only classifier agrees with the labels."""
    kappa: float
    """How well one half of the target learns the labels from the other; NaN if unknown."""
    cross_validation: float
    """Accuracy of a classifier on labelled documents that it was not trained on."""
    proportion_change: float
    """Total variation distance of the class proportions of target and source."""
    certainty: float
    """Certainty that no classes are swapped; see ``alignment_certainty_``."""
    may_be_swapped: bool
    """Whether this certainty is low."""
    shared_words: float
    """Proportion of the words of the target that also occur in labelled documents."""
    empty_classes: tuple[int, ...]
    """Classes that no document of the target got."""
    member_agreement: dict[str, float]
    """Proportion of documents on which each member agrees with the labels."""


def collect_evidence(
    data: TrainingData,
    target: Target,
    result: TargetLabels,
    members: list[Member],
    source_only: NDArray[Any],
) -> Evidence:
    """Facts about the labels of one target."""
    labels = result.labels
    by_member = {m.name: m.memberships[target.rows].argmax(axis=1) for m in members}
    source_labels = source_only[target.rows].argmax(axis=1)
    n_classes = data.problem.n_classes
    agreement = {name: float(np.mean(part == labels)) for name, part in by_member.items()}
    prior = data.problem.class_prior()
    alignment = _alignment(data, target, result)
    # A single member agrees with itself: the source-only classifier is the second opinion.
    opinions = [*by_member.values(), *([source_labels] if len(by_member) < 2 else [])]
    return Evidence(
        n_classes=n_classes,
        agreement=mean_agreement(opinions),
        final_agreement=float(np.mean(list(agreement.values()))) if agreement else 1.0,
        source_agreement=float(np.mean(source_labels == labels)),
        kappa=result.kappa,
        cross_validation=_cross_validation(data),
        proportion_change=float(np.abs(result.proportions.prior - prior).sum() / 2),
        certainty=0.0 if alignment is None else float(alignment.certainty),
        may_be_swapped=alignment is not None and alignment.is_uncertain(RELIABLE_CERTAINTY),
        shared_words=_shared_words(data, target),
        empty_classes=tuple(sorted(set(range(n_classes)) - set(labels.tolist()))),
        member_agreement=agreement,
    )


def _cross_validation(data: TrainingData) -> float:
    """Accuracy of the source-only classifier by cross-validation, on a sample."""
    if CROSS_VALIDATION in data.shared:
        return float(data.shared[CROSS_VALIDATION])
    labels = data.problem.labels
    rows = np.flatnonzero(labels >= 0)
    with one_thread():
        order = random_projections(take_rows(data.X, rows), np.random.default_rng(0))
        rows = rows[np.argsort(order, kind="stable")]
        rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), _MAX_LABELLED)).astype(np.intp)]
        X, y = with_narrow_indices(take_rows(data.X, rows)), labels[rows]
        right = np.zeros(len(rows), np.bool_)
        fold = np.arange(len(rows)) % _FOLDS
        for part in range(_FOLDS):
            train, test = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
            if len(test) == 0 or len(np.unique(y[train])) < 2:
                continue
            model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=300)
            right[test] = model.fit(X[train], y[train]).predict(X[test]) == y[test]
    data.shared[CROSS_VALIDATION] = float(right.mean())
    return float(right.mean())


def _alignment(data: TrainingData, target: Target, result: TargetLabels) -> Any:
    """Alignment of the classes of source and target by their words; None if there is none."""
    n_classes = data.problem.n_classes
    memberships = [np.zeros((len(d.labels), n_classes)) for d in data.problem.domains]
    position = [d.number for d in data.problem.domains].index(target.domain.number)
    memberships[position][target.positions] = np.eye(n_classes)[result.labels]
    return target_alignments(data.problem, data.X, memberships).get(position)


def _shared_words(data: TrainingData, target: Target) -> float:
    in_target = _used(data.X, target.rows)
    in_known = _used(data.X, np.flatnonzero(data.problem.labels >= 0))
    return float((in_target & in_known).sum() / max(in_target.sum(), 1))


def _used(X: Any, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which columns have a value in these rows."""
    part = take_rows(X, rows)
    if not sparse.issparse(part):
        return np.asarray((part != 0).any(axis=0))
    return np.asarray(np.bincount(part.indices, minlength=part.shape[1]) > 0)
