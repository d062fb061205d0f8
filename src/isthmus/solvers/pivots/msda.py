"""mSDA: terms reconstructed from documents with randomly removed words, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_blas_thread

#: Computes ``X_a' X_b`` for two lists of columns, in float64.
Products = Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]]


@dataclass(frozen=True)
class Layer:
    """``h = tanh(W x + b)``."""

    weights: NDArray[Any]
    """``W``, one row per output and one column per input."""
    offsets: NDArray[Any]
    """``b``, the weights of a constant input of 1."""


def denoise(
    inputs: NDArray[np.float64], outputs: NDArray[np.float64], noise: float, ridge: float
) -> NDArray[np.float64]:
    """The ``W`` with the least expected reconstruction error: ``W = P Q^-1``.

    It minimizes ``sum_i E ||y_i - W x~_i||^2``, where every input of ``x`` is set to 0 with
    probability ``noise``, except the last one, which is constant (Chen et al. 2012). With
    ``S = X'X`` and ``q = (1 - noise, ..., 1 - noise, 1)``,

    ``Q_ab = S_ab q_a q_b`` off the diagonal, ``Q_aa = S_aa q_a``, ``P_ob = (Y'X)_ob q_b``.

    Parameters
    ----------
    inputs : array of shape (n_inputs + 1, n_inputs + 1)
        ``S``, with the constant input last.
    outputs : array of shape (n_outputs, n_inputs + 1)
        ``Y'X``.
    noise : float
    ridge : float
        Added to the diagonal of ``Q`` except for the constant, as a proportion of its mean.
    """
    keep = np.full(len(inputs), 1 - noise)
    keep[-1] = 1.0
    Q = inputs * np.outer(keep, keep)
    diagonal = np.diag(inputs) * keep
    mean = float(diagonal[:-1].mean())
    diagonal[:-1] += ridge * mean if mean > 0 else 1.0
    np.fill_diagonal(Q, diagonal)
    with one_blas_thread():
        factor = cho_factor(Q, lower=True, overwrite_a=True, check_finite=False)
        W = cho_solve(factor, (outputs * keep).T, overwrite_b=True, check_finite=False).T
    return np.asarray(W)


def first_layer(
    products: Products,
    sums: NDArray[np.float64],
    n_rows: int,
    outputs: NDArray[np.intp],
    blocks: Sequence[NDArray[np.intp]],
    *,
    noise: float,
    ridge: float,
    dtype: Any,
) -> Layer:
    """A layer that reconstructs the output terms: the mean of reconstructions by each block.

    No matrix is larger than a block by a block or by the outputs. ``sums`` are the column sums of
    all terms. The columns of ``weights`` are the terms of all blocks, block by block.
    """
    weights = np.empty((len(outputs), sum(map(len, blocks))), dtype)
    offsets = np.zeros(len(outputs))
    start = 0
    for block in blocks:
        S = np.empty((len(block) + 1, len(block) + 1))
        S[:-1, :-1] = products(block, block)
        S[-1, :-1] = S[:-1, -1] = sums[block]
        S[-1, -1] = n_rows
        Y = np.column_stack([products(outputs, block), sums[outputs]])
        W = denoise(S, Y, noise, ridge) / len(blocks)
        weights[:, start : start + len(block)] = W[:, :-1]
        offsets += W[:, -1]
        start += len(block)
    return Layer(weights, offsets.astype(dtype))


def next_layer(hidden: Iterable[NDArray[Any]], *, noise: float, ridge: float) -> Layer:
    """A layer that reconstructs the outputs of the previous layer, given in blocks of rows."""
    S: Any = 0.0
    for block in hidden:
        dtype = block.dtype
        ones = np.ones((len(block), 1), dtype)
        with_constant = np.hstack([block, ones])
        with one_blas_thread():
            S = S + (with_constant.T @ with_constant).astype(np.float64)
    W = denoise(S, S[:-1], noise, ridge)
    return Layer(W[:, :-1].astype(dtype), W[:, -1].astype(dtype))


def hidden_features(documents: Documents, layers: Sequence[Layer]) -> list[NDArray[Any]]:
    """Outputs of every layer; the first layer must have a column for every term."""
    first, *others = layers
    hidden = [_activated(documents.times(np.ascontiguousarray(first.weights.T)), first)]
    for layer in others:
        with one_blas_thread():
            hidden.append(_activated(hidden[-1] @ layer.weights.T, layer))
    return hidden


def _activated(products: NDArray[Any], layer: Layer) -> NDArray[Any]:
    products += layer.offsets.astype(products.dtype)
    return np.tanh(products, out=products)


def word_features(layers: Sequence[Layer]) -> list[NDArray[Any]]:
    """Derivatives of the features with respect to the words, at an empty document.

    One array per layer, with one row per column of the first layer's weights.
    """
    slopes: list[NDArray[Any]] = []
    output: Any = None
    for layer in layers:
        with one_blas_thread():
            value = layer.offsets if output is None else layer.weights @ output + layer.offsets
            slope = layer.weights.T if output is None else slopes[-1] @ layer.weights.T
        output = np.tanh(value)
        slopes.append(slope * (1 - output**2))
    return slopes
