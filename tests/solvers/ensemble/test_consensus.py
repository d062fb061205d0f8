"""Consensus of several classifiers: known answers and properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.solvers.ensemble.consensus import (
    centered_logs,
    consensus,
    label_proportions,
    mean_agreement,
    scaled_scores,
    scores_at_prior,
)


def one_hot(labels, n_classes=2):
    return np.eye(n_classes)[labels]


def test_one_of_three_classifiers_is_always_wrong():
    """By hand: both right ones reach the upper bound of .99, the wrong one the lower bound.

    All classifiers are equally certain of every document, so that both parts of the score have
    margin 1 for the label of the two: scores are 1 and -1.
    """
    truth = np.array([0, 0, 1, 1])
    result = consensus([one_hot(truth), one_hot(truth), one_hot(1 - truth)])
    np.testing.assert_allclose(result.accuracies, [0.99, 0.99, 0.51])
    np.testing.assert_allclose(result.scores, 2 * one_hot(truth) - 1)


def test_one_of_three_classifiers_is_always_wrong_among_four_classes():
    """The lower bound of the accuracy is 1 / n_classes + .01, also for four classes."""
    truth = np.arange(8) % 4
    wrong = (truth + 1) % 4
    result = consensus([one_hot(truth, 4), one_hot(truth, 4), one_hot(wrong, 4)])
    np.testing.assert_allclose(result.accuracies, [0.99, 0.99, 0.26])
    np.testing.assert_array_equal(result.scores.argmax(axis=1), truth)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_accuracies_of_independent_classifiers(n_classes):
    generator = np.random.default_rng(0)
    truth = generator.integers(n_classes, size=20_000)
    labels = []
    for accuracy in (0.9, 0.8, 0.6):
        right = generator.random(len(truth)) < accuracy
        other = (truth + generator.integers(1, n_classes, len(truth))) % n_classes
        labels.append(np.where(right, truth, other))
    result = consensus([one_hot(part, n_classes) for part in labels])
    np.testing.assert_allclose(result.accuracies, [0.9, 0.8, 0.6], atol=0.02)
    accuracies = [np.mean(part == truth) for part in (result.scores.argmax(axis=1), *labels)]
    assert accuracies[0] > np.mean(accuracies[1:]) + 0.05


def test_a_certain_classifier_decides_a_document_on_which_two_others_are_uncertain():
    # They agree on 30 documents, so that all three accuracies are high.
    agreed = np.where(np.arange(30)[:, None] % 2 == [0, 1], 0.6, 0.4)
    certain = np.vstack([agreed, [0.999, 0.001]])
    others = np.vstack([agreed, [0.499, 0.501]])
    scores = consensus([certain, others, others]).scores
    np.testing.assert_array_equal(scores.argmax(axis=1), [*agreed.argmax(axis=1), 0])


def test_one_classifier_keeps_its_labels():
    memberships = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    labels = consensus([memberships]).scores.argmax(axis=1)
    np.testing.assert_array_equal(labels, memberships.argmax(axis=1))


def test_float32_memberships_and_no_documents():
    empty = consensus([np.zeros((0, 2), np.float32)])
    assert empty.scores.shape == (0, 2)
    assert consensus([np.full((3, 2), 0.5, np.float32)]).scores.dtype == np.float64


def test_mean_agreement_by_hand():
    labels = [np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([1, 1, 0, 0])]
    assert mean_agreement(labels) == pytest.approx((0.75 + 0.0 + 0.25) / 3)
    assert mean_agreement(labels[:1]) == 1.0
    assert mean_agreement([]) == 1.0


def test_centered_logs_have_a_lower_bound():
    logs = centered_logs(np.array([[1.0, 0.0], [0.5, 0.5]]))
    np.testing.assert_allclose(logs, [[np.log(1e3), -np.log(1e3)], [0, 0]], atol=1e-9)


def test_scaled_scores_by_hand():
    scaled = scaled_scores(np.array([[3.0, 1.0], [0.0, 6.0]]))  # margins 2 and 6
    np.testing.assert_allclose(scaled, [[0.25, -0.25], [-0.75, 0.75]])
    np.testing.assert_array_equal(scaled_scores(np.ones((3, 2))), np.zeros((3, 2)))
    assert scaled_scores(np.zeros((0, 3))).shape == (0, 3)


def test_label_proportions_by_hand():
    scores = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 1.0], [0.0, 2.0, 1.0], [5.0, 2.0, 1.0]])
    np.testing.assert_array_equal(label_proportions(scores), [0.5, 0.5, 0.0])


@given(
    st.lists(st.floats(0.02, 1.0), min_size=2, max_size=5),
    st.integers(0, 1000),
    st.floats(0.1, 8.0),  # scores are scaled to a mean margin near 1 before
)
def test_scores_at_prior_have_its_proportions(weights, seed, scale):
    prior = np.array(weights) / np.sum(weights)
    scores = scale * np.random.default_rng(seed).standard_normal((400, len(prior)))
    shifted = scores_at_prior(scores, prior)
    np.testing.assert_allclose(label_proportions(shifted), prior, atol=0.02)
    # One shift per class for all documents.
    np.testing.assert_allclose(np.ptp(shifted - scores, axis=0), 0, atol=1e-9)


def test_prior_without_a_class():
    scores = np.random.default_rng(0).standard_normal((200, 2))
    np.testing.assert_allclose(
        label_proportions(scores_at_prior(scores, np.array([1.0, 0.0]))), [1.0, 0.0]
    )
