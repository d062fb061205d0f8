"""Consensus of classifiers."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.solvers.self_training.mct import agreed_labels, consensus

NO_DUPLICATES = np.arange(100)


def two_classes(*second):
    """Memberships in two classes from those in the second."""
    return np.column_stack([1 - np.array(second), second])


def test_certainty_is_a_difference_of_mean_log_memberships():
    first, second = two_classes(0.8, 0.2, 0.9), two_classes(0.5, 0.9, 0.6)
    result = consensus([first, second], None)
    odds = [(np.log(4) + 0) / 2, (np.log(1 / 4) + np.log(9)) / 2, (np.log(9) + np.log(1.5)) / 2]
    assert result.labels.tolist() == [1, 1, 1]
    np.testing.assert_allclose(result.certainty, odds)
    # Ties get the first class.
    assert result.agreed.tolist() == [False, False, True]


def test_every_member_is_matched_to_the_prior():
    # The first labels all documents 1, the second all 0, but both rank them in the same order.
    first, second = two_classes(0.9, 0.8, 0.7, 0.6), two_classes(0.4, 0.3, 0.2, 0.1)
    assert not consensus([first, second], None).agreed.any()
    result = consensus([first, second], np.array([0.5, 0.5]))
    assert result.agreed.all()
    assert result.labels.tolist() == [1, 1, 0, 0]
    # Each threshold is midway between the log odds of the second and the third document.
    odds = np.log(first / (1 - first))[:, 1], np.log(second / (1 - second))[:, 1]
    expected = np.mean([np.abs(o - (o[1] + o[2]) / 2) for o in odds], axis=0)
    np.testing.assert_allclose(result.certainty, expected)


def test_no_class_gets_more_than_its_prior_proportion():
    member = two_classes(0.99, 0.98, 0.97, 0.96, 0.1, 0.2, 0.3, 0.4)
    halves = np.array([0.5, 0.5])
    agreement = agreed_labels([member, member], halves, 4, NO_DUPLICATES[:8])
    assert agreement.rows.tolist() == [0, 1, 4, 5]
    assert agreement.labels.tolist() == [1, 1, 0, 0]
    assert agreement.disagreement == 0
    uneven = agreed_labels([member], np.array([0.25, 0.75]), 4, NO_DUPLICATES[:8])
    assert uneven.rows.tolist() == [0, 1, 2, 4]
    without_prior = agreed_labels([member], None, 4, NO_DUPLICATES[:8])
    assert without_prior.rows.tolist() == [0, 1, 2, 3]


def test_documents_without_agreement_are_not_returned():
    first, second = two_classes(0.99, 0.9, 0.3, 0.01), two_classes(0.02, 0.8, 0.1, 0.7)
    agreement = agreed_labels([first, second], None, 4, NO_DUPLICATES[:4])
    assert agreement.rows.tolist() == [1, 2]
    assert agreement.labels.tolist() == [1, 0]
    assert agreement.disagreement == 0.5


def test_duplicates_count_once():
    member = two_classes(0.9, 0.9, 0.9, 0.8, 0.7, 0.1)
    groups = np.array([4, 4, 4, 7, 1, 0])
    agreement = agreed_labels([member, member], None, 3, groups)
    assert agreement.rows.tolist() == [0, 1, 2, 3, 5]
    assert agreement.labels.tolist() == [1, 1, 1, 1, 0]


def test_documents_unknown_to_a_member_are_not_returned():
    first, second = two_classes(0.9, 0.9, 0.1), two_classes(0.9, 0.9, 0.1)
    second[0] = 0
    prior = np.array([1 / 3, 2 / 3])
    agreement = agreed_labels([first, second], prior, 3, NO_DUPLICATES[:3])
    assert agreement.rows.tolist() == [1, 2]
    assert agreement.disagreement == 0
    unknown = agreed_labels([np.zeros((3, 2))], None, 3, NO_DUPLICATES[:3])
    assert len(unknown.rows) == len(unknown.labels) == 0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_agreement_equals_a_computation_with_loops(seed, n_classes):
    generator = np.random.default_rng(seed)
    members = [generator.dirichlet(np.ones(n_classes), 60) for _ in range(3)]
    agreement = agreed_labels(members, None, 5, NO_DUPLICATES[:60])
    agreed = {}
    for row in range(60):
        labels = {int(member[row].argmax()) for member in members}
        if len(labels) == 1:
            means = sorted(np.mean([np.log(member[row]) for member in members], axis=0))
            agreed[row] = (means[-1] - means[-2], labels.pop())
    best = sorted(sorted(agreed, key=lambda row: -agreed[row][0])[:5])
    assert agreement.rows.tolist() == best
    assert agreement.labels.tolist() == [agreed[row][1] for row in best]
    assert agreement.disagreement == pytest.approx(1 - len(agreed) / 60)
