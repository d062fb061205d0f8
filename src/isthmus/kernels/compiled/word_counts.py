"""Count the words and word n-grams of documents, sort the counts by column, and weight them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np

from isthmus.kernels.compiled.bit_sets import add_bit, bit_position, lowest_bit
from isthmus.kernels.compiled.hash_tables import FULL, pair_slot
from isthmus.kernels.compiled.jit_loop import loop


@numba.njit(inline="always")
def _count_one(term, place_of, columns, counts, begin, filled):
    """Count a term in the document that begins at ``begin``; return where it now ends."""
    place = place_of[term if term >= 0 else ~term]
    # The place may be one of an earlier document, or of an earlier block of documents.
    if begin <= place < filled and columns[place] == term:
        counts[place] += 1
        return filled
    place_of[term if term >= 0 else ~term] = filled
    columns[filled], counts[filled] = term, 1
    return filled + 1


@loop(
    "indices", "pointers", "new indices", "new pointers", "new indices", "new indices",
    "new pointers", "number", "number",
)  # fmt: skip
def word_counts(_: int) -> Callable[..., None]:
    def rows(numbers, number_ends, place_of, frequencies, columns, counts, ends, start, stop):
        filled = ends[start]
        for i in range(start, stop):
            begin = filled
            for entry in range(number_ends[i], number_ends[i + 1]):
                word = numbers[entry]
                if word >= 0:
                    filled = _count_one(word, place_of, columns, counts, begin, filled)
            for place in range(begin, filled):
                frequencies[columns[place]] += 1
            ends[i + 1] = filled

    return rows


@numba.njit(inline="always")
def _pair_key(prefix, last):
    """Return the key of an n-gram, which is never 0, the key of a free slot.

    The complement of a number is negative, so a word and an n-gram differ in the sign bit.
    """
    return ((np.int64(prefix) << 32) | np.int64(last)) + (np.int64(1) << 31)


@numba.njit
def _add_pair(prefix, last, slots, slot, prefixes, lasts, n_ngrams):
    """Write an n-gram to a free slot; return its number or FULL."""
    number = n_ngrams[0]
    if number >= slots.shape[0] >> 2 or number >= prefixes.shape[0]:
        return FULL
    prefixes[number], lasts[number] = prefix, last
    slots[2 * slot], slots[2 * slot + 1] = _pair_key(prefix, last), number
    n_ngrams[0] = number + 1
    return number


@loop(
    "indices", "pointers", "number", "number", "flag",
    "new pointers", "new indices", "new indices", "new pointers",
    "new indices", "new indices", "new pointers", "new pointers",
    "new indices", "new indices", "new pointers", "number", "number",
)  # fmt: skip
def word_ngram_counts(_: int) -> Callable[..., int]:
    def rows(
        numbers, number_ends, shortest, longest, grow,
        slots, prefixes, lasts, n_ngrams,
        place_of_word, place_of_ngram, word_frequencies, ngram_frequencies,
        columns, counts, ends, start, stop,
    ):  # fmt: skip
        for i in range(start, stop):
            begin = filled = ends[i]
            for first in range(number_ends[i], number_ends[i + 1]):
                prefix = np.int64(numbers[first])
                if prefix < 0:
                    continue
                if shortest == 1:
                    filled = _count_one(prefix, place_of_word, columns, counts, begin, filled)
                for last in range(first + 1, min(first + longest, number_ends[i + 1])):
                    if numbers[last] < 0:
                        break
                    slot = pair_slot(slots, _pair_key(prefix, numbers[last]))
                    if slots[2 * slot] != 0:
                        number = slots[2 * slot + 1]
                    elif grow:
                        number = _add_pair(
                            prefix, numbers[last], slots, slot, prefixes, lasts, n_ngrams
                        )
                        if number == FULL:
                            return i
                    else:
                        break
                    prefix = ~number
                    if last - first + 1 >= shortest:
                        filled = _count_one(prefix, place_of_ngram, columns, counts, begin, filled)
            for place in range(begin, filled):
                if columns[place] >= 0:
                    word_frequencies[columns[place]] += 1
                else:
                    ngram_frequencies[~columns[place]] += 1
            ends[i + 1] = filled
        return stop

    return rows


@loop(
    "indices", "indices",
    "new pointers", "new indices", "new indices", "new pointers",
    "new indices", "number", "number",
)  # fmt: skip
def add_word_ngrams(_: int) -> Callable[..., int]:
    def rows(
        added_prefixes, added_lasts,
        slots, prefixes, lasts, n_ngrams,
        numbers, start, stop,
    ):  # fmt: skip
        for i in range(start, stop):
            prefix = np.int64(added_prefixes[i])
            if prefix < 0:
                # The n-gram before its last word was added earlier, maybe with another number.
                prefix = ~np.int64(numbers[~prefix])
            slot = pair_slot(slots, _pair_key(prefix, added_lasts[i]))
            number = slots[2 * slot + 1]
            if slots[2 * slot] == 0:
                number = _add_pair(prefix, added_lasts[i], slots, slot, prefixes, lasts, n_ngrams)
                if number == FULL:
                    return i
            numbers[i] = number
        return stop

    return rows


@loop(
    "new indices", "new indices", "new pointers", "indices", "indices", "number", "number",
    "number",
)  # fmt: skip
def sorted_rows(_: int) -> Callable[..., None]:
    def rows(columns, counts, ends, new_words, new_ngrams, n_columns, start, stop):
        totals = np.zeros(n_columns, np.int32)
        # One bit per column that occurs, and one per 64 columns of which any occurs, so that the
        # columns of a row come out in order without sorting.
        occurs = np.zeros((n_columns >> 6) + 1, np.uint64)
        blocks = np.zeros((occurs.shape[0] >> 6) + 1, np.uint64)
        read = filled = ends[start]
        for i in range(start, stop):
            for place in range(read, ends[i + 1]):
                old = columns[place]
                column = new_words[old] if old >= 0 else new_ngrams[~old]
                if column >= 0:
                    totals[column] = counts[place]
                    add_bit(occurs, column)
                    add_bit(blocks, column >> 6)
            read = ends[i + 1]
            for group in range(blocks.shape[0]):
                while blocks[group]:
                    bit = lowest_bit(blocks[group])
                    block = (group << 6) + bit_position(bit)
                    blocks[group] ^= bit
                    bits = occurs[block]
                    occurs[block] = np.uint64(0)
                    while bits:
                        bit = lowest_bit(bits)
                        column = (block << 6) + bit_position(bit)
                        bits ^= bit
                        columns[filled], counts[filled] = column, totals[column]
                        filled += 1
            ends[i + 1] = filled

    return rows


@loop("new row", "indices", "pointers", "row", "row", "number", "number", fused=False)
def log_tfidf_rows(_: int) -> Callable[..., None]:
    def rows(data, indices, indptr, idf, log_tf, start, stop):
        for i in range(start, stop):
            squares = 0.0
            for entry in range(indptr[i], indptr[i + 1]):
                count = data[entry]
                if 0 <= count < log_tf.shape[0] and count == math.floor(count):
                    value = log_tf[np.int64(count)]
                elif count >= 1:
                    value = data.dtype.type(math.log(count)) + data.dtype.type(1)
                else:
                    value = count
                value *= idf[indices[entry]]
                squares += np.float64(value * value)
                data[entry] = value
            if squares > 0:
                norm = math.sqrt(squares)
                for entry in range(indptr[i], indptr[i + 1]):
                    data[entry] = data[entry] / norm

    return rows
