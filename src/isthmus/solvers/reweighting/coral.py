"""CORAL, the correlation alignment of Sun, Feng and Saenko (2016).

``A = (C_s + e I)^-1/2 (C_t + e I)^1/2``

maps rows with covariance ``C_s`` to rows with the covariance of the target. It solves
``min_A ||A' C_s A - C_t||^2`` up to the regularization ``e``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.threads import one_thread


@dataclass(frozen=True)
class CorrelationAlignment:
    """Affine maps of the coordinates of every domain to the moments of the target."""

    means: tuple[NDArray[np.float64], ...]
    """The vector that is subtracted in every domain."""
    maps: tuple[NDArray[np.float64], ...]
    """The matrix that is then applied: ``A`` for a source, the identity for a target."""


def moments(
    rows: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of the rows, and their scatter matrix around it."""
    mean = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    with one_thread():
        centered = rows - mean
        return mean, centered.T @ centered


def matrix_power(matrix: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """A power of a symmetric matrix with positive eigenvalues."""
    with one_thread():
        values, vectors = eigh((matrix + matrix.T) / 2)
        return np.asarray((vectors * np.maximum(values, np.finfo(float).tiny) ** power) @ vectors.T)


def align(
    domains: Sequence[NDArray[np.float64]], targets: Sequence[bool], ridge: float
) -> CorrelationAlignment:
    """Align every source separately with all targets.

    The covariance of the target is pooled over the targets, each around its own mean. ``e`` is
    ``ridge`` times the mean variance of a coordinate over all domains. Without a target, or for a
    domain with a single document, the covariance pooled over all domains is used.
    """
    domain_moments = [moments(rows) for rows in domains]
    sizes = [len(rows) for rows in domains]
    n_coordinates = domains[0].shape[1]
    pooled = sum(scatter for _, scatter in domain_moments) / max(sum(sizes), 1)
    e = ridge * float(np.trace(pooled)) / n_coordinates
    if e <= 0:
        e = 1.0  # all documents equal the mean of their domain, so any value works
    n_target = sum(size for size, target in zip(sizes, targets, strict=True) if target)
    target_covariance = pooled
    if n_target > 1:
        pairs = zip(domain_moments, targets, strict=True)
        target_covariance = sum(scatter for (_, scatter), target in pairs if target) / n_target
    identity = np.eye(n_coordinates)
    coloring = matrix_power(target_covariance + e * identity, 0.5)
    maps = []
    for (_, scatter), size, target in zip(domain_moments, sizes, targets, strict=True):
        covariance = scatter / size if size > 1 else pooled
        with one_thread():
            alignment = matrix_power(covariance + e * identity, -0.5) @ coloring
        maps.append(identity if target else alignment)
    return CorrelationAlignment(tuple(mean for mean, _ in domain_moments), tuple(maps))
