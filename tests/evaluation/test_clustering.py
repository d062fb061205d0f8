"""clustering_accuracy and clustering_nmi, against values computed by hand."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus import clustering_accuracy, clustering_nmi

# Three rows of class a and one of b, in two clusters of two rows.
LABELS, CLUSTERS = ["a", "a", "a", "b"], [5, 5, 2, 2]
INFORMATION = 0.5 * log(0.5 / (0.5 * 0.75)) + 0.25 * log(0.25 / (0.5 * 0.75)) + 0.25 * log(2)
ENTROPIES = (log(2), -(0.75 * log(0.75) + 0.25 * log(0.25)))


@pytest.mark.parametrize(
    ("labels", "clusters", "expected"),
    [
        (LABELS, CLUSTERS, 3 / 4),
        ([0, 0, 1, 1], [1, 1, 0, 0], 1.0),
        # The majority class of every cluster would give 1; one-to-one, four rows of six are
        # correct.
        ([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], 4 / 6),
        ([0, 0, 1, 2], [0, 0, 0, 0], 2 / 4),
        ([0, 1, 2, 3], [0, 0, 1, 1], 2 / 4),
        # The largest cell, 3, is not part of the best assignment: 3 + 0 is less than 2 + 2.
        ([0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1], 4 / 7),
    ],
)
def test_accuracy_by_hand(labels, clusters, expected):
    assert clustering_accuracy(labels, clusters) == pytest.approx(expected)


def test_nmi_by_hand():
    geometric = INFORMATION / sqrt(ENTROPIES[0] * ENTROPIES[1])
    arithmetic = 2 * INFORMATION / sum(ENTROPIES)
    assert clustering_nmi(LABELS, CLUSTERS) == pytest.approx(geometric)
    assert clustering_nmi(LABELS, CLUSTERS, average="arithmetic") == pytest.approx(arithmetic)
    assert geometric > arithmetic + 1e-3


def test_geometric_nmi_is_the_equation_of_the_paper():
    labels, clusters = [0] * 5 + [1] * 4 + [2] * 3, [0, 0, 0, 1, 2, 1, 1, 1, 0, 2, 2, 1]
    table = np.zeros((3, 3))
    np.add.at(table, (clusters, labels), 1)
    n, of_cluster, of_class = 12, table.sum(axis=1), table.sum(axis=0)
    cells = [
        table[i, j] * log(n * table[i, j] / (of_cluster[i] * of_class[j]))
        for i in range(3)
        for j in range(3)
        if table[i, j]
    ]
    bottom = (of_cluster @ np.log(of_cluster / n)) * (of_class @ np.log(of_class / n))
    assert clustering_nmi(labels, clusters) == pytest.approx(sum(cells) / sqrt(bottom))


@pytest.mark.parametrize("average", ["geometric", "arithmetic"])
def test_extreme_values_of_nmi(average):
    assert clustering_nmi([0, 0, 1, 1], ["y", "y", "x", "x"], average) == pytest.approx(1)
    assert clustering_nmi([0, 1, 0, 1], [0, 0, 1, 1], average) == pytest.approx(0, abs=1e-12)
    assert clustering_nmi([0, 0, 1, 1], [3, 3, 3, 3], average) == 0
    assert clustering_nmi([0, 0, 0, 0], [0, 0, 1, 1], average) == 0
    assert clustering_nmi([0, 0], [1, 1], average) == 1


@pytest.mark.parametrize("measure", [clustering_accuracy, clustering_nmi])
@pytest.mark.parametrize(
    ("labels", "clusters"), [([0, 1], [0]), ([], []), ([[0], [1]], [[0], [1]])]
)
def test_invalid_shapes(measure, labels, clusters):
    with pytest.raises(ValueError, match=r"shape .* at least one row"):
        measure(labels, clusters)


def test_unknown_average():
    with pytest.raises(ValueError, match="'geometric' or 'arithmetic', got 'max'"):
        clustering_nmi([0], [0], average="max")


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
    st.permutations(range(4)),
)
def test_cluster_numbers_are_arbitrary(pairs, names):
    labels, clusters = (np.array(values) for values in zip(*pairs, strict=True))
    renamed = np.array(names)[clusters]
    for measure in (clustering_accuracy, clustering_nmi):
        value = measure(labels, clusters)
        assert 0 <= value <= 1
        assert measure(labels, renamed) == pytest.approx(value)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_labels(missing):
    with pytest.raises(ValueError, match="labels has a missing value in row 1"):
        clustering_accuracy(["a", missing, "b"], [0, 1, 1])
    with pytest.raises(ValueError, match="clusters has a missing value in row 0"):
        clustering_nmi(["a", "b"], [missing, 1])
