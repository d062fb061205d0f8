"""Texts in blocks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.text.text_blocks import TextBlocks, blocks_of, text_list

BLOCKS = st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=8)


def flat(blocks: list[list[str]]) -> list[str]:
    return [text for block in blocks for text in block]


@given(BLOCKS, st.integers(0, 40), st.integers(0, 20))
def test_every_block_is_handed_out_and_observed_once(blocks, enough, n_texts) -> None:
    early: list[str] = []
    late: list[str] = []
    stream = TextBlocks(blocks).observed_by(early.extend)
    texts = flat(blocks)
    n_characters = sum(map(len, texts))
    ahead = stream.n_characters_ahead(enough)
    assert ahead == n_characters or ahead >= enough
    assert stream.first(n_texts) == texts[:n_texts]
    stream.observed_by(late.extend)
    read = list(stream)
    assert flat(read) == texts == early == late
    assert all(read)
    assert stream.are_finished
    assert stream.n_characters_ahead(1) == 0
    assert stream.first(1) == []


@given(BLOCKS, st.integers(1, 12), st.integers(1, 6), st.integers(1, 25))
def test_joined_blocks(blocks, n_characters, n_texts, at_most) -> None:
    texts = flat(blocks)
    stream = TextBlocks(blocks)
    parts: list[list[str]] = []
    while not stream.are_finished:
        part = list(stream.joined(n_characters, n_texts=n_texts, at_most=at_most))
        for block in part[:-1]:
            assert len(block) >= n_texts
            assert len("".join(block)) >= min(n_characters, at_most)
        # It ends with the block that reaches the limit.
        assert sum(len("".join(block)) for block in part[:-1]) < at_most
        parts += part
    assert flat(parts) == texts


def test_blocks_without_texts_do_not_count() -> None:
    stream = TextBlocks([["a"], [], []])
    assert next(stream) == ["a"]
    assert stream.are_finished


def test_blocks_are_those_of_the_caller() -> None:
    stream = TextBlocks([["a"]])
    assert TextBlocks.of(stream) is stream


@given(st.lists(st.text(max_size=8), max_size=60))
def test_single_texts_in_blocks(texts) -> None:
    assert flat(list(blocks_of(iter(texts)))) == texts
    assert text_list(texts) == texts


def test_a_stream_is_read_only_as_far_as_needed() -> None:
    def stream() -> Iterator[str]:
        yield "a"
        raise AssertionError("read too far")

    assert next(TextBlocks.of(stream())) == ["a"]


@pytest.mark.parametrize("place", [0, 5, 2000])
def test_an_error_names_the_text(place: int) -> None:
    texts: list[object] = ["x"] * 3000
    texts[place] = 3
    with pytest.raises(
        ValueError, match=rf"^Text {place} of 'a' \(counted from 0\) is 3 of type int"
    ):
        list(blocks_of(texts, "of 'a'"))
    with pytest.raises(ValueError, match=rf"^Text {place} \(counted from 0\) is 3 of type int"):
        text_list(texts)  # type: ignore[arg-type]
