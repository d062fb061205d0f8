"""Scores with known values."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus_bench.plan.metrics import SCORERS, score_classifier, score_clusterer

LABELS = np.array([0, 1, 0, 1, 1, 0])
DOMAIN = np.array([0, 0, -1, -1, -2, -2])


def test_classifiers_are_scored_only_on_scored_rows() -> None:
    # Wrong on a source row and on one of three target rows to score.
    given = np.array([1, 1, 0, 1, 1, 1])
    rows = np.array([False, False, False, True, True, True])
    assert score_classifier(given, LABELS, DOMAIN, rows)["accuracy"] == pytest.approx(2 / 3)


def test_means_over_the_classes() -> None:
    labels = np.array([0, 1, 2, 0, 0, 0, 1])
    domain = np.array([0, 0, 0, -1, -1, -1, -1])
    given = np.array([0, 1, 2, 0, 0, 1, 1], dtype=object)
    scores = score_classifier(given, labels, domain, domain < 0)
    # Class 2 belongs to the task, but no target row has it or is predicted to have it.
    assert scores == pytest.approx(
        {
            "accuracy": 3 / 4,
            "macro_precision": (1 + 1 / 2) / 3,
            "macro_recall": (2 / 3 + 1) / 3,
            "macro_f1": (4 / 5 + 2 / 3) / 3,
            "f1_of_macro_averages": 2 * (1 / 2) * (5 / 9) / (1 / 2 + 5 / 9),
        }
    )


def test_the_f1_of_macro_averages_is_not_the_macro_f1() -> None:
    # Nine of ten documents of class 0 are taken for class 1. The precisions are 1 and 1 / 10, the
    # recalls 1 / 10 and 1: both macro averages are .55, although either class has an F1 of 2 / 11.
    labels, given = np.array([0] * 10 + [1]), np.array([0] + [1] * 10)
    scores = score_classifier(given, labels, np.full(11, -1), np.ones(11, bool))
    assert scores["f1_of_macro_averages"] == pytest.approx(0.55)
    assert scores["macro_f1"] == pytest.approx(2 / 11)
    wrong = score_classifier(1 - labels, labels, np.full(11, -1), np.ones(11, bool))
    assert wrong["f1_of_macro_averages"] == 0.0


def test_clusters_are_matched_to_classes_in_every_domain_separately() -> None:
    # Cluster 0 is class 0 in the first domain and class 1 in the second.
    labels = np.array([0, 1, 0, 1, 1, 1])
    domain = np.array([-1, -1, -2, -2, -2, -2])
    given = np.array([0, 1, 1, 0, 0, 1])
    scores = score_clusterer(given, labels, domain, np.ones(6, bool))
    assert scores["accuracy"] == pytest.approx(5 / 6)
    # Mutual information is maximal in the first domain; this is its value in the second.
    one, quarter = np.log(2), np.log(4) - 0.75 * np.log(3)
    shared = one + quarter - (0.5 * np.log(2) + 0.5 * np.log(4))
    expected = (2 + 4 * shared / np.sqrt(one * quarter)) / 6
    assert scores["nmi_geometric"] == pytest.approx(expected)
    assert scores["nmi_arithmetic"] == pytest.approx((2 + 4 * 2 * shared / (one + quarter)) / 6)


def test_clusters_of_rows_that_are_not_scored_do_not_count() -> None:
    labels, domain = np.array([0, 1, 0, 1]), np.array([-1, -1, -2, -2])
    given = np.array([0, 0, 1, 0])
    expected = {"accuracy": 1.0, "nmi_geometric": 1.0, "nmi_arithmetic": 1.0}
    assert score_clusterer(given, labels, domain, domain == -2) == pytest.approx(expected)
    assert score_clusterer(given, labels, domain, domain == -1)["accuracy"] == 0.5


def test_a_transformer_has_no_score() -> None:
    assert set(SCORERS) == {"classifier", "clusterer"}
