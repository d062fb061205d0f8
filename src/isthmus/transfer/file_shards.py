"""Shards of texts, which others than this process read and count."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from isthmus.files import DocumentFileError
from isthmus.inspection.sample import TextSample
from isthmus.matrices.threads import thread_limit

if TYPE_CHECKING:
    from isthmus.files.shards import Shard
    from isthmus.transfer.texts import Texts

__all__ = ["FileShard", "ListShard", "ShardFacts", "ShardedTexts", "can_use_processes"]

# Smaller files are read by this process, before others have been started.
_MANY_BYTES = 500_000_000


@dataclass(frozen=True)
class ShardFacts:
    """What is known of a shard after its texts have been read."""

    n_documents: int
    labels: list[str | None]
    """The labels in a file; nothing for texts that are not in a file."""
    columns: tuple[str, ...]
    """The columns of a file, in the order in which they appear."""
    sample: TextSample
    n_bytes: int
    is_file: bool = True
    """Whether the texts were read from a file by another process."""


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


def can_use_processes(domains: Sequence[Texts]) -> bool:
    """Return whether the texts of all domains are in files, and large enough for processes."""
    texts = [domain.texts for domain in domains]
    return (
        all(isinstance(part, ShardedTexts) for part in texts)
        and sum(part.n_bytes for part in texts) >= _MANY_BYTES
        and thread_limit() > 1
    )


@dataclass(frozen=True)
class FileShard:
    """Some documents of a file."""

    shard: Shard
    number: int
    n_shards: int
    """About the number of all shards; the sample of a shard is smaller if there are many."""

    def read(self) -> FileReading:
        """Begin to read the texts."""
        return FileReading(self)


class FileReading:
    """One reading of a shard of a file."""

    def __init__(self, shard: FileShard) -> None:
        self._shard = shard.shard
        self._sample = TextSample.of_part(shard.number, shard.n_shards)
        self._labels: list[str | None] = []
        self._columns: dict[str, None] = {}

    @property
    def texts(self) -> Iterator[str]:
        """The texts; labels, columns and a sample are recorded on the way."""
        return self._sample.watch(self._texts())

    @property
    def facts(self) -> ShardFacts:
        """What was recorded."""
        return ShardFacts(
            *(len(self._labels), self._labels, tuple(self._columns)),
            *(self._sample, self._shard.n_bytes),
        )

    def _texts(self) -> Iterator[str]:
        if not self._shard.path.exists():
            raise DocumentFileError(
                f"The process that reads '{self._shard.path}' does not find it (machine "
                f"{platform.node()}): the workers of a cluster must see the files under the same "
                "names."
            )
        for block in self._shard.blocks():
            self._labels += block.labels
            self._columns.update(dict.fromkeys(block.records.names()))
            yield from block.texts


@dataclass(frozen=True)
class ListShard:
    """Some texts in memory."""

    texts: list[str]
    number: int
    n_shards: int
    name: str
    """The name of the domain, for messages."""

    def with_texts(self, texts: Iterable[Any]) -> ListShard:
        """Return a shard of other texts."""
        return replace(self, texts=list(texts))

    def read(self) -> ListReading:
        """Begin to read the texts."""
        return ListReading(self)


class ListReading:
    """One reading of texts in memory."""

    def __init__(self, shard: ListShard) -> None:
        self._texts = shard.texts
        for place, text in enumerate(shard.texts):
            if not isinstance(text, str):
                raise ValueError(
                    f"Text {place} of a partition of {shard.name!r} (counted from 0) is {text!r}, "
                    f"a {type(text).__name__}: replace missing texts by '', for example with "
                    "frame['text'].fillna('')."
                )
        self._sample = TextSample.of_part(shard.number, shard.n_shards)

    @property
    def texts(self) -> Iterator[str]:
        """The texts; a sample is recorded on the way."""
        return self._sample.watch(self._texts)

    @property
    def facts(self) -> ShardFacts:
        """What was recorded."""
        n_bytes = sum(map(len, self._texts))
        return ShardFacts(len(self._texts), [], (), self._sample, n_bytes, is_file=False)
