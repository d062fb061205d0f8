"""Memberships and document weights for a known class prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.numerics.class_probabilities import match_mean

#: Class prior by target number.
TargetPrior = Mapping[int, NDArray[np.float64]]

# Lower bound of the proportion of a class, which bounds its weight.
_MIN_PROPORTION = 0.01


def match_class_prior(
    problem: Problem, memberships: Sequence[NDArray[Any]], prior: TargetPrior
) -> list[NDArray[Any]]:
    """Memberships whose mean over the unlabeled rows of a target is its class prior.

    Rows are scaled to sum 1; rows of zeros stay zeros.
    """
    matched = []
    for domain, part in zip(problem.domains, memberships, strict=True):
        totals = part.sum(axis=1, keepdims=True)
        scaled = np.divide(part, totals, out=np.zeros_like(part), where=totals > 0)
        if domain.is_target:
            unlabeled = ~domain.labeled
            scaled[unlabeled] = match_mean(scaled[unlabeled], prior[domain.number])
        matched.append(scaled)
    return matched


def row_weights(
    problem: Problem, memberships: Sequence[NDArray[Any]], prior: TargetPrior
) -> list[NDArray[Any] | None]:
    """Weights of target documents that give all classes the same total weight; None for a source.

    The frequent class dominates a squared error: two groups for it reduce the error more than one
    group for it and one for the rare class. Equal weights prevent this.
    """
    weights: list[NDArray[Any] | None] = []
    for domain, part in zip(problem.domains, memberships, strict=True):
        if not domain.is_target:
            weights.append(None)
            continue
        totals = np.maximum(part.sum(axis=1, keepdims=True), np.finfo(part.dtype).tiny)
        class_weights = 1 / np.maximum(prior[domain.number], _MIN_PROPORTION)
        of_rows = (part / totals) @ class_weights
        of_rows[domain.labeled] = class_weights[domain.labels[domain.labeled]]
        mean = float(of_rows.mean()) if len(of_rows) else 1.0
        weights.append((of_rows / mean if mean > 0 else np.ones_like(of_rows)).astype(part.dtype))
    return weights
