"""Two views of the terms: logistic regressions that share no term.

Two linear classifiers ``u`` and ``v`` (one row per term) minimise, with ``L`` the log-loss on the
labelled documents,

``L(u) + L(v) + sum_j r_j (|u_j|^2 + |v_j|^2) / 2 + rho sum_j |u_j|^2 |v_j|^2``

with a penalty ``r_j`` for every term. The last sum is zero if no term has weights in both, which
splits the terms into two views. With ``v`` fixed it is a penalty ``2 rho |v_j|^2`` on the squares
of ``u``, and vice versa, so every step is a logistic regression with one penalty per term, which is
convex.
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
    "View",
    "class_codes",
    "fit_view",
    "fit_views",
    "joint_weights",
    "penalised_loss",
    "split_terms",
]

# L-BFGS stops when a step lowers the loss by less than this proportion.
_LOSS_TOLERANCE = 1e-7
_MAX_STEPS = 100


@dataclass(frozen=True)
class View:
    """A linear classifier: ``softmax((X weights + intercept) codes)``."""

    weights: NDArray[np.float64]
    """One row per term, one column per class code."""
    intercept: NDArray[np.float64]
    loss: float = np.nan
    """Value of the objective, including the penalties."""

    def scores(self, documents: Documents) -> NDArray[np.float64]:
        """One row per document, one column per class."""
        codes = class_codes(max(2, self.weights.shape[1]))
        return _code_scores(documents, self.weights, self.intercept) @ codes


def class_codes(n_classes: int) -> NDArray[np.float64]:
    """Contribution of every column of weights (row) to every class (column).

    Two classes have one column of weights, as in logistic regression; more classes have one each.
    """
    return np.array([[-0.5, 0.5]]) if n_classes == 2 else np.eye(n_classes)


def penalised_loss(
    documents: Documents, labels: NDArray[np.intp], n_classes: int, point: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """``sum_i log-loss(i) + 1/2 sum_j |w_j|^2`` and its gradient.

    ``point`` holds the weights, term by term, followed by the intercepts, which have no penalty.
    """
    codes = class_codes(n_classes)
    n_codes = len(codes)
    weights, intercept = point[:-n_codes].reshape(-1, n_codes), point[-n_codes:]
    scores = _code_scores(documents, weights, intercept) @ codes
    loss = float((logsumexp(scores, axis=1) - scores[np.arange(len(labels)), labels]).sum())
    residuals = (softmax(scores, axis=1) - np.eye(n_classes)[labels]) @ codes.T
    narrow = np.ascontiguousarray(residuals, documents.dtype)
    gradient = np.asarray(documents.transposed_times(narrow), np.float64) + weights
    value = loss + 0.5 * float((weights**2).sum())
    return value, np.concatenate([gradient.ravel(), residuals.sum(axis=0)])


def fit_view(
    documents: Documents,
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    initial: View | None = None,
) -> View:
    """Minimise ``sum_i log-loss(i) + 1/2 sum_j penalties_j |w_j|^2``.

    Terms with an infinite penalty get no weight; the intercept has no penalty. The optimisation
    runs over ``w_j penalties_j^1/2``, for which all terms have the same penalty, so that few steps
    are needed.
    """
    shape = (len(penalties), len(class_codes(n_classes)))
    scale = (1 / np.sqrt(penalties))[:, None]
    scaled = documents.scaled(columns=scale[:, 0])
    point = np.zeros((shape[0] + 1) * shape[1])
    if initial is not None:
        weights = np.divide(initial.weights, scale, out=np.zeros(shape), where=scale > 0)
        point = np.concatenate([weights.ravel(), initial.intercept])
    with one_blas_thread():
        result = minimize(
            lambda x: penalised_loss(scaled, labels, n_classes, x),
            point,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MAX_STEPS, "ftol": _LOSS_TOLERANCE, "gtol": 1e-7},
        )
    weights, intercept = result.x[: -shape[1]].reshape(shape), result.x[-shape[1] :]
    return View(weights * scale, intercept, float(result.fun))


def split_terms(
    documents: Documents,
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    initial: NDArray[np.intp],
    rho: float,
    n_alternations: int,
) -> NDArray[np.intp]:
    """The view, 0 or 1, of every term: the one in which its weight is larger.

    ``initial`` is the initial view of every term. A term without a weight in either view keeps it.
    """
    squares = [(initial == number).astype(np.float64) for number in (0, 1)]
    views: list[View | None] = [None, None]
    for _ in range(n_alternations):
        for number in (0, 1):
            penalties_of_view = penalties + 2 * rho * squares[1 - number]
            view = fit_view(documents, labels, n_classes, penalties_of_view, views[number])
            views[number], squares[number] = view, (view.weights**2).sum(axis=1)
    undecided = squares[0] == squares[1]
    return np.where(undecided, initial, squares[1] > squares[0]).astype(np.intp)


def fit_views(
    documents: Documents,
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    view_of_term: NDArray[np.intp],
    initial_views: Sequence[View] | None = None,
) -> tuple[View, View]:
    """Both views, each fitted to its own terms only."""
    first, second = (
        fit_view(
            documents,
            labels,
            n_classes,
            np.where(view_of_term == number, penalties, np.inf),
            None if initial_views is None else initial_views[number],
        )
        for number in (0, 1)
    )
    return first, second


def joint_weights(
    views: Sequence[View], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights (one row per class) and intercepts of the sum of both views."""
    codes = class_codes(n_classes)
    first, second = views
    coef = codes.T @ (first.weights + second.weights).T
    return coef, (first.intercept + second.intercept) @ codes


def _code_scores(
    documents: Documents, weights: NDArray[np.float64], intercept: NDArray[np.float64]
) -> NDArray[np.float64]:
    narrow = np.ascontiguousarray(weights, documents.dtype)
    return np.asarray(documents.times(narrow), np.float64) + intercept
