"""Class shares of documents without labels, from the scores of a classifier taught elsewhere.

All functions take small arrays with a row a document and a column a class: log probabilities of
documents whose classes are known and which the classifier has not seen, and of those in question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, minimize
from scipy.special import log_softmax, softmax

__all__ = [
    "PSEUDO_COUNT",
    "Calibration",
    "black_box_shares",
    "calibrate",
    "class_means",
    "maximum_likelihood_shares",
    "score_mismatch",
]

#: So many documents with the old shares are added to those in question: it settles what a handful
#: of them leaves open and is nothing beside a thousand.
PSEUDO_COUNT = 10.0

# How firmly a calibration is held to the classifier as it is: in documents.
_CALIBRATION_PULL = 1.0
# Weight of the equation that makes shares add up to 1.
_FIRM = 1e4
# Scores are blurred by this share of their spread before they are compared: a classifier that was
# taught other folds scores copies of one document a little differently.
_BLUR = 0.2
# So many scores stand for more of them in a distribution.
_FEW = 2000


@dataclass(frozen=True)
class Calibration:
    """Log probabilities are multiplied by a number and a bias is added for every class."""

    slope: float
    biases: NDArray[np.float64]

    def __call__(self, scores: NDArray[Any]) -> NDArray[np.float64]:
        """Calibrated probabilities."""
        return np.asarray(softmax(self.slope * scores + self.biases, axis=1))


def calibrate(
    scores: NDArray[Any],
    labels: NDArray[np.intp],
    *,
    weights: NDArray[Any] | None = None,
    start: Calibration | None = None,
) -> Calibration:
    """Temperature scaling with a bias for every class.

    Minimises ``-sum_i w_i log softmax(a s_i + b)[y_i] + (log a)^2 + |b|^2``. The last two terms
    count as much as one document; they keep ``a`` finite where the classes are told apart without
    an error. The biases make the mean probability of every class its share, which
    :func:`maximum_likelihood_shares` relies on.

    References
    ----------
    A. M. Alexandari, A. Kundaje, A. Shrikumar. Maximum Likelihood with Bias-Corrected Calibration
    is Hard-To-Beat at Label Shift Adaptation. ICML 2020.
    """
    n_classes = scores.shape[1]
    weights = np.ones(len(scores)) if weights is None else weights
    known = np.eye(n_classes)[labels]
    scores = np.asarray(scores, np.float64)

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slope, biases = np.exp(parameters[0]), parameters[1:]
        logs = log_softmax(slope * scores + biases, axis=1)
        errors = weights[:, None] * (np.exp(logs) - known)
        value = -float(weights @ (logs * known).sum(axis=1))
        gradient = np.append(slope * (errors * scores).sum(), errors.sum(axis=0))
        value += _CALIBRATION_PULL * float(parameters @ parameters)
        return value, gradient + 2 * _CALIBRATION_PULL * parameters

    first = np.zeros(1 + n_classes)
    if start is not None:
        first = np.append(np.log(start.slope), start.biases)
    found = minimize(loss, first, jac=True, method="L-BFGS-B", options={"gtol": 1e-6}).x
    return Calibration(float(np.exp(found[0])), found[1:])


def class_means(
    values: NDArray[Any],
    labels: NDArray[np.intp],
    n_classes: int,
    weights: NDArray[Any] | None = None,
) -> NDArray[np.float64]:
    """The mean row of every class; that of all documents where a class has none."""
    weights = np.ones(len(values)) if weights is None else weights
    known = np.eye(n_classes)[labels] * weights[:, None]
    sizes = known.sum(axis=0)
    overall = weights @ values / weights.sum()
    means = known.T @ values / np.maximum(sizes, 1e-12)[:, None]
    return np.where(sizes[:, None] > 0, means, overall)


def black_box_shares(
    means: NDArray[Any],
    target_mean: NDArray[Any],
    n_documents: float,
    prior: NDArray[Any],
    *,
    pseudo_count: float = PSEUDO_COUNT,
) -> NDArray[np.float64]:
    """The shares under which the classes' mean scores add up to the mean score in question.

    Minimises ``n |M' q - t|^2 + n_0 |q - q_0|^2`` over all shares ``q``, where row c of ``M`` holds
    the mean probabilities (or the rates of predictions) of documents of class c, ``t`` those of the
    documents in question, ``q_0`` the shares of the prior and ``n_0`` the pseudo-count.

    References
    ----------
    Z. C. Lipton, Y.-X. Wang, A. J. Smola. Detecting and Correcting for Label Shift with Black Box
    Predictors. ICML 2018.
    """
    means, prior = np.asarray(means, np.float64), np.asarray(prior, np.float64)
    pull = np.sqrt(pseudo_count / max(n_documents, 1e-12))
    left = np.vstack([means.T, pull * np.eye(len(prior)), np.full((1, len(prior)), _FIRM)])
    right = np.concatenate([target_mean, pull * prior, [_FIRM]])
    shares = _nonnegative_least_squares(left, right)
    return np.asarray(shares / shares.sum())


def maximum_likelihood_shares(
    probabilities: NDArray[Any],
    prior: NDArray[Any],
    *,
    weights: NDArray[Any] | None = None,
    start: NDArray[Any] | None = None,
    pseudo_count: float = PSEUDO_COUNT,
    max_iter: int = 2000,
    tol: float = 1e-9,
) -> NDArray[np.float64]:
    """The likeliest shares if every class looks as it did, by expectation-maximisation.

    ``q_c <- (sum_i p_ic q_c/q0_c / sum_d p_id q_d/q0_d + n_0 q0_c) / (n + n_0)`` until the shares
    move by less than ``tol``, where ``p`` are calibrated probabilities and ``q0`` the shares under
    which they are.

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker. Adjusting the Outputs of a Classifier to New a Priori
    Probabilities: A Simple Procedure. Neural Computation 14 (1), 2002.
    """
    prior = np.asarray(prior, np.float64)
    weights = np.ones(len(probabilities)) if weights is None else weights
    ratios = probabilities / prior
    total = weights.sum() + pseudo_count
    if total == 0:
        return prior
    shares = prior if start is None else start
    for _ in range(max_iter):
        evidence = weights / (ratios @ shares)
        moved = (shares * (evidence @ ratios) + pseudo_count * prior) / total
        change = np.abs(moved - shares).max()
        shares = moved
        if change < tol:
            break
    return np.asarray(shares / shares.sum())


def score_mismatch(source: NDArray[Any], labels: NDArray[np.intp], target: NDArray[Any]) -> float:
    """How far the scores in question are from every mixture of the known classes' scores.

    For each class the largest gap between two distribution functions: that of the target's scores
    of that class and the mixture of the classes' that comes nearest. The largest over the classes,
    less what documents drawn at random leave, ``sqrt(1/n + 1/n')``: 0 where some shares may explain
    the scores, towards 1 where none do.
    """
    gap = max(_gap(source[:, code], labels, target[:, code]) for code in range(source.shape[1]))
    chance = np.sqrt(1 / len(source) + 1 / len(target))
    return float(max(0.0, gap - chance))


def _gap(source: NDArray[Any], labels: NDArray[np.intp], target: NDArray[Any]) -> float:
    everyone = np.concatenate([source, target])
    places = np.quantile(everyone, np.linspace(0.005, 0.995, 100))
    width = max(_BLUR * float(everyone.std()), 1e-12)
    wanted = _distribution(target, places, width)
    classes = [source[labels == code] for code in np.unique(labels)]
    curves = np.stack([_distribution(values, places, width) for values in classes], axis=1)
    # The nearest in the sum of squares, which is quick, judged by its largest gap.
    left = np.vstack([curves, np.full((1, curves.shape[1]), _FIRM)])
    shares = _nonnegative_least_squares(left, np.append(wanted, _FIRM))
    return float(np.abs(curves @ shares - wanted).max())


def _distribution(values: NDArray[Any], places: NDArray[Any], width: float) -> NDArray[np.float64]:
    """Shares of the values below every place, a value being spread over a width."""
    few = np.quantile(values, (np.arange(_FEW) + 0.5) / _FEW) if len(values) > _FEW else values
    return np.clip((places[:, None] - few) / width + 0.5, 0.0, 1.0).mean(axis=1)


def _nonnegative_least_squares(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    # Not SciPy's nnls, which in version 1.13 squares the condition of its matrix.
    return np.asarray(lsq_linear(left, right, bounds=(0, np.inf), method="bvls", tol=1e-14).x)
