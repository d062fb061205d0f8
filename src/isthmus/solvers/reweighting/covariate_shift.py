"""Ratios of kernel density estimates, and weights from density ratios."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from isthmus.matrices.threads import one_thread

# Rows per block of distances.
_BLOCK = 2048
# Maximum number of kernels of a density estimate.
_MAX_KERNELS = 500
# Candidate widths relative to the root mean squared distance from the mean document.
_WIDTHS = 2.0 ** np.arange(-4, 1.5, 0.5)
# Projections that agree to this number of digits belong to equal documents: the order of a sum
# changes the last digits.
_DIGITS = 9


@dataclass(frozen=True)
class DensityRatio:
    """The density ratio at every source document."""

    log_ratios: NDArray[np.float64]
    """``log p_t(x) / p_s(x)``."""
    width: float
    """Width of the Gaussian kernels."""


def kernel_density_ratio(
    source: NDArray[np.float64],
    target: NDArray[np.float64],
    source_projections: NDArray[np.float64],
    target_projections: NDArray[np.float64],
) -> DensityRatio:
    """The ratio of two Gaussian kernel density estimates with one width, at the source documents.

    The width maximizes the leave-one-out likelihood of the documents of both domains. With separate
    widths, the ratio far from all kernels would depend on the widths only. The kernel of a source
    document itself is left out.
    """
    both = (source_projections, target_projections)
    kernels = [evenly_spaced(projections, _MAX_KERNELS) for projections in both]
    centers = [source[kernels[0]], target[kernels[1]]]
    rounded = [np.round(projections, _DIGITS) for projections in both]
    of_kernels = [values[rows] for values, rows in zip(rounded, kernels, strict=True)]
    width = _best_width(centers, of_kernels, candidate_widths(source, target))
    target_density = _log_density(centers[1], width, rows=source)
    own = rounded[0][:, None], of_kernels[0]
    source_density = _log_density(centers[0], width, rows=source, own=own)
    return DensityRatio(target_density - source_density, width)


def candidate_widths(
    source: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Widths from far below to above the spread of the documents."""
    rows = np.vstack([source, target])
    spread = float(np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return _WIDTHS * (spread if spread > 0 else 1.0)


def squared_distances(
    rows: NDArray[np.float64], centers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Squared distances between every row and every center."""
    with one_thread():
        products = rows @ centers.T
    squares = (rows**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1) - 2 * products
    return np.asarray(np.maximum(squares, 0.0))


def tempered_weights(log_ratios: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """``ratio ** power``, scaled to a mean of 1."""
    if len(log_ratios) == 0:
        return np.ones(0)
    weights = np.exp(power * (log_ratios - log_ratios.max()))
    return np.asarray(weights / weights.mean())


def effective_size(weights: NDArray[np.float64]) -> float:
    """Effective sample size ``(sum w)^2 / sum w^2``."""
    return float(weights.sum() ** 2 / max((weights**2).sum(), np.finfo(float).tiny))


def evenly_spaced(projections: NDArray[np.float64], n_rows: int) -> NDArray[np.intp]:
    """At most ``n_rows`` rows, evenly spaced in the order of their projections.

    The selection does not depend on the order of the rows.
    """
    order = np.argsort(np.round(projections, _DIGITS), kind="stable")
    n_selected = min(n_rows, len(order))
    return order[(np.arange(n_selected) * len(order)) // max(n_selected, 1)]


def folds_by_projection(projections: NDArray[np.float64], n_folds: int) -> NDArray[np.intp]:
    """The fold of every row by the rank of its projection; duplicates are in the same fold.

    Ranks are permuted with a fixed seed, so that evenly spaced rows are not all in one fold.
    """
    values, ranks = np.unique(np.round(projections, _DIGITS), return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(len(values))
    return np.asarray(shuffled[ranks.ravel()] % n_folds, np.intp)


def _log_density(
    kernels: NDArray[np.float64],
    width: float,
    *,
    rows: NDArray[np.float64],
    own: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Log density of the rows, up to a constant of all densities with this width.

    ``own`` holds the projections of the rows (as a column) and of the kernels. A kernel with the
    projection of a row is the document itself or a duplicate, and is left out.
    """
    log_density = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        exponents = -squared_distances(rows[block], kernels) / (2 * width**2)
        if own is not None:
            is_own = own[0][block] == own[1]
            is_own &= ~is_own.all(axis=1, keepdims=True)  # kept if there is no other kernel
            exponents[is_own] = -np.inf
        n_kernels = np.isfinite(exponents).sum(axis=1)
        log_density[block] = logsumexp(exponents, axis=1) - np.log(n_kernels)
    return log_density


def _best_width(
    centers: list[NDArray[np.float64]],
    projections: list[NDArray[np.float64]],
    widths: NDArray[np.float64],
) -> float:
    """The width with the largest leave-one-out likelihood."""
    n_dimensions = centers[0].shape[1]
    likelihoods = np.zeros(len(widths))
    for number, width in enumerate(widths):
        for kernels, part in zip(centers, projections, strict=True):
            density = _log_density(kernels, width, rows=kernels, own=(part[:, None], part))
            likelihoods[number] += density.sum() - len(kernels) * n_dimensions * np.log(width)
    return float(widths[likelihoods.argmax()])
