"""Texts in blocks: the form in which they pass from a file or a list to those who count them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Self

from isthmus._stages import stage

__all__ = ["TextBlocks", "blocks_of", "check_is_list", "check_texts", "text_list"]

# Blocks of single texts grow to this many texts, or to about this many characters.
_MAX_TEXTS, _MAX_CHARACTERS = 1024, 2**17
_REMEDY = "pass every text as a string, '' if it is missing"


class TextBlocks:
    """Texts that are read once, in blocks: lists of strings.

    Iterating over this object gives the blocks. Whoever only looks at the texts that pass by, as
    the check of their script does, observes the blocks and is not a stage between two others.

    Parameters
    ----------
    blocks : iterable of list of str
        The blocks, whose texts have been checked; see :func:`blocks_of`.
    """

    def __init__(self, blocks: Iterable[list[str]]) -> None:
        self._blocks = iter(blocks)
        # Blocks that were read ahead, and how many texts and characters they have.
        self._waiting: deque[list[str]] = deque()
        self._n_waiting = self._characters_waiting = 0
        self._observers: list[Callable[[list[str]], None]] = []

    @classmethod
    def of(cls, texts: Iterable[str] | TextBlocks) -> TextBlocks:
        """Return texts in blocks; ValueError if they are not a list or stream of texts."""
        if isinstance(texts, TextBlocks):
            return texts
        check_is_list(texts)
        return cls(blocks_of(texts))

    def observed_by(self, observe: Callable[[list[str]], None]) -> Self:
        """Call a function with every block to come, as soon as it is read."""
        for block in self._waiting:
            observe(block)
        self._observers.append(observe)
        return self

    def __iter__(self) -> Iterator[list[str]]:
        """Return the blocks."""
        return self

    def __next__(self) -> list[str]:
        """Return the next block."""
        if self._waiting or self._read():
            block = self._waiting.popleft()
            self._n_waiting -= len(block)
            self._characters_waiting -= sum(map(len, block))
            return block
        raise StopIteration

    @property
    def are_finished(self) -> bool:
        """Whether there is no other block."""
        return not self._waiting and not self._read()

    def n_characters_ahead(self, enough: int) -> int:
        """Return how many characters are to come, if they are fewer than ``enough``."""
        while self._characters_waiting < enough and self._read():
            pass
        return self._characters_waiting

    def first(self, n_texts: int) -> list[str]:
        """Return the first of the texts to come, and keep them."""
        while self._n_waiting < n_texts and self._read():
            pass
        return list(islice((text for block in self._waiting for text in block), n_texts))

    def joined(
        self, n_characters: int = 1, *, n_texts: int = 1, at_most: float = float("inf")
    ) -> Iterator[list[str]]:
        """Yield blocks that are joined until they have enough texts and characters.

        It ends with the block that reaches ``at_most`` characters of all blocks together.
        """
        joined: list[str] = []
        n_joined = total = 0
        for block in self:
            joined += block
            n_joined += sum(map(len, block))
            if n_joined >= min(n_characters, at_most) and len(joined) >= n_texts:
                yield joined
                total += n_joined
                joined, n_joined = [], 0
                if total >= at_most:
                    return
        if joined:
            yield joined

    def _read(self) -> bool:
        """Read the next block; return whether there was one."""
        with stage("reading the texts"):
            # A block of a file may have no text to count.
            block = next(filter(None, self._blocks), None)
        if block is None:
            return False
        for observe in self._observers:
            observe(block)
        self._waiting.append(block)
        self._n_waiting += len(block)
        self._characters_waiting += sum(map(len, block))
        return True


def blocks_of(texts: Iterable[Any], owner: str = "") -> Iterator[list[str]]:
    """Yield single texts in blocks; ValueError if one is not a text.

    ``owner`` says in messages whose texts they are, such as ``"of 'source'"``.
    """
    remaining, n_read, size = iter(texts), 0, 1
    while block := list(islice(remaining, size)):
        check_texts(block, owner, first=n_read)
        n_read += len(block)
        mean_length = sum(map(len, block)) // len(block)
        size = max(1, min(_MAX_TEXTS, 2 * size, _MAX_CHARACTERS // (mean_length + 1)))
        yield block


def text_list(texts: Iterable[str]) -> list[str]:
    """Return texts as a list; ValueError if they are not a list or stream of texts."""
    check_is_list(texts)
    as_list = list(texts)
    check_texts(as_list)
    return as_list


def check_is_list(texts: Any) -> None:
    """Raise ValueError if a single text or a table was passed instead of a list of texts."""
    if isinstance(texts, str):
        raise ValueError(
            "A single text was given where a list of texts is expected: wrap it in [ ]."
        )
    if getattr(texts, "ndim", 1) != 1:
        raise ValueError(
            "A table was given where a list of texts is expected: select its text column, as in "
            "table['text']."
        )


def check_texts(
    texts: list[Any], owner: str = "", *, first: int = 0, remedy: str = _REMEDY
) -> None:
    """Raise ValueError if one of some texts is not a text.

    ``first`` is the number of the first one among the texts of ``owner``.
    """
    if set(map(type, texts)) == {str}:
        return
    whose = f" {owner}" if owner else ""
    for number, text in enumerate(texts, first):
        if not isinstance(text, str):
            raise ValueError(
                f"Text {number}{whose} (counted from 0) is {text!r} of type "
                f"{type(text).__name__}, not text: {remedy}."
            )
