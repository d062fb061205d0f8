"""Read and count texts in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from isthmus.files.scratch import Scratch
from isthmus.matrices.processes import map_in_processes
from isthmus.matrices.threads import thread_limit
from isthmus.text.analyzer import Analyzer
from isthmus.text.parts.memory import max_memory
from isthmus.text.parts.spilled_counts import CountedPart
from isthmus.text.parts.streaming import BYTES_PER_CHARACTER, store_counts
from isthmus.text.term_counts import count_all_terms

__all__ = ["CountedShard", "ShardReading", "TextShard", "count_shards", "shard_bytes"]

# A shard of this size is counted in about a second.
_SHARD_BYTES = 64 * 2**20
_SMALLEST_SHARD = 2**20


class ShardReading(Protocol):
    """One reading of the texts of a shard."""

    @property
    def texts(self) -> Iterable[str]:
        """The texts, which can be read once."""

    @property
    def facts(self) -> Any:
        """What was noticed while the texts were read; it is sent to the calling process."""


class TextShard(Protocol):
    """Some texts that another process can read; it must be possible to pickle it."""

    def read(self) -> ShardReading:
        """Begin to read the texts."""


class MakeAnalyzer(Protocol):
    """Makes an analyzer; it must be possible to pickle it."""

    def __call__(self) -> Analyzer: ...


@dataclass(frozen=True)
class CountedShard:
    """The counts of the texts of a shard."""

    part: CountedPart
    word_counts: Mapping[str, int]
    """How often every word occurs, if terms are stems."""
    facts: Any


def shard_bytes(n_lengths: int) -> int:
    """Return how many bytes of text a process should count at a time."""
    share = max_memory() // (thread_limit() * BYTES_PER_CHARACTER * n_lengths)
    return max(_SMALLEST_SHARD, min(_SHARD_BYTES, share))


def count_shards(
    shards: Iterable[TextShard], make_analyzer: MakeAnalyzer, scratch: Scratch
) -> Iterator[CountedShard]:
    """Count the terms of texts in as many processes as there are cores.

    Yields the shards in their order. An error of a process is raised here.
    """
    numbered = ((shard, number) for number, shard in enumerate(shards))
    return map_in_processes(_Counter(make_analyzer, scratch), numbered)


@dataclass(frozen=True)
class _Counter:
    """Counts a shard in another process."""

    make_analyzer: MakeAnalyzer
    scratch: Scratch

    def __call__(self, item: tuple[TextShard, int]) -> CountedShard:
        shard, number = item
        analyzer = self.make_analyzer()
        analyzer.start_counting_words()
        reading = shard.read()
        counts = count_all_terms(reading.texts, analyzer)
        part = store_counts(counts, self.scratch, number)
        return CountedShard(part, analyzer.word_counts, reading.facts)
