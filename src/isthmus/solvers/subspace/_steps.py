"""The update steps of LSSMTC and LSSTTC (Gu and Zhou, ICDM 2009).

``F`` holds the coordinates of the documents and ``P`` their memberships, one row per document.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from isthmus.matrices.protocols import Array, Engine

#: A small NumPy array.
Matrix = NDArray[Any]


# Up to this many coordinates a dense eigendecomposition is fast enough.
_DENSE_SIZE = 400


def quadratic(
    M_k: Matrix, W: Matrix, M: Matrix, within: float, shared: float
) -> tuple[Matrix, Matrix]:
    """``C`` and ``B`` (eq. 11) of a task: ``J = tr(P B P') - 2 tr(F C P') + constant``.

    ``within`` and ``shared`` weigh the two terms (``lambda`` and ``1 - lambda``).
    """
    return within * M_k + shared * W @ M, within * M_k.T @ M_k + shared * M.T @ M


def multiplicative_step(P: Array, A: Array, B: Matrix, engine: Engine) -> Array:
    """Eq. 14 with ``A = F C``: ``tr(P B P') - 2 tr(A P')`` never increases; zeros stay zeros."""
    xp = engine.xp
    numerator = xp.maximum(A, 0) + engine.product(P, np.maximum(-B, 0))
    denominator = xp.maximum(-A, 0) + engine.product(P, np.maximum(B, 0))
    moving = (P > 0) & (denominator > 0)
    # The quotient of the square roots does not overflow where the square root of a quotient would.
    growth = xp.sqrt(numerator) / xp.sqrt(xp.where(moving, denominator, 1))
    return xp.where(moving, P * growth, 0)


def binary_scores(A: Matrix, B: Matrix) -> Matrix:
    """Minus half the squared distance of every document to every centroid, up to a constant.

    For memberships with a single 1 (eq. 3, before it is relaxed), ``p B p' - 2 a p'`` is smallest
    where this is largest.
    """
    return np.asarray(A - np.diag(B) / 2)


def binary_step(A: Array, B: Matrix, nonempty: NDArray[np.bool_], engine: Engine) -> Array:
    """Memberships with a single 1 in the class with the largest of :func:`binary_scores`.

    Classes that are not ``nonempty`` get no document.
    """
    offsets = np.where(nonempty, np.diag(B.astype(A.dtype)) / 2, np.inf)
    nearest = (A - engine.asarray(offsets, A.dtype)).argmax(axis=1)
    return (nearest[:, None] == engine.xp.arange(A.shape[1])).astype(A.dtype)


def inverse_sqrt_matrix(gram: Matrix) -> Matrix:
    """``L`` with ``L L' = gram^-1``, or the pseudo-inverse of a singular ``gram``."""
    values, vectors = eigh(gram)
    kept = values > 1e-10 * max(float(values[-1]), np.finfo(float).tiny)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def discriminant_directions(
    products: Matrix,
    gram: Matrix,
    singular_values: Matrix,
    n_directions: int,
    ridge: float,
) -> Matrix:
    """At most ``n_directions`` discriminant directions ``W`` of the memberships.

    These are the leading eigenvectors of ``(F'F + ridge s_1^2)^-1 F'P (P'P)^-1 P'F``, made
    orthonormal. ``products`` is ``F'P`` and ``gram`` is ``P'P``. Directions in which the clusters
    do not differ are left out.
    """
    between = products @ inverse_sqrt_matrix(gram)
    if between.shape[1] == 0:  # no document has a membership
        return np.zeros((len(products), 0))
    squares = singular_values**2
    floor = np.finfo(float).tiny
    scaled = between / np.maximum(squares + ridge * squares.max(), floor)[:, None]
    values, vectors = eigh((between.T @ scaled + scaled.T @ between) / 2)
    order = np.argsort(values)[::-1][:n_directions]
    order = order[values[order] > 1e-10 * max(float(values.max(initial=0.0)), floor)]
    return np.asarray(qr(scaled @ vectors[:, order], mode="economic")[0])


def smallest_directions(
    products: Matrix, gram: Matrix, singular_values: Matrix, n_directions: int
) -> Matrix:
    """Eq. 16: eigenvectors of ``F'(I - P (P'P)^-1 P')F`` with the smallest eigenvalues.

    ``F'F`` is diagonal and the other term has rank c, so the inverse is cheap. Lanczos iteration
    uses it with a shift just below zero.
    """
    between = products @ inverse_sqrt_matrix(gram)
    squares = singular_values**2
    if len(squares) <= max(_DENSE_SIZE, 2 * n_directions):
        within = np.diag(squares) - between @ between.T
        return np.asarray(eigh(within, subset_by_index=(0, min(n_directions, len(squares)) - 1))[1])
    shift = 1e-6 * float(squares.max())
    shifted = squares + shift
    scaled = between / shifted[:, None]
    small = np.linalg.inv(np.eye(between.shape[1]) - between.T @ scaled)

    def inverse(vector: Matrix) -> Matrix:
        vector = vector.ravel()
        return np.asarray(vector / shifted + scaled @ (small @ (scaled.T @ vector)))

    def forward(vector: Matrix) -> Matrix:
        vector = vector.ravel()
        return np.asarray(squares * vector - between @ (between.T @ vector))

    shape = (len(squares), len(squares))
    try:
        _, vectors = eigsh(
            LinearOperator(shape, matvec=forward, dtype=np.float64),
            k=n_directions,
            sigma=-shift,
            OPinv=LinearOperator(shape, matvec=inverse, dtype=np.float64),
            v0=np.ones(len(squares)),
            tol=1e-8,
            maxiter=10 * n_directions,
        )
    except ArpackNoConvergence:  # eigenvalues that are much smaller than the shift
        within = np.diag(squares) - between @ between.T
        vectors = eigh(within, subset_by_index=(0, n_directions - 1))[1]
    return np.asarray(vectors)
