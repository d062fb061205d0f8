"""How much likelier a document is in one collection than in another, by kernel densities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from isthmus.matrices.threads import one_thread

__all__ = [
    "DensityRatio",
    "effective_size",
    "evenly",
    "folds_by_place",
    "kernel_density_ratio",
    "squared_distances",
    "tempered_weights",
    "widths_to_try",
]

# Rows whose distances are held at a time.
_BLOCK = 2048
# Kernels of a density: so many documents stand for all of them.
_MOST_KERNELS = 500
# Widths as parts of the root mean squared distance from the mean document.
_WIDTHS = 2.0 ** np.arange(-4, 1.5, 0.5)
# Places closer than this are those of one document, whatever order its terms were added in.
_DIGITS = 9


@dataclass(frozen=True)
class DensityRatio:
    """Of every source document, how target-like it is."""

    log_ratios: NDArray[np.float64]
    """``log p_t(x) / p_s(x)``."""
    width: float
    """Of the Gaussian kernels."""


def kernel_density_ratio(
    source: NDArray[np.float64],
    target: NDArray[np.float64],
    source_places: NDArray[np.float64],
    target_places: NDArray[np.float64],
) -> DensityRatio:
    """The ratio of two Gaussian kernel densities with one width, at the source's documents.

    The width makes the documents likeliest, each under the kernels of the others of its domain.
    One width for both keeps the ratio from being one of widths where no kernel is near. A source
    document is judged without its own kernel.
    """
    kernels = [evenly(places, _MOST_KERNELS) for places in (source_places, target_places)]
    parts = [source[kernels[0]], target[kernels[1]]]
    everyone = [np.round(places, _DIGITS) for places in (source_places, target_places)]
    places = [all_of[some] for all_of, some in zip(everyone, kernels, strict=True)]
    width = _likeliest_width(parts, places, widths_to_try(source, target))
    above = _log_density(parts[1], width, rows=source)
    own = everyone[0][:, None], places[0]
    below = _log_density(parts[0], width, rows=source, own=own)
    return DensityRatio(above - below, width)


def widths_to_try(source: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Widths from far below to above the spread of the documents."""
    everyone = np.vstack([source, target])
    spread = float(np.sqrt(((everyone - everyone.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return _WIDTHS * (spread if spread > 0 else 1.0)


def squared_distances(
    rows: NDArray[np.float64], centres: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Between every row and every centre."""
    with one_thread():
        products = rows @ centres.T
    squares = (rows**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * products
    return np.asarray(np.maximum(squares, 0.0))


def tempered_weights(log_ratios: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """``ratio ** power``, scaled to a mean of 1."""
    if len(log_ratios) == 0:
        return np.ones(0)
    weights = np.exp(power * (log_ratios - log_ratios.max()))
    return np.asarray(weights / weights.mean())


def effective_size(weights: NDArray[np.float64]) -> float:
    """How many documents of equal weight are as good: ``(sum w)^2 / sum w^2``."""
    return float(weights.sum() ** 2 / max((weights**2).sum(), np.finfo(float).tiny))


def evenly(places: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Rows at even distances in the order of their places: the order of the rows has no part."""
    order = np.argsort(np.round(places, _DIGITS), kind="stable")
    n_chosen = min(most, len(order))
    return order[(np.arange(n_chosen) * len(order)) // max(n_chosen, 1)]


def folds_by_place(places: NDArray[np.float64], n_folds: int) -> NDArray[np.intp]:
    """The fold of every row by the rank of its place; copies of a document are in one.

    Ranks are shuffled, always alike, so that rows at even distances are not all in one fold.
    """
    found, ranks = np.unique(np.round(places, _DIGITS), return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(len(found))
    return np.asarray(shuffled[ranks.ravel()] % n_folds, np.intp)


def _log_density(
    kernels: NDArray[np.float64],
    width: float,
    *,
    rows: NDArray[np.float64],
    own: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Up to the constant that all densities of this width have.

    ``own`` holds the places of the rows (a column) and of the kernels: a kernel at the place of a
    row, which is the document itself or a copy of it, is left out.
    """
    found = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        exponents = -squared_distances(rows[block], kernels) / (2 * width**2)
        if own is not None:
            mine = own[0][block] == own[1]
            mine &= ~mine.all(axis=1, keepdims=True)  # where there is no other it has to do
            exponents[mine] = -np.inf
        n_kernels = np.isfinite(exponents).sum(axis=1)
        found[block] = logsumexp(exponents, axis=1) - np.log(n_kernels)
    return found


def _likeliest_width(
    parts: list[NDArray[np.float64]],
    places: list[NDArray[np.float64]],
    widths: NDArray[np.float64],
) -> float:
    n_dimensions = parts[0].shape[1]
    likelihoods = np.zeros(len(widths))
    for number, width in enumerate(widths):
        for kernels, place in zip(parts, places, strict=True):
            density = _log_density(kernels, width, rows=kernels, own=(place[:, None], place))
            likelihoods[number] += density.sum() - len(kernels) * n_dimensions * np.log(width)
    return float(widths[likelihoods.argmax()])
