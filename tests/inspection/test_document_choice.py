"""Which documents of a target a report shows, and which ones to label first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isthmus.inspection.documents import LabeledSample, documents_to_label
from isthmus.inspection.sample import DomainSample, TextSample, random_rows


def make_labeled(n: int = 90, **changes: Any) -> LabeledSample:
    """Documents of three topics; confidence falls with the row."""
    generator = np.random.default_rng(0)
    X = np.zeros((n, 60))
    for row in range(n):
        X[row, 20 * (row % 3) + generator.choice(20, 6, replace=False)] = 1
    codes = np.arange(n) % 2
    fields: dict[str, Any] = {
        "codes": codes,
        "confidence": np.linspace(0.99, 0.5, n),
        "source_only": codes.copy(),
        "votes": [codes.copy(), codes.copy()],
        "is_open": np.ones(n, bool),
        **changes,
    }
    sample = DomainSample(
        name="target",
        number=-1,
        n_documents=n,
        start=0,
        class_counts=np.zeros(2, int),
        rows=np.arange(n),
        texts=[""] * n,
        X=sparse.csr_matrix(fields.pop("X", X)),
        labels=np.full(n, -1),
        is_labeled=np.zeros(n, bool),
    )
    return LabeledSample(sample=sample, **fields)


def test_certain_documents_come_from_every_class_in_turn() -> None:
    labeled = make_labeled()
    assert labeled.certain(4).tolist() == [0, 1, 2, 3]
    skewed = make_labeled(codes=np.array([0] * 80 + [1] * 10))
    chosen = skewed.certain(4)
    assert skewed.codes[chosen].tolist() == [0, 1, 0, 1]


def test_doubtful_documents_have_the_lowest_confidence() -> None:
    assert make_labeled().doubtful(3).tolist() == [89, 88, 87]


def test_disputed_documents_have_most_votes_against_them() -> None:
    codes = np.arange(90) % 2
    first, second, source = codes.copy(), codes.copy(), codes.copy()
    first[[5, 7]] = 1 - codes[[5, 7]]
    second[[7, 9]] = 1 - codes[[7, 9]]
    source[[7]] = 1 - codes[[7]]
    labeled = make_labeled(votes=[first, second], source_only=source)
    assert labeled.disputed(10).tolist() == [7, 5, 9]
    assert labeled.n_against[[7, 5, 0]].tolist() == [3, 1, 0]
    assert make_labeled().disputed(10).tolist() == []


def test_given_labels_and_documents_without_words_are_not_shown() -> None:
    is_open = np.ones(90, bool)
    is_open[[0, 89]] = False
    labeled = make_labeled(is_open=is_open)
    assert labeled.certain(1).tolist() == [2]
    assert labeled.doubtful(1).tolist() == [88]
    assert not {0, 89} & set(documents_to_label(labeled, 60).tolist())


def test_copies_are_shown_once() -> None:
    X = np.zeros((90, 60))
    X[:, 0] = 1  # all documents are the same
    labeled = make_labeled(X=X)
    assert len(labeled.doubtful(10)) == 1
    assert len(documents_to_label(labeled, 10)) == 1


def test_documents_to_label_are_doubtful_and_of_every_topic() -> None:
    labeled = make_labeled()
    chosen = documents_to_label(labeled, 6)
    assert len(set(chosen.tolist())) == 6
    # The most doubtful third are the last 30 rows.
    assert chosen.min() >= 60
    assert set((chosen % 3).tolist()) == {0, 1, 2}
    assert documents_to_label(labeled, 6).tolist() == chosen.tolist()


@pytest.mark.parametrize(("n_documents", "n"), [(1, 20), (3, 20), (2, 1), (30, 0)])
def test_few_documents(n_documents: int, n: int) -> None:
    chosen = documents_to_label(make_labeled(n_documents), n)
    assert len(chosen) == min(n_documents, n)
    assert len(set(chosen.tolist())) == len(chosen)


@given(st.integers(0, 80), st.integers(1, 12))
def test_a_sample_of_texts_is_bounded(n_texts: int, max_texts: int) -> None:
    texts = [f"text {i}" for i in range(n_texts)]
    sample = TextSample(max_texts)
    for start in range(0, n_texts, 7):
        sample.observe(texts[start : start + 7])
    assert sample.n_texts == n_texts
    assert sample.texts == [texts[row] for row in sample.rows]
    assert len(sample.texts) <= max_texts
    assert (np.diff(sample.rows) > 0).all()
    if n_texts <= max_texts:
        assert sample.texts == texts


@pytest.mark.parametrize("period", [2, 3, 4, 8])
def test_a_sample_has_all_classes_of_a_file_in_which_they_alternate(period: int) -> None:
    sample = TextSample(max_texts=1_000)
    sample.observe([str(row) for row in range(20_000)])
    shares = np.bincount(sample.rows % period) / len(sample.rows)
    assert 400 < len(sample.rows) <= 1_000
    assert np.abs(shares - 1 / period).max() < 0.06
    rows = random_rows(np.arange(8_000), 400)
    assert np.abs(np.bincount(rows % period) / 400 - 1 / period).max() < 0.08


def test_long_texts_are_cut_and_fewer_are_kept() -> None:
    sample = TextSample()
    sample.observe(["x" * 50_000])
    assert sample.texts == ["x" * 20_000]
    small = TextSample(max_characters=1_000)
    small.observe(["x" * 100] * 500)
    assert 1 <= len(small.texts) <= 10
