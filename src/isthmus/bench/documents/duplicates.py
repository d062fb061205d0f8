"""Rows of a pool that are a scored document again."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from isthmus.matrices.duplicates import duplicate_groups

__all__ = ["find_duplicates"]


def find_duplicates(
    counts: sparse.csr_matrix, pooled: np.ndarray, scored: np.ndarray, n_terms: int | None = None
) -> np.ndarray:
    """Return which rows of pools have the terms and counts of a row that is scored.

    Parameters
    ----------
    counts : scipy.sparse.csr_matrix
        Counts of all terms.
    pooled, scored : ndarray of bool
        The rows of pools, and those that are scored.
    n_terms : int, optional
        Rows of pools have counts of the first so many terms alone, and in these rows are compared;
        None for all terms.

    Returns
    -------
    ndarray of bool
        A row without any of the terms is never found: that two have none does not make them one
        document.
    """
    found = np.zeros(counts.shape[0], bool)
    rows = np.flatnonzero(pooled | scored)
    compared = sparse.csr_matrix(counts[rows, :n_terms], copy=True)
    compared.sum_duplicates()
    numbers = duplicate_groups(compared)
    found[rows] = pooled[rows] & np.isin(numbers, numbers[scored[rows]])
    return found
