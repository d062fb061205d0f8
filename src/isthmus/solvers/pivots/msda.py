"""mSDA: terms reconstructed from what random loss has left of a document, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_blas_thread

#: ``X_a' X_b`` of two lists of columns, in float64.
Products = Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]]


@dataclass(frozen=True)
class Layer:
    """``h = tanh(W x + b)``."""

    weights: NDArray[Any]
    """``W``, a row an output and a column an input."""
    offsets: NDArray[Any]
    """``b``, the weights of the input that is 1 in every document."""


def denoise(
    inputs: NDArray[np.float64], outputs: NDArray[np.float64], noise: float, ridge: float
) -> NDArray[np.float64]:
    """The ``W`` that reconstructs best, on average over all losses: ``W = P Q^-1``.

    It minimises ``sum_i E ||y_i - W x~_i||^2``, where ``x~`` has lost every input of ``x`` with
    probability ``noise``, but for the last, which is 1 and stays (Chen et al. 2012). With
    ``S = X'X`` and ``q = (1 - noise, ..., 1 - noise, 1)``,

    ``Q_ab = S_ab q_a q_b`` off the diagonal, ``Q_aa = S_aa q_a``, ``P_ob = (Y'X)_ob q_b``.

    Parameters
    ----------
    inputs : array of shape (n_inputs + 1, n_inputs + 1)
        ``S``, the constant last.
    outputs : array of shape (n_outputs, n_inputs + 1)
        ``Y'X``.
    noise : float
    ridge : float
        Added to the diagonal of ``Q``, the constant's left out, as a share of its mean.
    """
    kept = np.full(len(inputs), 1 - noise)
    kept[-1] = 1.0
    Q = inputs * np.outer(kept, kept)
    diagonal = np.diag(inputs) * kept
    level = float(diagonal[:-1].mean())
    diagonal[:-1] += ridge * level if level > 0 else 1.0
    np.fill_diagonal(Q, diagonal)
    with one_blas_thread():
        factor = cho_factor(Q, lower=True, overwrite_a=True, check_finite=False)
        solved = cho_solve(factor, (outputs * kept).T, overwrite_b=True, check_finite=False)
    return np.asarray(solved.T)


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
    """Reconstructs a few terms from every block of terms by itself, and takes the mean.

    So no matrix is larger than a block by a block or by the outputs. ``sums`` are those of all
    columns. The columns of ``weights`` are the terms of all blocks, one block after the other.
    """
    weights = np.empty((len(outputs), sum(map(len, blocks))), dtype)
    offsets = np.zeros(len(outputs))
    place = 0
    for block in blocks:
        S = np.empty((len(block) + 1, len(block) + 1))
        S[:-1, :-1] = products(block, block)
        S[-1, :-1] = S[:-1, -1] = sums[block]
        S[-1, -1] = n_rows
        Y = np.column_stack([products(outputs, block), sums[outputs]])
        W = denoise(S, Y, noise, ridge) / len(blocks)
        weights[:, place : place + len(block)] = W[:, :-1]
        offsets += W[:, -1]
        place += len(block)
    return Layer(weights, offsets.astype(dtype))


def next_layer(hidden: Iterable[NDArray[Any]], *, noise: float, ridge: float) -> Layer:
    """A layer that reconstructs the outputs of the one below, given in blocks of rows."""
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
    """What every layer makes of documents; the first one's ``weights`` has all terms."""
    first, *others = layers
    hidden = [_squashed(documents.times(np.ascontiguousarray(first.weights.T)), first)]
    for layer in others:
        with one_blas_thread():
            hidden.append(_squashed(hidden[-1] @ layer.weights.T, layer))
    return hidden


def _squashed(products: NDArray[Any], layer: Layer) -> NDArray[Any]:
    products += layer.offsets.astype(products.dtype)
    return np.tanh(products, out=products)


def word_features(layers: Sequence[Layer]) -> list[NDArray[Any]]:
    """What a little of a word adds to the features of every layer in an empty document.

    One array a layer, a row a column of the first one's weights.
    """
    rates: list[NDArray[Any]] = []
    level: Any = None
    for layer in layers:
        with one_blas_thread():
            value = layer.offsets if level is None else layer.weights @ level + layer.offsets
            rate = layer.weights.T if level is None else rates[-1] @ layer.weights.T
        level = np.tanh(value)
        rates.append(rate * (1 - level**2))
    return rates
