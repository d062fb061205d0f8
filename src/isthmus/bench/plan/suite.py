"""Suites: what to run, and what a paper reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import fmean
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from isthmus.bench.documents.tasks import BenchmarkTask
from isthmus.bench.documents.user_corpora import UserCorpus, UserCorpusFile
from isthmus.bench.fields import Count, Fields, Flag, Names, Number, PaperRow, Seeds, Text, require
from isthmus.bench.plan.entries import Entry, OtherMethods
from isthmus.bench.plan.figures import Figure
from isthmus.bench.plan.goals import Goal
from isthmus.bench.plan.metrics import METRICS, MetricNames

__all__ = ["Difficulty", "Suite", "SuiteFile", "TaskSet", "TextSettings"]

Layout = Literal["sets", "means", "problems", "figures"]


class TextSettings(Fields):
    """How texts become counts: stop words, stems, and which terms are kept.

    ``min_df`` is the least document frequency of a term within a problem, ``max_terms`` the number
    of terms of a problem, those with the highest document frequency.
    """

    stop_words: Literal["english"] | None = None
    min_df: Count | None = None
    stemmer: str | None = None
    max_terms: Count | None = None

    @field_validator("stemmer")
    @classmethod
    def _check_stemmer(cls, name: str | None) -> str | None:
        import Stemmer

        known = Stemmer.algorithms()
        require(name in (None, *known), f"'{name}' is unknown: choose from {', '.join(known)}")
        return name

    def identity(self) -> dict[str, Any]:
        """What distinguishes results: unset fields are left out."""
        return self.model_dump(exclude_none=True)


class TaskOptions(Fields):
    """The table ``tasks``: how problems are made, and what they have in common."""

    kind: Literal["listed", "ordered-pairs"]
    corpus: str | None = None
    development_every: Count | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        pairs = self.kind == "ordered-pairs"
        require(self.corpus or not pairs, "'corpus' is missing: name one")
        require(
            (self.development_every is not None) == pairs,
            "'development_every' is for kind = \"ordered-pairs\", which needs it",
        )
        return self


class TaskSet(Fields):
    """Problems that a paper's table reports together, with the paper's accuracies.

    ``paper`` maps "total", and "L" and "R" where the paper splits by difficulty, to the number of
    each of the paper's columns. With ``kind = "ordered-pairs"``, ``positive`` and ``negative`` take
    the place of ``problems``, and ``named`` has the numbers of the named problems.
    """

    name: str
    paper: dict[Literal["total", "L", "R"], PaperRow] = Field(default_factory=dict)
    problems: tuple[BenchmarkTask, ...] = ()
    positive: Names = ()
    negative: Names = ()
    named: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()

    @property
    def tasks(self) -> tuple[BenchmarkTask, ...]:
        """The problems of the set."""
        return self.problems

    @field_validator("problems")
    @classmethod
    def _check_papers(cls, problems: tuple[BenchmarkTask, ...]) -> tuple[BenchmarkTask, ...]:
        for task in problems:
            for metric, row in task.paper.items():
                place = f"problem '{task.name}', paper"
                require(metric in METRICS, f"{place}: use a metric: {', '.join(METRICS)}")
                wrong = [c for c, v in row.items() if METRICS[metric].share and not 0 <= v <= 1]
                require(not wrong, f"{place}, {metric}: {wrong} must be between 0 and 1")
        return problems

    def with_problems(self, options: TaskOptions, corpora: dict[str, UserCorpus]) -> TaskSet:
        """The set with its problems as they are run."""
        pairs = options.kind == "ordered-pairs"
        allowed = {"positive", "negative", "named"} if pairs else {"problems"}
        for field in sorted(self.model_fields_set - {"name", "paper"} - allowed):
            raise ValueError(f"'{field}' has no meaning with kind = \"{options.kind}\": remove it")
        tasks = self._ordered_pairs(options.development_every or 1) if pairs else self.problems
        require(tasks, "the set has no problem: add 'problems'")
        done = []
        for task in tasks:
            corpus = task.corpus or options.corpus
            require(corpus, f"problem '{task.name}': 'corpus' is missing here and in 'tasks'")
            name = corpora[corpus].name if corpus in corpora else corpus
            done.append(task.model_copy(update={"set_name": self.name, "corpus": name}))
        return self.model_copy(update={"problems": tuple(done)})

    def _ordered_pairs(self, every: int) -> tuple[BenchmarkTask, ...]:
        """All choices of different source and target groups of both classes.

        Every ``every``-th problem, from 0 on, is a development problem.
        """
        pairs = [
            (positive, negative)
            for positive in permutations(sorted(self.positive), 2)
            for negative in permutations(sorted(self.negative), 2)
        ]
        require(pairs, "'positive' and 'negative' must each have two or more groups")
        shared = sorted({*self.positive} & {*self.negative})
        require(not shared, f"'positive' and 'negative' share {shared}")
        require(
            all(number < len(pairs) for number in self.named),
            f"'named' must have numbers from 0 to {len(pairs) - 1}",
        )
        return tuple(
            BenchmarkTask(
                name=f"{self.name} {number:03d}: {ps}, {ns} -> {pt}, {nt}",
                split="development" if number % every == 0 else "evidence",
                sources=({"positive": (ps,), "negative": (ns,)},),
                targets=({"positive": (pt,), "negative": (nt,)},),
                named=number in self.named,
            )
            for number, ((ps, pt), (ns, nt)) in enumerate(pairs)
        )

    def paper_row(self, tasks: Sequence[BenchmarkTask], metric: str) -> PaperRow:
        """The paper's numbers, averaged over problems where it has one for each of them."""
        rows = [task.paper.get(metric, {}) for task in tasks]
        means = {
            column: fmean(row[column] for row in rows)
            for column in rows[0]
            if all(column in row for row in rows)
        }
        total = self.paper.get("total", {}) if metric == "accuracy" else {}
        # The paper's own number of all problems takes precedence over the mean of single ones.
        return {**means, **total} if len(tasks) == len(self.tasks) > 1 else means

    def paper_score(
        self, column: str | None, tasks: Sequence[BenchmarkTask], metric: str, single: bool
    ) -> float | None:
        """The paper's number for a goal, None if it is not known."""
        total = self.paper.get("total", {}).get(column or "") if metric == "accuracy" else None
        if not single and total is not None:
            return total
        return self.paper_row(tasks, metric).get(column or "")


