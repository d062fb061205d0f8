"""Sets of small numbers as bits, which give their members in ascending order."""

from __future__ import annotations

import numba
import numpy as np

# The position of a single bit b is _POSITION[(b * _DE_BRUIJN) >> 58].
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_POSITION = np.zeros(64, np.int64)
for _position in range(64):
    _POSITION[(int(_DE_BRUIJN) << _position) % 2**64 >> 58] = _position


@numba.njit(inline="always")
def add_bit(bits, number):
    """Set the bit of a number in an array of 64-bit words."""
    bits[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@numba.njit(inline="always")
def lowest_bit(word):
    """Return the lowest bit of a word as a word."""
    return word & (~word + np.uint64(1))


@numba.njit(inline="always")
def bit_position(bit):
    """Return the position of a single bit, 0 to 63."""
    return _POSITION[(bit * _DE_BRUIJN) >> np.uint64(58)]
