"""Read and count texts on the workers of a Dask cluster.

The counts stay on the workers. The vocabularies of the parts are joined there in a tree, and the
client gets the result.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.dask.blocks import spread_places
from isthmus.matrices.dask.cluster import repeated, results_in_order, results_of
from isthmus.text.language_detection import MAX_TEXTS_READ
from isthmus.text.parts.counting import MakeAnalyzer, OnShard, TextShard
from isthmus.text.parts.term_part import (
    JoinedVocabulary,
    TermPart,
    make_part,
    part_totals,
    renumber_rows,
)
from isthmus.text.term_counts import TermCounts, count_all_terms
from isthmus.text.text_blocks import TextBlocks
from isthmus.text.weighting import weigh_in_place

__all__ = ["ClusterCounting", "CountBlocks", "PartitionShard", "bytes_per_shard"]

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

    def head(self, shard: TextShard) -> Iterable[list[str]]:
        """Return the first blocks of a shard."""
        if isinstance(shard, PartitionShard):
            head = self.submit("read-head", _head_of_partition, shard.partition)
            return iter(shard.shard.with_texts(self.result(head)).read())
        return shard.read()

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
        facts = [self.submit("facts", _facts_of_part, part) for part in parts]
        n_documents = 0
        for result in results_in_order(self.client, facts):
            on_shard(result.facts, result.word_counts)
            n_documents += result.n_documents
        return ClusterCounts(self, parts, n_documents)

    def result(self, future: Any) -> Any:
        """Wait for the result of a task."""
        return repeated(self.client, lambda: results_of(self.client, [future])[0])

    def _count(self, shard: TextShard, make_analyzer: MakeAnalyzer, worker: str) -> Any:
        if isinstance(shard, PartitionShard):
            arguments = (shard.partition, shard.shard, make_analyzer)
            return self.submit("count-words", _count_partition, *arguments)
        return self.submit("count-words", _count_shard, shard, make_analyzer, worker=worker)

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
        terms = self._counting.submit("terms", _given_to_others, self._terms)
        partial = [
            self._counting.submit("term-totals", _totals_of_part, part, terms)
            for part in self._parts
        ]
        while len(partial) > 1:
            partial = self._joined("term-totals", _add_totals, partial)
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
            self._counting.submit("vocabulary", _vocabulary_of_part, part) for part in self._parts
        ]
        while len(partial) > 1:
            partial = self._joined("vocabulary", _join_vocabularies, partial)
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
        rule = _BlockRule(self._terms, self.dtype, weighting)
        shared = self._counting.submit("terms", _given_to_others, rule)
        blocks = [
            self._counting.submit("weigh-rows", _weighed_block, part, shared)
            for part in self._parts
        ]
        # Lost blocks are counted again, so the counts need not stay on the workers.
        self._parts = []
        client = self._counting.client
        return repeated(client, lambda: DistributedMatrix.from_blocks(blocks, client))


# What the workers compute.


class _PartFacts(NamedTuple):
    """What the client needs to know of a part."""

    facts: Any
    word_counts: Mapping[Any, int]
    n_documents: int


class _WorkerPart(NamedTuple):
    """A part on a worker."""

    part: TermPart
    facts: _PartFacts


class _Vocabulary(NamedTuple):
    """Sorted terms and their document frequencies."""

    terms: list[str]
    frequencies: NDArray[np.int64]


@dataclass(frozen=True)
class PartitionShard:
    """Texts in a partition of a Dask collection, which a task of its own computes."""

    shard: Any
    """Has a function ``with_texts`` that returns a shard of the given texts."""
    partition: Any
    """Future of the partition."""
    facts: ClassVar[None] = None

    def read(self) -> TextBlocks:
        """Raise TypeError: a task on a worker reads the partition."""
        raise TypeError("A partition of a Dask collection is read by the workers.")


def _given_to_others(value: Any) -> Any:
    """Return the value: a task that gives it to the tasks of other workers."""
    return value


def _head_of_partition(partition: Iterable[str]) -> list[str]:
    """Return the first texts of a partition."""
    return list(islice(partition, MAX_TEXTS_READ))


def _count_partition(
    partition: Iterable[str], shard: Any, make_analyzer: MakeAnalyzer
) -> _WorkerPart:
    """Count the texts of a partition, which become those of a shard."""
    return _count_shard(shard.with_texts(list(partition)), make_analyzer)


def _count_shard(shard: TextShard, make_analyzer: MakeAnalyzer) -> _WorkerPart:
    """Count the texts of a shard."""
    analyzer = make_analyzer()
    analyzer.start_counting_words()
    part = make_part(count_all_terms(shard.read(), analyzer))
    return _WorkerPart(part, _PartFacts(shard.facts, analyzer.word_counts, part.n_documents))


def _facts_of_part(part: _WorkerPart) -> _PartFacts:
    """Return what the client needs to know."""
    return part.facts


def _vocabulary_of_part(part: _WorkerPart) -> _Vocabulary:
    """Return the terms of a part."""
    return _Vocabulary(part.part.terms, part.part.frequencies)


def _join_vocabularies(parts: Sequence[_Vocabulary]) -> _Vocabulary:
    """Return the terms of several parts with the sums of their document frequencies."""
    joined = JoinedVocabulary()
    for part in parts:
        joined.add(part.terms, part.frequencies)
    numbers, terms = joined.sort(np.arange(len(joined)))
    return _Vocabulary(terms, joined.frequencies[numbers])


def _totals_of_part(part: _WorkerPart, terms: Sequence[str]) -> NDArray[np.float64]:
    """Return how often every term of all parts occurs in this one."""
    own = part.part
    totals = np.zeros(len(terms))
    numbers = {term: number for number, term in enumerate(terms)}
    columns = [numbers[term] for term in own.terms]
    totals[columns] = part_totals(own.counts, len(own.terms))
    return totals


def _add_totals(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the sum; counts are whole numbers, so their order does not matter."""
    return np.asarray(np.sum(parts, axis=0))


@dataclass(frozen=True)
class _BlockRule:
    """How a part becomes a block of the matrix."""

    terms: list[str]
    dtype: np.dtype[Any]
    weighting: Any


def _weighed_block(part: _WorkerPart, rule: _BlockRule) -> Any:
    """Return the weighted rows of a part with the common columns."""
    own = part.part
    columns = {term: column for column, term in enumerate(rule.terms)}
    new_columns = np.array([columns.get(term, -1) for term in own.terms], np.int32)
    n_entries = int(own.frequencies[new_columns >= 0].sum()) if len(own.terms) else 0
    indices, data = np.empty(n_entries, np.int32), np.empty(n_entries, rule.dtype)
    lengths = renumber_rows(own.counts, new_columns, indices, data)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    shape = (own.n_documents, len(rule.terms))
    block = sparse.csr_matrix((data, indices, indptr), shape=shape, copy=False)
    block.has_canonical_format = True
    return weigh_in_place(rule.weighting, block)
