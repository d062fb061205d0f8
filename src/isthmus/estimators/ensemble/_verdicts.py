"""Facts that speak for or against the labels of a target, and the verdict that follows from them.

All constants were fitted to development problems: pairs of the suite "everyday", variants of them,
and problems of the six suites of the papers (benchmarks/studies/auto.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.domains.labels import plain_label
from isthmus.estimators.base.result_checks import RELIABLE_CERTAINTY, target_alignments
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.base.verdict import (
    CHECK_FIRST,
    DO_NOT_USE,
    USE,
    Decision,
    Interval,
    Verdict,
)
from isthmus.estimators.ensemble._members import Member
from isthmus.estimators.ensemble._proportions import CrossValidation
from isthmus.estimators.ensemble._target import Target, TargetLabels
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.rows import take_rows
from isthmus.solvers.ensemble.consensus import mean_agreement

# Classes can be learned at all if labels are this many standard errors better than random ones.
_CLEARLY_BETTER = 2.5
# Accuracy as a linear function of the members' mean agreement and of kappa; without kappa, of the
# agreement alone.
_INTERCEPT, _AGREEMENT, _KAPPA = -0.378, 0.320, 1.067
_INTERCEPT_ALONE, _AGREEMENT_ALONE = 0.073, 0.949
_MAX_ACCURACY = 0.985
# Labels of a target are hardly ever more accurate than that above a cross-validation in the source,
# nor than that above the mean of this cross-validation and of the members' agreement.
_MAX_GAIN, _MAX_GAIN_OF_MEAN = 0.05, 0.03
# Half-width of the 80 % interval: the second value is for each point below 100 %.
_WIDTH, _WIDTH_PER_ERROR = 0.055, 0.16
_NORMAL_80 = 1.28
# With fewer documents, labeled or to be labeled, every estimate is a guess.
_FEW_DOCUMENTS = 40
# Least estimated accuracies of labels that are not useless, and of labels that can be used.
_MIN_ACCURACY, _GOOD_ACCURACY = 0.5, 0.6
# Members that agree less often than that above random labels may have swapped classes.
_MIN_GAIN_OF_AGREEMENT = 0.2
# Two classes may also be swapped if the members agree on the target so much less often than a
# classifier is right on the source. On development problems this added 2 false alarms in 78.
_MAX_LOSS_OF_AGREEMENT = 0.22
# Estimated accuracies below which the source-only classifier has a little and its full weight.
_SOURCE_ONLY_BELOW, _SOURCE_ONLY_WEIGHT = (0.62, 0.58), 0.5
# Labels whose accuracy exceeds that of random labels by less are of no use.
_MIN_GAIN = 0.05
# Evidence beyond these values is worth a sentence.
_LOW_AGREEMENT, _LOW_KAPPA, _FEW_SHARED, _LOW_CROSS_VALIDATION, _LOW_SOURCE_AGREEMENT = (
    0.7, 0.75, 0.35, 0.75, 0.6,
)  # fmt: skip
_CHANGED = 0.15


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


def estimated_accuracy(
    agreement: float, kappa: float, n_classes: int, cross_validation: float = float("nan")
) -> float:
    """Accuracy of labels from the members' agreement and the kappa between halves.

    Groups of documents that are not the classes can be as visible, so it is limited by the accuracy
    in the source itself and by its mean with the agreement.
    """
    if np.isfinite(kappa):
        value = _INTERCEPT + _AGREEMENT * agreement + _KAPPA * kappa
    else:
        value = _INTERCEPT_ALONE + _AGREEMENT_ALONE * agreement
    if np.isfinite(cross_validation):
        mean = (agreement + cross_validation) / 2
        value = min(value, cross_validation + _MAX_GAIN, mean + _MAX_GAIN_OF_MEAN)
    return float(np.clip(value, 1 / max(n_classes, 2), _MAX_ACCURACY))


def accuracy_interval(value: float, n_documents: int) -> Interval:
    """The estimate with its 80 % interval, which is wider for few documents."""
    sampling = _NORMAL_80 * 0.5 / np.sqrt(max(n_documents, 1))
    width = float(np.hypot(_WIDTH + _WIDTH_PER_ERROR * (1 - value), sampling))
    return Interval(value, max(value - width, 0.0), min(value + width, 1.0))


def through_agreement(agreement: float, accuracy: float, n_classes: int) -> float:
    """Accuracy of a classifier that agrees so often with labels of a known accuracy.

    The result is never above the accuracy of the labels, so it cannot show that they are worse.
    Where both disagree and the labels are wrong, all other classes are equally probable.
    """
    wrong = (1 - accuracy) / max(n_classes - 1, 1)
    return float(agreement * accuracy + (1 - agreement) * wrong)


def source_only_weight(evidence: Evidence) -> float:
    """Weight of the scores of the source-only classifier beside those of the labels.

    It is 0 if the labels are probably good. On development problems with a low estimate, the weight
    halves the largest loss of accuracy against the source-only classifier, and costs 0.9 points in
    the mean (benchmarks/studies/auto.md).
    """
    value = estimated_accuracy(
        evidence.agreement, evidence.kappa, evidence.n_classes, evidence.cross_validation
    )
    none, full = _SOURCE_ONLY_BELOW
    return _SOURCE_ONLY_WEIGHT * float(np.clip((none - value) / (none - full), 0, 1))


def decide(
    accuracy: float,
    prior: NDArray[np.float64],
    *,
    agreement: float,
    cross_validation: float,
    may_be_swapped: bool,
) -> Decision:
    """The decision from the estimated accuracy and from what the estimate cannot see.

    Swapped classes are as visible in the target as the right ones, so that kappa does not notice
    them; but members seldom swap the same documents. The words that the domains share do not notice
    all swaps either (see ``target_alignments``).
    """
    disagree = agreement < 1 / len(prior) + _MIN_GAIN_OF_AGREEMENT or loses_agreement(
        agreement, cross_validation, len(prior)
    )
    if accuracy < max(_MIN_ACCURACY, 1 / len(prior) + _MIN_GAIN):
        return DO_NOT_USE
    if accuracy < _GOOD_ACCURACY or may_be_swapped or disagree:
        return CHECK_FIRST
    return USE


def loses_agreement(agreement: float, cross_validation: float, n_classes: int) -> bool:
    """Whether two classes are easy to tell apart in the source, but not for the members."""
    return n_classes == 2 and cross_validation - agreement > _MAX_LOSS_OF_AGREEMENT


def verdict_on(data: TrainingData, labels: TargetLabels, evidence: Evidence) -> Verdict:
    """Whether the labels of one target can be used."""
    n_classes = evidence.n_classes
    value = estimated_accuracy(
        evidence.agreement, evidence.kappa, n_classes, evidence.cross_validation
    )
    if not evidence.is_learnable:  # what cannot be learned from the source cannot be transferred
        value = 1 / n_classes
    source = through_agreement(evidence.source_agreement, value, n_classes)
    proportions = labels.proportions
    names = [plain_label(label) for label in data.problem.classes]
    decision = decide(
        value,
        proportions.prior,
        agreement=evidence.agreement,
        cross_validation=evidence.cross_validation,
        may_be_swapped=evidence.may_be_swapped,
    )
    if decision == USE and (_few_documents(evidence) or evidence.n_members == 1):
        decision = CHECK_FIRST
    accuracy = accuracy_interval(value, evidence.n_documents)
    if evidence.may_be_swapped or _lost_agreement(evidence):
        # If the classes are swapped, the wrong labels are the right ones.
        swapped = (1 - value) / max(n_classes - 1, 1)
        accuracy = replace(accuracy, low=min(accuracy.low, swapped))
    reasons = _reasons_against(names, data.problem.class_prior(), labels, evidence)
    if not reasons:
        reasons = [
            f"The members agree on {_percent(evidence.agreement)} of the documents, and the "
            "classes are visible in the target."
        ]
    elif decision == USE:
        reasons.insert(
            0,
            f"The estimated accuracy is above {_percent(_GOOD_ACCURACY)}, so the labels are "
            "recommended despite the following.",
        )
    parts = zip(proportions.prior, proportions.low, proportions.high, strict=True)
    intervals = [Interval(*(float(number) for number in part)) for part in parts]
    return Verdict(
        decision=decision,
        accuracy=accuracy,
        source_only_accuracy=accuracy_interval(source, evidence.n_documents),
        class_prior=dict(zip(names, intervals, strict=True)),
        source_prior=dict(zip(names, data.problem.class_prior().tolist(), strict=True)),
        reasons=tuple(reasons),
    )


def _reasons_against(
    names: Sequence[Any],
    source_prior: NDArray[np.float64],
    labels: TargetLabels,
    evidence: Evidence,
) -> list[str]:
    """Sentences about the evidence that speaks against the labels; empty if there is none."""
    reasons = []
    if evidence.n_members == 0:
        reasons.append(
            "No member could be fitted, so the labels rest on the source-only classifier."
        )
    if not evidence.is_learnable:
        reasons.append(
            "The classes cannot be told apart in the labeled documents themselves: a classifier "
            f"labels {_percent(evidence.cross_validation)} of them correctly in cross-validation, "
            "not clearly more than random labels."
        )
    if _few_documents(evidence):
        sides = {"labeled": evidence.n_labeled, "unlabeled": evidence.n_documents}
        few = [f"{number} {side}" for side, number in sides.items() if number < _FEW_DOCUMENTS]
        reasons.append(f"There are only {' and '.join(few)} documents, too few to judge.")
    if np.isfinite(evidence.kappa) and evidence.kappa < _LOW_KAPPA:
        reasons.append(
            "The classes are not clearly visible in the target: labels learned from one half of it "
            f"predict those of the other half with a kappa of {evidence.kappa:.2f}; 1 is perfect, "
            f"and {_LOW_KAPPA:.2f} is usual for labels that are right."
        )
    if evidence.n_members == 1:
        reasons.append(
            "Only one member was fitted, so no other method confirms the labels; the source-only "
            f"classifier agrees on {_percent(evidence.agreement)} of the documents."
        )
    elif evidence.n_members > 1 and evidence.agreement < _LOW_AGREEMENT:
        reasons.append(
            f"The members agree on only {_percent(evidence.agreement)} of the documents."
        )
    if evidence.source_agreement < _LOW_SOURCE_AGREEMENT and evidence.n_members > 1:
        reasons.append(
            "The source-only classifier agrees with the labels on only "
            f"{_percent(evidence.source_agreement)} of the documents."
        )
    if evidence.may_be_swapped:
        reasons.append(
            "Classes may be swapped: the words that the target shares with the labeled documents "
            "give only weak evidence which class is which."
        )
    if _lost_agreement(evidence):
        reasons.append(
            "Classes may be swapped: a classifier labels "
            f"{_percent(evidence.cross_validation)} of the labeled documents correctly in "
            "cross-validation, but the members agree on only "
            f"{_percent(evidence.agreement)} of the documents of the target."
        )
    if evidence.source_only_weight > 0:
        reasons.append(
            "The labels were moved towards those of the source-only classifier, because their "
            "estimated accuracy is low."
        )
    for code in evidence.empty_classes[:5]:
        reasons.append(f"No document of the target got the class {names[code]!r}.")
    if evidence.proportion_change > _CHANGED and not labels.proportions.is_given:
        prior = labels.proportions.prior
        largest = int(np.abs(prior - source_prior).argmax())
        reasons.append(
            f"The class proportions seem to differ from the source: {names[largest]!r} has about "
            f"{_percent(prior[largest])} instead of {_percent(source_prior[largest])}."
        )
    if evidence.shared_words < _FEW_SHARED:
        reasons.append(
            f"Only {_percent(evidence.shared_words)} of the words of the target occur in labeled "
            "documents."
        )
    if evidence.is_learnable and evidence.cross_validation < _LOW_CROSS_VALIDATION:
        reasons.append(
            "The classes are hard to tell apart in the labeled documents themselves: a classifier "
            f"labels {_percent(evidence.cross_validation)} of them correctly in cross-validation."
        )
    return reasons


def _lost_agreement(evidence: Evidence) -> bool:
    return evidence.n_members > 1 and loses_agreement(
        evidence.agreement, evidence.cross_validation, evidence.n_classes
    )


def _few_documents(evidence: Evidence) -> bool:
    return min(evidence.n_documents, evidence.n_labeled) < _FEW_DOCUMENTS


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"
