"""How much the score of every class falls when a word is removed from a document.

The score of a class is its log-odds, ``log(p / (1 - p))``. With two classes it changes linearly
with the terms of a document if the rule is linear, also for probabilities close to 0 or 1. It
compares the class with those that could be right instead: the mean of ``log p`` over all classes
would be ruled by hopeless ones, whose tiny probabilities change most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MAX_WORDS",
    "Variants",
    "log_odds",
    "max_words",
    "removal_weights",
    "remove_spans",
]

#: Number of different words of a document that are removed in turn.
MAX_WORDS = 300
# Characters of all shortened texts of a document together. It allows fewer words in texts of more
# than 100,000 characters.
_MAX_CHARACTERS = 30_000_000
_MIN_WORDS = 20
# Shortened texts that are counted and predicted at a time, which bounds the memory. A longer text
# counts as one of 20,000 characters, because its rows hardly grow any more.
_BLOCK_CHARACTERS, _BLOCK_TEXTS, _LONG_TEXT = 1_000_000, 2_000, 20_000
# What a probability of 0 counts as, unless a positive one is smaller.
_ZERO_PROBABILITY = 1e-30


class Variants(NamedTuple):
    """Some variants of a document: 0 is the whole document, ``i`` has no word ``i - 1``."""

    document: int
    start: int
    stop: int


def max_words(n_characters: int) -> int:
    """Return how many different words of a text of this length are removed in turn."""
    return min(MAX_WORDS, max(_MIN_WORDS, _MAX_CHARACTERS // max(n_characters, 1)))


def remove_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the text with a space in place of every span; spans are sorted and disjoint."""
    parts, end_of_last = [], 0
    for start, end in spans:
        parts.append(text[end_of_last:start])
        end_of_last = end
    # A space, because the words on both sides must not become one.
    return " ".join([*parts, text[end_of_last:]])


def log_odds(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    """Return ``log(p / (1 - p))`` of every class, one row per variant.

    Zeros are replaced by 1e-30, or by the smallest positive probability if that is smaller. So
    weights stay finite for methods that give hard labels, and no order is reversed.
    """
    values = np.asarray(probabilities, np.float64)
    least = min(_ZERO_PROBABILITY, float(values[values > 0].min(initial=1.0)))
    values = np.maximum(values, least)
    values = values / values.sum(axis=1, keepdims=True)
    # 1 - p of the most probable class is the sum of the others, which is exact for p close to 1.
    rows, best = np.arange(len(values)), values.argmax(axis=1)
    others = values.copy()
    others[rows, best] = 0
    complements = 1 - values
    complements[rows, best] = np.maximum(others.sum(axis=1), least)
    return np.asarray(np.log(values) - np.log(complements))


def removal_weights(
    n_words: Sequence[int],
    n_characters: Sequence[int],
    predict: Callable[[list[Variants]], NDArray[Any]],
) -> list[NDArray[np.float64]]:
    """Return the weight of every word of several documents for every class.

    Parameters
    ----------
    n_words : sequence of int
        Number of words of every document.
    n_characters : sequence of int
        Length of every document. Variants are predicted in blocks of limited length.
    predict : function
        Maps variants of documents to their class probabilities, one row per variant.

    Returns
    -------
    list of arrays of shape (n_words, n_classes)
        The score of the class for the whole document minus that without the word. One array per
        document.
    """
    blocks = _blocks(n_words, n_characters)
    probabilities = np.concatenate([predict(block) for block in blocks])
    weights, start = [], 0
    for n in n_words:
        scores = log_odds(probabilities[start : start + 1 + n])
        weights.append(scores[0] - scores[1:])
        start += 1 + n
    return weights


def _blocks(n_words: Sequence[int], n_characters: Sequence[int]) -> Iterator[list[Variants]]:
    block: list[Variants] = []
    n_texts = _BLOCK_TEXTS
    characters = _BLOCK_CHARACTERS
    for document, (n, length) in enumerate(zip(n_words, n_characters, strict=True)):
        start, length = 0, min(length, _LONG_TEXT)
        while start <= n:
            size = max(1, min(n + 1 - start, n_texts, characters // max(length, 1)))
            block.append(Variants(document, start, start + size))
            start += size
            n_texts -= size
            characters -= size * length
            if n_texts <= 0 or characters < length:
                yield block
                block, n_texts, characters = [], _BLOCK_TEXTS, _BLOCK_CHARACTERS
    if block:
        yield block
