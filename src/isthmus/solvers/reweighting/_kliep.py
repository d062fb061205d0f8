"""KLIEP, the direct density ratio estimate of Sugiyama et al. (2008).

The ratio is ``r(x) = sum_l a_l k_l(x)`` with Gaussian kernels ``k_l`` at target documents.

``max_a  mean_{x in T} log r(x)   subject to   mean_{x in S} r(x) = 1,  a >= 0``

With ``b_l = a_l mean_S k_l`` the constraint is ``sum_l b_l = 1``, and the objective is the
likelihood of the weights ``b`` of a mixture with components ``k_l / mean_S k_l``.
Expectation-maximization therefore reaches the maximum without a step size (the paper uses projected
gradient steps). The objective is concave, and ``log max_l g_l``, where ``g_l`` is the factor by
which a step multiplies ``b_l``, is an upper bound of the distance to the maximum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from isthmus.matrices.threads import one_thread
from isthmus.solvers.reweighting.covariate_shift import (
    candidate_widths,
    evenly_spaced,
    folds_by_projection,
    squared_distances,
)

# Number of kernels as in the paper, and of target documents in the maximization.
_MAX_KERNELS = 100
_MAX_DOCUMENTS = 1000
_FOLDS = 5
# Tolerances and step limits of the final fit, and of the fits that select the width.
_GAP, _SELECTION_GAP = 1e-3, 1e-2
_STEPS, _SELECTION_STEPS = 1000, 50


@dataclass(frozen=True)
class Mixture:
    """Weights of mixture components."""

    weights: NDArray[np.float64]
    objective: float
    """Mean log likelihood."""
    gap: float
    """Upper bound of the distance to the maximum."""
    history: NDArray[np.float64]


@dataclass(frozen=True)
class Kliep:
    """The density ratio at every source document."""

    log_ratios: NDArray[np.float64]
    width: float
    weights: NDArray[np.float64]
    """``b``: the weights of the kernels, which sum to 1."""


def fit_mixture_weights(log_components: NDArray[np.float64], gap: float, max_steps: int) -> Mixture:
    """Maximum likelihood weights of given components (log densities, one column each)."""
    largest = log_components.max(axis=1, keepdims=True)
    components = np.exp(log_components - largest)
    n_rows, n_components = components.shape
    weights = np.full(n_components, 1 / n_components)
    history = []
    with one_thread():
        for step in range(max_steps + 1):
            likelihoods = components @ weights
            history.append(float(np.log(likelihoods).mean() + largest.mean()))
            factors = components.T @ (1 / likelihoods) / n_rows
            bound = float(np.log(factors.max()))
            if bound <= gap or step == max_steps:
                break
            weights = weights * factors
            weights /= weights.sum()  # removes rounding errors
    return Mixture(weights, history[-1], bound, np.array(history))


def kliep_ratio(
    source: NDArray[np.float64],
    target: NDArray[np.float64],
    target_projections: NDArray[np.float64],
    width: float | None = None,
) -> Kliep:
    """The density ratio at the source documents.

    By default the width maximizes the mean log ratio of target documents in cross-validation.
    Kernels are placed at target documents that are evenly spaced in the order of their projections.
    """
    subset = evenly_spaced(target_projections, _MAX_DOCUMENTS)
    documents, projections = target[subset], target_projections[subset]
    kernels = documents[evenly_spaced(projections, _MAX_KERNELS)]
    target_squares = squared_distances(documents, kernels)
    source_squares = squared_distances(source, kernels)
    if width is None:
        widths = candidate_widths(source, documents)
        folds = folds_by_projection(projections, _FOLDS)
        likelihoods = [
            _cross_validated(target_squares, source_squares, candidate, folds)
            for candidate in widths
        ]
        width = float(widths[int(np.argmax(likelihoods))])
    log_means = _log_kernel_means(source_squares, width)
    log_components = -target_squares / (2 * width**2) - log_means
    weights = fit_mixture_weights(log_components, _GAP, _STEPS).weights
    log_ratios = _log_ratios(source_squares, width, log_means, weights)
    return Kliep(log_ratios, width, weights)


def _log_kernel_means(squares: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """``log mean_S k_l``."""
    return np.asarray(logsumexp(-squares / (2 * width**2), axis=0) - np.log(len(squares)))


def _log_ratios(
    squares: NDArray[np.float64],
    width: float,
    log_means: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):  # weights may be 0
        logs = np.log(weights)
    return np.asarray(logsumexp(-squares / (2 * width**2) - log_means + logs, axis=1))


def _cross_validated(
    target_squares: NDArray[np.float64],
    source_squares: NDArray[np.float64],
    width: float,
    folds: NDArray[np.intp],
) -> float:
    """Mean log ratio of target documents in cross-validation."""
    log_means = _log_kernel_means(source_squares, width)
    log_components = -target_squares / (2 * width**2) - log_means
    total = 0.0
    for fold in np.unique(folds):
        test = folds == fold
        training = log_components if test.all() else log_components[~test]
        weights = fit_mixture_weights(training, _SELECTION_GAP, _SELECTION_STEPS).weights
        total += float(_log_ratios(target_squares[test], width, log_means, weights).sum())
    return total / len(target_squares)
