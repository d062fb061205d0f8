"""Targets whose class shares are known: first guesses that have them, documents that make up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.numerics.prior_shift import recentred

#: Class shares by the number of a target.
Shares = Mapping[int, NDArray[np.float64]]

# A share of nothing would weigh what it has without end.
_LEAST_SHARE = 0.01


def match_class_prior(
    problem: Problem, memberships: Sequence[NDArray[Any]], shares: Shares
) -> list[NDArray[Any]]:
    """Memberships whose mean over the unlabelled rows of a target is its class shares.

    Rows are scaled to sum 1; rows of zeros stay zeros.
    """
    held = []
    for domain, given in zip(problem.domains, memberships, strict=True):
        totals = given.sum(axis=1, keepdims=True)
        found = np.divide(given, totals, out=np.zeros_like(given), where=totals > 0)
        if domain.is_target:
            free = ~domain.labelled
            found[free] = recentred(found[free], shares[domain.number])
        held.append(found)
    return held


def row_weights(
    problem: Problem, memberships: Sequence[NDArray[Any]], shares: Shares
) -> list[NDArray[Any] | None]:
    """Weights under which all classes of a target weigh the same; None for a source.

    A squared error is ruled by the frequent class: two groups describe it better than one group
    for it and one for the rare class. With equal weights they do not.
    """
    weights: list[NDArray[Any] | None] = []
    for domain, found in zip(problem.domains, memberships, strict=True):
        if not domain.is_target:
            weights.append(None)
            continue
        totals = np.maximum(found.sum(axis=1, keepdims=True), np.finfo(found.dtype).tiny)
        rarity = 1 / np.maximum(shares[domain.number], _LEAST_SHARE)
        heavy = (found / totals) @ rarity
        heavy[domain.labelled] = rarity[domain.labels[domain.labelled]]
        mean = float(heavy.mean()) if len(heavy) else 1.0
        weights.append((heavy / mean if mean > 0 else np.ones_like(heavy)).astype(found.dtype))
    return weights
