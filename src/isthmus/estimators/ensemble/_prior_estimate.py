"""What the automatic method knows about the class proportions of targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.combination import ConsensusEstimate
from isthmus.estimators.ensemble._combination import SOURCE_ONLY, Combination
from isthmus.estimators.ensemble._second_view import joined
from isthmus.estimators.ensemble._target import Target
from isthmus.matrices.threads import one_thread
from isthmus.solvers.ensemble.consensus import label_proportions
from isthmus.solvers.ensemble.proportions import estimate_proportions, kappa_curves, mean_kappa

__all__ = ["estimate_consensus"]

# Members whose mean memberships estimate the class proportions best.
_MEMBERS = ("cocc", "sfa")
# Values of kappa from which the most learnable proportions of two classes count a little and
# fully. Higher values than those for the labels: here, clusters and label shift cover the targets
# with very different proportions (benchmarks/studies/proportions.md).
_TWO_CLASSES = (0.85, 0.95)
# Standard error of every proportion, in addition to the spread of the estimates, and at most twice
# the proportion. The 80 % interval covered 75 % on development pairs.
_CONSTANT_ERROR = 0.06
_NORMAL_80 = 1.2816


def estimate_consensus(
    data: TrainingData, combination: Combination
) -> dict[int, ConsensusEstimate]:
    """Scores, class proportions and learnability of the open documents of every target.

    Targets without open documents are left out. Labeled documents of the target do not count as a
    sample here.
    """
    estimates = {}
    X = joined(data.X, None)
    for domain in data.problem.targets:
        if domain.number not in combination.labels:
            continue
        target = Target(domain, X, None, data.problem.class_prior())
        scores = combination.labels[domain.number].scores
        members = {
            member.name: member.memberships[target.rows]
            for member in combination.members
            if not member.left_out
        }
        chosen = [members[name] for name in _MEMBERS if name in members]
        means = [part.mean(axis=0, dtype=np.float64) for part in chosen or members.values()]
        sample = target._sample
        curves = None
        if sample is not None:
            with one_thread():
                curves = kappa_curves(scores[sample[0]], sample[1])
        n_sample = 0 if sample is None else len(sample[0])
        prior = estimate_proportions(means, curves, n_sample, two_classes=_TWO_CLASSES).prior
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
            learnability=_Learnability(target, scores.shape[1]),
        )
    return estimates


def _half_width(
    prior: NDArray[np.float64], estimates: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Half-width of the 80 % interval of every class."""
    spread = np.sqrt(np.mean((np.asarray(estimates) - prior) ** 2, axis=0))
    constant = np.minimum(_CONSTANT_ERROR, 2 * prior)
    return np.asarray(_NORMAL_80 * np.sqrt(constant**2 + spread**2))


class _Learnability:
    """Kappa of labels that one half of a target predicts for the other; NaN for few documents."""

    def __init__(self, target: Target, n_classes: int) -> None:
        self._sample = target._sample
        self._n_classes = n_classes

    def __call__(self, labels: NDArray[np.intp]) -> float:
        if self._sample is None:
            return float("nan")
        rows, halves = self._sample
        with one_thread():
            return mean_kappa(np.eye(self._n_classes)[labels[rows]], halves)
