"""Shards of texts, which other processes or the workers of a cluster read and count."""

from __future__ import annotations

import platform
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from isthmus.files import DocumentFileError
from isthmus.inspection.sample import TextSample
from isthmus.text.text_blocks import TextBlocks, check_texts
from isthmus.transfer.engine import is_collection, partitions_of
from isthmus.transfer.texts import FileTexts, Texts

if TYPE_CHECKING:
    from isthmus.files import DocumentShard

__all__ = [
    "ClusterShards",
    "DomainShards",
    "FileShard",
    "ListShard",
    "ShardFacts",
]

# Texts that this process sends to the workers of a cluster, in characters per shard.
_SENT_CHARACTERS = 4_000_000


@dataclass
class ShardFacts:
    """What is noticed of a shard while its texts are read."""

    sample: TextSample
    n_bytes: int
    n_documents: int = 0
    labels: list[str | None] = field(default_factory=list)
    """The labels in a file; nothing for texts that are not in a file."""
    columns: dict[str, None] = field(default_factory=dict)
    """The columns of a file, in the order in which they appear."""
    is_file: bool = True
    """Whether the texts were read from a file by another process."""


@dataclass
class FileShard:
    """Some documents of a file."""

    shard: DocumentShard
    number: int
    n_shards: int
    """About the number of all shards; the sample of a shard is smaller if there are many."""
    facts: ShardFacts | None = None
    """What was noticed by the last reading."""

    def read(self) -> TextBlocks:
        """Begin to read the texts."""
        sample = TextSample.of_part(self.number, self.n_shards)
        self.facts = ShardFacts(sample, self.shard.n_bytes)
        return TextBlocks(self._blocks(self.facts))

    def _blocks(self, facts: ShardFacts) -> Iterator[list[str]]:
        if not self.shard.path.exists():
            raise DocumentFileError(
                f"The process that reads '{self.shard.path}' does not find it (machine "
                f"{platform.node()}): the workers of a cluster must see the files under the same "
                "names."
            )
        for block in self.shard.blocks():
            facts.n_documents += len(block)
            facts.labels += block.labels
            facts.columns.update(dict.fromkeys(block.records.names()))
            facts.sample.observe(block.texts)
            yield block.texts


@dataclass
class ListShard:
    """Some texts in memory."""

    texts: list[str]
    number: int
    n_shards: int
    name: str
    """The name of the domain, for messages."""
    facts: ShardFacts | None = None
    """What was noticed by the last reading."""

    def with_texts(self, texts: Iterable[Any]) -> ListShard:
        """Return a shard of other texts."""
        return replace(self, texts=list(texts))

    def read(self) -> TextBlocks:
        """Begin to read the texts."""
        check_texts(
            self.texts,
            f"of a partition of {self.name!r}",
            remedy="replace missing texts by '', for example with frame['text'].fillna('')",
        )
        sample = TextSample.of_part(self.number, self.n_shards)
        n_bytes = sum(map(len, self.texts))
        self.facts = ShardFacts(sample, n_bytes, len(self.texts), is_file=False)
        return TextBlocks([self.texts]).observed_by(sample.observe)


class DomainShards:
    """Shards of files, for several processes.

    What is known of a shard goes to its domain when it has been counted: see :meth:`add`.

    Attributes
    ----------
    n_shards : int
        About the number of all shards.
    """

    def __init__(self, domains: Sequence[Texts], max_bytes: int) -> None:
        self._domains, self._max_bytes = domains, max_bytes
        total = sum(d.texts.n_bytes for d in domains if isinstance(d.texts, FileTexts))
        self.n_shards = 1 + total // max_bytes
        self._owners: deque[Texts] = deque()
        self._n_opened = 0
        self._current: Texts | None = None
        self._file: FileTexts | None = None

    def open(self) -> Iterator[Any] | None:
        """Return the shards; None if a file can be read by this process only."""
        parts = [domain.texts.shards(self._max_bytes) for domain in self._domains]
        if any(part is None for part in parts):
            return None
        return self._in_order([self._of_files(part) for part in parts])

    def _in_order(self, parts: Sequence[Iterable[Any]]) -> Iterator[Any]:
        for domain, shards in zip(self._domains, parts, strict=True):
            for shard in shards:
                self._owners.append(domain)
                yield shard

    def _of_files(self, shards: Iterable[Any]) -> Iterator[FileShard]:
        for shard in shards:
            yield FileShard(shard, self._next_number(), self.n_shards)

    def _next_number(self) -> int:
        self._n_opened += 1
        return self._n_opened - 1

    def add(self, facts: ShardFacts) -> None:
        """Record the facts of the next shard in its domain."""
        owner = self._owners.popleft()
        if owner is not self._current:
            self.end()
            self._current = owner
        owner.add_sample(facts.sample, facts.n_documents)
        # What this process has read was recorded on the way.
        if facts.is_file:
            self._file = owner.texts
            owner.texts.add_shard(facts)

    def end(self) -> None:
        """Take note that all shards of the current domain have been read."""
        if self._file is not None:
            self._file.end()
        self._file = None

    @property
    def n_documents(self) -> int:
        """The number of all documents, after they have been counted."""
        return sum(domain.n_texts for domain in self._domains)

    def blocks_again(self) -> Iterator[list[str]]:
        """Read all texts in this process."""
        for domain in self._domains:
            yield from domain.texts.blocks_again()


class ClusterShards(DomainShards):
    """Shards for the workers of a Dask cluster: of files, of Dask collections and of lists."""

    def __init__(
        self, domains: Sequence[Texts], max_bytes: int, client: Any, max_kept: int
    ) -> None:
        super().__init__(domains, max_bytes)
        self._client = client
        self._max_kept = max_kept
        self._partitions = {
            domain.name: partitions_of(domain.texts, client)
            for domain in domains
            if is_collection(domain.texts)
        }
        self.n_shards += sum(map(len, self._partitions.values()))
        # Texts of this process, which may be needed again if they are few.
        self._sent: dict[str, list[str]] = {}

    def open(self) -> Iterator[Any]:
        """Return the shards."""
        return self._in_order([self._of_domain(domain) for domain in self._domains])

    def _of_domain(self, domain: Texts) -> Iterator[Any]:
        from isthmus.text.parts.cluster import PartitionShard

        if domain.name in self._partitions:
            for partition in self._partitions[domain.name]:
                shard = ListShard([], self._next_number(), self.n_shards, domain.name)
                yield PartitionShard(shard, partition)
            return
        if isinstance(domain.texts, FileTexts):
            pieces = domain.texts.shards(self._max_bytes)
            if pieces is not None:
                yield from self._of_files(pieces)
                return
        yield from self._of_list(domain)

    def _of_list(self, domain: Texts) -> Iterator[ListShard]:
        sent = self._sent.setdefault(domain.name, [])
        # The texts and their sample are counted by the shards.
        is_file = isinstance(domain.texts, FileTexts)
        blocks = domain.texts.blocks() if is_file else domain.checked()
        for batch in TextBlocks(blocks).joined(_SENT_CHARACTERS):
            if len(sent) <= self._max_kept:
                sent += batch
            yield ListShard(batch, self._next_number(), self.n_shards, domain.name)
        if is_file:
            domain.texts.end()

    def blocks_again(self) -> Iterator[list[str]]:
        """Read all texts in this process; they must be at most ``max_kept``."""
        for domain in self._domains:
            if domain.name in self._sent:
                yield self._sent[domain.name]
            elif domain.name in self._partitions:
                for partition in self._partitions[domain.name]:
                    yield list(self._client.gather(partition))
            else:
                yield from domain.texts.blocks_again()
