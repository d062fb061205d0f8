"""The documents that a fitted model keeps for reports and plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.inspection.sample import DomainSample
from isthmus.transfer.texts import Texts

__all__ = ["sample_documents"]


def sample_documents(
    domains: Sequence[Texts], X: Any, labels: NDArray[np.intp], n_classes: int
) -> dict[str, DomainSample]:
    """Return a sample of the documents of every domain, by name.

    ``X`` and ``labels`` have the rows of all domains in their order; labels are class numbers, and
    -1 for documents without a given label.
    """
    matrix = X.tocsr() if sparse.issparse(X) else X
    samples = {}
    start = 0
    for domain in domains:
        rows = domain.sample.rows
        known = labels[start : start + domain.n_texts]
        samples[domain.name] = DomainSample(
            name=domain.name,
            number=domain.number,
            n_documents=domain.n_texts,
            start=start,
            class_counts=np.bincount(known[known >= 0], minlength=n_classes),
            rows=rows,
            texts=domain.sample.texts,
            X=sparse.csr_matrix(matrix[start + rows]),
            labels=known[rows],
            is_labeled=known >= 0,
            index=domain.index,
        )
        start += domain.n_texts
    return samples
