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
    sizes: list[int]
    words: list[list[str]]
    """Words that a cluster has more of than the whole domain, the strongest first. Of a cluster
    that is the whole domain, the strongest words."""
    documents: list[list[tuple[int, str]]]
    """Positions and texts of documents near the mean, the nearest first."""
    n_without_words: int


@dataclass(frozen=True)
class ClusterFacts:
    """Everything that a summary or a report of clusters shows."""

    method: str
    domains: list[DomainClusters]
    is_shared: bool
    """Whether a cluster number means the same in all domains."""
    n_clusters: int
    n_terms: int
    engine: str
    """Name of the engine that computed them."""
    settings: list[tuple[str, str]]
    versions: list[tuple[str, str]]
    command: str = ""


def describe_clusters(
    name: str,
    X: Any,
    labels: NDArray[np.intp],
    n_clusters: int,
    terms: Sequence[str],
    sample: TextSample,
) -> DomainClusters:
    """Describe the clusters of a domain, whose documents are the rows of the CSR matrix ``X``."""
    found = DomainClusters(name, labels, [], [], [], int((X.getnnz(axis=1) == 0).sum()))
    overall = _mean(X)
    sampled, texts = with_unit_rows(X[sample.rows]), sample.texts
    for cluster in range(n_clusters):
        members = np.flatnonzero(labels == cluster)
        mean = _mean(X[members])
        weights = mean - overall if len(members) < len(labels) else mean
        strongest = np.argsort(-weights, kind="stable")[:_N_WORDS]
        kept = np.flatnonzero(labels[sample.rows] == cluster)
        nearest = kept[np.argsort(-(sampled[kept] @ mean), kind="stable")]
        # Of copies, the first is shown.
        shown = {texts[i]: int(sample.rows[i]) for i in reversed(nearest)}
        first = list(reversed(shown.items()))[:_N_DOCUMENTS]
        found.sizes.append(len(members))
        found.words.append([terms[column] for column in strongest if weights[column] > 0])
        found.documents.append([(row, _beginning(text)) for text, row in first])
    return found


def _beginning(text: str) -> str:
    return text if len(text) <= _TEXT_LENGTH else f"{text[:_TEXT_LENGTH].rstrip()}…"


def _mean(X: Any) -> NDArray[np.float64]:
    """The mean row; zeros if there is no row."""
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / max(1, X.shape[0])
