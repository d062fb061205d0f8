"""Two views of the terms: logistic regressions that share no term.

Two linear classifiers ``u`` and ``v`` (one row per term) minimize, with ``L`` the log-loss on the
labeled documents,

``L(u) + L(v) + sum_j r_j (|u_j|^2 + |v_j|^2) / 2 + rho sum_j |u_j|^2 |v_j|^2``

with a penalty ``r_j`` for every term. The last sum is zero if no term has weights in both, which
splits the terms into two views. With ``v`` fixed it is a penalty ``2 rho |v_j|^2`` on the squares
of ``u``, and vice versa, so every step is a logistic regression with one penalty per term, which is
convex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.class_probabilities import (
    largest,
    log_memberships,
    select_by_quota,
    shift_to_prior,
)

# L-BFGS stops when a step lowers the loss by less than this proportion.
_LOSS_TOLERANCE = 1e-7
_MAX_STEPS = 100
# Weights on unit-norm rows are about 1; this is small in comparison.
_SMALL_WEIGHT = 0.01
# A smaller proportion of a term's mean square is not a variance.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class View:
    """A linear classifier: ``softmax((X weights + intercept) codes)``."""

    weights: NDArray[np.float64]
    """One row per term, one column per class code."""
    intercept: NDArray[np.float64]
    loss: float = np.nan
    """Value of the objective, including the penalties."""


@dataclass(frozen=True)
class TermGroup:
    """Documents with some of the terms only, such as those of one view."""

    terms: NDArray[np.intp]
    """The terms in increasing order."""
    documents: Documents
    """One column for each of ``terms``."""


def class_codes(n_classes: int) -> NDArray[np.float64]:
    """Contribution of every column of weights (row) to every class (column).

    Two classes have one column of weights, as in logistic regression; more classes have one each.
    """
    return np.array([[-0.5, 0.5]]) if n_classes == 2 else np.eye(n_classes)


def penalized_loss(
    documents: Documents, labels: NDArray[np.intp], n_classes: int, point: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """``sum_i log-loss(i) + 1/2 sum_j |w_j|^2`` and its gradient.

    ``point`` holds the weights, term by term, followed by the intercepts, which have no penalty.
    """
    n_codes = len(class_codes(n_classes))
    weights, intercept = point[:-n_codes].reshape(-1, n_codes), point[-n_codes:]
    narrow = np.ascontiguousarray(weights, documents.dtype)
    scores = np.asarray(documents.times(narrow), np.float64) + intercept
    loss, residuals = _log_loss(scores, labels, n_classes)
    narrow = np.ascontiguousarray(residuals, documents.dtype)
    gradient = np.asarray(documents.transposed_times(narrow), np.float64) + weights
    value = loss + 0.5 * float((weights**2).sum())
    return value, np.concatenate([gradient.ravel(), residuals.sum(axis=0)])


def _log_loss(
    scores: NDArray[np.float64], labels: NDArray[np.intp], n_classes: int
) -> tuple[float, NDArray[np.float64]]:
    """The log-loss of scores by class code, and its gradient."""
    if n_classes == 2:  # a single exponential per document instead of a softmax
        smaller = np.exp(-np.abs(scores))
        losses = np.maximum(scores, 0) + np.log1p(smaller) - scores * labels[:, None]
        positive = np.where(scores >= 0, 1.0, smaller) / (1 + smaller)
        return float(losses.sum()), positive - labels[:, None]
    rows = np.arange(len(labels))
    scores = scores - scores.max(axis=1, keepdims=True)
    exponentials = np.exp(scores)
    totals = exponentials.sum(axis=1)
    residuals = exponentials / totals[:, None]
    residuals[rows, labels] -= 1
    return float((np.log(totals) - scores[rows, labels]).sum()), residuals


def fit_view(
    documents: Documents,
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    initial: View | None = None,
) -> View:
    """Minimize ``sum_i log-loss(i) + 1/2 sum_j penalties_j |w_j|^2``.

    Terms with an infinite penalty get no weight; the intercept has no penalty. The optimization
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
            lambda x: penalized_loss(scaled, labels, n_classes, x),
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
    groups: Sequence[TermGroup],
    labels: NDArray[np.intp],
    n_classes: int,
    penalties: NDArray[np.float64],
    initial_views: Sequence[View] | None = None,
) -> tuple[View, View]:
    """Both views, each fitted to the terms of its group only; other terms get no weight.

    ``penalties`` has one entry for every term of both groups.
    """
    views = []
    for number, group in enumerate(groups):
        initial = None
        if initial_views is not None:
            view = initial_views[number]
            initial = View(view.weights[group.terms], view.intercept)
        view = fit_view(group.documents, labels, n_classes, penalties[group.terms], initial)
        weights = np.zeros((len(penalties), view.weights.shape[1]))
        weights[group.terms] = view.weights
        views.append(View(weights, view.intercept, view.loss))
    first, second = views
    return first, second


def view_scores(
    documents: Documents, views: Sequence[View], n_classes: int
) -> list[NDArray[np.float64]]:
    """Scores by each view: one row per document, one column per class.

    The documents are read once for all views.
    """
    codes = class_codes(n_classes)
    weights = np.hstack([view.weights for view in views])
    products = np.asarray(documents.times(np.ascontiguousarray(weights, documents.dtype)))
    parts = np.split(products.astype(np.float64, copy=False), len(views), axis=1)
    return [(part + view.intercept) @ codes for part, view in zip(parts, views, strict=True)]


