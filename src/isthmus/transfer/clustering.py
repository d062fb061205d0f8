"""Cluster the texts of several domains: count their words, fit a clusterer, describe the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from isthmus._stages import stage
from isthmus.estimators.base.clusterer import check_enough
from isthmus.inspection.clusters import ClusterFacts, describe_clusters
from isthmus.transfer.reporting import versions
from isthmus.transfer.target_report import settings_of
from isthmus.transfer.texts import Texts
from isthmus.transfer.words import check_shared_words, count_texts, spellings

__all__ = ["cluster_texts"]


def cluster_texts(
    estimator: Any,
    vectorizer: Any,
    texts: Mapping[str, Any],
    callback: Any = None,
    announce: Callable[[str], None] = lambda stage: None,
) -> ClusterFacts:
    """Fit a clusterer and a vectorizer to the texts of all domains, given by name."""
    domains = [Texts(name, number, part, None) for number, (name, part) in enumerate(texts.items())]
    is_shared = getattr(estimator, "scope", "all") == "all"
    announce("Counting words")
    X, _ = count_texts(vectorizer, None, domains, announce=announce)
    check_shared_words(X, domains)
    if getattr(estimator, "scope", "domain") == "domain":
        for domain in domains:
            check_enough(estimator.n_clusters, domain.n_texts, repr(domain.name))
    numbers = np.repeat(range(len(domains)), [domain.n_texts for domain in domains])
    method = type(estimator).__name__
    announce(f"Fitting {method}")
    with stage(f"fitting {method}"):
        estimator.fit(X, sample_domain=numbers, callback=callback)
    announce("Describing the clusters")
    described = []
    with stage("describing the clusters"):
        for domain in domains:
            rows = numbers == domain.number
            parts = (domain.name, X[rows], estimator.labels_[rows], estimator.n_clusters_)
            described.append(describe_clusters(*parts, spellings(vectorizer, 0), domain.sample))
    return ClusterFacts(
        method,
        described,
        estimator.n_clusters_,
        is_shared=is_shared or len(domains) == 1,
        settings=[*settings_of(estimator), *settings_of(vectorizer)],
        versions=versions(),
    )
