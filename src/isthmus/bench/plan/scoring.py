"""How good what a method gave the documents is, by the kind of the method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isthmus.evaluation.clustering import clustering_accuracy, clustering_nmi

__all__ = ["SCORERS", "Scorer", "score_classifier", "score_clusterer"]


@dataclass(frozen=True)
class Scorer:
    """What is scored of a kind of methods, and how.

    Attributes
    ----------
    attribute : str
        The attribute of a fitted estimator with a class or a cluster for every row of the fit.
    score : callable
        (what the rows were given, true labels, sample_domain, rows to score) -> fields of a result.
    names_classes : bool
        Whether single rows are right or wrong; clusters have no names.
    """

    attribute: str
    score: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], dict[str, float]]
    names_classes: bool


def score_classifier(
    given: np.ndarray, labels: np.ndarray, sample_domain: np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """Share of the rows that got their class, and means over the classes.

    The means are over all classes of the task; a class that is never given has precision 0. Rows
    without a class have a label below 0.
    """
    from sklearn.metrics import precision_recall_fscore_support

    found = given[rows].astype(labels.dtype)
    classes = np.unique(labels[labels >= 0])
    precision, _, f1, _ = precision_recall_fscore_support(
        labels[rows], found, labels=classes, average="macro", zero_division=0
    )
    return {
        "accuracy": float(np.mean(found == labels[rows])),
        "macro_precision": float(precision),
        "macro_f1": float(f1),
    }


def score_clusterer(
    given: np.ndarray, labels: np.ndarray, sample_domain: np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """Clustering accuracy and NMI of every domain by itself, averaged over the rows of all."""
    numbers, sizes = np.unique(sample_domain[rows], return_counts=True)
    scores = [
        _scores(labels[of_domain], given[of_domain])
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
SCORERS: dict[str, Scorer] = {
    "classifier": Scorer("transduction_", score_classifier, names_classes=True),
    "clusterer": Scorer("labels_", score_clusterer, names_classes=False),
}
