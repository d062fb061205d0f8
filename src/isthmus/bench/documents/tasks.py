"""Tasks: which documents of a corpus make up one transfer problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["SPLITS", "Selection", "Task", "group_uses", "split_parts"]

SPLITS = ("development", "evidence")

Selection = tuple[tuple[str, tuple[str, ...]], ...]
"""Classes with the groups of documents that make them up."""


@dataclass(frozen=True)
class Task:
    """One problem: which groups of a corpus make up which domain.

    Attributes
    ----------
    name : str
        Unique within its suite.
    set_name : str
        The set (a row group of the paper's table) it belongs to.
    split : {"development", "evidence"}
        Whether defaults may be chosen on it.
    corpus : str
        Name of the corpus, see :mod:`isthmus.bench.documents.corpora`.
    sources, targets : tuple of Selection
        The documents of each class, domain by domain: sources are numbered 0, 1, ..., targets
        -1, -2, ... A problem for clusterers has no sources.
    labelled_source, labelled_target : float
        The share of the rows of every class of every domain whose label a method sees. The
        other source rows stay in the source, without their labels.
    vocabulary : {"dictionary", "identical"}, optional
        For sources and targets of two languages: what joins their words. None counts the words of
        all domains together.
    keep_target : tuple of (str, float)
        Target classes of which only a share of the rows is in the problem at all.
    sample : int, optional
        So many rows of every class of every domain are in the problem; None for all.
    sample_source : int, optional
        The same for the sources alone, whatever ``sample`` says.
    seeds : tuple of int
        Seeds of its own; empty for the suite's.
    scored : int, optional
        For a problem without sources: the only target that a score is about, counted from 1.
    source_pools, target_pools : tuple of tuple of str
        For every domain of the side the groups of its pool: rows without a class, which take part
        in a fit and are never scored. Empty where the side has no pool.
    folds : int, optional
        The rows of every class of every domain are parted into so many folds, and the seed names
        one: its source rows are left out, and of the targets there are its rows alone.
    new_documents : bool
        Whether the rows to score are kept from the fit, for a method to label afterwards.
    named : bool
        Whether it is one of the few problems of its suite for entries that do not run on all.
    """

    name: str
    set_name: str
    split: str
    corpus: str
    sources: tuple[Selection, ...]
    targets: tuple[Selection, ...]
    labelled_source: float = 1.0
    labelled_target: float = 0.0
    vocabulary: str | None = None
    keep_target: tuple[tuple[str, float], ...] = ()
    sample: int | None = None
    sample_source: int | None = None
    seeds: tuple[int, ...] = ()
    scored: int | None = None
    source_pools: tuple[tuple[str, ...], ...] = ()
    target_pools: tuple[tuple[str, ...], ...] = ()
    folds: int | None = None
    new_documents: bool = False
    named: bool = False

    @property
    def domains(self) -> dict[int, Selection]:
        """Selections by the number of their domain, sources first."""
        sources = dict(enumerate(self.sources))
        return sources | {-1 - i: selection for i, selection in enumerate(self.targets)}

    @property
    def pools(self) -> dict[int, tuple[str, ...]]:
        """Groups of the pools by the number of their domain."""
        sources = dict(enumerate(self.source_pools))
        return sources | {-1 - i: groups for i, groups in enumerate(self.target_pools)}

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names in the order in which the sources name them, or else the targets."""
        sides = self.sources or self.targets
        return tuple(dict.fromkeys(name for part in sides for name, _ in part))

    @property
    def is_clustering(self) -> bool:
        """Whether no document shows its label, so that only a clusterer can work on it."""
        return not self.sources

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups that the task uses, sorted."""
        pooled = [group for groups in self.pools.values() for group in groups]
        return tuple(sorted({*group_uses(self.sources + self.targets), *pooled}))

    @property
    def is_random(self) -> bool:
        """Whether rows are drawn, so that every method has to run once a seed."""
        return self.draws_labels or self.draws_rows

    @property
    def draws_labels(self) -> bool:
        """Whether the rows that show their label are drawn."""
        return self.labelled_source < 1 or self.labelled_target > 0

    @property
    def draws_scored(self) -> bool:
        """Whether every seed scores other documents, not parts of a whole as folds do."""
        return self.sample is not None or bool(self.keep_target) or self.labelled_target > 0

    @property
    def draws_rows(self) -> bool:
        """Whether the rows that are in the problem are drawn."""
        sizes = (self.sample, self.sample_source, self.folds)
        return bool(self.keep_target) or any(size is not None for size in sizes)

    def sample_of(self, number: int) -> int | None:
        """How many rows of every class of a domain are in the problem; None for all."""
        if number < 0 or self.sample_source is None:
            return self.sample
        return self.sample_source


def group_uses(selections: tuple[Selection, ...]) -> list[str]:
    """The groups that selections name, as often as they do."""
    return [group for part in selections for _, groups in part for group in groups]


def split_parts(tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """The problems of each split by its name and size, and all if there are several splits."""
    parts = {split: [task for task in tasks if task.split == split] for split in SPLITS}
    found = {f"{split} ({len(part)})": part for split, part in parts.items() if part}
    if len(found) > 1:
        found[f"all ({len(tasks)})"] = list(tasks)
    return found
