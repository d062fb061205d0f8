"""The class prior of unlabeled documents, from the scores of a classifier of other documents.

All functions take arrays of log probabilities with one row per document and one column per class:
of labeled documents that the classifier was not trained on, and of target documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, minimize
from scipy.special import log_softmax, softmax

#: Number of documents with the source prior that are added to the target: they stabilise the
#: estimate for a handful of documents and are negligible for a thousand.
PSEUDO_COUNT = 10.0

# Strength of the regularization of a calibration towards the identity, in documents.
_CALIBRATION_PENALTY = 1.0
# Weight of the equation that makes the proportions sum to 1.
_SUM_WEIGHT = 1e4
# Distributions of scores are smoothed over this part of their standard deviation: classifiers of
# different folds give slightly different scores to the same document.
_SMOOTHING = 0.2
# Larger sets of scores are replaced by this number of quantiles.
_MAX_SCORES = 2000


@dataclass(frozen=True)
class Calibration:
    """Scale and one bias per class that turn log probabilities into calibrated probabilities."""

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
    """Temperature scaling with one bias per class.

    Minimizes ``-sum_i w_i log softmax(a s_i + b)[y_i] + (log a)^2 + |b|^2``. The last two terms
    keep ``a`` finite for separable classes. The biases make the mean probability of every class
    equal to its proportion, as :func:`maximum_likelihood_prior` assumes.

    References
    ----------
    A. M. Alexandari, A. Kundaje, A. Shrikumar. Maximum Likelihood with Bias-Corrected Calibration
    is Hard-To-Beat at Label Shift Adaptation. ICML 2020.
    """
    n_classes = scores.shape[1]
    weights = np.ones(len(scores)) if weights is None else weights
    one_hot = np.eye(n_classes)[labels]
    scores = np.asarray(scores, np.float64)

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slope, biases = np.exp(parameters[0]), parameters[1:]
        logs = log_softmax(slope * scores + biases, axis=1)
        errors = weights[:, None] * (np.exp(logs) - one_hot)
        value = -float(weights @ (logs * one_hot).sum(axis=1))
        gradient = np.append(slope * (errors * scores).sum(), errors.sum(axis=0))
        value += _CALIBRATION_PENALTY * float(parameters @ parameters)
        return value, gradient + 2 * _CALIBRATION_PENALTY * parameters

    initial = np.zeros(1 + n_classes)
    if start is not None:
        initial = np.append(np.log(start.slope), start.biases)
    solution = minimize(loss, initial, jac=True, method="L-BFGS-B", options={"gtol": 1e-6}).x
    return Calibration(float(np.exp(solution[0])), solution[1:])


def class_means(
    values: NDArray[Any],
    labels: NDArray[np.intp],
    n_classes: int,
    weights: NDArray[Any] | None = None,
) -> NDArray[np.float64]:
    """The mean row of every class; the mean of all rows for a class without documents."""
    weights = np.ones(len(values)) if weights is None else weights
    weighted = np.eye(n_classes)[labels] * weights[:, None]
    sizes = weighted.sum(axis=0)
    overall = weights @ values / weights.sum()
    means = weighted.T @ values / np.maximum(sizes, 1e-12)[:, None]
    return np.where(sizes[:, None] > 0, means, overall)


def black_box_prior(
    means: NDArray[Any],
    target_mean: NDArray[Any],
    n_documents: float,
    prior: NDArray[Any],
    *,
    pseudo_count: float = PSEUDO_COUNT,
) -> NDArray[np.float64]:
    """The class prior under which the mean scores of the classes explain the target mean.

    Minimizes ``n |M' q - t|^2 + n_0 |q - q_0|^2`` over all distributions ``q``, where row c of
    ``M`` holds the mean probabilities (or the rates of predictions) of documents of class c, ``t``
    those of the target, ``q_0`` is the source prior and ``n_0`` the pseudo-count.

    References
    ----------
    Z. C. Lipton, Y.-X. Wang, A. J. Smola. Detecting and Correcting for Label Shift with Black Box
    Predictors. ICML 2018.
    """
    means, prior = np.asarray(means, np.float64), np.asarray(prior, np.float64)
    penalty = np.sqrt(pseudo_count / max(n_documents, 1e-12))
    left = np.vstack([means.T, penalty * np.eye(len(prior)), np.full((1, len(prior)), _SUM_WEIGHT)])
    right = np.concatenate([target_mean, penalty * prior, [_SUM_WEIGHT]])
    solution = _nonnegative_least_squares(left, right)
    return np.asarray(solution / solution.sum())


def maximum_likelihood_prior(
    probabilities: NDArray[Any],
    prior: NDArray[Any],
    *,
    weights: NDArray[Any] | None = None,
    start: NDArray[Any] | None = None,
    pseudo_count: float = PSEUDO_COUNT,
    max_iter: int = 2000,
    tol: float = 1e-9,
) -> NDArray[np.float64]:
    """The maximum likelihood class prior if ``p(x | y)`` is unchanged, by EM.

    ``q_c <- (sum_i p_ic q_c/q0_c / sum_d p_id q_d/q0_d + n_0 q0_c) / (n + n_0)`` until the largest
    change is below ``tol``, where ``p`` are calibrated probabilities and ``q0`` is their prior.

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
    estimate = prior if start is None else start
    for _ in range(max_iter):
        evidence = weights / (ratios @ estimate)
        updated = (estimate * (evidence @ ratios) + pseudo_count * prior) / total
        change = np.abs(updated - estimate).max()
        estimate = updated
        if change < tol:
            break
    return np.asarray(estimate / estimate.sum())


