"""Samples of parts are joined to a sample of the whole."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.inspection import sample
from isthmus.inspection.sample import TextSample


def joined(parts: list[list[str]], whole: TextSample) -> TextSample:
    n_texts = 0
    for number, texts in enumerate(parts):
        part = TextSample.of_part(number, len(parts))
        part.observe(texts)
        whole.add(pickle.loads(pickle.dumps(part)), n_texts)
        n_texts += part.n_texts
    return whole


@given(st.lists(st.integers(0, 40), min_size=1, max_size=8), st.integers(1, 60))
def test_rows_and_texts_belong_together(sizes, max_texts) -> None:
    texts = [f"text {i}" for i in range(sum(sizes))]
    remaining = iter(texts)
    whole = joined([[next(remaining) for _ in range(n)] for n in sizes], TextSample(max_texts))
    rows = whole.rows.tolist()
    assert whole.texts == [texts[row] for row in rows]
    assert rows == sorted(set(rows))
    assert len(rows) <= max_texts
    if len(texts) <= max_texts:
        assert rows == list(range(len(texts)))


def test_every_part_has_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "_MAX_TEXTS", 1000)
    sizes = (8000, 100, 8000, 3900)
    whole = joined([["x"] * size for size in sizes], TextSample(1000))
    bounds = [0, 8000, 8100, 16100, 20000]
    counts = [
        int(((whole.rows >= start) & (whole.rows < stop)).sum()) for start, stop in pairwise(bounds)
    ]
    assert 400 <= sum(counts) <= 1000
    for count, size in zip(counts, sizes, strict=True):
        share = sum(counts) * size / 20000
        assert abs(count - share) < 5 * share**0.5 + 1


def test_parts_have_different_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "_MAX_TEXTS", 40)
    parts = [TextSample.of_part(number, 4) for number in range(2)]
    for part in parts:
        part.observe(["x"] * 1000)
    assert parts[0].rows.tolist() != parts[1].rows.tolist()


def test_characters_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "_MAX_TEXT_LENGTH", 50)
    whole = joined([["x" * 70] * 100] * 3, TextSample(max_characters=1000))
    assert 0 < sum(map(len, whole.texts)) <= 1000
    assert {len(text) for text in whole.texts} == {50}
