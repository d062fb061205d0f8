"""Read and count texts in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from isthmus.files.scratch import Scratch
from isthmus.matrices.processes import map_in_processes
from isthmus.matrices.threads import thread_limit
from isthmus.text.parts.memory import max_memory, memory_settings
from isthmus.text.parts.shards import MakeAnalyzer, OnShard, TextShard
from isthmus.text.parts.spilled_counts import CountedPart, SpilledCounts
from isthmus.text.parts.streaming import BYTES_PER_CHARACTER, store_counts
from isthmus.text.term_counts import TermCounts, count_all_terms

__all__ = ["ProcessCounting", "shard_bytes"]

# A shard of this size is counted in about a second.
_SHARD_BYTES = 64 * 2**20
_SMALLEST_SHARD = 2**20


def shard_bytes(n_lengths: int) -> int:
    """Return how many bytes of text a process should count at a time.

    ``n_lengths`` is the number of different lengths of terms in words.
    """
    share = max_memory() // (thread_limit() * BYTES_PER_CHARACTER * n_lengths)
    return max(_SMALLEST_SHARD, min(_SHARD_BYTES, share))


class ProcessCounting:
    """Counts shards in as many processes as there are cores; the counts are on the disk."""

    def head(self, shard: TextShard) -> Iterable[str]:
        """Return the first texts of a shard."""
        return shard.read().texts

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
        reading = shard.read()
        counts = count_all_terms(reading.texts, analyzer)
        part = store_counts(counts, self.scratch, number)
        return _CountedShard(part, analyzer.word_counts, reading.facts)
