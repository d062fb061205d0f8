"""Character n-grams of words, and their counts in documents, in NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.plain.documents import row_block

Array = NDArray[Any]

_CODE_BITS = 21
# Number of rows that are multiplied at a time.
_BLOCK_ROWS = 1000


def ngram_numbers(
    codes: Array,
    starts: Array,
    shortest: Array,
    longest: Array,
    pointers: Array,
    numbers: Array,
    start: int,
    stop: int,
) -> int:
    """Number n-grams of equal characters alike, one length after the other."""
    positions = np.arange(starts[start], starts[stop])
    word = np.repeat(np.arange(start, stop), np.diff(starts[start : stop + 1]))
    lengths = np.minimum(longest[word], starts[word + 1] - positions)
    n_entries = np.maximum(lengths - shortest[word] + 1, 0)
    first_entries = np.concatenate([[0], np.cumsum(n_entries)])
    labels = np.empty(first_entries[-1], np.int64)
    nodes, n_labels = np.zeros(len(positions), np.int64), 0
    for length in range(1, int(longest[start:stop].max(initial=0)) + 1):
        is_long = np.flatnonzero(lengths >= length)
        keys = (nodes[is_long] << _CODE_BITS) | codes[positions[is_long] + length - 1]
        unique_keys, numbered = np.unique(keys, return_inverse=True)
        nodes[is_long] = numbered
        shortest_here = shortest[word[is_long]]
        is_entry = length >= shortest_here
        entries = first_entries[:-1][is_long] + length - shortest_here
        labels[entries[is_entry]] = n_labels + numbered[is_entry]
        n_labels += len(unique_keys)
    different, numbered = np.unique(labels, return_inverse=True)
    numbers[pointers[start] : pointers[stop]] = numbered
    return len(different)


def ngram_frequencies(
    words: Array,
    indptr: Array,
    ngrams: Array,
    ngram_starts: Array,
    frequencies: Array,
    start: int,
    stop: int,
) -> None:
    ones = np.ones(len(words), np.float32)
    for _, product in _products(
        ones, words, indptr, ngrams, ngram_starts, len(frequencies), start, stop
    ):
        frequencies += np.bincount(product.indices, minlength=len(frequencies))


def ngram_counts(
    data: Array,
    words: Array,
    indptr: Array,
    ngrams: Array,
    ngram_starts: Array,
    n_ngrams: int,
    counts: Array,
    columns: Array,
    ends: Array,
    start: int,
    stop: int,
) -> None:
    for first, product in _products(
        data, words, indptr, ngrams, ngram_starts, n_ngrams, start, stop
    ):
        product.sort_indices()
        filled = ends[first]
        part = slice(filled, filled + product.nnz)
        counts[part], columns[part] = product.data, product.indices
        ends[first + 1 : first + product.shape[0] + 1] = filled + product.indptr[1:]


def _products(
    data: Array,
    words: Array,
    indptr: Array,
    ngrams: Array,
    ngram_starts: Array,
    n_ngrams: int,
    start: int,
    stop: int,
) -> Any:
    """Yield the first row and the n-gram counts of some documents at a time."""
    n_words = len(ngram_starts) - 1
    ones = np.ones(len(ngrams), data.dtype)
    ngrams_of_words = row_block(ones, ngrams, ngram_starts, 0, n_words, n_ngrams)
    for first in range(start, stop, _BLOCK_ROWS):
        last = min(first + _BLOCK_ROWS, stop)
        yield first, row_block(data, words, indptr, first, last, n_words) @ ngrams_of_words
