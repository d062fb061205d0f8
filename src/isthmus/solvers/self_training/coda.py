"""Two views of the words, learnt together, that can teach each other.

Two linear classifiers ``u`` and ``v`` (a row a term) minimise, with ``L`` the log-loss on the
labelled documents,

``L(u) + L(v) + sum_j r_j (|u_j|^2 + |v_j|^2) / 2 + rho sum_j |u_j|^2 |v_j|^2``

with a penalty ``r_j`` for every term. The last sum is zero where no term serves both, which splits
the terms into two views. For a ``v`` that stays it is a penalty ``2 rho |v_j|^2`` on the squares of
``u``, and the other way round, so that every step is a logistic regression with a penalty for every
term: a convex problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_blas_thread

__all__ = [
    "Rule",
    "class_codes",
    "learn_views",
    "logistic_rule",
    "penalised_loss",
    "split_terms",
]

# L-BFGS ends when a step lowers the loss by less than this share of it.
_ENOUGH = 1e-7
_MOST_STEPS = 100


@dataclass(frozen=True)
class Rule:
    """A linear classifier by ``softmax((X weights + intercept) codes)``."""

    weights: NDArray[np.float64]
    """A row a term, a column a code."""
    intercept: NDArray[np.float64]
    loss: float = np.nan
    """The least value of the objective, penalties and all."""

    def scores(self, documents: Documents) -> NDArray[np.float64]:
        """One number a document and class."""
        codes = class_codes(max(2, self.weights.shape[1]))
        return _codes_of(documents, self.weights, self.intercept) @ codes


def class_codes(n_classes: int) -> NDArray[np.float64]:
    """What a column of weights says of every class.

    One column for two classes, half for the one and half against the other, which is logistic
    regression; a column a class for more.
    """
    return np.array([[-0.5, 0.5]]) if n_classes == 2 else np.eye(n_classes)


def penalised_loss(
    documents: Documents, labels: NDArray[np.intp], n_classes: int, point: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """``sum_i log-loss(i) + 1/2 sum_j |w_j|^2`` and its slope.

    ``point`` has the weights, a term after the other, and then the intercepts, which are free.
    """
    codes = class_codes(n_classes)
    n_codes = len(codes)
    weights, intercept = point[:-n_codes].reshape(-1, n_codes), point[-n_codes:]
    scores = _codes_of(documents, weights, intercept) @ codes
    loss = float((logsumexp(scores, axis=1) - scores[np.arange(len(labels)), labels]).sum())
    slope = (softmax(scores, axis=1) - np.eye(n_classes)[labels]) @ codes.T
    narrow = np.ascontiguousarray(slope, documents.dtype)
    steps = np.asarray(documents.transposed_times(narrow), np.float64) + weights
    value = loss + 0.5 * float((weights**2).sum())
    return value, np.concatenate([steps.ravel(), slope.sum(axis=0)])


def logistic_rule(
    documents: Documents,
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    start: Rule | None = None,
) -> Rule:
    """The rule with the least ``sum_i log-loss(i) + 1/2 sum_j penalties_j |w_j|^2``.

    A term with an infinite penalty has no weight; the intercept is free. The search is for
    ``w_j penalties_j^1/2``, for which all terms are penalised alike, so that it takes few steps.
    """
    shape = (len(penalties), len(class_codes(n_classes)))
    scale = (1 / np.sqrt(penalties))[:, None]
    scaled = documents.scaled(columns=scale[:, 0])
    first = np.zeros((shape[0] + 1) * shape[1])
    if start is not None:
        known = np.divide(start.weights, scale, out=np.zeros(shape), where=scale > 0)
        first = np.concatenate([known.ravel(), start.intercept])
    with one_blas_thread():
        found = minimize(
            lambda point: penalised_loss(scaled, labels, n_classes, point),
            first,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MOST_STEPS, "ftol": _ENOUGH, "gtol": 1e-7},
        )
    weights, intercept = found.x[: -shape[1]].reshape(shape), found.x[-shape[1] :]
    return Rule(weights * scale, intercept, float(found.fun))


def split_terms(
    documents: Documents,
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    sides: NDArray[np.intp],
    rho: float,
    turns: int,
) -> NDArray[np.intp]:
    """The view, 0 or 1, that every term goes to: the one in which it weighs more.

    ``sides`` is where the terms are at first; a term that has no weight in either view stays there.
    """
    squares = [(sides == side).astype(np.float64) for side in (0, 1)]
    rules: list[Rule | None] = [None, None]
    for _ in range(turns):
        for view in (0, 1):
            held_off = penalties + 2 * rho * squares[1 - view]
            rule = logistic_rule(documents, labels, n_classes, held_off, rules[view])
            rules[view], squares[view] = rule, (rule.weights**2).sum(axis=1)
    undecided = squares[0] == squares[1]
    return np.where(undecided, sides, squares[1] > squares[0]).astype(np.intp)


def learn_views(
    documents: Documents,
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    views: NDArray[np.intp],
    starts: Sequence[Rule] | None = None,
) -> tuple[Rule, Rule]:
    """The rule of every view, which reads its own terms alone."""
    first, second = (
        logistic_rule(
            documents,
            labels,
            n_classes,
            np.where(views == view, penalties, np.inf),
            None if starts is None else starts[view],
        )
        for view in (0, 1)
    )
    return first, second


def _codes_of(
    documents: Documents, weights: NDArray[np.float64], intercept: NDArray[np.float64]
) -> NDArray[np.float64]:
    narrow = np.ascontiguousarray(weights, documents.dtype)
    return np.asarray(documents.times(narrow), np.float64) + intercept
