"""Coordinates in a fitted spectrum: their extension to new documents, and ridge classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve

from isthmus.matrices.protocols import Array, Engine
from isthmus.matrices.threads import one_thread

# Denominators below this proportion of the degree come from eigenvalues that are noise.
_MIN_DENOMINATOR = 0.01


def extend(
    products: NDArray[Any],
    degrees: NDArray[Any],
    masses: NDArray[Any],
    eigenvalues: NDArray[Any],
) -> NDArray[np.float64]:
    """Coordinates of unlabeled documents from their row of the eigenvalue equation.

    In a row without a must-link, an eigenvector ``v`` of ``T v = mu D v`` satisfies
    ``t_i v_i - (W v)_i = mu d_i v_i``, so ``v_i = (W v)_i / (t_i - mu d_i)``. For a fitted document
    this gives its own coordinates. For a new document the sum runs over the fitted documents.

    Parameters
    ----------
    products : array of shape (n_rows, k)
        ``W @ v``, the similarities to the fitted documents times their coordinates.
    degrees : array of shape (n_rows,)
        ``t``, the diagonal of ``T`` without the similarity of a document to itself.
    masses : array of shape (n_rows,)
        ``d``, the diagonal of ``D``.
    eigenvalues : array of shape (k,)

    Returns
    -------
    array of shape (n_rows, k)
        Zeros for a document that is similar to no fitted one.
    """
    denominators = degrees[:, None] - np.outer(masses, eigenvalues)
    smallest = _MIN_DENOMINATOR * degrees[:, None]
    near_zero = np.abs(denominators) < smallest
    denominators = np.where(near_zero, np.copysign(smallest, denominators), denominators)
    known = degrees > 0
    coordinates = np.zeros(products.shape)
    coordinates[known] = products[known] / denominators[known]
    return coordinates


@dataclass(frozen=True)
class RidgeRule:
    """One row of weights and one intercept for every class of the training set."""

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    classes: NDArray[np.intp]

    def scores(self, coordinates: Array, engine: Engine) -> Array:
        """One column per class of the training set."""
        return engine.product(coordinates, self.coef.T) + engine.asarray(self.intercept)

    def labels(self, scores: Array, engine: Engine) -> Array:
        """The class number with the largest score."""
        return engine.asarray(self.classes)[scores.argmax(axis=1)]


def weighted_ridge(
    coordinates: Array,
    one_hot: Array,
    weights: Array,
    alpha: float,
    engine: Engine,
) -> RidgeRule:
    """Minimize ``sum_i w_i ||y_i - B' z_i - b||^2 + alpha ||B||^2``, where ``y`` is 1 or -1.

    ``coordinates`` and ``one_hot`` (a column per class) have one row per document, in float64.
    ``weights`` sum to 1; documents with weight 0 have no influence. Classes without a weight are
    left out. Two classes have opposite weights, half of those of the single column of scikit-learn.
    """
    weighted = weights[:, None] * coordinates
    gram = engine.gram(weighted, coordinates)
    cross, column = engine.gram(coordinates, weights[:, None] * one_hot), weights[:, None]
    mean = engine.gram(column, coordinates)[0]
    proportions = engine.gram(column, one_hot)[0]
    classes = np.flatnonzero(proportions > 0)
    with one_thread():
        coef, intercept = _solved(gram, mean, cross[:, classes], proportions[classes], alpha)
    half = 0.5 if len(classes) == 2 else 1.0
    return RidgeRule(half * coef, half * intercept, classes)


def _solved(
    gram: NDArray[Any],
    mean: NDArray[Any],
    cross: NDArray[Any],
    proportions: NDArray[Any],
    alpha: float,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weights and intercepts from the moments of the coordinates."""
    targets = 2 * proportions - 1
    scatter = gram - np.outer(mean, mean) + alpha * np.eye(len(gram))
    B = solve(scatter, 2 * (cross - np.outer(mean, proportions)), assume_a="pos")
    return B.T, targets - mean @ B
