"""Suites: what to run, and what a paper reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import fmean
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from isthmus_bench.documents.corpora import find_corpus
from isthmus_bench.documents.tasks import BenchmarkTask, Split
from isthmus_bench.documents.user_corpora import UserCorpus, UserCorpusFile
from isthmus_bench.fields import (
    Count,
    Fields,
    Flag,
    NameOrNames,
    Names,
    Number,
    PaperRow,
    Seeds,
    Text,
    require,
)  # fmt: skip
from isthmus_bench.plan.entries import Entry, OtherMethods
from isthmus_bench.plan.figures import Figure
from isthmus_bench.plan.goals import Goal
from isthmus_bench.plan.metrics import METRICS, MetricNames

__all__ = ["Difficulty", "Suite", "SuiteFile", "TaskSet", "TextSettings"]

Layout = Literal["sets", "means", "problems", "columns", "figures"]
Kind = Literal["listed", "ordered-pairs", "domain-pairs"]


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

    kind: Kind
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
    the place of ``problems``, and ``named`` has the numbers of the named problems. With ``kind =
    "domain-pairs"``, every ordered pair of ``domains`` is a problem.
    """

    name: str
    paper: dict[Literal["total", "L", "R"], PaperRow] = Field(default_factory=dict)
    problems: tuple[BenchmarkTask, ...] = ()
    positive: Names = ()
    negative: Names = ()
    corpus: str | None = None
    split: Split | None = None
    domains: Names = ()
    classes: Names = ()
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
        allowed = {"name", "paper", *_FIELDS[options.kind]}
        for field in sorted(self.model_fields_set - allowed):
            raise ValueError(f"'{field}' has no meaning with kind = \"{options.kind}\": remove it")
        match options.kind:
            case "ordered-pairs":
                tasks = self._ordered_pairs(options.development_every or 1)
            case "domain-pairs":
                tasks = self._domain_pairs(options.corpus, corpora)
            case "listed":
                tasks = self.problems
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
        self._check_named(len(pairs))
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

    def _domain_pairs(
        self, corpus: str | None, corpora: dict[str, UserCorpus]
    ) -> tuple[BenchmarkTask, ...]:
        """Every ordered pair of domains, whose groups are ``domain.class``.

        Two domains in different languages are joined by a dictionary if the corpus has one for
        them, and else have one vocabulary.
        """
        for field in ("domains", "classes"):
            require(getattr(self, field), f"'{field}' is missing: kind = \"domain-pairs\" needs it")
        if self.split is None:
            raise ValueError('\'split\' is missing: use "development" or "evidence"')
        corpus = self.corpus or corpus or ""
        require(corpus, "'corpus' is missing here and in 'tasks'")
        corpus = corpora[corpus].name if corpus in corpora else corpus
        require(len(self.domains) > 1, "'domains' must have two or more names")
        pairs = list(permutations(self.domains, 2))
        self._check_named(len(pairs))
        return tuple(
            BenchmarkTask(
                name=f"{self.name}: {source} to {target}",
                split=self.split,
                corpus=corpus,
                sources=({name: (f"{source}.{name}",) for name in self.classes},),
                targets=({name: (f"{target}.{name}",) for name in self.classes},),
                vocabulary=_vocabulary(corpus, source, target),
                named=number in self.named,
            )
            for number, (source, target) in enumerate(pairs)
        )

    def _check_named(self, n_problems: int) -> None:
        require(
            all(number < n_problems for number in self.named),
            f"'named' must have numbers from 0 to {n_problems - 1}",
        )

    def paper_row(self, tasks: Sequence[BenchmarkTask], metric: str) -> PaperRow:
        """The paper's numbers, averaged over problems where it has one for each of them."""
        if len(tasks) == 1:
            return tasks[0].paper.get(metric, {})
        rows = [task.paper.get(metric, {}) for task in tasks]
        means = {
            column: fmean(row[column] for row in rows)
            for column in rows[0]
            if all(column in row for row in rows)
        }
        total = self.paper.get("total", {}) if metric == "accuracy" else {}
        # The paper's own number of all problems takes precedence over the mean of single ones.
        return {**means, **total} if len(tasks) == len(self.tasks) else means

    def paper_score(
        self, column: str | None, tasks: Sequence[BenchmarkTask], metric: str, single: bool
    ) -> float | None:
        """The paper's number for a goal, None if it is not known."""
        total = self.paper.get("total", {}).get(column or "") if metric == "accuracy" else None
        if not single and total is not None:
            return total
        return self.paper_row(tasks, metric).get(column or "")


_FIELDS: dict[Kind, tuple[str, ...]] = {
    "listed": ("problems",),
    "ordered-pairs": ("positive", "negative", "named"),
    "domain-pairs": ("corpus", "split", "domains", "classes", "named"),
}
"""The fields of a set by the kind of its problems."""


def _vocabulary(corpus: str, source: str, target: str) -> Literal["dictionary"] | None:
    """How the words of two domains are joined; None for one vocabulary."""
    languages = find_corpus(corpus).languages
    if languages is None:
        return None
    pair = languages.of_group(source), languages.of_group(target)
    return "dictionary" if pair[0] != pair[1] and languages.has_dictionary(*pair) else None


class Difficulty(Fields):
    """The entry by which problems are hard (L) or easy (R), and the accuracy between them.

    ``note`` is about the charts of all problems.
    """

    entry: str
    threshold: Number
    note: Text = ""


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
    spread: Flag = False
    table: Layout = "sets"
    paired_with: NameOrNames = ()
    paired_tests: tuple[Annotated[Names, Field(min_length=2, max_length=2)], ...] = ()
    source_only: Names = ()
    figures: tuple[Figure, ...] = ()
    ranked: Flag = True
    corpora: dict[str, dict[str, UserCorpusFile]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Suite:
    """A set of benchmark problems with the methods to run on them.

    ``spread`` says whether tables show the standard deviation over the seeds. ``paired_with`` has
    the entries that all others are compared with, ``paired_tests`` pairs that are compared on every
    problem. ``source_only`` has the entries that use the source only: the report says where others
    are below them. ``ranked`` says whether its problems count in the ranks over all suites.
    ``origin`` is the file it was read from, None for a suite of the package.
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
    spread: bool
    layout: Layout
    paired_with: tuple[str, ...]
    paired_tests: tuple[tuple[str, ...], ...]
    source_only: tuple[str, ...]
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

    def entries_on(self, tasks: Sequence[BenchmarkTask], partly: bool = False) -> tuple[Entry, ...]:
        """The entries that run on all of some problems.

        With ``partly``, those that are for problems with labeled target documents need one problem.
        """
        return tuple(
            e
            for e in self.entries
            if all(map(e.runs_on, tasks))
            or (partly and e.trained_on == "target" and any(map(e.runs_on, tasks)))
        )

    def groups(self, corpus: str) -> tuple[str, ...]:
        """All groups of a corpus that any problem uses, sorted: they are counted together."""
        return tuple(sorted({g for t in self.tasks if t.corpus == corpus for g in t.groups}))
