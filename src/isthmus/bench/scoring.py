"""How well a fitted estimator did, by the kind of its method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

__all__ = [
    "METRICS", "SCORERS", "Scorer", "clustering_accuracy", "score_classifier", "score_clusterer",
]  # fmt: skip

METRICS = {
    "accuracy": "accuracy",
    "macro precision": "macro_precision",
    "macro F1": "macro_f1",
}
"""What a suite may report, with the field of a result that holds it."""

Scorer = Callable[[Any, np.ndarray, np.ndarray, np.ndarray], dict[str, float]]
"""(fitted estimator, true labels, sample_domain, rows whose label it saw) -> fields of a result."""


def score_classifier(
    estimator: Any, labels: np.ndarray, sample_domain: np.ndarray, shown: np.ndarray
) -> dict[str, float]:
    """Share of the unlabelled target rows that got their class, and means over the classes.

    The means are over all classes of the task; a class that is never given has precision 0.
    """
    from sklearn.metrics import precision_recall_fscore_support

    rows = (sample_domain < 0) & ~shown
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
    estimator: Any, labels: np.ndarray, sample_domain: np.ndarray, shown: np.ndarray
) -> dict[str, float]:
    """Clustering accuracy of every domain by itself, averaged over the rows of all.

    A clusterer reads no label, so every row counts, whatever ``shown`` says.
    """
    clusters = np.asarray(estimator.labels_)
    right = 0.0
    for number in np.unique(sample_domain):
        rows = sample_domain == number
        right += clustering_accuracy(labels[rows], clusters[rows]) * np.count_nonzero(rows)
    return {"accuracy": float(right / len(labels))}


def clustering_accuracy(labels: np.ndarray, clusters: np.ndarray) -> float:
    """Share of rows that agree under the best one-to-one match of clusters and classes.

    The best match is the Hungarian assignment; where there are more clusters than classes, rows
    of a cluster without a class are wrong.
    """
    classes, label_codes = np.unique(labels, return_inverse=True)
    found, cluster_codes = np.unique(clusters, return_inverse=True)
    table = np.zeros((len(found), len(classes)), int)
    np.add.at(table, (cluster_codes, label_codes), 1)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / len(labels))


#: Kinds of methods that can be scored; a transformer labels nothing.
SCORERS: dict[str, Scorer] = {"classifier": score_classifier, "clusterer": score_clusterer}
