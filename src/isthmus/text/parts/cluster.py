"""Read and count texts on the workers of a Dask cluster.

The counts stay on the workers. The vocabularies of the parts are joined there in a tree, and the
client gets the result.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.dask.blocks import spread_places
from isthmus.matrices.dask.cluster import repeated, results_in_order, results_of
from isthmus.text.parts import cluster_tasks as tasks
from isthmus.text.parts.shards import MakeAnalyzer, OnShard, TextShard
from isthmus.text.term_counts import TermCounts

__all__ = ["ClusterCounting", "CountBlocks", "bytes_per_shard"]

# Vocabularies that are joined by one task.
_FAN_IN = 8
# Every worker should have several shards, but not tiny ones.
_N_SHARDS = 256
_SMALLEST_SHARD, _LARGEST_SHARD = 2**18, 2**26


def bytes_per_shard(n_bytes: int) -> int:
    """Return how many bytes of text a worker should count at a time.

    It does not depend on the workers, because sums have the order of the shards.
    """
    return max(_SMALLEST_SHARD, min(_LARGEST_SHARD, n_bytes // _N_SHARDS))


@dataclass(frozen=True)
class ClusterCounting:
    """Counts shards on the workers of a client.

    Attributes
    ----------
    client : distributed.Client
    n_shards : int
        About the number of shards. Neighbors are counted on the same worker, where they stay.
    """

    client: Any
    n_shards: int = 1

    def head(self, shard: TextShard) -> Iterable[str]:
        """Return the first texts of a shard."""
        if isinstance(shard, tasks.PartitionShard):
            head = self.submit("read-head", tasks.head_of_partition, shard.partition)
            return list(self.result(head))
        return shard.read().texts

    def count(
        self, shards: Iterable[TextShard], make_analyzer: MakeAnalyzer, on_shard: OnShard
    ) -> TermCounts:
        """Count all terms. An error of a worker is raised here."""
        workers = sorted(self.client.nthreads())
        places = spread_places(max(self.n_shards, len(workers)), workers)
        parts = [
            self._count(shard, make_analyzer, places[number % len(places)])
            for number, shard in enumerate(shards)
        ]
        facts = [self.submit("facts", tasks.facts_of_part, part) for part in parts]
        n_documents = 0
        for result in results_in_order(self.client, facts):
            on_shard(result.facts, result.word_counts)
            n_documents += result.n_documents
        return ClusterCounts(self, parts, n_documents)

    def result(self, future: Any) -> Any:
        """Wait for the result of a task."""
        return repeated(self.client, lambda: results_of(self.client, [future])[0])

    def _count(self, shard: TextShard, make_analyzer: MakeAnalyzer, worker: str) -> Any:
        if isinstance(shard, tasks.PartitionShard):
            arguments = (shard.partition, shard.without_partition(), make_analyzer)
            return self.submit("count-words", tasks.count_partition, *arguments)
        return self.submit("count-words", tasks.count_shard, shard, make_analyzer, worker=worker)

    def submit(
        self, stage: str, function: Callable[..., Any], *arguments: Any, worker: str | None = None
    ) -> Any:
        """Submit a task whose result can be computed again: it depends on its arguments alone."""
        where: dict[str, Any] = {}
        if worker is not None:
            where = {"workers": [worker], "allow_other_workers": True}
        key = f"isthmus-{stage}-{uuid.uuid4().hex}"
        return self.client.submit(function, *arguments, key=key, pure=False, **where)


class ClusterCounts:
    """Counts of all terms of texts, in parts on the workers of a cluster.

    Attributes
    ----------
    n_documents : int
    frequencies : array
        Number of documents that contain a term, for every term.
    """

    def __init__(self, counting: ClusterCounting, parts: Sequence[Any], n_documents: int) -> None:
        self._counting, self._parts, self.n_documents = counting, list(parts), n_documents
        vocabulary = self._joined_vocabulary()
        # They are sorted: the number of a term is its position.
        self._terms: list[str] = vocabulary.terms
        self.frequencies: NDArray[np.int64] = vocabulary.frequencies

    def totals(self) -> NDArray[np.float64]:
        """Return how often every term occurs in all documents."""
        terms = self._counting.submit("terms", tasks.same, self._terms)
        partial = [
            self._counting.submit("term-totals", tasks.totals_of_part, part, terms)
            for part in self._parts
        ]
        while len(partial) > 1:
            partial = self._joined("term-totals", tasks.add_totals, partial)
        return np.asarray(self._counting.result(partial[0]))

    def sort_terms(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], list[str]]:
        """Return the numbers of some terms, sorted by the spelling of the terms, and the terms."""
        in_order = np.sort(numbers)
        return in_order, [self._terms[number] for number in in_order.tolist()]

    def take(self, numbers: NDArray[Any], dtype: str) -> CountBlocks:
        """Return the counts of some terms, which must be sorted; can be called once."""
        terms = [self._terms[number] for number in numbers.tolist()]
        parts, self._parts = self._parts, []
        return CountBlocks(self._counting, parts, terms, self.n_documents, np.dtype(dtype))

    def _joined_vocabulary(self) -> Any:
        partial = [
            self._counting.submit("vocabulary", tasks.vocabulary_of_part, part)
            for part in self._parts
        ]
        while len(partial) > 1:
            partial = self._joined("vocabulary", tasks.join_vocabularies, partial)
        return self._counting.result(partial[0])

    def _joined(self, stage: str, join: Callable[..., Any], partial: list[Any]) -> list[Any]:
        return [
            self._counting.submit(stage, join, partial[start : start + _FAN_IN])
            for start in range(0, len(partial), _FAN_IN)
        ]


class CountBlocks:
    """Counts of the selected terms, before they are weighed; nothing is computed yet."""

    def __init__(
        self,
        counting: ClusterCounting,
        parts: list[Any],
        terms: list[str],
        n_documents: int,
        dtype: np.dtype[Any],
    ) -> None:
        self._counting, self._parts, self._terms = counting, parts, terms
        self.shape, self.dtype = (n_documents, len(terms)), dtype

    def weighed(self, weighting: Any) -> Any:
        """Return the weighted rows as a :class:`DistributedMatrix`."""
        from isthmus.matrices.dask.matrix import DistributedMatrix

        # A task in place of scattered data, which would be lost with a worker.
        rule = tasks.BlockRule(self._terms, self.dtype, weighting)
        shared = self._counting.submit("terms", tasks.same, rule)
        blocks = [
            self._counting.submit("weigh-rows", tasks.weighed_block, part, shared)
            for part in self._parts
        ]
        # Lost blocks are counted again, so the counts need not stay on the workers.
        self._parts = []
        client = self._counting.client
        return repeated(client, lambda: DistributedMatrix.from_blocks(blocks, client))
