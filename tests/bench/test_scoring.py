"""Scores with known answers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from isthmus.bench.scoring import SCORERS, clustering_accuracy, score_classifier, score_clusterer

LABELS = np.array([0, 1, 0, 1, 1, 0])
DOMAIN = np.array([0, 0, -1, -1, -2, -2])


def test_classifier_counts_unlabelled_target_rows_alone() -> None:
    # Wrong on a source row and on one of three target rows; a labelled target row is right.
    estimator = SimpleNamespace(transduction_=np.array([1, 1, 0, 1, 1, 1]))
    shown = np.array([True, False, True, False, False, False])
    assert score_classifier(estimator, LABELS, DOMAIN, shown)["accuracy"] == pytest.approx(2 / 3)


def test_means_over_the_classes() -> None:
    labels = np.array([0, 1, 2, 0, 0, 0, 1])
    domain = np.array([0, 0, 0, -1, -1, -1, -1])
    estimator = SimpleNamespace(transduction_=np.array([0, 1, 2, 0, 0, 1, 1], dtype=object))
    found = score_classifier(estimator, labels, domain, domain >= 0)
    # Class 2 is one of the task, though no target row has it or gets it.
    assert found == pytest.approx(
        {"accuracy": 3 / 4, "macro_precision": (1 + 1 / 2) / 3, "macro_f1": (4 / 5 + 2 / 3) / 3}
    )


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        ([5, 5, 2, 2, 9, 9], 1.0),
        ([0, 0, 0, 0, 0, 0], 2 / 6),
        # Two clusters for one class: only one of them counts.
        ([0, 1, 2, 2, 4, 4], 5 / 6),
        ([0, 0, 1, 1, 1, 2], 5 / 6),
        # All six rows differ: one for each class.
        ([0, 1, 2, 3, 4, 5], 3 / 6),
    ],
)
def test_clusters_are_matched_one_to_one(clusters: list[int], expected: float) -> None:
    labels = np.array([2, 2, 0, 0, 1, 1])
    assert clustering_accuracy(labels, np.array(clusters)) == pytest.approx(expected)


def test_the_match_is_the_best_of_all_not_the_greedy_one() -> None:
    # Greedy takes the three rows of (0, 0) and is left with none of (1, 1).
    labels = np.repeat([0, 1, 0], [3, 2, 2])
    clusters = np.repeat([0, 0, 1], [3, 2, 2])
    assert clustering_accuracy(labels, clusters) == pytest.approx(4 / 7)


def test_clusterer_is_matched_in_every_domain_by_itself() -> None:
    # Cluster 0 is class 0 in the first domain and class 1 in the second.
    labels = np.array([0, 1, 0, 1, 1, 1])
    domain = np.array([0, 0, -1, -1, -1, -1])
    estimator = SimpleNamespace(labels_=np.array([0, 1, 1, 0, 0, 1]))
    shown = np.ones(6, bool)
    assert score_clusterer(estimator, labels, domain, shown) == pytest.approx({"accuracy": 5 / 6})


def test_a_transformer_has_no_score() -> None:
    assert set(SCORERS) == {"classifier", "clusterer"}
