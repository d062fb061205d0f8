"""Class proportions of targets that do not depend on the members.

The members start near the class proportions of the source, so they find too small a change in a
target with very different ones. Clusters of its documents and the maximum likelihood under label
shift have no such limit. Each of them counts as far as its assumption holds; see
:mod:`isthmus.estimators.class_prior.combination`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.combination import ConsensusEstimate, combine_estimates
from isthmus.estimators.class_prior.estimation import estimates_of_target
from isthmus.estimators.ensemble._cross_validation import CrossValidation
from isthmus.estimators.ensemble._target import OutsideEstimate, Target, TargetLabels

__all__ = ["outside_estimates"]

# The likelihood is used from this total variation distance on, and fully from twice as much: a
# difference between the domains alone causes as much, and the members are then the better estimate.
_NOISE = 0.06
# A smaller weight is not worth another round.
_MIN_WEIGHT = 0.01


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
            learnability=_Learnability(target, scored),
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


class _Learnability:
    """Kappa of labels that one half of some documents of a target predicts for the other."""

    def __init__(self, target: Target, scored: NDArray[np.intp]) -> None:
        self._target = target
        self._scored = scored

    def __call__(self, labels: NDArray[np.intp]) -> float:
        if len(labels) == 0:
            return float("nan")
        # The few documents without a word get the first label.
        complete = np.full(len(self._target), labels[0])
        complete[self._scored] = labels
        return self._target.kappa_of(complete)
