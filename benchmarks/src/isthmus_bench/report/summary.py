"""From the records of a suite to the numbers of a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, stdev

import numpy as np

from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.fields import Mean
from isthmus_bench.plan.figures import PICTURES
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.suite import Suite
from isthmus_bench.plan.trust import TRUST_FIELDS
from isthmus_bench.run.planning import Choice, is_outdated, plan_runs
from isthmus_bench.run.results import Record, record_key, unpack_mask
from isthmus_bench.run.runs import Run
from isthmus_bench.run.worker import NOT_TRIED

__all__ = ["EntryResults", "Failure", "Results", "Summary", "collect", "hard_tasks", "summarize"]


@dataclass(frozen=True)
class Failure:
    """A run without scores; ``time_limit`` is the one it exceeded.

    A run that was not ``tried`` belongs to an entry that exceeded it on other problems of the set.
    """

    task: str
    seed: int | None
    message: str
    time_limit: float | None = None
    tried: bool = True

    @property
    def short(self) -> str:
        """What a table shows instead of a number."""
        if self.time_limit is None:
            return "failed"
        return f"over {self.time_limit:g} s" if self.tried else "not tried"


@dataclass
class EntryResults:
    """The current results of an entry, by task and then by seed."""

    spread: bool = False
    """Whether summaries have the standard deviation over the seeds."""
    scores: dict[str, dict[str, dict[int | None, float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    """By metric, then by task and seed."""
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """CPU seconds; older results do not have them."""
    memory: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    failures: list[Failure] = field(default_factory=list)
    planned: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    versions: Counter[str] = field(default_factory=Counter)
    correct: dict[str, dict[int | None, np.ndarray]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """Which scored documents are labeled correctly; older results do not have it."""
    objectives: dict[str, dict[int | None, dict[int, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """The objective at some iterations."""
    pictures: dict[str, dict[int | None, Record]] = field(default_factory=lambda: defaultdict(dict))
    """What is drawn of single fits (``PICTURES``)."""
    trust: dict[str, dict[int | None, Record]] = field(default_factory=lambda: defaultdict(dict))
    """Estimates, verdicts and calibration (``TRUST_FIELDS``) of the results that have them."""

    @property
    def is_empty(self) -> bool:
        """Whether no run has a result, not even a failure."""
        return not self.failures and not any(self.scores["accuracy"].values())

    def is_complete(self, task: str, metric: str = "accuracy") -> bool:
        """Whether there are planned runs of a task, and all have a score."""
        planned = self.planned.get(task, 0)
        return 0 < planned == len(self.scores[metric].get(task, {}))

    def mean(self, task: str, metric: str = "accuracy") -> float | None:
        """The mean over the seeds of a task, None if there is no score."""
        values = self.scores[metric].get(task)
        return fmean(values.values()) if values else None

    def complete_mean(self, task: str, metric: str = "accuracy") -> float | None:
        """The mean over the seeds of a task, None until all of them have a score."""
        if self.is_complete(task) and self.is_complete(task, metric):
            return self.mean(task, metric)
        return None


Results = Mapping[str, EntryResults]
"""By the id of the entry."""


@dataclass(frozen=True)
class Summary:
    """An entry on some tasks by one metric, in its unit; None where nothing was run.

    ``mean`` is a :class:`Mean` if there is a standard deviation over the seeds.
    """

    mean: float | None
    worst: float | None
    collapsed_problems: int
    collapsed_runs: int
    hard: tuple[float | None, int]
    """The mean over the problems below the difficulty threshold, and their number."""
    easy: tuple[float | None, int]
    seconds: float | None
    memory: float | None
    failure: str | None
    problems: int
    seeds: int
    runs: int
    planned: int

    @property
    def complete(self) -> bool:
        """Whether every planned run has a result."""
        return self.runs == self.planned


def collect(suite: Suite, records: Mapping[str, Record]) -> dict[str, EntryResults]:
    """Sort the current records by entry; those of other revisions or parameters are ignored."""
    collected: dict[str, EntryResults] = defaultdict(lambda: EntryResults(suite.spread))
    for run in plan_runs(suite, Choice()):
        results, task = collected[run.entry.id], run.task.name
        results.planned[task] += 1
        record = records.get(record_key(run.identity()))
        if record is None or is_outdated(run, record):
            continue
        failure = _failure(run, record)
        if failure is not None:
            results.failures.append(failure)
            continue
        for name, metric in METRICS.items():
            if (score := metric.read(record)) is not None:
                results.scores[name][task][run.seed] = score
        if "correct_mask" in record:
            mask = unpack_mask(record["correct_mask"], record["sizes"]["n_scored"])
            results.correct[task][run.seed] = mask
        if "cpu_seconds" in record:
            results.seconds[task].append(record["cpu_seconds"])
        if record.get("memory") is not None:
            results.memory[task].append(record["memory"])
        if trust := {name: record[name] for name in TRUST_FIELDS if name in record}:
            results.trust[task][run.seed] = trust
        if picture := {name: record[name] for name in PICTURES if name in record}:
            results.pictures[task][run.seed] = picture
        if "objective" in record:
            results.objectives[task][run.seed] = dict(record["objective"])
        results.versions[", ".join(f"{k} {v}" for k, v in record["versions"].items())] += 1
    return {
        entry.id: _best_settings([collected[one.id] for one in entry.settings()])
        if entry.grid
        else collected[entry.id]
        for entry in suite.entries
    }


def _best_settings(settings: Sequence[EntryResults]) -> EntryResults:
    """One row of several settings: for every task and metric, the scores of the best of them.

    Costs are those of all settings. A run without a score counts as missing in the row, so that a
    row is complete only if all settings are. There are no masks, objectives and estimates.
    """
    row = EntryResults(settings[0].spread)
    for results in settings:
        row.failures += results.failures
        row.versions += results.versions
        for task, planned in results.planned.items():
            row.planned[task] += planned - len(results.scores["accuracy"].get(task, {}))
            row.seconds[task] += results.seconds[task]
            row.memory[task] += results.memory[task]
    for name, metric in METRICS.items():
        for task in row.planned:
            means = [results.mean(task, name) for results in settings]
            known = [mean for mean in means if mean is not None]
            if known:
                best = settings[means.index(metric.best(known))]
                row.scores[name][task] = best.scores[name][task]
    for task in row.planned:
        row.planned[task] += len(row.scores["accuracy"].get(task, {}))
    return row


def _failure(run: Run, record: Record) -> Failure | None:
    """What went wrong; a result may be older than the time limit that it exceeds."""
    task, limit = run.task.name, run.entry.seconds_allowed
    if record["error"] is not None:
        tried = not record["error"].startswith(NOT_TRIED)
        return Failure(task, run.seed, record["error"], record.get("time_limit"), tried)
    if limit is not None and record.get("cpu_seconds", 0.0) > limit:
        return Failure(task, run.seed, f"took {record['cpu_seconds']:.0f} seconds", limit)
    return None


def summarize(
    results: EntryResults,
    tasks: Sequence[BenchmarkTask],
    metric: str = "accuracy",
    hard: Mapping[str, bool] | None = None,
) -> Summary:
    """Summarize an entry on tasks; ``hard`` says which are below the difficulty threshold."""
    scores, kind, hard = results.scores[metric], METRICS[metric], hard or {}
    means = {t.name: m for t in tasks if (m := results.mean(t.name, metric)) is not None}
    runs = [score for name in means for score in scores[name].values()]
    names = {task.name for task in tasks}
    failures = [failure.short for failure in results.failures if failure.task in names]
    by_difficulty = {
        kind_: [mean for name, mean in means.items() if hard.get(name) is kind_]
        for kind_ in (True, False)
    }
    mean = _mean(means.values())
    if mean is not None and results.spread:
        mean = _with_deviation(mean, [scores[name] for name in means])
    return Summary(
        mean=mean,
        worst=kind.worst(list(means.values())),
        collapsed_problems=sum(map(kind.collapsed, means.values())),
        collapsed_runs=sum(map(kind.collapsed, runs)),
        hard=(_mean(by_difficulty[True]), len(by_difficulty[True])),
        easy=(_mean(by_difficulty[False]), len(by_difficulty[False])),
        seconds=_median(second for name in means for second in results.seconds[name]),
        memory=_median(size for name in means for size in results.memory[name]),
        failure=failures[0] if failures else None,
        problems=len(means),
        seeds=max((len(scores[name]) for name in means), default=0),
        runs=len(runs),
        planned=sum(results.planned[task.name] for task in tasks),
    )


def hard_tasks(suite: Suite, results: Results) -> dict[str, bool]:
    """Whether the difficulty entry is below the threshold on each task."""
    if suite.difficulty is None:
        return {}
    entry, threshold = suite.difficulty.entry, suite.difficulty.threshold
    means = ((task.name, results[entry].mean(task.name)) for task in suite.tasks)
    return {name: mean < threshold for name, mean in means if mean is not None}


def _with_deviation(mean: float, scores: Sequence[Mapping[int | None, float]]) -> float:
    """The mean over problems with its sample standard deviation over their common seeds.

    There is none for a single seed or where problems have different seeds.
    """
    seeds = list(scores[0])
    if len(seeds) < 2 or any({*of_task} != {*seeds} for of_task in scores):
        return mean
    return Mean(mean, stdev(fmean(of_task[seed] for of_task in scores) for seed in seeds))


def _mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return fmean(values) if values else None


def _median(values: Iterable[float]) -> float | None:
    values = list(values)
    return median(values) if values else None
