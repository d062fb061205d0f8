"""What members agree on."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.solvers.self_training.mct import agreed_lessons, consensus

APART = np.arange(100)


def sure(*shares):
    """Memberships in two classes from those in the second."""
    return np.column_stack([1 - np.array(shares), shares])


def test_members_are_taken_together_by_the_mean_of_their_logarithms():
    first, second = sure(0.8, 0.2, 0.9), sure(0.5, 0.9, 0.6)
    found = consensus([first, second], None)
    odds = [(np.log(4) + 0) / 2, (np.log(1 / 4) + np.log(9)) / 2, (np.log(9) + np.log(1.5)) / 2]
    assert found.labels.tolist() == [1, 1, 1]
    np.testing.assert_allclose(found.certainty, odds)
    # Even memberships count for the first class.
    assert found.agreed.tolist() == [False, False, True]


def test_every_member_is_held_to_the_shares_by_itself():
    # The first calls all documents 1, the second all 0: held to halves, both rank them alike.
    first, second = sure(0.9, 0.8, 0.7, 0.6), sure(0.4, 0.3, 0.2, 0.1)
    assert not consensus([first, second], None).agreed.any()
    found = consensus([first, second], np.array([0.5, 0.5]))
    assert found.agreed.all()
    assert found.labels.tolist() == [1, 1, 0, 0]
    # Each threshold lies midway between the log odds of the second document and of the third.
    odds = np.log(first / (1 - first))[:, 1], np.log(second / (1 - second))[:, 1]
    expected = np.mean([np.abs(o - (o[1] + o[2]) / 2) for o in odds], axis=0)
    np.testing.assert_allclose(found.certainty, expected)


def test_no_class_gets_more_than_its_share():
    member = sure(0.99, 0.98, 0.97, 0.96, 0.1, 0.2, 0.3, 0.4)
    halves = np.array([0.5, 0.5])
    rows, labels, doubt = agreed_lessons([member, member], halves, 4, APART[:8])
    assert rows.tolist() == [0, 1, 4, 5]
    assert labels.tolist() == [1, 1, 0, 0]
    assert doubt == 0
    rows, labels, _ = agreed_lessons([member], np.array([0.25, 0.75]), 4, APART[:8])
    assert rows.tolist() == [0, 1, 2, 4]
    rows, _, _ = agreed_lessons([member], None, 4, APART[:8])
    assert rows.tolist() == [0, 1, 2, 3]


def test_what_members_differ_on_is_never_learnt():
    first, second = sure(0.99, 0.9, 0.3, 0.01), sure(0.02, 0.8, 0.1, 0.7)
    rows, labels, doubt = agreed_lessons([first, second], None, 4, APART[:4])
    assert rows.tolist() == [1, 2]
    assert labels.tolist() == [1, 0]
    assert doubt == 0.5


def test_copies_take_one_place_together():
    member = sure(0.9, 0.9, 0.9, 0.8, 0.7, 0.1)
    groups = np.array([4, 4, 4, 7, 1, 0])
    rows, labels, _ = agreed_lessons([member, member], None, 3, groups)
    assert rows.tolist() == [0, 1, 2, 3, 5]
    assert labels.tolist() == [1, 1, 1, 1, 0]


def test_a_document_of_which_a_member_says_nothing_is_no_lesson():
    first, second = sure(0.9, 0.9, 0.1), sure(0.9, 0.9, 0.1)
    second[0] = 0
    rows, _, doubt = agreed_lessons([first, second], np.array([1 / 3, 2 / 3]), 3, APART[:3])
    assert rows.tolist() == [1, 2]
    assert doubt == 0
    nothing = np.zeros((3, 2))
    assert [len(part) for part in agreed_lessons([nothing], None, 3, APART[:3])[:2]] == [0, 0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_same_by_plain_loops(seed, n_classes):
    generator = np.random.default_rng(seed)
    members = [generator.dirichlet(np.ones(n_classes), 60) for _ in range(3)]
    rows, labels, doubt = agreed_lessons(members, None, 5, APART[:60])
    agreed = {}
    for row in range(60):
        said = {int(member[row].argmax()) for member in members}
        if len(said) == 1:
            means = sorted(np.mean([np.log(member[row]) for member in members], axis=0))
            agreed[row] = (means[-1] - means[-2], said.pop())
    best = sorted(sorted(agreed, key=lambda row: -agreed[row][0])[:5])
    assert rows.tolist() == best
    assert labels.tolist() == [agreed[row][1] for row in best]
    assert doubt == pytest.approx(1 - len(agreed) / 60)
