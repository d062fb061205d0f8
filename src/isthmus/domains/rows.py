"""Iterate over the rows of every domain in the stacked matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from isthmus.domains.model import Problem
from isthmus.matrices.rows import take_rows


def rows_of_domains(problem: Problem, X: Any) -> Iterator[tuple[int, Any]]:
    """Yield the number of every domain and its rows of the matrix."""
    all_rows = np.arange(problem.n_rows)
    for domain in problem.domains:
        yield domain.number, take_rows(X, all_rows[domain.rows])
