"""Find the words of documents and number them."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from isthmus.kernels.compiled.hash_tables import (
    FULL,
    UNKNOWN,
    first_slot,
    next_slot,
    number_word,
    pair_slot,
    short_key,
)
from isthmus.kernels.compiled.jit_loop import loop
from isthmus.kernels.conventions import CODE_MASK, MARK, REGIONAL_INDICATOR, SYMBOL


@numba.njit
def _split_ascii(codes, place, end, fold, folded, bounds):
    """Write the folded characters of a text, and where its words begin and end.

    Returns the number of bounds, or -1 if the text is not ASCII. The loop has no branch that
    depends on the text: a wrong guess per word would take as long as the rest.
    """
    n_bounds, was_inside, all_codes = np.int64(0), np.int64(0), np.int64(0)
    for offset in range(end - place):
        code = np.int64(codes[place + offset])
        all_codes |= code
        value = fold[code & 0x7F]
        folded[offset] = value & 0xFF
        is_inside = np.int64(value >= 0)
        bounds[n_bounds] = offset
        n_bounds += is_inside ^ was_inside
        was_inside = is_inside
    bounds[n_bounds] = end - place
    return n_bounds + was_inside if all_codes < 0x80 else -1


@numba.njit(inline="always")
def _decode(codes, place):
    """Return the character of UTF-8 that begins at a place, and the place after it."""
    first = np.int64(codes[place])
    if first < 0x80:
        return first, place + 1
    if first < 0xE0:
        return (first & 31) << 6 | (codes[place + 1] & 63), place + 2
    second = np.int64(codes[place + 1] & 63)
    third = np.int64(codes[place + 2] & 63)
    if first < 0xF0:
        return (first & 15) << 12 | second << 6 | third, place + 3
    fourth = np.int64(codes[place + 3] & 63)
    return (first & 7) << 18 | second << 12 | third << 6 | fourth, place + 4


@numba.njit(inline="always")
def _append(folded, length, code):
    """Write a character in UTF-8 to the end of a text; return the new length."""
    if code < 0x80:
        folded[length] = code
        return length + 1
    if code < 0x800:
        folded[length] = 0xC0 | (code >> 6)
        folded[length + 1] = 0x80 | (code & 63)
        return length + 2
    if code < 0x10000:
        folded[length] = 0xE0 | (code >> 12)
        folded[length + 1] = 0x80 | ((code >> 6) & 63)
        folded[length + 2] = 0x80 | (code & 63)
        return length + 3
    folded[length] = 0xF0 | (code >> 18)
    folded[length + 1] = 0x80 | ((code >> 12) & 63)
    folded[length + 2] = 0x80 | ((code >> 6) & 63)
    folded[length + 3] = 0x80 | (code & 63)
    return length + 4


@numba.njit
def _split_unicode(codes, place, end, fold, min_length, folded, bounds):
    """Do what ``_split_ascii`` does for any text; words that are too short are left out."""
    n_bounds, length = 0, 0
    begin, n_characters, kind = 0, 0, 0  # of the word that is being read
    while place <= end:
        value, after = -1, place + 1
        if place < end:
            code, after = _decode(codes, place)
            value = fold[code]
        goes_on = (
            n_characters > 0
            and value >= 0
            and value & (SYMBOL | REGIONAL_INDICATOR) == kind
            # A symbol is a word by itself, and so are two regional indicators.
            and kind != SYMBOL
            and not (kind == REGIONAL_INDICATOR and n_characters == 2)
        )
        if not goes_on:
            if n_characters >= min_length or (n_characters > 0 and kind == SYMBOL):
                bounds[n_bounds], bounds[n_bounds + 1] = begin, length
                n_bounds += 2
            else:
                length = begin
            begin, n_characters = length, 0
            if value >= 0:
                kind = value & (SYMBOL | REGIONAL_INDICATOR)
        if value >= 0 and (goes_on or not value & MARK):
            length = _append(folded, length, value & CODE_MASK)
            n_characters += 1
        place = after
    return n_bounds


@loop(
    "bytes", "pointers", "indices", "number", "number", "flag", "new bytes", "new pointers",
    "new pointers", "new bytes", "new pointers", "new pointers",
    "new indices", "new pointers", "number", "number",
)  # fmt: skip
def text_words(_: int) -> Callable[..., int]:
    def rows(
        codes, starts, fold, min_length, n_excluded, grow, folded, bounds,
        slots, letters, ends, n_words,
        numbers, number_ends, start, stop,
    ):  # fmt: skip
        filled = number_ends[start]
        for i in range(start, stop):
            place, end = starts[i], starts[i + 1]
            n_bounds = _split_ascii(codes, place, end, fold, folded, bounds)
            if n_bounds < 0:
                n_bounds = _split_unicode(codes, place, end, fold, min_length, folded, bounds)
            for bound in range(0, n_bounds, 2):
                begin, length = bounds[bound], bounds[bound + 1] - bounds[bound]
                # A symbol, such as an emoji, may have one character, but it has several bytes.
                if length < min_length:
                    continue
                # A call takes longer than the search for a short word, because numba counts the
                # references to the arrays that are passed.
                number = UNKNOWN
                key = short_key(folded, begin, length)
                if key > 0:
                    slot = pair_slot(slots, key)
                    if slots[2 * slot] != 0:
                        number = slots[2 * slot + 1]
                if number == UNKNOWN:
                    number = number_word(folded, begin, length, grow, slots, letters, ends, n_words)
                if number == FULL:
                    return i
                # A word to leave out is overwritten by the next one.
                numbers[filled] = number
                filled += number >= n_excluded or number == UNKNOWN
            number_ends[i + 1] = filled
        return stop

    return rows


@loop(
    "bytes", "pointers",
    "new pointers", "new bytes", "new pointers", "new pointers",
    "new indices", "number", "number",
)  # fmt: skip
def add_words(_: int) -> Callable[..., int]:
    def rows(
        added, starts,
        slots, letters, ends, n_words,
        numbers, start, stop,
    ):  # fmt: skip
        for i in range(start, stop):
            begin, length = starts[i], starts[i + 1] - starts[i]
            number = number_word(added, begin, length, True, slots, letters, ends, n_words)
            if number == FULL:
                return i
            numbers[i] = number
        return stop

    return rows


@loop("pointers", "new pointers", "number", "number")
def move_slots(_: int) -> Callable[..., None]:
    def rows(slots, larger, start, stop):
        for old in range(start, stop):
            if slots[2 * old] != 0:
                slot = first_slot(larger, slots[2 * old])
                while larger[2 * slot] != 0:
                    slot = next_slot(larger, slot)
                larger[2 * slot], larger[2 * slot + 1] = slots[2 * old], slots[2 * old + 1]

    return rows
