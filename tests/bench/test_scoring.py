"""Scores with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.bench.plan.metrics import SCORERS, score_classifier, score_clusterer

LABELS = np.array([0, 1, 0, 1, 1, 0])
DOMAIN = np.array([0, 0, -1, -1, -2, -2])


def test_classifier_counts_the_rows_to_score_alone() -> None:
    # Wrong on a source row and on one of three target rows to score.
    given = np.array([1, 1, 0, 1, 1, 1])
    rows = np.array([False, False, False, True, True, True])
    assert score_classifier(given, LABELS, DOMAIN, rows)["accuracy"] == pytest.approx(2 / 3)


def test_means_over_the_classes() -> None:
    labels = np.array([0, 1, 2, 0, 0, 0, 1])
    domain = np.array([0, 0, 0, -1, -1, -1, -1])
    given = np.array([0, 1, 2, 0, 0, 1, 1], dtype=object)
    found = score_classifier(given, labels, domain, domain < 0)
    # Class 2 is one of the task, though no target row has it or gets it.
    assert found == pytest.approx(
        {"accuracy": 3 / 4, "macro_precision": (1 + 1 / 2) / 3, "macro_f1": (4 / 5 + 2 / 3) / 3}
    )


def test_clusterer_is_matched_in_every_domain_by_itself() -> None:
    # Cluster 0 is class 0 in the first domain and class 1 in the second.
    labels = np.array([0, 1, 0, 1, 1, 1])
    domain = np.array([-1, -1, -2, -2, -2, -2])
    given = np.array([0, 1, 1, 0, 0, 1])
    found = score_clusterer(given, labels, domain, np.ones(6, bool))
    assert found["accuracy"] == pytest.approx(5 / 6)
    # The information is all of the first domain, and of the second this much.
    one, quarter = np.log(2), np.log(4) - 0.75 * np.log(3)
    shared = one + quarter - (0.5 * np.log(2) + 0.5 * np.log(4))
    expected = (2 + 4 * shared / np.sqrt(one * quarter)) / 6
    assert found["nmi_geometric"] == pytest.approx(expected)
    assert found["nmi_arithmetic"] == pytest.approx((2 + 4 * 2 * shared / (one + quarter)) / 6)


def test_clusters_of_rows_that_are_not_scored_do_not_count() -> None:
    labels, domain = np.array([0, 1, 0, 1]), np.array([-1, -1, -2, -2])
    given = np.array([0, 0, 1, 0])
    expected = {"accuracy": 1.0, "nmi_geometric": 1.0, "nmi_arithmetic": 1.0}
    assert score_clusterer(given, labels, domain, domain == -2) == pytest.approx(expected)
    assert score_clusterer(given, labels, domain, domain == -1)["accuracy"] == 0.5


def test_a_transformer_has_no_score() -> None:
    assert set(SCORERS) == {"classifier", "clusterer"}
