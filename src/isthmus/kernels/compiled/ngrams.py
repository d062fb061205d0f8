"""Character n-grams of words, and their counts in documents."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from isthmus.kernels.compiled.bit_sets import add_bit, bit_position, lowest_bit
from isthmus.kernels.compiled.jit_loop import loop

_FIRST_SIZE = 1 << 16
# Bits of a Unicode code point.
_CODE_BITS = 21
# Number of characters that fit in one key.
_MAX_PACKED = 3
# Multiplicative hashing: an odd number near 2**64 divided by the golden ratio.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@numba.njit(inline="always")
def _slot(keys, key):
    """Return the slot of a key, or the free slot where it belongs."""
    mask = keys.shape[0] - 1
    slot = np.int64((np.uint64(key) * _MULTIPLIER) >> np.uint64(32)) & mask
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + 1) & mask
    return slot


@numba.njit
def _grow(keys, nodes):
    """Return the hash table with four times as many slots."""
    size = 4 * keys.shape[0]
    more_keys, more_nodes = np.full(size, -1, np.int64), np.empty(size, np.int32)
    for old in range(keys.shape[0]):
        if keys[old] != -1:
            slot = _slot(more_keys, keys[old])
            more_keys[slot], more_nodes[slot] = keys[old], nodes[old]
    return more_keys, more_nodes


@loop(
    "codes", "pointers", "pointers", "pointers", "pointers", "new indices", "number", "number",
)  # fmt: skip
def ngram_numbers(_: int) -> Callable[..., int]:
    def rows(codes, starts, shortest, longest, pointers, numbers, start, stop):
        if start == stop:
            return 0
        offset = starts[start]
        # The number of the string of ``length`` characters that begins at a position. The loop
        # over lengths is the outer one: searches in the table do not wait for each other, and
        # the table of one length is small.
        node_at = np.zeros(starts[stop] - offset, np.int32)
        entry_at = np.empty(starts[stop] - offset, np.int64)
        for i in range(start, stop):
            entry, end = pointers[i], starts[i + 1]
            for begin in range(starts[i], end - shortest[i] + 1):
                entry_at[begin - offset] = entry - shortest[i]
                entry += min(longest[i], end - begin) - shortest[i] + 1
        first = min(shortest[start:stop].min(), _MAX_PACKED)
        n_numbers = 0
        for length in range(first, longest[start:stop].max() + 1):
            keys, nodes = np.full(_FIRST_SIZE, -1, np.int64), np.empty(_FIRST_SIZE, np.int32)
            number_of_node = np.full(starts[stop] - offset, -1, np.int32)
            n_nodes = 0
            for i in range(start, stop):
                if length > longest[i]:
                    continue
                for begin in range(starts[i], starts[i + 1] - max(length, shortest[i]) + 1):
                    key = np.int64(node_at[begin - offset])
                    for place in range(
                        begin if length == first else begin + length - 1, begin + length
                    ):
                        key = (key << _CODE_BITS) | np.int64(codes[place])
                    slot = _slot(keys, key)
                    if keys[slot] == -1:
                        if 2 * n_nodes >= keys.shape[0]:
                            keys, nodes = _grow(keys, nodes)
                            slot = _slot(keys, key)
                        keys[slot], nodes[slot] = key, n_nodes
                        n_nodes += 1
                    node = nodes[slot]
                    node_at[begin - offset] = node
                    if length >= shortest[i]:
                        if number_of_node[node] < 0:
                            number_of_node[node] = n_numbers
                            n_numbers += 1
                        numbers[entry_at[begin - offset] + length] = number_of_node[node]
        return n_numbers

    return rows


@loop(
    "indices", "pointers", "indices", "pointers", "new pointers", "number", "number",
)  # fmt: skip
def ngram_frequencies(_: int) -> Callable[..., None]:
    def rows(words, indptr, ngrams, ngram_starts, frequencies, start, stop):
        last_row = np.full(frequencies.shape[0], -1, np.int64)
        for i in range(start, stop):
            for entry in range(indptr[i], indptr[i + 1]):
                word = words[entry]
                for other in range(ngram_starts[word], ngram_starts[word + 1]):
                    ngram = ngrams[other]
                    if last_row[ngram] != i:
                        last_row[ngram] = i
                        frequencies[ngram] += 1

    return rows


@loop(
    "row", "indices", "pointers", "indices", "pointers", "number", "new row", "new indices",
    "new pointers", "number", "number",
)  # fmt: skip
def ngram_counts(_: int) -> Callable[..., None]:
    def rows(
        data, words, indptr, ngrams, ngram_starts, n_ngrams, counts, columns, ends, start, stop
    ):
        totals = np.zeros(n_ngrams, data.dtype)
        # One bit per n-gram that occurs, so that the columns of a row come out in order.
        occurs = np.zeros((n_ngrams >> 6) + 1, np.uint64)
        filled = ends[start]
        for i in range(start, stop):
            for entry in range(indptr[i], indptr[i + 1]):
                word, count = words[entry], data[entry]
                for other in range(ngram_starts[word], ngram_starts[word + 1]):
                    ngram = ngrams[other]
                    totals[ngram] += count
                    add_bit(occurs, ngram)
            for block in range(occurs.shape[0]):
                bits = occurs[block]
                while bits:
                    bit = lowest_bit(bits)
                    ngram = (block << 6) + bit_position(bit)
                    columns[filled], counts[filled] = ngram, totals[ngram]
                    totals[ngram] = 0
                    filled += 1
                    bits ^= bit
                occurs[block] = np.uint64(0)
            ends[i + 1] = filled

    return rows
