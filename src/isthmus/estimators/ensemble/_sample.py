"""A sample of the documents of every domain, for what need not see all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.local_sample import local_problem, spread_rows

__all__ = ["Sample", "sample_of"]


@dataclass(frozen=True)
class Sample:
    """Some rows of the data of a fit, as data of their own."""

    data: TrainingData
    rows: list[NDArray[np.intp]]
    """Positions in the caller's matrix, one array per domain."""


def sample_of(data: TrainingData, max_documents: int) -> Sample:
    """At most about ``max_documents`` documents of each domain, with every class among them.

    The documents are spread by content, so that the order of the rows does not matter. Those of a
    distributed matrix are fetched.
    """
    rows = spread_rows(data.problem, data.X, max_documents)
    return Sample(TrainingData(*local_problem(data.problem, data.X, rows)), rows)
