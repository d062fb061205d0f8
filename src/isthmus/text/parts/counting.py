"""Count texts in bounded memory: as one stream, or as shards in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol

from isthmus.files.scratch import Scratch
from isthmus.matrices.processes import map_in_processes
from isthmus.matrices.threads import thread_limit
from isthmus.text.analyzer import Analyzer
from isthmus.text.parts.memory import max_memory, memory_settings
from isthmus.text.parts.spilled_counts import CountedPart, SpilledCounts
from isthmus.text.parts.term_part import make_part, part_bytes, store_part
from isthmus.text.term_counts import TermCounts, count_all_terms
from isthmus.text.text_blocks import TextBlocks

__all__ = [
    "MakeAnalyzer",
    "OnShard",
    "ProcessCounting",
    "ShardCounting",
    "TextShard",
    "count_stream",
    "shard_bytes",
]

# The counts of a text need about one byte per character, with single words as terms. While they
# are sorted, they are in memory twice.
_BYTES_PER_CHARACTER = 2
# A shard of this size is counted in about a second.
_SHARD_BYTES = 64 * 2**20
_SMALLEST_SHARD = 2**20


def count_stream(blocks: TextBlocks, analyzer: Analyzer) -> TermCounts:
    """Count every term, one row per text; the texts are read once.

    Counts that need more memory than the setting ``max_memory`` are written to a scratch folder.
    """
    limit = max_memory()
    max_characters = limit // (_BYTES_PER_CHARACTER * analyzer.n_lengths)
    counts = count_all_terms(blocks, analyzer, max_characters)
    if blocks.are_finished:
        return counts
    scratch = Scratch(memory_settings().scratch_folder)

    def parts(counts: TermCounts) -> Iterator[CountedPart]:
        number = 0
        while True:
            yield _store(counts, scratch, number)
            if blocks.are_finished:
                return
            number += 1
            counts = count_all_terms(blocks, analyzer, max_characters)

    return SpilledCounts(parts(counts), scratch, limit)


def _store(counts: TermCounts, scratch: Scratch, number: int) -> CountedPart:
    """Write counts to the scratch folder, if there is room for them."""
    part = make_part(counts)
    scratch.check_space(part_bytes(part), "the counts of words")
    with scratch.writing():
        stored = store_part(part, scratch.path / f"part-{number:06}")
    return CountedPart(part.terms, part.frequencies, stored)


class TextShard(Protocol):
    """Some texts that another process can read; it must be possible to pickle it."""

    def read(self) -> TextBlocks:
        """Begin to read the texts, which can be read once."""

    @property
    def facts(self) -> Any:
        """What was noticed while the texts were read; it is sent to the calling process."""


class MakeAnalyzer(Protocol):
    """Makes an analyzer; it must be possible to pickle it."""

    def __call__(self) -> Analyzer: ...


#: Gets the facts of a shard, and how often every word occurs in it if terms are stems.
OnShard = Callable[[Any, Mapping[Any, int]], None]


class ShardCounting(Protocol):
    """A way to count the terms of shards."""

    def head(self, shard: TextShard) -> Iterable[list[str]]:
        """Return the first blocks of a shard."""

    def count(
        self, shards: Iterable[TextShard], make_analyzer: MakeAnalyzer, on_shard: OnShard
    ) -> TermCounts:
        """Count all terms; ``on_shard`` is called for every shard, in their order."""


def shard_bytes(n_lengths: int) -> int:
    """Return how many bytes of text a process should count at a time.

    ``n_lengths`` is the number of different lengths of terms in words.
    """
    share = max_memory() // (thread_limit() * _BYTES_PER_CHARACTER * n_lengths)
    return max(_SMALLEST_SHARD, min(_SHARD_BYTES, share))


class ProcessCounting:
    """Counts shards in as many processes as there are cores; the counts are on the disk."""

    def head(self, shard: TextShard) -> Iterable[list[str]]:
        """Return the first blocks of a shard."""
        # What is noticed on the way is not sent to another process.
        return copy(shard).read()

    def count(
        self, shards: Iterable[TextShard], make_analyzer: MakeAnalyzer, on_shard: OnShard
    ) -> TermCounts:
        """Count all terms. An error of a process is raised here."""
        scratch = Scratch(memory_settings().scratch_folder)
        numbered = ((shard, number) for number, shard in enumerate(shards))

        def parts() -> Iterator[CountedPart]:
            # After an error here, the processes end before the folder is removed.
            counter = _Counter(make_analyzer, scratch)
            with closing(map_in_processes(counter, numbered)) as counted_shards:
                for counted in counted_shards:
                    on_shard(counted.facts, counted.word_counts)
                    yield counted.part

        return SpilledCounts(parts(), scratch, max_memory())


@dataclass(frozen=True)
class _CountedShard:
    part: CountedPart
    word_counts: Mapping[str, int]
    facts: Any


@dataclass(frozen=True)
class _Counter:
    """Counts a shard in another process."""

    make_analyzer: MakeAnalyzer
    scratch: Scratch

    def __call__(self, item: tuple[TextShard, int]) -> _CountedShard:
        shard, number = item
        analyzer = self.make_analyzer()
        analyzer.start_counting_words()
        counts = count_all_terms(shard.read(), analyzer)
        part = _store(counts, self.scratch, number)
        return _CountedShard(part, analyzer.word_counts, shard.facts)
