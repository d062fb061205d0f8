"""Words as witnesses of the direction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.numerics.class_alignment import Moments, find_direction, least_agreement


def moments(rates, n_documents=50, seed=0):
    """Of documents in which every class (row of ``rates``) uses words at random."""
    generator = np.random.default_rng(seed)
    drawn = [(generator.random((n_documents, len(row))) < row).astype(float) for row in rates]
    sums = np.column_stack([part.sum(axis=0) for part in drawn])
    counts = np.full(len(rates), float(n_documents))
    return Moments(counts, sums, sums)  # zeros and ones are their own squares


def rates(n_classes=3, n_words=240):
    words = np.full((n_classes, n_words), 0.2)
    for k, own in enumerate(np.array_split(np.arange(n_words // 2), n_classes)):
        words[k, own] = 0.6
    return words


def test_contrasts_are_welch_statistics():
    generator = np.random.default_rng(1)
    parts = [generator.random((200, 4)) * scale for scale in (1.0, 1.3)]
    side = Moments(
        np.array([200.0, 200.0]),
        np.column_stack([part.sum(axis=0) for part in parts]),
        np.column_stack([(part**2).sum(axis=0) for part in parts]),
    )
    apart = parts[0].mean(axis=0) - parts[1].mean(axis=0)
    error = np.sqrt(sum(part.var(axis=0) / 200 for part in parts))
    np.testing.assert_allclose(side.contrasts()[:, 0], apart / error, rtol=0.05)
    np.testing.assert_allclose(side.contrasts()[:, 1], -side.contrasts()[:, 0])


def test_right_names_are_clear_and_stay():
    found = find_direction(moments(rates()), moments(rates(), seed=1))
    assert found.certainty > 4
    assert found.likeness > 0.5
    assert found.order.tolist() == [0, 1, 2]
    assert found.doubt == 0


@pytest.mark.parametrize("names", [[1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
def test_wrong_names_are_found_out(names):
    """Group k of the target is class names[k]."""
    found = find_direction(moments(rates()), moments(rates()[names], seed=1))
    assert found.certainty < -2
    assert found.order.tolist() == names
    assert found.doubt > 4


def test_words_without_a_message_are_not_clear():
    """Each side has words for every class that have nothing to do with the other side's."""
    generator = np.random.default_rng(2)
    sides = [moments(generator.choice([0.2, 0.4], (2, 400)), seed=i) for i in range(2)]
    found = find_direction(*sides)
    assert abs(found.certainty) < 3
    assert abs(found.likeness) < 0.2


def test_longer_documents_say_nothing():
    """All words prefer class 0 of the source and of the target: its documents are longer."""
    long = np.array([np.full(300, 0.4), np.full(300, 0.2)])
    assert abs(find_direction(moments(long), moments(long, seed=1)).certainty) < 3


def test_two_classes_are_opposite():
    source = moments(rates(2))
    right, wrong = (
        find_direction(source, moments(rates(2)[order], seed=1)) for order in ([0, 1], [1, 0])
    )
    assert right.certainty > 4
    assert wrong.certainty < -4
    assert wrong.doubt == pytest.approx(-wrong.certainty)


@pytest.mark.parametrize("absent", [0, 1])
def test_a_group_without_documents_is_not_compared(absent):
    target = moments(rates(2), seed=1)
    counts, sums = target.counts.copy(), target.sums.copy()
    counts[absent], sums[:, absent] = 0, 0
    found = find_direction(moments(rates(2)), Moments(counts, sums, sums))
    assert found.certainty == 0
    assert found.order.tolist() == [0, 1]


def test_nothing_in_common():
    source, target = moments(np.full((2, 6), 0.5)), moments(np.full((2, 6), 0.5), seed=1)
    source.sums[3:], target.sums[:3] = 0, 0
    found = find_direction(source, target)
    assert (found.certainty, found.doubt, found.likeness) == (0, 0, 0)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 1.0),
        ([0, 0, 1, 1], [1, 1, 0, 0], 0.0),
        ([0, 0, 1, 1], [0, 1, 0, 1], 0.5),
        ([0, 1, 2, 2], [0, 2, 1, 1], 0.0),  # classes 1 and 2 have changed names, 0 has not
        ([], [], 1.0),
    ],
)
def test_least_agreement_by_hand(first, second, expected):
    labels = (np.array(first, int), np.array(second, int))
    assert least_agreement(*labels, 3) == expected


@given(st.lists(st.integers(0, 3), min_size=1), st.randoms())
def test_least_agreement_is_symmetric_and_a_share(labels, random):
    first = np.array(labels)
    second = np.array(random.choices(range(4), k=len(labels)))
    agreement = least_agreement(first, second, 4)
    assert 0 <= agreement <= 1
    assert agreement == least_agreement(second, first, 4)
    assert least_agreement(first, first, 4) == 1
