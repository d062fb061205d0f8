"""How well a fitted estimator did, by the kind of its method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isthmus.reports.clustering import clustering_accuracy, clustering_nmi

__all__ = ["SCORERS", "Scorer", "score_classifier", "score_clusterer"]

Scorer = Callable[[Any, np.ndarray, np.ndarray, np.ndarray], dict[str, float]]
"""(fitted estimator, true labels, sample_domain, rows to score) -> fields of a result."""


def score_classifier(
    estimator: Any, labels: np.ndarray, sample_domain: np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """Share of the rows that got their class, and means over the classes.

    The means are over all classes of the task; a class that is never given has precision 0.
    """
    from sklearn.metrics import precision_recall_fscore_support

    given = np.asarray(estimator.transduction_)[rows].astype(labels.dtype)
    precision, _, f1, _ = precision_recall_fscore_support(
        labels[rows], given, labels=np.unique(labels), average="macro", zero_division=0
    )
    return {
        "accuracy": float(np.mean(given == labels[rows])),
        "macro_precision": float(precision),
        "macro_f1": float(f1),
    }


def score_clusterer(
    estimator: Any, labels: np.ndarray, sample_domain: np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """Clustering accuracy and NMI of every domain by itself, averaged over the rows of all."""
    clusters = np.asarray(estimator.labels_)
    numbers, sizes = np.unique(sample_domain[rows], return_counts=True)
    scores = [
        _scores(labels[of_domain], clusters[of_domain])
        for of_domain in (rows & (sample_domain == number) for number in numbers)
    ]
    return {
        name: float(np.average([score[name] for score in scores], weights=sizes))
        for name in scores[0]
    }


def _scores(labels: np.ndarray, clusters: np.ndarray) -> dict[str, float]:
    return {
        "accuracy": clustering_accuracy(labels, clusters),
        "nmi_geometric": clustering_nmi(labels, clusters, average="geometric"),
        "nmi_arithmetic": clustering_nmi(labels, clusters, average="arithmetic"),
    }


#: Kinds of methods that can be scored; a transformer labels nothing.
SCORERS: dict[str, Scorer] = {"classifier": score_classifier, "clusterer": score_clusterer}
