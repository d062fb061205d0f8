"""Turn the records of a suite into the numbers of a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

import numpy as np

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.suite import Suite
from isthmus.bench.run.planning import Choice, is_outdated, plan_runs
from isthmus.bench.run.results import Record, record_key
from isthmus.bench.run.right import unpack_right
from isthmus.bench.run.runs import Run
from isthmus.bench.run.worker import NOT_TRIED

__all__ = ["EntryResults", "Failure", "Summary", "collect", "hard_tasks", "summarise"]


@dataclass(frozen=True)
class Failure:
    """A run that gave no labels; ``time_limit`` is what it exceeded, in seconds.

    One that was not ``tried`` is of an entry that exceeded it on other problems of the set.
    """

    task: str
    seed: int | None
    message: str
    time_limit: float | None = None
    tried: bool = True

    @property
    def short(self) -> str:
        """What a table says in place of a number."""
        if self.time_limit is None:
            return "failed"
        return f"over {self.time_limit:g} s" if self.tried else "not tried"


@dataclass
class EntryResults:
    """The current results of an entry: scores by metric, by task, then by seed."""

    scores: dict[str, dict[str, dict[int | None, float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Of the processor; older results, which have those of the clock, do not say."""
    memory: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Bytes; older results do not say."""
    failures: list[Failure] = field(default_factory=list)
    planned: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    versions: Counter[str] = field(default_factory=Counter)
    right: dict[str, dict[int | None, np.ndarray]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """Which scored documents got their class, by task and seed; older results do not say."""
    objectives: dict[str, dict[int | None, dict[int, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """By task and seed the objective at some iterations, of entries that measure convergence."""

    @property
    def is_empty(self) -> bool:
        """Whether no run has a result, not even a failure."""
        return not self.failures and not any(self.scores["accuracy"].values())

    def is_complete(self, task: str) -> bool:
        """Whether there are planned runs of a task, and every one has a result."""
        planned = self.planned.get(task, 0)
        return 0 < planned == len(self.scores["accuracy"].get(task, {}))

    def mean(self, task: str, metric: str = "accuracy") -> float | None:
        """Return the mean over the seeds of a task, None if it was not run or not scored so."""
        values = self.scores[metric].get(task)
        return fmean(values.values()) if values else None


@dataclass(frozen=True)
class Summary:
    """An entry on some tasks by one metric, in its unit; None where nothing was run."""

    mean: float | None
    worst: float | None
    collapsed_problems: int
    collapsed_runs: int
    left: float | None
    n_left: int
    right: float | None
    n_right: int
    seconds: float | None
    memory: float | None
    fault: str | None
    problems: int
    seeds: int
    runs: int
    planned: int

    @property
    def complete(self) -> bool:
        """Whether every planned run has a result."""
        return self.runs == self.planned


def collect(suite: Suite, records: Mapping[str, Record]) -> dict[str, EntryResults]:
    """Sort records by entry, leaving out those of another revision or other parameters.

    Parameters
    ----------
    suite : Suite
        Says which entries, tasks and seeds are current.
    records : mapping of str to Record
        As :meth:`isthmus.bench.run.results.ResultFile.read` returns them.

    Returns
    -------
    dict of str to EntryResults
        By entry id.
    """
    found = {entry.id: EntryResults() for entry in suite.entries}
    for run in plan_runs(suite, Choice()):
        results = found[run.entry.id]
        results.planned[run.task.name] += 1
        record = records.get(record_key(run.identity()))
        if record is None or is_outdated(run, record):
            continue
        failure = _failure(run, record)
        if failure is not None:
            results.failures.append(failure)
            continue
        for name, metric in METRICS.items():
            # Older results have the accuracy alone.
            if (score := metric.read(record)) is not None:
                results.scores[name][run.task.name][run.seed] = score
        if "right" in record:
            right = unpack_right(record["right"], record["n_scored"])
            results.right[run.task.name][run.seed] = right
        if "cpu_seconds" in record:
            results.seconds[run.task.name].append(record["cpu_seconds"])
        if record.get("memory") is not None:
            results.memory[run.task.name].append(record["memory"])
        if "objective" in record:
            results.objectives[run.task.name][run.seed] = dict(record["objective"])
        results.versions[", ".join(f"{k} {v}" for k, v in record["versions"].items())] += 1
    return found


def _failure(run: Run, record: Record) -> Failure | None:
    """What went wrong; a fit of before the entry had its limit may have taken longer than that."""
    task, limit = run.task.name, run.entry.seconds_allowed
    if record.get("error") is not None:
        tried = not record["error"].startswith(NOT_TRIED)
        return Failure(task, run.seed, record["error"], record.get("time_limit"), tried)
    if limit is not None and record.get("cpu_seconds", 0.0) > limit:
        return Failure(task, run.seed, f"took {record['cpu_seconds']:.0f} seconds", limit)
    return None


def summarise(
    results: EntryResults,
    tasks: Sequence[Task],
    hard: Mapping[str, bool],
    metric: str = "accuracy",
) -> Summary:
    """Summarise an entry on tasks; ``hard`` says which are below the difficulty threshold."""
    scores, kind = results.scores[metric], METRICS[metric]
    means = {t.name: m for t in tasks if (m := results.mean(t.name, metric)) is not None}
    runs = [a for name in means for a in scores[name].values()]
    left = [m for name, m in means.items() if hard.get(name) is True]
    right = [m for name, m in means.items() if hard.get(name) is False]
    seconds = [s for name in means for s in results.seconds[name]]
    memory = [m for name in means for m in results.memory[name]]
    names = {task.name for task in tasks}
    faults = [failure.short for failure in results.failures if failure.task in names]
    return Summary(
        mean=_mean(means.values()),
        worst=(max if kind.smaller_is_better else min)(means.values(), default=None),
        collapsed_problems=sum(map(kind.collapsed, means.values())),
        collapsed_runs=sum(map(kind.collapsed, runs)),
        left=_mean(left),
        n_left=len(left),
        right=_mean(right),
        n_right=len(right),
        seconds=median(seconds) if seconds else None,
        memory=median(memory) if memory else None,
        fault=faults[0] if faults else None,
        problems=len(means),
        seeds=max((len(scores[name]) for name in means), default=0),
        runs=len(runs),
        planned=sum(results.planned[t.name] for t in tasks),
    )


def hard_tasks(suite: Suite, found: Mapping[str, EntryResults]) -> dict[str, bool]:
    """Return for every task whether the difficulty entry is below the threshold on it."""
    if suite.difficulty is None:
        return {}
    entry, threshold = suite.difficulty
    means = ((task.name, found[entry].mean(task.name)) for task in suite.tasks)
    return {name: mean < threshold for name, mean in means if mean is not None}


def _mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return fmean(values) if values else None
