"""What the workers of a cluster compute when texts are counted there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.text.language_detection import MAX_TEXTS_READ
from isthmus.text.parts.shards import MakeAnalyzer, ShardReading, TextShard
from isthmus.text.parts.term_part import TermPart, make_part, part_totals, renumber_rows
from isthmus.text.parts.vocabulary import JoinedVocabulary
from isthmus.text.term_counts import count_all_terms
from isthmus.text.weighting import weigh_in_place

__all__ = ["BlockRule", "PartitionShard", "Vocabulary"]


class PartFacts(NamedTuple):
    """What the client needs to know of a part."""

    facts: Any
    word_counts: Mapping[Any, int]
    n_documents: int


class WorkerPart(NamedTuple):
    """A part on a worker."""

    part: TermPart
    facts: PartFacts


class Vocabulary(NamedTuple):
    """Sorted terms and their document frequencies."""

    terms: list[str]
    frequencies: NDArray[np.int64]


@dataclass(frozen=True)
class PartitionShard:
    """Texts in a partition of a Dask collection, which a task of its own computes."""

    shard: Any
    """Has a function ``with_texts`` that returns a shard of the given texts."""
    partition: Any
    """Future of the partition; None in a task, which gets the partition itself."""

    def without_partition(self) -> PartitionShard:
        """Return the shard for a task."""
        return replace(self, partition=None)

    def read(self) -> ShardReading:
        """Not possible here."""
        raise TypeError("A partition of a Dask collection is read by the workers.")


def same(value: Any) -> Any:
    """Return the value: a task that gives it to the tasks of other workers."""
    return value


def head_of_partition(partition: Iterable[str]) -> list[str]:
    """Return the first texts of a partition."""
    return list(islice(partition, MAX_TEXTS_READ))


def count_partition(
    partition: Iterable[str], shard: PartitionShard, make_analyzer: MakeAnalyzer
) -> WorkerPart:
    """Count the texts of a partition."""
    return count_shard(shard.shard.with_texts(list(partition)), make_analyzer)


def count_shard(shard: TextShard, make_analyzer: MakeAnalyzer) -> WorkerPart:
    """Count the texts of a shard."""
    analyzer = make_analyzer()
    analyzer.start_counting_words()
    reading = shard.read()
    part = make_part(count_all_terms(reading.texts, analyzer))
    return WorkerPart(part, PartFacts(reading.facts, analyzer.word_counts, part.n_documents))


def facts_of_part(part: WorkerPart) -> PartFacts:
    """Return what the client needs to know."""
    return part.facts


def vocabulary_of_part(part: WorkerPart) -> Vocabulary:
    """Return the terms of a part."""
    return Vocabulary(part.part.terms, part.part.frequencies)


def join_vocabularies(parts: Sequence[Vocabulary]) -> Vocabulary:
    """Return the terms of several parts with the sums of their document frequencies."""
    joined = JoinedVocabulary()
    for part in parts:
        joined.add(part.terms, part.frequencies)
    numbers, terms = joined.sort(np.arange(len(joined)))
    return Vocabulary(terms, joined.frequencies[numbers])


def totals_of_part(part: WorkerPart, terms: Sequence[str]) -> NDArray[np.float64]:
    """Return how often every term of all parts occurs in this one."""
    own = part.part
    totals = np.zeros(len(terms))
    numbers = {term: number for number, term in enumerate(terms)}
    columns = [numbers[term] for term in own.terms]
    totals[columns] = part_totals(own.counts, len(own.terms))
    return totals


def add_totals(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the sum; counts are whole numbers, so their order does not matter."""
    return np.asarray(np.sum(parts, axis=0))


@dataclass(frozen=True)
class BlockRule:
    """How a part becomes a block of the matrix."""

    terms: list[str]
    dtype: np.dtype[Any]
    weighting: Any


def weighed_block(part: WorkerPart, rule: BlockRule) -> Any:
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
