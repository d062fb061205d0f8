"""A second matrix for the same rows: validation, and the two matrices side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from isthmus.estimators.base.domain_estimator import check_same_index
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.rows import canonical, with_unit_rows

__all__ = ["joined", "read_second_view", "side_by_side"]


def read_second_view(second_view: Any, X: Any, dtype: Any) -> Any:
    """The second matrix as CSR; None stays None.

    ``X`` is the first matrix as the caller passed it, and ``dtype`` that of the validated one.
    """
    if second_view is None:
        return None
    check_same_index(X, second_view, "second_view")
    if is_distributed(second_view) or is_distributed(X):
        return _read_distributed(second_view, X)
    # Values that are too large for the dtype are refused, because they become infinite first.
    with np.errstate(over="ignore"):
        Z = check_array(second_view, accept_sparse="csr", dtype=dtype, input_name="second_view")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if Z.shape[0] != n_rows:
        raise ValueError(
            f"second_view has {Z.shape[0]} rows but X has {n_rows}: it must have one row per row "
            "of X, in the same order."
        )
    return canonical(sparse.csr_matrix(Z))


def _read_distributed(second_view: Any, X: Any) -> Any:
    """A second matrix of distributed rows, in the blocks of the first one."""
    if not is_distributed(X):
        raise ValueError("second_view is a distributed matrix, but X is not: distribute both.")
    if second_view.shape[0] != X.shape[0]:
        raise ValueError(
            f"second_view has {second_view.shape[0]} rows but X has {X.shape[0]}: it must have one "
            "row per row of X, in the same order."
        )
    if is_distributed(second_view):
        return second_view
    return X.with_same_blocks(canonical(sparse.csr_matrix(second_view, dtype=X.dtype)))


def side_by_side(X: Any, second_view: Any) -> Any:
    """Both matrices as one, without scaling; ``X`` if there is no second one."""
    if second_view is None:
        return X
    if is_distributed(X):
        return X.joined(second_view)
    return sparse.csr_matrix(sparse.hstack([sparse.csr_matrix(X), second_view]), dtype=X.dtype)


def joined(X: Any, second_view: Any) -> Any:
    """Both matrices with unit-norm rows, each times the square root of one half."""
    if second_view is None:
        return with_unit_rows(X)
    if is_distributed(X):
        return X.joined(second_view, float(np.sqrt(0.5)))
    scale = X.dtype.type(np.sqrt(0.5))
    parts = [scale * with_unit_rows(sparse.csr_matrix(X)), scale * with_unit_rows(second_view)]
    return canonical(sparse.csr_matrix(sparse.hstack(parts), dtype=X.dtype))
