"""Shards of files: texts that other processes read, with what a fit needs to know of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from isthmus.inspection.sample import TextSample
from isthmus.matrices.threads import thread_limit
from isthmus.text.parts.processes import shard_bytes

if TYPE_CHECKING:
    from isthmus.files.shards import Shard
    from isthmus.transfer.texts import Texts

__all__ = ["DomainShards", "ShardFacts", "ShardedTexts", "can_use_processes"]

# Smaller files are read by this process, before others have been started.
_MANY_BYTES = 500_000_000
# The texts that a shard sends back, all shards together, in characters of the files.
_SAMPLED_BYTES = 100_000_000


@dataclass(frozen=True)
class ShardFacts:
    """What is known of a shard after its texts have been read."""

    labels: list[str | None]
    columns: tuple[str, ...]
    """The columns, in the order in which they appear."""
    sample: TextSample
    n_bytes: int


@runtime_checkable
class ShardedTexts(Protocol):
    """Texts of files that several processes can read."""

    @property
    def n_bytes(self) -> int:
        """The size of the files."""

    def shards(self, max_bytes: int) -> Iterator[Shard] | None:
        """Cut the files into pieces; None if only this process can read them."""

    def add_shard(self, facts: ShardFacts) -> None:
        """Take note of the next shard, which has been read."""

    def end(self) -> None:
        """Take note that all shards have been read."""

    def read_again(self) -> Iterator[str]:
        """Read the texts in this process."""


@dataclass(frozen=True)
class FileShard:
    """Some documents of a file, for another process."""

    shard: Shard
    seed: int
    sampled_fraction: float

    def read(self) -> FileReading:
        """Begin to read the texts."""
        return FileReading(self)


class FileReading:
    """One reading of a shard."""

    def __init__(self, shard: FileShard) -> None:
        self._shard = shard.shard
        self._sample = TextSample(seed=shard.seed, fraction=shard.sampled_fraction)
        self._labels: list[str | None] = []
        self._columns: dict[str, None] = {}

    @property
    def texts(self) -> Iterator[str]:
        """The texts; labels, columns and a sample are recorded on the way."""
        return self._sample.watch(self._texts())

    @property
    def facts(self) -> ShardFacts:
        """What was recorded."""
        return ShardFacts(self._labels, tuple(self._columns), self._sample, self._shard.n_bytes)

    def _texts(self) -> Iterator[str]:
        for block in self._shard.blocks():
            self._labels += block.labels
            self._columns.update(dict.fromkeys(block.records.names()))
            yield from block.texts


def can_use_processes(domains: Sequence[Texts]) -> bool:
    """Return whether the texts of all domains are in files, and large enough for processes."""
    texts = [domain.texts for domain in domains]
    return (
        all(isinstance(part, ShardedTexts) for part in texts)
        and sum(part.n_bytes for part in texts) >= _MANY_BYTES
        and thread_limit() > 1
    )


class DomainShards:
    """The shards of all domains, one after the other.

    What is known of a shard goes to its domain when it has been counted: see :meth:`add`.
    """

    def __init__(self, domains: Sequence[Texts], n_lengths: int) -> None:
        self._domains = domains
        self._max_bytes = shard_bytes(n_lengths)
        total = sum(domain.texts.n_bytes for domain in domains)
        self._sampled_fraction = min(1.0, len(domains) * _SAMPLED_BYTES / max(1, total))
        self._owners: deque[Texts] = deque()
        self._current: Texts | None = None

    def open(self) -> Iterator[FileShard] | None:
        """Return the shards; None if a file can be read by this process only."""
        parts = [domain.texts.shards(self._max_bytes) for domain in self._domains]
        return None if any(part is None for part in parts) else self._in_order(parts)

    def _in_order(self, parts: Sequence[Any]) -> Iterator[FileShard]:
        seed = 0
        for domain, shards in zip(self._domains, parts, strict=True):
            for shard in shards:
                self._owners.append(domain)
                yield FileShard(shard, seed, self._sampled_fraction)
                seed += 1

    def add(self, facts: ShardFacts) -> None:
        """Record the facts of the next shard in its domain."""
        owner = self._owners.popleft()
        if owner is not self._current:
            self.end()
            self._current = owner
        owner.add_sample(facts.sample, len(facts.labels))
        owner.texts.add_shard(facts)

    def end(self) -> None:
        """Take note that all shards of the current domain have been read."""
        if self._current is not None:
            self._current.texts.end()

    @property
    def n_documents(self) -> int:
        return sum(domain.n_texts for domain in self._domains)

    def read_again(self) -> Iterator[str]:
        """Read all texts in this process."""
        for domain in self._domains:
            yield from domain.texts.read_again()
