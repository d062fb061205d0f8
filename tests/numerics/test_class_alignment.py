"""Comparison of predicted and labeled classes by their words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.numerics.class_alignment import WordMoments, align_classes, min_pairwise_agreement


def moments(rates, n_documents=50, seed=0):
    """WordMoments of random documents; a row of ``rates`` holds the word rates of a class."""
    generator = np.random.default_rng(seed)
    drawn = [(generator.random((n_documents, len(row))) < row).astype(float) for row in rates]
    sums = np.column_stack([part.sum(axis=0) for part in drawn])
    counts = np.full(len(rates), float(n_documents))
    return WordMoments(counts, sums, sums)  # 0 and 1 equal their squares


def rates(n_classes=3, n_words=240):
    words = np.full((n_classes, n_words), 0.2)
    for k, own in enumerate(np.array_split(np.arange(n_words // 2), n_classes)):
        words[k, own] = 0.6
    return words


def test_contrasts_are_welch_statistics():
    generator = np.random.default_rng(1)
    parts = [generator.random((200, 4)) * scale for scale in (1.0, 1.3)]
    word_moments = WordMoments(
        np.array([200.0, 200.0]),
        np.column_stack([part.sum(axis=0) for part in parts]),
        np.column_stack([(part**2).sum(axis=0) for part in parts]),
    )
    apart = parts[0].mean(axis=0) - parts[1].mean(axis=0)
    error = np.sqrt(sum(part.var(axis=0) / 200 for part in parts))
    np.testing.assert_allclose(word_moments.contrasts()[:, 0], apart / error, rtol=0.05)
    np.testing.assert_allclose(word_moments.contrasts()[:, 1], -word_moments.contrasts()[:, 0])


def test_correct_classes_are_kept_with_high_certainty():
    alignment = align_classes(moments(rates()), moments(rates(), seed=1))
    assert alignment.certainty > 4
    assert alignment.correlation > 0.5
    assert alignment.class_of_group.tolist() == [0, 1, 2]
    assert alignment.swap_evidence == 0


@pytest.mark.parametrize("names", [[1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
def test_swapped_classes_are_detected(names):
    """Group k of the target is class names[k]."""
    alignment = align_classes(moments(rates()), moments(rates()[names], seed=1))
    assert alignment.certainty < -2
    assert alignment.class_of_group.tolist() == names
    assert alignment.swap_evidence > 4


def test_unrelated_words_give_low_certainty():
    """The class preferences of words are independent in the two sets of documents."""
    generator = np.random.default_rng(2)
    both = [moments(generator.choice([0.2, 0.4], (2, 400)), seed=i) for i in range(2)]
    alignment = align_classes(*both)
    assert abs(alignment.certainty) < 3
    assert abs(alignment.correlation) < 0.2


def test_longer_documents_are_no_evidence():
    """All words prefer class 0 in both domains, because its documents are longer."""
    long = np.array([np.full(300, 0.4), np.full(300, 0.2)])
    assert abs(align_classes(moments(long), moments(long, seed=1)).certainty) < 3


def test_evidence_of_two_classes_is_symmetric():
    source = moments(rates(2))
    right, wrong = (
        align_classes(source, moments(rates(2)[order], seed=1)) for order in ([0, 1], [1, 0])
    )
    assert right.certainty > 4
    assert wrong.certainty < -4
    assert wrong.swap_evidence == pytest.approx(-wrong.certainty)


@pytest.mark.parametrize("absent", [0, 1])
def test_a_class_without_documents_is_not_compared(absent):
    target = moments(rates(2), seed=1)
    counts, sums = target.counts.copy(), target.sums.copy()
    counts[absent], sums[:, absent] = 0, 0
    alignment = align_classes(moments(rates(2)), WordMoments(counts, sums, sums))
    assert alignment.certainty == 0
    assert alignment.class_of_group.tolist() == [0, 1]


def test_no_shared_words():
    source, target = moments(np.full((2, 6), 0.5)), moments(np.full((2, 6), 0.5), seed=1)
    source.sums[3:], target.sums[:3] = 0, 0
    alignment = align_classes(source, target)
    assert (alignment.certainty, alignment.swap_evidence, alignment.correlation) == (0, 0, 0)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 1.0),
        ([0, 0, 1, 1], [1, 1, 0, 0], 0.0),
        ([0, 0, 1, 1], [0, 1, 0, 1], 0.5),
        ([0, 1, 2, 2], [0, 2, 1, 1], 0.0),  # classes 1 and 2 are swapped, 0 is not
        ([], [], 1.0),
    ],
)
def test_min_pairwise_agreement_by_hand(first, second, expected):
    labels = (np.array(first, int), np.array(second, int))
    assert min_pairwise_agreement(*labels, 3) == expected


@given(st.lists(st.integers(0, 3), min_size=1), st.randoms())
def test_min_pairwise_agreement_is_symmetric_and_between_0_and_1(labels, random):
    first = np.array(labels)
    second = np.array(random.choices(range(4), k=len(labels)))
    agreement = min_pairwise_agreement(first, second, 4)
    assert 0 <= agreement <= 1
    assert agreement == min_pairwise_agreement(second, first, 4)
    assert min_pairwise_agreement(first, first, 4) == 1
