"""Agreement of clusters with classes: accuracy and normalized mutual information."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["clustering_accuracy", "clustering_nmi"]

_AVERAGES = ("geometric", "arithmetic")


def clustering_accuracy(labels: Any, clusters: Any) -> float:
    """Accuracy under the best one-to-one assignment of clusters to classes.

    The best assignment is found by the Hungarian algorithm (eq. 21 of LSSMTC's paper). If there are
    more clusters than classes, rows of a cluster without a class count as errors; with a single
    cluster the accuracy is the proportion of the largest class. If cluster numbers are valid within
    a domain only, evaluate every domain separately.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The true classes, text or numbers.
    clusters : array-like of shape (n_rows,)
        The clusters, such as ``labels_`` of a clusterer.

    Returns
    -------
    float
        Accuracy, from 0 to 1.

    Examples
    --------
    >>> from isthmus import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "a", "b"], [1, 1, 0, 0])
    0.75
    """
    label_codes, cluster_codes = _codes(labels, clusters)
    table = np.zeros((cluster_codes.max() + 1, label_codes.max() + 1), int)
    np.add.at(table, (cluster_codes, label_codes), 1)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / len(label_codes))


def clustering_nmi(
    labels: Any, clusters: Any, average: Literal["geometric", "arithmetic"] = "geometric"
) -> float:
    """Normalized mutual information of clusters and classes, 0 to 1.

    With ``n_ij`` rows of class j in cluster i, ``n_i`` in the cluster, ``m_j`` in the class and n
    in all, ``I = sum_ij n_ij/n log(n n_ij / (n_i m_j))`` and ``H = -sum_i n_i/n log(n_i/n)``,
    likewise for the classes. Two definitions are in use, and the first is never below the second:

    - ``"geometric"``: ``I / sqrt(H_clusters H_classes)``, as in LSSMTC's paper. (Its eq. 22 lacks
      the n inside the logarithm of the numerator, without which it is not a mutual information.)
    - ``"arithmetic"``: ``2 I / (H_clusters + H_classes)``, the default of scikit-learn.

    With a single cluster or a single class the value is 0, or 1 if both are single. It is not
    adjusted for chance: more clusters give higher values.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The true classes, text or numbers.
    clusters : array-like of shape (n_rows,)
        The clusters.
    average : {"geometric", "arithmetic"}, default="geometric"
        How the two entropies are averaged, see above.

    Returns
    -------
    float
        Normalized mutual information, from 0 to 1.

    Examples
    --------
    >>> from isthmus import clustering_nmi
    >>> round(clustering_nmi(["a", "a", "b", "b"], [7, 7, 3, 3]), 3)
    1.0
    """
    from sklearn.metrics import normalized_mutual_info_score

    if average not in _AVERAGES:
        raise ValueError(f"average must be 'geometric' or 'arithmetic', got {average!r}.")
    value = normalized_mutual_info_score(*_codes(labels, clusters), average_method=average)
    return float(np.clip(value, 0.0, 1.0))  # rounding errors


def _codes(labels: Any, clusters: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return labels and clusters as integers from 0."""
    first, second = np.asarray(labels), np.asarray(clusters)
    if first.ndim != 1 or first.shape != second.shape or len(first) == 0:
        raise ValueError(
            f"labels have the shape {first.shape} and clusters {second.shape}: pass one label and "
            "one cluster per row, and at least one row."
        )
    for name, column in (("labels", labels), ("clusters", clusters)):
        values = np.asarray(column, dtype=object)  # NaN among strings would become a string
        # NaN is not equal to itself.
        missing = np.array([value is None or value != value for value in values])
        if missing.any():
            raise ValueError(
                f"{name} has a missing value in row {int(missing.argmax())}: drop such rows."
            )
    return np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]
