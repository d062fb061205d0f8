"""Weights and memberships of LWE, by hand and compared with explicit graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import examples
from isthmus.solvers.reweighting.lwe import MEASURES, cluster_similarity, locally_weighted

CLUSTERS = np.array([0, 0, 0, 0, 1, 1])


def certain(*labels, n_classes=2, uncertainty=0.0):
    memberships = np.full((len(labels), n_classes), uncertainty / n_classes)
    memberships[np.arange(len(labels)), labels] += 1 - uncertainty
    return memberships


def graph_similarity(clusters, labels, measure):
    """The similarity from two explicit n x n neighborhood matrices."""
    first = clusters[:, None] == clusters
    second = labels[:, None] == labels
    shared = (first & second).sum(axis=1)
    return shared / ((first | second) if measure == "jaccard" else first).sum(axis=1)


def test_similarity_by_hand():
    labels = np.array([0, 0, 0, 1, 1, 1])
    # The first cluster has 4 documents, class 0 three, all inside; class 1 has 1 of its 3 there.
    np.testing.assert_allclose(
        cluster_similarity(CLUSTERS, labels, "jaccard"), [3 / 4] * 3 + [1 / 6] + [2 / 3] * 2
    )
    np.testing.assert_allclose(
        cluster_similarity(CLUSTERS, labels, "share"), [3 / 4] * 3 + [1 / 4] + [1.0] * 2
    )


@given(st.integers(0, 2**20), st.integers(1, 20), st.sampled_from(MEASURES))
@examples(80)
def test_similarity_equals_that_of_explicit_graphs(seed, n_rows, measure):
    generator = np.random.default_rng(seed)
    clusters, labels = generator.integers(0, 4, (2, n_rows))
    np.testing.assert_allclose(
        cluster_similarity(clusters, labels, measure), graph_similarity(clusters, labels, measure)
    )


def test_models_that_agree_with_the_clusters_have_larger_weights():
    good, bad = certain(0, 0, 0, 0, 1, 1), certain(0, 1, 0, 1, 0, 1)
    ensemble = locally_weighted(CLUSTERS, [good, bad], 0.0, "jaccard")
    np.testing.assert_allclose(ensemble.weights.sum(axis=1), 1)
    assert (ensemble.weights[:, 0] > ensemble.weights[:, 1]).all()
    assert ensemble.memberships.argmax(axis=1).tolist() == [0, 0, 0, 0, 1, 1]
    # At the first: 4 of 4 for the good one; the bad one shares 2 of 4 + 3 - 2.
    np.testing.assert_allclose(ensemble.weights[0], np.array([1.0, 0.4]) / 1.4)
    np.testing.assert_allclose(ensemble.memberships[0], [1.0, 0.0])
    np.testing.assert_allclose(ensemble.memberships[1], np.array([1.0, 0.4]) / 1.4)
    assert ensemble.trusted.all()


def test_below_the_threshold_the_cluster_decides():
    one = certain(0, 0, 0, 1, 1, 1, uncertainty=0.2)
    ensemble = locally_weighted(CLUSTERS, [one], 0.5, "jaccard")
    assert ensemble.trusted.tolist() == [True] * 3 + [False] + [True] * 2
    assert ensemble.memberships.argmax(axis=1).tolist() == [0, 0, 0, 0, 1, 1]
    np.testing.assert_allclose(ensemble.memberships[3], [0.9, 0.1])
    np.testing.assert_allclose(ensemble.similarity[3], 1 / 6)


def test_labeled_documents_are_always_trusted():
    one = certain(0, 0, 1, 1, 2, 2, n_classes=3)
    clusters = np.zeros(6, np.intp)
    given_labels = np.array([False] * 5 + [True])
    without = locally_weighted(clusters, [one], 0.5, "share")
    np.testing.assert_array_equal(
        without.memberships, one
    )  # no document is trusted, so the models decide
    assert not without.trusted.any()
    ensemble = locally_weighted(clusters, [one], 0.5, "share", given_labels)
    assert ensemble.memberships.argmax(axis=1).tolist() == [2] * 6


@given(st.integers(0, 2**20), st.integers(1, 12), st.integers(1, 3), st.sampled_from(MEASURES))
@examples(60)
def test_memberships_are_distributions_and_ignore_the_row_order(seed, n_rows, n_models, measure):
    generator = np.random.default_rng(seed)
    clusters = generator.integers(0, 3, n_rows)
    predictions = [generator.dirichlet(np.ones(3), n_rows) for _ in range(n_models)]
    ensemble = locally_weighted(clusters, predictions, 0.5, measure)
    np.testing.assert_allclose(ensemble.memberships.sum(axis=1), 1)
    order = generator.permutation(n_rows)
    again = locally_weighted(clusters[order], [part[order] for part in predictions], 0.5, measure)
    np.testing.assert_allclose(again.memberships, ensemble.memberships[order], atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_one_document(measure):
    ensemble = locally_weighted(np.zeros(1, np.intp), [certain(1)], 0.5, measure)
    assert ensemble.similarity.tolist() == [1.0]
    np.testing.assert_array_equal(ensemble.memberships, [[0.0, 1.0]])
