"""Initial factors of a tri-factorization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import with_labels
from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Documents, Engine


@dataclass(frozen=True)
class InitialFactors:
    """Initial factors; ``memberships`` holds one array per domain."""

    clusters: Array
    """``F``, the same for every domain."""
    memberships: list[Array]
    associations: NDArray[Any]


def smoothed_labels(n_classes: int, smoothing: float) -> NDArray[np.float64]:
    """One-hot labels (row c for class c) with ``smoothing`` distributed over the other classes."""
    off = smoothing / max(1, n_classes - 1)
    return (1 - smoothing - off) * np.eye(n_classes) + off


def smoothed_memberships(
    domains: Sequence[Domain], predicted: Sequence[NDArray[Any]], smoothing: float
) -> list[Array]:
    """``G`` of every domain, from the labels and the predictions for unlabeled rows.

    Labels of source rows are smoothed; labels of target rows are not.
    """
    memberships = []
    for domain, part in zip(domains, predicted, strict=True):
        n_classes = part.shape[1]
        labels = smoothed_labels(n_classes, 0.0 if domain.is_target else smoothing)
        part = part.astype(domain.documents.dtype, copy=False)
        memberships.append(domain.documents.asarray(with_labels(part, domain.labels, labels)))
    return memberships


def equal_associations(n_clusters: int, n_classes: int, dtype: Any) -> NDArray[Any]:
    """A constant ``S`` with rows that sum to 1, as in the paper."""
    return np.full((n_clusters, n_classes), 1 / n_classes, dtype=dtype)


def class_conditional(
    documents: Sequence[Documents], memberships: Sequence[Array], engine: Engine
) -> InitialFactors:
    """One word cluster per class, from the words of each class in every domain.

    ``F`` holds the rows of ``sum_d X_d' G_d / (1' G_d)`` scaled to sum 1 and ``S = I + 0.01``.
    """
    xp = engine.xp
    dtype = documents[0].dtype
    words = xp.zeros((documents[0].shape[1], memberships[0].shape[1]), dtype=dtype)
    for block, G in zip(documents, memberships, strict=True):
        mass = xp.maximum(G.sum(axis=0), np.finfo(dtype).tiny)
        words = words + block.transposed_times(G) / mass
    # Multiplicative updates cannot change a zero; the value is far below that of any word.
    words = words + 1e-9 * max(float(words.mean()), float(np.finfo(dtype).tiny) * 1e12)
    n_classes = memberships[0].shape[1]
    associations = np.eye(n_classes, dtype=dtype) + dtype.type(0.01)
    return InitialFactors(engine.normalized_rows(words), list(memberships), associations)
