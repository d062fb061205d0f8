"""KLIEP, the density ratio of Sugiyama et al. (2008), without estimating a density.

The ratio is ``r(x) = sum_l a_l k_l(x)`` with Gaussian kernels ``k_l`` at documents of the target.

``max_a  mean_{x in T} log r(x)   subject to   mean_{x in S} r(x) = 1,  a >= 0``

With ``b_l = a_l mean_S k_l`` the constraint reads ``sum_l b_l = 1``, and what is maximised is the
likelihood of the shares ``b`` of a mixture with components ``k_l / mean_S k_l``. So the steps of
expectation-maximisation lead to the maximum, and no step has a length to be chosen (the paper's
steps follow the gradient and are pushed back into the constraint). The objective is concave:
``log max_l g_l``, with ``g_l`` the factor that a step multiplies ``b_l`` with, bounds what is
missing from the maximum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from isthmus.matrices.threads import one_thread
from isthmus.solvers.reweighting.covariate_shift import (
    evenly,
    folds_by_place,
    squared_distances,
    widths_to_try,
)

__all__ = ["Kliep", "Mixture", "kliep_ratio", "likeliest_shares"]

# Kernels as in the paper; and target documents that take part in the maximisation.
_MOST_KERNELS = 100
_MOST_DOCUMENTS = 1000
_FOLDS = 5
# The width is chosen by maxima found less exactly than the last one.
_GAP, _ROUGH_GAP = 1e-3, 1e-2
_STEPS, _ROUGH_STEPS = 1000, 50


@dataclass(frozen=True)
class Mixture:
    """Shares of mixture components."""

    shares: NDArray[np.float64]
    objective: float
    """Mean log likelihood."""
    gap: float
    """What is missing from the largest, at most."""
    history: NDArray[np.float64]


@dataclass(frozen=True)
class Kliep:
    """The ratio at every source document."""

    log_ratios: NDArray[np.float64]
    width: float
    shares: NDArray[np.float64]
    """``b``: what share of the target every kernel accounts for."""


def likeliest_shares(log_parts: NDArray[np.float64], gap: float, max_steps: int) -> Mixture:
    """The mixture of given components (columns; logarithms) under which rows are likeliest."""
    largest = log_parts.max(axis=1, keepdims=True)
    parts = np.exp(log_parts - largest)
    n_rows, n_parts = parts.shape
    shares = np.full(n_parts, 1 / n_parts)
    history = []
    with one_thread():
        for step in range(max_steps + 1):
            likelihoods = parts @ shares
            history.append(float(np.log(likelihoods).mean() + largest.mean()))
            factors = parts.T @ (1 / likelihoods) / n_rows
            missing = float(np.log(factors.max()))
            if missing <= gap or step == max_steps:
                break
            shares = shares * factors
            shares /= shares.sum()  # rounding; it is 1 already
    return Mixture(shares, history[-1], missing, np.array(history))


def kliep_ratio(
    source: NDArray[np.float64],
    target: NDArray[np.float64],
    target_places: NDArray[np.float64],
    width: float | None = None,
) -> Kliep:
    """The ratio at the source's documents.

    The width is that under which held-out target documents have the largest mean log ratio.
    Kernels stand at target documents that are even in the order of their places.
    """
    some = evenly(target_places, _MOST_DOCUMENTS)
    documents, places = target[some], target_places[some]
    kernels = documents[evenly(places, _MOST_KERNELS)]
    near = squared_distances(documents, kernels)
    far = squared_distances(source, kernels)
    if width is None:
        widths = widths_to_try(source, documents)
        folds = folds_by_place(places, _FOLDS)
        likelihoods = [_held_out_likelihood(near, far, each, folds) for each in widths]
        width = float(widths[int(np.argmax(likelihoods))])
    levels = _log_levels(far, width)
    shares = likeliest_shares(-near / (2 * width**2) - levels, _GAP, _STEPS).shares
    log_ratios = _log_ratios(far, width, levels, shares)
    return Kliep(log_ratios, width, shares)


def _log_levels(far: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """``log mean_S k_l``."""
    return np.asarray(logsumexp(-far / (2 * width**2), axis=0) - np.log(len(far)))


def _log_ratios(
    squares: NDArray[np.float64],
    width: float,
    levels: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):  # a kernel without a share
        logs = np.log(shares)
    return np.asarray(logsumexp(-squares / (2 * width**2) - levels + logs, axis=1))


def _held_out_likelihood(
    near: NDArray[np.float64],
    far: NDArray[np.float64],
    width: float,
    folds: NDArray[np.intp],
) -> float:
    levels = _log_levels(far, width)
    log_parts = -near / (2 * width**2) - levels
    total = 0.0
    for fold in np.unique(folds):
        held_out = folds == fold
        learnt = log_parts if held_out.all() else log_parts[~held_out]
        shares = likeliest_shares(learnt, _ROUGH_GAP, _ROUGH_STEPS).shares
        total += float(_log_ratios(near[held_out], width, levels, shares).sum())
    return total / len(near)
