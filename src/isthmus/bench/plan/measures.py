"""Measures: what a result says of a fitted estimator beside the labels it gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from isthmus.bench.documents.problems import Problem
from isthmus.bench.plan.domain_distance import domain_distance
from isthmus.bench.plan.word_overlap import word_overlap

__all__ = ["MEASURES", "Measure", "convergence"]

Measure = Callable[[Any, Problem, sparse.csr_matrix | np.ndarray, np.ndarray], dict[str, Any]]
"""(fitted estimator, problem, its weighted documents, rows to score) -> fields of a result."""

# Steps that look even where the axis of the iterations is one of factors.
_STEPS = {int(step * 10**power) for power in range(7) for step in (1, 1.5, 2, 3, 5, 7)}


def convergence(
    estimator: Any, problem: Problem, X: sparse.csr_matrix | np.ndarray, rows: np.ndarray
) -> dict[str, Any]:
    """The objective at some iterations: few at first, then ever farther apart, and the last.

    Labels at an iteration are what a fit with so many iterations gives: sweep ``max_iter``.
    """
    objective = getattr(estimator, "objective_", None)
    if objective is None:
        raise ValueError(
            f"{type(estimator).__name__} keeps no objective, so it has no measure 'convergence': "
            "leave it out."
        )
    last = len(objective) - 1
    steps = {0, last} | {step for step in _STEPS if step < last}
    return {"objective": [[step, float(f"{objective[step]:.9g}")] for step in sorted(steps)]}


MEASURES: dict[str, Measure] = {
    "convergence": convergence,
    "proxy A-distance": domain_distance,
    "word overlap": word_overlap,
}
"""By the name that entries use in their field ``measures``."""
