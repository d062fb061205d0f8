"""Class proportions of targets that do not depend on the members.

The members start near the class proportions of the source, so they find too small a change in a
target with very different ones. Clusters of its documents and the maximum likelihood under label
shift have no such limit. Each of them counts as far as its assumption holds; see
:mod:`isthmus.estimators.class_prior.combination`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.combination import ConsensusEstimate, combine_estimates
from isthmus.estimators.class_prior.cross_val_scores import cross_val_scores
from isthmus.estimators.class_prior.estimation import estimates_of_target
from isthmus.estimators.ensemble._evidence import CROSS_VALIDATION
from isthmus.estimators.ensemble._target import OutsideEstimate, Target, TargetLabels

__all__ = ["outside_estimates"]

# The estimates take several passes over all documents, so larger data go without them.
_MAX_ROWS = 20_000
# The likelihood is used from this total variation distance on, and fully from twice as much: a
# difference between the domains alone causes as much, and the members are then the better estimate.
_NOISE = 0.06
# A smaller weight is not worth another round.
_MIN_WEIGHT = 0.01


def outside_estimates(
    data: TrainingData, targets: Sequence[Target], labels: Mapping[int, TargetLabels]
) -> dict[int, OutsideEstimate]:
    """By target number; targets without a trustworthy estimate are left out."""
    open_targets = [
        target
        for target in targets
        if target.domain.number in labels and not target.has_given_prior
    ]
    if data.problem.n_rows > _MAX_ROWS or not open_targets:
        return {}
    scores = cross_val_scores(data.problem, data.X)
    # A class with very few labelled documents has no scores.
    if len(scores.codes) < data.problem.n_classes:
        return {}
    # The evidence reports this accuracy too.
    data.shared[CROSS_VALIDATION] = float(np.mean(scores.known.argmax(axis=1) == scores.labels))
    found = {}
    for target in open_targets:
        number = target.domain.number
        estimates = estimates_of_target(scores, number)
        if estimates is None:
            continue
        proportions = labels[number].proportions
        consensus = ConsensusEstimate(
            rows=target.rows,
            scores=labels[number].scores,
            prior=proportions.prior,
            low=proportions.low,
            high=proportions.high,
            learnability=target.kappa_of,
        )
        combined = combine_estimates(scores, number, estimates, consensus)
        change = float(np.abs(estimates.shrunk - proportions.prior).sum() / 2)
        weights = (
            combined.cluster_weight,
            combined.likelihood_weight * float(np.clip((change - _NOISE) / _NOISE, 0, 1)),
        )
        if sum(weights) > _MIN_WEIGHT:
            prior = weights[0] * estimates.priors["clusters"] + weights[1] * estimates.shrunk
            found[number] = OutsideEstimate(prior / prior.sum(), float(sum(weights)))
    return found
