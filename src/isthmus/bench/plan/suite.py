"""Suites: what to run and what a paper reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from isthmus.bench.documents.own import OwnCorpus
from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.figure_fields import Figure
from isthmus.bench.plan.goals import Goal
from isthmus.bench.plan.paper import PaperRow
from isthmus.bench.plan.scope import runs_on
from isthmus.bench.plan.text_settings import TextSettings

__all__ = ["LAYOUTS", "Suite", "TaskSet"]

LAYOUTS = ("sets", "means", "problems", "figures")


@dataclass(frozen=True)
class TaskSet:
    """Problems that a paper's table reports together, with the paper's numbers.

    ``paper`` maps a row ("total", and "L" and "R" where the paper splits by difficulty) to
    the number of each of the paper's columns, ``problem_papers`` a task and a metric.
    """

    name: str
    tasks: tuple[Task, ...]
    paper: Mapping[str, PaperRow]
    problem_papers: Mapping[str, Mapping[str, PaperRow]] = field(default_factory=dict)

    def paper_row(self, tasks: Sequence[Task], metric: str) -> PaperRow:
        """The paper's numbers, averaged over problems where it has one for each of them."""
        rows = [self.problem_papers.get(task.name, {}).get(metric, {}) for task in tasks]
        means = {
            column: fmean(row[column] for row in rows)
            for column in rows[0]
            if all(column in row for row in rows)
        }
        # The paper's numbers of a set are accuracies.
        total = self.paper.get("total", {}) if metric == "accuracy" else {}
        # What the paper says of all problems comes before what follows from the single ones.
        return {**means, **total} if len(tasks) == len(self.tasks) > 1 else means

    def paper_score(
        self, column: str | None, tasks: Sequence[Task], metric: str, single: bool
    ) -> float | None:
        """What a goal is held against, None if it is not known.

        That is the paper's number of the whole set, unless a ``single`` problem is asked for.
        """
        if not single and metric == "accuracy" and (column or "") in self.paper.get("total", {}):
            return self.paper["total"][column or ""]
        return self.paper_row(tasks, metric).get(column or "")


@dataclass(frozen=True)
class Suite:
    """A set of benchmark problems with the methods to run on them."""

    name: str
    title: str
    citation: str
    notes: str
    seeds: tuple[int, ...]
    dtype: str
    text: TextSettings
    sets: tuple[TaskSet, ...]
    entries: tuple[Entry, ...]
    goals: tuple[Goal, ...]
    difficulty: tuple[str, float] | None
    metrics: tuple[str, ...] = ("accuracy",)
    """What the report shows, one table each."""
    layout: str = "sets"
    """Whether a row of the report is an entry, with a table a split or a column a split, or a
    problem; or whether it has no tables but those of the figures.
    """
    paired_with: str | None = None
    """The entry that all others are tested against."""
    ranked: bool = True
    """Whether its problems count where methods are ranked over all suites."""
    figures: tuple[Figure, ...] = ()
    """What the report draws, in order."""
    own: tuple[OwnCorpus, ...] = ()
    """Corpora that it brings along."""
    origin: str | None = None
    """The file it was read from; None for a suite of the package."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks of all sets, in order."""
        return tuple(task for group in self.sets for task in group.tasks)

    def entries_on(self, tasks: Sequence[Task]) -> tuple[Entry, ...]:
        """The entries that run on every one of some tasks."""
        return tuple(e for e in self.entries if all(runs_on(e, task) for task in tasks))

    def groups(self, corpus: str) -> tuple[str, ...]:
        """All groups of a corpus that any task uses, sorted: they are counted together."""
        return tuple(sorted({g for t in self.tasks if t.corpus == corpus for g in t.groups}))