def joint_weights(
    views: Sequence[View], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights (one row per class) and intercepts of the sum of both views."""
    codes = class_codes(n_classes)
    first, second = views
    coef = codes.T @ (first.weights + second.weights).T
    return coef, (first.intercept + second.intercept) @ codes


def label_correlations(
    documents: Documents,
    square_sums: NDArray[np.float64],
    memberships: NDArray[Any],
    included: NDArray[np.bool_],
    n_classes: int,
) -> NDArray[np.float64]:
    """Correlations of every term (row) with the classes, one column per class code.

    Only the ``included`` documents count. ``square_sums`` has the sum of their squared entries for
    every term. Terms without variance get zeros.
    """
    codes = class_codes(n_classes).T
    n_rows = int(included.sum())
    weights = included[:, None].astype(np.float64)
    targets = weights * (np.asarray(memberships, np.float64) @ codes)
    targets -= weights * (targets.sum(axis=0) / n_rows)
    target_variance = float((targets**2).sum()) / n_rows
    # One pass over the documents gives the sums of the terms and their products with the classes.
    columns = np.ascontiguousarray(np.hstack([weights, targets]), documents.dtype)
    products = np.asarray(documents.transposed_times(columns), np.float64) / n_rows
    means, covariance = products[:, 0], products[:, 1:]
    mean_squares = square_sums / n_rows
    variance = mean_squares - means**2
    varies = variance > _ROUNDING * mean_squares
    scale = 1 / np.sqrt(
        np.where(varies, variance, 1.0) * (target_variance if target_variance > 0 else 1.0)
    )
    return np.asarray(covariance * (scale * varies)[:, None])


def disagreement(source: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much the class correlations of every term differ between two domains, from 0 to 1.

    0 if they are equal or both zero; 1 if one of them is zero or they have opposite signs.
    """
    sizes = np.linalg.norm(source, axis=1) + np.linalg.norm(target, axis=1)
    differences = np.linalg.norm(source - target, axis=1)
    return np.divide(differences, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def quadratic_penalties(
    norms: NDArray[np.float64], l1_penalties: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Penalties ``q`` such that ``1/2 sum_j q_j w_j^2`` bounds ``sum_j p_j |w_j|`` near ``norms``.

    ``|w| <= w^2 / (2 s) + s / 2``, with equality at ``w = s``. A lower bound of the norms lets
    weights of zero become nonzero again.
    """
    return np.asarray(l1_penalties / np.sqrt(norms**2 + _SMALL_WEIGHT**2))


@dataclass(frozen=True)
class ViewPrediction:
    """Labels of documents by one view."""

    labels: NDArray[np.intp]
    """Most probable classes; -1 for documents about which the view knows nothing."""
    margins: NDArray[np.float64]
    """Difference of the two largest log memberships."""
    confident: NDArray[np.bool_]


@dataclass(frozen=True)
class PseudoLabels:
    """Documents that are added to the training set, and their classes."""

    rows: NDArray[np.intp]
    labels: NDArray[np.intp]
    expansion: float
    """Expansion of the two views, see :func:`expansion`."""


def predict_view(
    memberships: NDArray[Any], class_prior: NDArray[np.float64] | None, confident_share: float
) -> ViewPrediction:
    """Labels of a view, matched to the class prior, and where the view is confident.

    It is confident about the given proportion of the documents of every class: those with the
    largest margins. A row of zeros means that the view knows nothing about a document.
    """
    known = memberships.any(axis=1)
    scores = log_memberships(memberships)
    if class_prior is not None:
        scores += shift_to_prior(memberships, class_prior)
    labels = np.where(known, scores.argmax(axis=1), -1)
    ordered = np.sort(scores, axis=1)
    margins = np.where(known, ordered[:, -1] - ordered[:, -2], 0.0)
    confident = np.zeros(len(labels), bool)
    for label in range(memberships.shape[1]):
        rows = np.flatnonzero(labels == label)
        count = max(1, round(confident_share * len(rows)))
        confident[largest(margins, rows, count)] = True
    return ViewPrediction(labels, margins, confident)


def expansion(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """The largest epsilon for which two views are epsilon-expanding (Balcan et al. 2004).

    The proportion of documents about which exactly one view is confident, divided by the smaller of
    the proportions about which both are and about which neither is; infinite if the latter is 0.
    0 if there is no document about which exactly one view is confident.
    """
    one = float(np.mean(first ^ second)) if len(first) else 0.0
    least = min(float(np.mean(first & second)), float(np.mean(~first & ~second))) if one else 1.0
    return one / least if least > 0 else np.inf


def co_training_labels(
    views: Sequence[NDArray[Any]],
    class_prior: NDArray[np.float64] | None,
    n_rows: int,
    confident_share: float,
    groups: NDArray[np.intp],
) -> PseudoLabels:
    """Documents about which exactly one of two views is confident, with the class of that view.

    The ``n_rows`` documents with the largest margins are returned, with at most the prior
    proportion of every class (without a prior, the proportion of the class among all such
    documents). Documents that tie with the last one are returned too. Documents of one group are
    copies of each other: they count as one, and all of them are returned.
    """
    _, representatives, group_of = np.unique(groups, return_index=True, return_inverse=True)
    first, second = (
        predict_view(view[representatives], class_prior, confident_share) for view in views
    )
    is_candidate = first.confident ^ second.confident
    labels = np.where(first.confident, first.labels, second.labels)
    margins = np.where(first.confident, first.margins, second.margins)
    if class_prior is None:  # or else the class with the largest margins could fill all places
        counts = np.bincount(labels[is_candidate], minlength=views[0].shape[1])
        class_prior = counts / max(1, counts.sum())
    chosen = np.full(len(representatives), -1)
    if is_candidate.any():
        best = select_by_quota(np.where(is_candidate, labels, -1), margins, class_prior, n_rows)
        chosen[best] = labels[best]
    label_of_row = chosen[group_of]
    rows = np.flatnonzero(label_of_row >= 0)
    return PseudoLabels(rows, label_of_row[rows], expansion(first.confident, second.confident))
