"""The verdict on the labels of any method, by comparison with the automatic method."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.base.verdict import (
    CHECK_FIRST,
    DO_NOT_USE,
    USE,
    Interval,
    Verdict,
)
from isthmus.estimators.ensemble._combination import Combination, combine
from isthmus.estimators.ensemble._members import default_members
from isthmus.estimators.ensemble._proportions import Sample, sample_of
from isthmus.estimators.ensemble._verdicts import Evidence, decide, through_agreement
from isthmus.estimators.ensemble.auto import Auto
from isthmus.matrices.engines import fit_engine
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import is_signed

# Documents of each domain that are compared.
_MAX_DOCUMENTS = 2_000
# Part of the disagreement that is added to the interval. On everyday development problems, with the
# true accuracy of the automatic method, 80 % of the errors were below 0.41 of the disagreement.
_DISAGREEMENT_WEIGHT = 0.4
# Estimated losses of accuracy against the source-only classifier that count.
_LARGE_LOSS, _SMALL_LOSS = 0.1, 0.02


def gives_verdicts(estimator: Any) -> bool:
    """Return whether the estimator itself judges its labels when it is fitted."""
    return isinstance(estimator, Auto)


def judge(estimator: Any, data: TrainingData, source_only: Any) -> dict[int, Verdict]:
    """Return the verdict on every target by its number.

    Those of :class:`Auto` are its own. For any other method, ``Auto(effort="fast")`` is fitted to a
    sample of the data, and the accuracy of the method follows from the estimated accuracy of that
    fit and from the agreement of both labels. The source-only classifier is judged in the same way.
    Targets about which nothing can be said are left out.

    Parameters
    ----------
    estimator : fitted classifier
    data : TrainingData
        The data that it was fitted to.
    source_only : fitted classifier
        The source-only classifier, fitted to the same rows.
    """
    if hasattr(estimator, "verdicts_"):
        return dict(estimator.verdicts_)
    if is_signed(data.X):  # the members count words
        return {}
    # A sample is too small for a cluster.
    with fit_engine(HostEngine()) if data.engine.name == "dask" else nullcontext():
        return _judge_sample(estimator, sample_of(data, _MAX_DOCUMENTS), source_only)


def _judge_sample(estimator: Any, sample: Sample, source_only: Any) -> dict[int, Verdict]:
    auto = Auto(effort="fast", class_prior=_given_prior(estimator.class_prior))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are about the members, not about the method
        try:
            data = auto._with_class_prior(sample.data)
            combination = combine(data, default_members(auto.effort))
        except (ValueError, FloatingPointError, np.linalg.LinAlgError, MemoryError):
            return {}
    labels, source_labels = estimator.transduction_, source_only.transduction_
    return {
        number: _verdict(
            combination.verdicts[number],
            combination.evidence[number],
            agreement=float(np.mean(labels[rows] == expected)),
            source_agreement=float(np.mean(source_labels[rows] == expected)),
        )
        for number, rows, expected in _labels_of_targets(sample, combination)
    }


def _given_prior(class_prior: Any) -> Any:
    """The class proportions that the user knows; None for an assumption of the method."""
    return None if isinstance(class_prior, str) else class_prior


def _labels_of_targets(
    sample: Sample, combination: Combination
) -> list[tuple[int, NDArray[np.intp], NDArray[Any]]]:
    """By target: its number, the rows that were labeled, and their labels."""
    problem = sample.data.problem
    parts = []
    for domain, rows, memberships in zip(
        problem.domains, sample.rows, combination.memberships, strict=True
    ):
        labeled = memberships.any(axis=1)  # neither given nor without words
        if domain.is_target and labeled.any():
            labels = problem.classes[memberships[labeled].argmax(axis=1)]
            parts.append((domain.number, rows[labeled], labels))
    return parts


def _verdict(
    automatic: Verdict, evidence: Evidence, agreement: float, source_agreement: float
) -> Verdict:
    """The verdict on labels that agree with those of the automatic method so often."""
    n_classes = evidence.n_classes
    accuracy = _accuracy(automatic.accuracy, agreement, n_classes)
    source_only = _accuracy(automatic.accuracy, source_agreement, n_classes)
    loss = source_only.value - accuracy.value
    decision = decide(
        accuracy.value,
        np.array([part.value for part in automatic.class_prior.values()]),
        agreement=evidence.agreement,
        cross_validation=evidence.cross_validation,
        may_be_swapped=evidence.may_be_swapped,
    )
    if loss > _LARGE_LOSS or automatic.decision == DO_NOT_USE:
        decision = DO_NOT_USE
    elif loss > _SMALL_LOSS and decision == USE:
        decision = CHECK_FIRST
    reasons = []
    if loss > _SMALL_LOSS:
        reasons.append("The source-only classifier is probably more accurate.")
    reasons.append(
        f"The labels agree with those of the automatic method on {100 * agreement:.0f} % of the "
        "documents."
    )
    if automatic.decision != USE:
        reasons.append("The labels of the automatic method are uncertain themselves.")
        reasons += automatic.reasons
    return Verdict(
        decision,
        accuracy,
        source_only,
        automatic.class_prior,
        automatic.source_prior,
        tuple(reasons),
    )


def _accuracy(automatic: Interval, agreement: float, n_classes: int) -> Interval:
    """Accuracy of labels from their agreement with labels of an estimated accuracy."""
    value, *ends = (
        through_agreement(agreement, accuracy, n_classes)
        for accuracy in (automatic.value, automatic.low, automatic.high)
    )
    uncertain = _DISAGREEMENT_WEIGHT * (1 - agreement)
    below, above = (float(np.hypot(end - value, uncertain)) for end in ends)
    return Interval(value, max(value - below, 0.0), min(value + above, 1.0))
