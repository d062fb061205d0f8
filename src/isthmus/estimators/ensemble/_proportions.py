"""Class proportions of targets, and the cross-validation in the source that they rest on.

The members start near the class proportions of the source, so they find too small a change in a
target with very different ones. Clusters of its documents and the maximum likelihood under label
shift have no such limit. Each of them counts as far as its assumption holds; see
:mod:`isthmus.estimators.class_prior.proportions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.local_sample import local_problem, spread_rows
from isthmus.estimators.class_prior.proportions import (
    ConsensusEstimate,
    CrossValScores,
    combine_estimates,
    cross_val_scores,
    estimates_of_target,
)
from isthmus.estimators.ensemble._members import SOURCE_ONLY, Member
from isthmus.estimators.ensemble._model import joined
from isthmus.estimators.ensemble._target import OutsideEstimate, Target, TargetLabels
from isthmus.matrices.engines import is_distributed
from isthmus.solvers.ensemble.consensus import label_proportions
from isthmus.solvers.ensemble.proportions import estimate_proportions

# Five classifiers are fitted, so a sample of larger data is enough.
_MAX_ROWS, _MAX_DOCUMENTS = 20_000, 5_000
# The likelihood is used from this total variation distance on, and fully from twice as much: a
# difference between the domains alone causes as much, and the members are then the better estimate.
_NOISE = 0.06
# A smaller weight is not worth another round.
_MIN_WEIGHT = 0.01
#: Members whose mean memberships estimate the class proportions best.
ESTIMATE_PROPORTIONS = ("cocc", "sfa")
# Values of kappa from which the most learnable proportions of two classes count a little and
# fully. Higher values than those for the labels: here, clusters and label shift cover the targets
# with very different proportions (benchmarks/studies/proportions.md).
_TWO_CLASSES = (0.85, 0.95)
# Standard error of every proportion, in addition to the spread of the estimates, and at most twice
# the proportion. The 80 % interval covered 75 % on development pairs.
_CONSTANT_ERROR = 0.06
_NORMAL_80 = 1.2816


@dataclass(frozen=True)
class Sample:
    """Some rows of the data of a fit, as data of their own."""

    data: TrainingData
    rows: list[NDArray[np.intp]]
    """Positions in the caller's matrix, one array per domain."""


def sample_of(data: TrainingData, max_documents: int) -> Sample:
    """At most about ``max_documents`` documents of each domain, with every class among them.

    The documents are spread by content, so that the order of the rows does not matter. Those of a
    distributed matrix are fetched.
    """
    rows = spread_rows(data.problem, data.X, max_documents)
    return Sample(TrainingData(*local_problem(data.problem, data.X, rows)), rows)


@dataclass(frozen=True)
class CrossValidation:
    """The result of a cross-validation on the labeled documents."""

    accuracy: float
    z_score: float
    """Accuracy above that of random labels in the same proportions, in standard errors."""
    scores: CrossValScores
    is_complete: bool
    """Whether the scores are those of all documents, not of a sample."""


def cross_validate(data: TrainingData) -> CrossValidation | None:
    """Cross-validation of a logistic regression; None for hardly any labels.

    Of large data, a sample of the documents is used.
    """
    is_complete = data.problem.n_rows <= _MAX_ROWS
    if is_complete and is_distributed(data.X):
        data = sample_of(data, _MAX_ROWS).data  # all rows, in this process
    elif not is_complete:
        data = sample_of(data, _MAX_DOCUMENTS).data
    scores = cross_val_scores(data.problem, data.X)
    if len(scores.labels) == 0 or len(scores.codes) < 2:
        return None
    predicted = scores.known.argmax(axis=1)
    accuracy = float(np.mean(predicted == scores.labels))
    n_labels, n_classes = len(predicted), len(scores.codes)
    proportions = [np.bincount(part, minlength=n_classes) for part in (predicted, scores.labels)]
    random = float(proportions[0] @ proportions[1]) / n_labels**2
    error = np.sqrt(max(random * (1 - random), 1e-12) / n_labels)
    return CrossValidation(accuracy, float((accuracy - random) / error), scores, is_complete)


