"""CORAL, the correlation alignment of Sun, Feng and Saenko (2016), in a few dimensions.

``A = (C_s + e I)^-1/2 (C_t + e I)^1/2``

makes rows with the covariance ``C_s`` into rows with that of the target: it solves
``min_A ||A' C_s A - C_t||^2`` up to the regularisation ``e``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.threads import one_thread

__all__ = ["Alignment", "align", "matrix_power", "moments"]


@dataclass(frozen=True)
class Alignment:
    """How coordinates of every domain become those of one that looks like the target."""

    means: tuple[NDArray[np.float64], ...]
    """What is taken from the coordinates of every domain."""
    maps: tuple[NDArray[np.float64], ...]
    """What they are multiplied with then: ``A`` for a source, the identity for a target."""


def moments(
    rows: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean, and the sum of squares around it (a k x k matrix)."""
    mean = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    with one_thread():
        centred = rows - mean
        return mean, centred.T @ centred


def matrix_power(matrix: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Of a symmetric matrix with positive eigenvalues."""
    with one_thread():
        values, vectors = eigh((matrix + matrix.T) / 2)
        return np.asarray((vectors * np.maximum(values, np.finfo(float).tiny) ** power) @ vectors.T)


def align(
    domains: Sequence[NDArray[np.float64]], targets: Sequence[bool], ridge: float
) -> Alignment:
    """Every source is aligned by itself with all targets together.

    The target's covariance is that within the targets, each around its own mean. ``e`` is ``ridge``
    times the mean variance of a coordinate over all domains. Without a target, or in a domain of a
    single document, there is nothing to align with: the covariance is that within all domains.
    """
    found = [moments(rows) for rows in domains]
    sizes = [len(rows) for rows in domains]
    n_coordinates = domains[0].shape[1]
    within = sum(squares for _, squares in found) / max(sum(sizes), 1)
    e = ridge * float(np.trace(within)) / n_coordinates
    if e <= 0:
        e = 1.0  # every document is like its domain's mean: anything will do
    n_target = sum(size for size, target in zip(sizes, targets, strict=True) if target)
    wanted = within
    if n_target > 1:
        pooled = [squares for (_, squares), target in zip(found, targets, strict=True) if target]
        wanted = sum(pooled) / n_target
    identity = np.eye(n_coordinates)
    coloured = matrix_power(wanted + e * identity, 0.5)
    maps = []
    for (_, squares), size, target in zip(found, sizes, targets, strict=True):
        own = squares / size if size > 1 else within
        with one_thread():
            whitened = matrix_power(own + e * identity, -0.5) @ coloured
        maps.append(identity if target else whitened)
    return Alignment(tuple(mean for mean, _ in found), tuple(maps))
