"""What the clusters of a domain are: their sizes, their words and some of their documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.sample import TextSample
from isthmus.matrices.rows import with_unit_rows

__all__ = ["ClusterFacts", "DomainClusters", "describe_clusters"]

_N_WORDS, _N_DOCUMENTS, _TEXT_LENGTH = 10, 3, 400


@dataclass(frozen=True)
class DomainClusters:
    """The clusters of one domain; lists have one entry per cluster."""

    name: str
    labels: NDArray[np.intp]
    """Cluster numbers of all documents."""
    n_without_words: int
    sizes: list[int]
    words: list[list[str]]
    """Words that a cluster has more of than the whole domain, the strongest first."""
    documents: list[dict[str, int]]
    """Texts near the mean with their positions, the nearest first."""


@dataclass(frozen=True)
class ClusterFacts:
    """Everything that a summary or a report of clusters shows."""

    method: str
    domains: list[DomainClusters]
    n_clusters: int
    is_shared: bool
    """Whether a cluster number means the same in all domains."""
    settings: list[tuple[str, str]]
    versions: list[tuple[str, str]]
    command: str = ""


def describe_clusters(
    name: str, X: Any, labels: NDArray[np.intp], n: int, terms: Sequence[str], sample: TextSample
) -> DomainClusters:
    """Describe the ``n`` clusters of a domain, whose documents are the rows of ``X``, in CSR."""
    found = DomainClusters(name, labels, int((X.getnnz(axis=1) == 0).sum()), [], [], [])
    overall = _mean(X)
    sampled, texts = with_unit_rows(X[sample.rows]), sample.texts
    for cluster in range(n):
        members = np.flatnonzero(labels == cluster)
        mean = _mean(X[members])
        # A cluster that is the whole domain has no word more often than the domain.
        weights = mean - overall if len(members) < len(labels) else mean
        strongest = np.argsort(-weights, kind="stable")[:_N_WORDS]
        kept = np.flatnonzero(labels[sample.rows] == cluster)
        nearest = kept[np.argsort(-(sampled[kept] @ mean), kind="stable")]
        shown: dict[str, int] = {}  # copies of a text once
        for i in nearest:
            if len(shown) < _N_DOCUMENTS:
                shown.setdefault(texts[i][:_TEXT_LENGTH], int(sample.rows[i]))
        found.sizes.append(len(members))
        found.words.append([terms[column] for column in strongest if weights[column] > 0])
        found.documents.append(shown)
    return found


def _mean(X: Any) -> NDArray[np.float64]:
    """The mean row; zeros if there is no row."""
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / max(1, X.shape[0])
