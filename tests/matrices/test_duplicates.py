"""Groups of identical rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.rows import duplicate_groups

ROWS = np.array(
    [[1, 0, 2], [0, 0, 0], [1, 0, 2], [0, 0, 0], [1, 2, 0], [2, 0, 4], [1, 0, 2]], float
)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_identical_rows_form_groups_and_empty_rows_do_not(make):
    numbers = duplicate_groups(make(ROWS)).tolist()
    assert numbers[0] == numbers[2] == numbers[6]
    assert len(set(numbers)) == 5


def test_stored_zeros_are_ignored():
    X = sparse.csr_matrix(([1.0, 0.0, 1.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert duplicate_groups(X).tolist() == [0, 0]
