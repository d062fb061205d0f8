"""Cluster the texts of several domains: count their words, fit a clusterer, describe the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isthmus._stages import stage
from isthmus.inspection.clusters import ClusterFacts, describe_clusters
from isthmus.transfer.engine import check_engine_of, engine_scope
from isthmus.transfer.reporting import versions
from isthmus.transfer.target_report import settings_of
from isthmus.transfer.texts import Texts
from isthmus.transfer.words import check_shared_words, count_texts, spellings

if TYPE_CHECKING:
    from isthmus.numerics.progress import Callback

__all__ = ["check_clustering", "cluster_texts"]


def check_clustering(estimator: Any, vectorizer: Any, engine: Any) -> None:
    """Raise ValueError if a parameter makes no sense, before any text is read."""
    estimator._check_settings()
    vectorizer.check()
    check_engine_of(estimator, engine)


def cluster_texts(
    estimator: Any,
    vectorizer: Any,
    texts: Mapping[str, Any],
    *,
    engine: Any = None,
    callback: Callback | None = None,
    announce: Callable[[str], None] = lambda stage: None,
) -> ClusterFacts:
    """Fit a clusterer and a vectorizer to the texts of all domains, given by name."""
    domains = [Texts(name, number, part, None) for number, (name, part) in enumerate(texts.items())]
    announce("Counting words")
    X, _ = count_texts(vectorizer, None, domains, announce=announce)
    check_shared_words(X, domains)
    numbers = np.repeat(range(len(domains)), [domain.n_texts for domain in domains])
    method = type(estimator).__name__
    announce(f"Fitting {method}")
    with stage(f"fitting {method}"), engine_scope(estimator, engine, X) as engine_name:
        estimator.fit(X, sample_domain=numbers, callback=callback)
    announce("Describing the clusters")
    with stage("describing the clusters"):
        n_clusters, terms = estimator.n_clusters_, spellings(vectorizer, 0)
        described = []
        for domain in domains:
            rows = numbers == domain.number
            labels = estimator.labels_[rows]
            parts = (domain.name, X[rows], labels, n_clusters, terms, domain.sample)
            described.append(describe_clusters(*parts))
    return ClusterFacts(
        method,
        described,
        is_shared=len(domains) == 1 or getattr(estimator, "scope", "all") == "all",
        n_clusters=n_clusters,
        n_terms=X.shape[1],
        engine=engine_name,
        settings=[*settings_of(estimator), *settings_of(vectorizer)],
        versions=versions(),
    )
