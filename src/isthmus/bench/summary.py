"""Turn the records of a suite into the numbers of a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from isthmus.bench.goals import Goal
from isthmus.bench.results import Record, record_key
from isthmus.bench.runner import Choice, plan_runs
from isthmus.bench.scoring import METRICS
from isthmus.bench.suite import Suite
from isthmus.bench.tasks import Task

__all__ = ["COLLAPSED", "EntryResults", "Summary", "Verdict", "collect", "judge", "summarise"]

COLLAPSED = 50.0


@dataclass
class EntryResults:
    """The current results of an entry: scores in per cent by metric, by task, then by seed."""

    scores: dict[str, dict[str, dict[int | None, float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)
    planned: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    versions: Counter[str] = field(default_factory=Counter)

    def mean(self, task: str, metric: str = "accuracy") -> float | None:
        """Return the mean over the seeds of a task, None if it was not run or not scored so."""
        values = self.scores[metric].get(task)
        return fmean(values.values()) if values else None


@dataclass(frozen=True)
class Summary:
    """An entry on some tasks by one metric, in per cent; None where nothing was run."""

    mean: float | None
    worst: float | None
    collapsed_problems: int
    collapsed_runs: int
    left: float | None
    n_left: int
    right: float | None
    n_right: int
    seconds: float | None
    problems: int
    seeds: int
    runs: int
    planned: int

    @property
    def complete(self) -> bool:
        """Whether every planned run has a result."""
        return self.runs == self.planned


@dataclass(frozen=True)
class Verdict:
    """A goal and what became of it: "met", "missed" or "not complete"."""

    goal: Goal
    state: str
    detail: str


def collect(suite: Suite, records: Mapping[str, Record]) -> dict[str, EntryResults]:
    """Sort records by entry, leaving out those of another revision or other parameters.

    Parameters
    ----------
    suite : Suite
        Says which entries, tasks and seeds are current.
    records : mapping of str to Record
        As :meth:`isthmus.bench.results.ResultFile.read` returns them.

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
        if record is None:
            continue
        if record.get("error") is not None:
            seed = "" if run.seed is None else f", seed {run.seed}"
            results.failures.append(f"{run.entry.label} on {run.task.name}{seed}: "
                                    f"{record['error']}")  # fmt: skip
            continue
        for metric, name in METRICS.items():
            # Older results have the accuracy alone.
            if name in record:
                results.scores[metric][run.task.name][run.seed] = 100.0 * record[name]
        results.seconds[run.task.name].append(record["seconds"])
        results.versions[", ".join(f"{k} {v}" for k, v in record["versions"].items())] += 1
    return found


def summarise(
    results: EntryResults,
    tasks: Sequence[Task],
    hard: Mapping[str, bool],
    metric: str = "accuracy",
) -> Summary:
    """Summarise an entry on tasks; ``hard`` says which are below the difficulty threshold."""
    scores = results.scores[metric]
    means = {t.name: m for t in tasks if (m := results.mean(t.name, metric)) is not None}
    runs = [a for name in means for a in scores[name].values()]
    left = [m for name, m in means.items() if hard.get(name) is True]
    right = [m for name, m in means.items() if hard.get(name) is False]
    seconds = [s for name in means for s in results.seconds[name]]
    return Summary(
        mean=_mean(means.values()),
        worst=min(means.values(), default=None),
        collapsed_problems=sum(m < COLLAPSED for m in means.values()),
        collapsed_runs=sum(a < COLLAPSED for a in runs),
        left=_mean(left),
        n_left=len(left),
        right=_mean(right),
        n_right=len(right),
        seconds=median(seconds) if seconds else None,
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


def judge(suite: Suite, goal: Goal, found: Mapping[str, EntryResults]) -> Verdict:
    """Hold a goal against the results."""
    group = next(g for g in suite.sets if g.name == goal.set_name)
    entry = next(e for e in suite.entries if e.id == goal.entry)
    tasks = [
        t for t in group.tasks if goal.split in (None, t.split) and goal.task in (None, t.name)
    ]
    reached = summarise(found[entry.id], tasks, {})
    if not reached.complete or reached.mean is None:
        return Verdict(goal, "not complete", f"{reached.runs} of {reached.planned} runs")
    checks = [reached.mean >= goal.mean] if goal.mean is not None else []
    if goal.above_paper:
        paper = group.paper_accuracy(entry.paper, goal.task)
        checks.append(paper is not None and reached.mean > paper)
    if goal.collapsed is not None:
        # The stricter of the two counts: a swap that two other seeds hide is still a swap.
        share = max(
            reached.collapsed_problems / reached.problems, reached.collapsed_runs / reached.runs
        )
        checks.append(share <= goal.collapsed)
    detail = (
        f"mean {reached.mean:.2f}, {reached.collapsed_problems} of {reached.problems} problems "
        f"and {reached.collapsed_runs} of {reached.runs} runs below {COLLAPSED:.0f} %"
    )
    return Verdict(goal, "met" if all(checks) else "missed", detail)


def _mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return fmean(values) if values else None