def outside_estimates(
    data: TrainingData,
    targets: Sequence[Target],
    labels: Mapping[int, TargetLabels],
    cross_validation: CrossValidation | None,
) -> dict[int, OutsideEstimate]:
    """By target number; targets without a trustworthy estimate are left out.

    Very large data has none, because the scores are those of a sample.
    """
    if cross_validation is None or not cross_validation.is_complete:
        return {}
    scores = cross_validation.scores
    if len(scores.codes) < data.problem.n_classes:
        return {}
    by_target = {}
    for target in targets:
        estimates = None if target.has_given_prior else estimates_of_target(scores, target.number)
        if estimates is None:
            continue
        proportions = labels[target.number].proportions
        # Documents without a known word have characters, but no score by words.
        scored = np.flatnonzero(np.isin(target.rows, scores.rows[target.number]))
        consensus = ConsensusEstimate(
            rows=target.rows[scored],
            scores=labels[target.number].scores[scored],
            prior=proportions.prior,
            low=proportions.low,
            high=proportions.high,
            learnability=partial(_kappa_of_scored, target, scored),
        )
        combined = combine_estimates(scores, target.number, estimates, consensus)
        change = float(np.abs(estimates.shrunk - proportions.prior).sum() / 2)
        weights = (
            combined.cluster_weight,
            combined.likelihood_weight * float(np.clip((change - _NOISE) / _NOISE, 0, 1)),
        )
        if sum(weights) > _MIN_WEIGHT:
            prior = weights[0] * estimates.priors["clusters"] + weights[1] * estimates.shrunk
            by_target[target.number] = OutsideEstimate(prior / prior.sum(), float(sum(weights)))
    return by_target


def _kappa_of_scored(target: Target, scored: NDArray[np.intp], labels: NDArray[np.intp]) -> float:
    """Kappa of labels that one half of some documents of a target predicts for the other."""
    if len(labels) == 0:
        return float("nan")
    # The few documents without a word get the first label.
    complete = np.full(len(target), labels[0])
    complete[scored] = labels
    return target.kappa_of(complete)


def estimate_consensus(
    data: TrainingData, all_members: Sequence[Member], labels: Mapping[int, TargetLabels]
) -> dict[int, ConsensusEstimate]:
    """Scores, class proportions and learnability of the open documents of every target.

    Targets without open documents are left out. Labeled documents of the target do not count as a
    sample here.
    """
    estimates = {}
    X = joined(data.X, None)
    for domain in data.problem.targets:
        if domain.number not in labels:
            continue
        target = Target(domain, X, None, data.problem.class_prior())
        scores = labels[domain.number].scores
        members = {
            member.name: member.memberships[target.rows]
            for member in all_members
            if not member.left_out
        }
        chosen = [members[name] for name in ESTIMATE_PROPORTIONS if name in members]
        means = [part.mean(axis=0, dtype=np.float64) for part in chosen or members.values()]
        curves, n_documents = target.kappa_curves(scores)
        prior = estimate_proportions(means, curves, n_documents, two_classes=_TWO_CLASSES).prior
        # Labels by the source-only classifier and the source prior are worse estimates, but their
        # distance says how far the others may be wrong.
        others = [label_proportions(members[SOURCE_ONLY]), data.problem.class_prior()]
        half_width = _half_width(prior, [*means, *others])
        estimates[domain.number] = ConsensusEstimate(
            rows=target.rows,
            scores=scores,
            prior=prior,
            low=np.maximum(prior - half_width, 0.0),
            high=np.minimum(prior + half_width, 1.0),
            learnability=partial(target.kappa_between_halves, n_classes=scores.shape[1]),
        )
    return estimates


def _half_width(
    prior: NDArray[np.float64], estimates: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Half-width of the 80 % interval of every class."""
    spread = np.sqrt(np.mean((np.asarray(estimates) - prior) ** 2, axis=0))
    constant = np.minimum(_CONSTANT_ERROR, 2 * prior)
    return np.asarray(_NORMAL_80 * np.sqrt(constant**2 + spread**2))
