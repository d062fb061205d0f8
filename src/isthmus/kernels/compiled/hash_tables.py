"""Hash tables of words and of pairs of numbers, in arrays that the caller makes larger.

A table is an array of slots, each a key and the number of what it stands for. A free slot has the
key 0. At most half of the slots are used.
"""

from __future__ import annotations

import sys
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from isthmus.kernels.conventions import PADDING

# Multiplicative hashing: an odd number near 2**64 divided by the golden ratio.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_LONG = np.uint64(1 << 63)
# Number of bytes that fit in one key.
_PACKED = 8
# The lowest n bytes of a number.
_MASKS = np.array([256**n - 1 for n in range(_PACKED + 1)], np.uint64).view(np.int64)

#: In place of the number of a word or pair: it is not in the table, or there is no room for it.
UNKNOWN, FULL = np.int64(-1), np.int64(-2)


@intrinsic
def eight_bytes(typing, letters, place):
    """Return the eight bytes at a place as one number, the first byte lowest."""
    signature = types.int64(letters, types.int64)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        base = context.make_array(signature.args[0])(context, builder, values[0]).data
        pointer = builder.bitcast(builder.gep(base, [values[1]]), ir.IntType(64).as_pointer())
        number = builder.load(pointer, align=1)
        return number if sys.byteorder == "little" else builder.bswap(number)

    return signature, write


@numba.njit(inline="always")
def first_slot(slots, key):
    """Return the slot where the search for a key begins."""
    code = np.uint64(key)
    # The high half of the product depends on all bits of the key only if the key is folded.
    code = (code ^ (code >> np.uint64(32))) * _MULTIPLIER
    return np.int64(code >> np.uint64(32)) & ((slots.shape[0] >> 1) - 1)


@numba.njit(inline="always")
def next_slot(slots, slot):
    """Return the slot after a slot."""
    return (slot + 1) & ((slots.shape[0] >> 1) - 1)


@numba.njit(inline="always")
def pair_slot(slots, key):
    """Return the slot of a key that stands for itself, or the free slot where it belongs."""
    slot = first_slot(slots, key)
    while slots[2 * slot] != key and slots[2 * slot] != 0:
        slot = next_slot(slots, slot)
    return slot


@numba.njit(inline="always")
def short_key(text, begin, length):
    """Return the key of a word of at most eight bytes, its bytes; 0 or less for other words.

    A word that ends with a zero byte, or whose eighth byte is not ASCII, is not such a word.
    """
    key = np.int64(-1)
    if length <= _PACKED:
        key = eight_bytes(text, begin) & _MASKS[length]
    return key if text[begin + length - 1] != 0 else np.int64(-1)


@numba.njit
def _hash_of_long(text, begin, length):
    """Return a negative key for a word, which other words may share."""
    code = np.uint64(length)
    for offset in range(0, length, _PACKED):
        part = eight_bytes(text, begin + offset) & _MASKS[min(_PACKED, length - offset)]
        code = (code ^ np.uint64(part)) * _MULTIPLIER
        code ^= code >> np.uint64(32)
    return np.int64(code | _LONG)


@numba.njit
def _is_word(letters, first, text, begin, length):
    """Return whether two words of the same length are the same."""
    for offset in range(0, length, _PACKED):
        mask = _MASKS[min(_PACKED, length - offset)]
        if (eight_bytes(letters, first + offset) ^ eight_bytes(text, begin + offset)) & mask:
            return False
    return True


@numba.njit
def _slot_of_long(slots, key, text, begin, length, letters, ends):
    """Return the slot of a word with a negative key, or the free slot where it belongs."""
    slot = first_slot(slots, key)
    while slots[2 * slot] != 0:
        if slots[2 * slot] == key:
            number = slots[2 * slot + 1]
            first = ends[number]
            if ends[number + 1] - first == length and _is_word(letters, first, text, begin, length):
                return slot
        slot = next_slot(slots, slot)
    return slot


@numba.njit
def _add_word(slots, slot, key, text, begin, length, letters, ends, n_words):
    """Write a word to a free slot and its bytes to the letters; return its number or FULL."""
    number = n_words[0]
    first = ends[number]
    if (
        number >= slots.shape[0] >> 2
        or number + 1 >= ends.shape[0]
        or first + length + PADDING > letters.shape[0]
    ):
        return FULL
    for offset in range(length):
        letters[first + offset] = text[begin + offset]
    ends[number + 1] = first + length
    slots[2 * slot], slots[2 * slot + 1] = key, number
    n_words[0] = number + 1
    return number


@numba.njit
def number_word(text, begin, length, grow, slots, letters, ends, n_words):
    """Return the number of the word ``text[begin:begin + length]``.

    A new word is added if the table may grow. Returns UNKNOWN if it may not, and FULL if the arrays
    of the table have no room. The bytes of word ``i`` of the table are
    ``letters[ends[i]:ends[i + 1]]``.
    """
    key = short_key(text, begin, length)
    if key > 0:
        slot = pair_slot(slots, key)
    else:
        key = _hash_of_long(text, begin, length)
        slot = _slot_of_long(slots, key, text, begin, length, letters, ends)
    if slots[2 * slot] != 0:
        return slots[2 * slot + 1]
    if not grow:
        return UNKNOWN
    return _add_word(slots, slot, key, text, begin, length, letters, ends, n_words)
