"""What the texts of a corpus must offer so that others than this process can count them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from isthmus.text.analyzer import Analyzer
from isthmus.text.term_counts import TermCounts

__all__ = ["MakeAnalyzer", "OnShard", "ShardCounting", "ShardReading", "TextShard"]


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


#: Gets the facts of a shard, and how often every word occurs in it if terms are stems.
OnShard = Callable[[Any, Mapping[Any, int]], None]


class ShardCounting(Protocol):
    """A way to count the terms of shards."""

    def head(self, shard: TextShard) -> Iterable[str]:
        """Return the first texts of a shard."""

    def count(
        self, shards: Iterable[TextShard], make_analyzer: MakeAnalyzer, on_shard: OnShard
    ) -> TermCounts:
        """Count all terms; ``on_shard`` is called for every shard, in their order."""
