"""Count a stream of texts in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from isthmus.files.scratch import Scratch
from isthmus.text.analyzer import Analyzer
from isthmus.text.parts.memory import max_memory, memory_settings
from isthmus.text.parts.spilled_counts import CountedPart, SpilledCounts
from isthmus.text.parts.stored_part import part_bytes, store_part
from isthmus.text.parts.term_part import make_part
from isthmus.text.term_counts import TermCounts, count_all_terms
from isthmus.text.text_checks import check_is_list, small_batches

__all__ = ["BYTES_PER_CHARACTER", "count_stream", "store_counts"]

#: The counts of a text need about one byte per character, with single words as terms. While they
#: are sorted, they are in memory twice.
BYTES_PER_CHARACTER = 2


def count_stream(texts: Iterable[str], analyzer: Analyzer) -> TermCounts:
    """Count every term, one row per text; the texts are read once.

    Counts that need more memory than the setting ``max_memory`` are written to a scratch folder.
    """
    check_is_list(texts)
    limit = max_memory()
    pieces = _Pieces(texts, limit // (BYTES_PER_CHARACTER * analyzer.n_lengths))
    counts = count_all_terms(pieces.next_piece(), analyzer)
    if pieces.are_finished:
        return counts
    scratch = Scratch(memory_settings().scratch_folder)

    def parts(counts: TermCounts) -> Iterator[CountedPart]:
        number = 0
        while True:
            yield store_counts(counts, scratch, number)
            if pieces.are_finished:
                return
            number += 1
            counts = count_all_terms(pieces.next_piece(), analyzer)

    return SpilledCounts(parts(counts), scratch, limit)


def store_counts(counts: TermCounts, scratch: Scratch, number: int) -> CountedPart:
    """Write counts to the scratch folder, if there is room for them."""
    part = make_part(counts)
    scratch.check_space(part_bytes(part), "the counts of words")
    with scratch.writing():
        stored = store_part(part, scratch.path / f"part-{number:06}")
    return CountedPart(part.terms, part.frequencies, stored)


class _Pieces:
    """A stream of texts in pieces of a limited number of characters."""

    def __init__(self, texts: Iterable[str], max_characters: int) -> None:
        self._batches = small_batches(texts)
        self._max_characters = max_characters
        self._next: list[str] = []

    @property
    def are_finished(self) -> bool:
        """Whether there is no other piece; the last one must have been read."""
        if not self._next:
            self._next = next(self._batches, [])
        return not self._next

    def next_piece(self) -> Iterator[str]:
        """Yield the texts of the next piece."""
        return chain.from_iterable(self._next_batches())

    def _next_batches(self) -> Iterator[list[str]]:
        n_characters = 0
        while n_characters < self._max_characters and not self.are_finished:
            batch, self._next = self._next, []
            n_characters += sum(map(len, batch))
            yield batch
