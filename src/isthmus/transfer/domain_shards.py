"""The shards of all domains, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from isthmus.text.text_checks import small_batches
from isthmus.transfer.collections import is_collection, partitions_of
from isthmus.transfer.file_shards import FileShard, ListShard, ShardedTexts, ShardFacts
from isthmus.transfer.texts import Texts

__all__ = ["ClusterShards", "DomainShards"]

# Texts that this process sends to the workers of a cluster, in characters per shard.
_SENT_CHARACTERS = 4_000_000


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
        total = sum(d.texts.n_bytes for d in domains if isinstance(d.texts, ShardedTexts))
        self.n_shards = 1 + total // max_bytes
        self._owners: deque[Texts] = deque()
        self._n_opened = 0
        self._current: Texts | None = None
        self._file: ShardedTexts | None = None

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

    def read_again(self) -> Iterator[str]:
        """Read all texts in this process."""
        for domain in self._domains:
            yield from domain.texts.read_again()


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
        from isthmus.text.parts.cluster_tasks import PartitionShard

        if domain.name in self._partitions:
            for partition in self._partitions[domain.name]:
                shard = ListShard([], self._next_number(), self.n_shards, domain.name)
                yield PartitionShard(shard, partition)
            return
        if isinstance(domain.texts, ShardedTexts):
            pieces = domain.texts.shards(self._max_bytes)
            if pieces is not None:
                yield from self._of_files(pieces)
                return
        yield from self._of_list(domain)

    def _of_list(self, domain: Texts) -> Iterator[ListShard]:
        batch: list[str] = []
        n_characters = 0
        sent = self._sent.setdefault(domain.name, [])
        for few in small_batches(domain.checked()):
            batch += few
            n_characters += sum(map(len, few))
            if len(sent) <= self._max_kept:
                sent += few
            if n_characters >= _SENT_CHARACTERS:
                yield ListShard(batch, self._next_number(), self.n_shards, domain.name)
                batch, n_characters = [], 0
        if batch:
            yield ListShard(batch, self._next_number(), self.n_shards, domain.name)

    def read_again(self) -> Iterator[str]:
        """Read all texts in this process; they must be at most ``max_kept``."""
        for domain in self._domains:
            if domain.name in self._sent:
                yield from self._sent[domain.name]
            elif domain.name in self._partitions:
                for partition in self._partitions[domain.name]:
                    yield from self._client.gather(partition)
            else:
                yield from domain.texts.read_again()