class Difficulty(Fields):
    """The entry by which problems are hard (L) or easy (R), and the accuracy between them."""

    entry: str
    threshold: Number


class SuiteFile(Fields):
    """The content of a suite file."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: str
    citation: str
    notes: Text = ""
    seeds: Seeds
    dtype: Literal["float32", "float64"]
    text: TextSettings = TextSettings()
    tasks: TaskOptions
    sets: Annotated[tuple[TaskSet, ...], Field(min_length=1)]
    entries: Annotated[tuple[Entry, ...], Field(min_length=1)]
    rest: OtherMethods | None = None
    goals: tuple[Goal, ...] = ()
    difficulty: Difficulty | None = None
    metrics: MetricNames = ("accuracy",)
    table: Layout = "sets"
    paired_with: str | None = None
    figures: tuple[Figure, ...] = ()
    ranked: Flag = True
    corpora: dict[str, dict[str, UserCorpusFile]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Suite:
    """A set of benchmark problems with the methods to run on them.

    ``paired_with`` is the entry that all others are compared with, ``ranked`` says whether its
    problems count in the ranks over all suites. ``origin`` is the file it was read from, None for a
    suite of the package.
    """

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
    difficulty: Difficulty | None
    metrics: tuple[str, ...]
    layout: Layout
    paired_with: str | None
    ranked: bool
    figures: tuple[Figure, ...]
    user_corpora: tuple[UserCorpus, ...]
    origin: str | None = None

    @property
    def tasks(self) -> tuple[BenchmarkTask, ...]:
        """All problems of all sets, in order."""
        return tuple(task for group in self.sets for task in group.tasks)

    def label(self, entry_id: str) -> str:
        """The label of an entry."""
        return next(entry.label for entry in self.entries if entry.id == entry_id)

    def entries_on(self, tasks: Sequence[BenchmarkTask]) -> tuple[Entry, ...]:
        """The entries that run on all of some problems."""
        return tuple(e for e in self.entries if all(map(e.runs_on, tasks)))

    def groups(self, corpus: str) -> tuple[str, ...]:
        """All groups of a corpus that any problem uses, sorted: they are counted together."""
        return tuple(sorted({g for t in self.tasks if t.corpus == corpus for g in t.groups}))
