"""Which characters form words, and what they are counted as, for every character of Unicode."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.conventions import MARK, REGIONAL_INDICATOR, SEPARATOR, SYMBOL

__all__ = ["CharacterTable", "special_capitals"]

_N_CODES = 0x110000
_N_ASCII = 128
_BLOCK = 256


@dataclass(frozen=True)
class CharacterTable:
    """The roles of characters, as expressions that match one character.

    Attributes
    ----------
    inside : str
        Characters of words.
    first : str
        Those that may begin a word.
    symbol, regional_indicator : str or None
        Characters that are a word by themselves, and those of which two are a word, a flag.
    lowercase : bool
        Whether characters are counted in lower case.
    """

    first: str
    inside: str
    symbol: str | None
    regional_indicator: str | None
    lowercase: bool

    def values(self, *, ascii_only: bool) -> NDArray[np.int32]:
        """Return the value of every character, as ``kernels.loops.text_words`` needs it."""
        return _values(self, _N_ASCII if ascii_only else _N_CODES)


@functools.cache
def _values(table: CharacterTable, n_codes: int) -> NDArray[np.int32]:
    text = _all_characters(n_codes)
    codes = _lower_codes(n_codes) if table.lowercase else np.arange(n_codes, dtype=np.int32)
    values = codes | _matches(table.inside, text)[codes] * MARK
    values[_matches(table.first, text)[codes]] &= ~MARK
    values[~_matches(table.inside, text)[codes]] = SEPARATOR
    for expression, flag in (
        (table.symbol, SYMBOL),
        (table.regional_indicator, REGIONAL_INDICATOR),
    ):
        if expression is not None:
            is_match = _matches(expression, text)[codes]
            values[is_match] = codes[is_match] | flag
    values = values.astype(np.int32)
    values.flags.writeable = False
    return values


@functools.cache
def special_capitals() -> tuple[str, ...]:
    """Return the characters whose lower case is not a single character of its own.

    The lower case of a capital sigma depends on its place in the word.
    """
    return ("\u03a3", *(chr(code) for code, lower in _lower_cases(_N_CODES) if len(lower) != 1))


def _matches(expression: str, text: str) -> NDArray[np.bool_]:
    """Return which characters match an expression for a single character."""
    is_match = np.zeros(len(text), np.bool_)
    for run in re.finditer(f"(?:{expression})+", text):
        is_match[run.start() : run.end()] = True
    return is_match


@functools.cache
def _lower_codes(n_codes: int) -> NDArray[np.int32]:
    codes = np.arange(n_codes, dtype=np.int32)
    for code, lower in _lower_cases(n_codes):
        if len(lower) == 1:
            codes[code] = ord(lower)
    return codes


@functools.cache
def _lower_cases(n_codes: int) -> list[tuple[int, str]]:
    """Return the characters that differ from their lower case, with the latter."""
    text = _all_characters(n_codes)
    pairs: list[tuple[int, str]] = []
    for start in range(0, n_codes, _BLOCK):
        block = text[start : start + _BLOCK]
        if block.lower() != block:  # few blocks have capitals
            pairs += [
                (start + i, character.lower())
                for i, character in enumerate(block)
                if character.lower() != character
            ]
    return pairs


@functools.cache
def _all_characters(n_codes: int) -> str:
    codes = np.arange(n_codes, dtype="<u4")
    return codes.tobytes().decode("utf-32-le", "surrogatepass")