def score_mismatch(
    source: NDArray[Any],
    labels: NDArray[np.intp],
    target: NDArray[Any],
    prior: NDArray[np.float64] | None = None,
) -> float:
    """Distance of the target scores from mixtures of the scores of the source classes.

    For the scores of each class, the largest difference between the distribution function of the
    target and that of a mixture of the source classes: with the proportions of ``prior``, or with
    the best ones for the scores of this class if it is None. Returns the maximum over the classes
    minus the expected sampling error ``sqrt(1/n + 1/n')``: 0 if the mixture explains the scores,
    and up to 1 if it does not.
    """
    gap = max(
        _gap(source[:, code], labels, target[:, code], prior) for code in range(source.shape[1])
    )
    sampling_error = np.sqrt(1 / len(source) + 1 / len(target))
    return float(max(0.0, gap - sampling_error))


def _gap(
    source: NDArray[Any],
    labels: NDArray[np.intp],
    target: NDArray[Any],
    prior: NDArray[np.float64] | None,
) -> float:
    scores = np.concatenate([source, target])
    points = np.quantile(scores, np.linspace(0.005, 0.995, 100))
    width = max(_SMOOTHING * float(scores.std()), 1e-12)
    target_curve = _distribution(target, points, width)
    classes = [source[labels == code] for code in np.unique(labels)]
    curves = np.stack([_distribution(values, points, width) for values in classes], axis=1)
    proportions = prior
    if proportions is None:
        # Least squares is fast; the largest difference of its solution is the result.
        left = np.vstack([curves, np.full((1, curves.shape[1]), _SUM_WEIGHT)])
        proportions = _nonnegative_least_squares(left, np.append(target_curve, _SUM_WEIGHT))
    return float(np.abs(curves @ proportions - target_curve).max())


def _distribution(values: NDArray[Any], points: NDArray[Any], width: float) -> NDArray[np.float64]:
    """Smoothed distribution function of the values at the points."""
    if len(values) > _MAX_SCORES:
        values = np.quantile(values, (np.arange(_MAX_SCORES) + 0.5) / _MAX_SCORES)
    return np.clip((points[:, None] - values) / width + 0.5, 0.0, 1.0).mean(axis=1)


def _nonnegative_least_squares(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    # nnls of SciPy 1.13 squares the condition number of the matrix.
    return np.asarray(lsq_linear(left, right, bounds=(0, np.inf), method="bvls", tol=1e-14).x)
