"""Blocks of texts as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.text.counting.word_rules import WordRules

__all__ = ["MAX_CHARACTERS", "TextBlock"]

#: Least characters of a block. A block that fits the cache of a core is counted faster.
MAX_CHARACTERS = 1 << 20


class TextBlock(NamedTuple):
    """Texts in UTF-8, one after the other; text ``i`` is ``codes[starts[i]:starts[i + 1]]``."""

    codes: NDArray[np.uint8]
    starts: NDArray[np.int64]
    is_ascii: bool

    @property
    def n_texts(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def make(cls, texts: Sequence[str], rules: WordRules) -> TextBlock:
        """Prepare texts by the rules and join them."""
        if rules.clean is not None:
            texts = [rules.clean(text) for text in texts]
        joined = "".join(texts)
        is_ascii = joined.isascii()
        if is_ascii:
            content = joined.encode("ascii")
            lengths = map(len, texts)
        else:
            # Halves of surrogate pairs, as from surrogateescape, are characters too.
            parts = [rules.prepare(text).encode("utf-8", "surrogatepass") for text in texts]
            content = b"".join(parts)
            lengths = map(len, parts)
        starts = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(np.fromiter(lengths, np.int64, len(texts)), out=starts[1:])
        return cls(np.frombuffer(content, np.uint8), starts, is_ascii)
