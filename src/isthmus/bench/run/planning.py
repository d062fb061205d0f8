"""Plan the runs of a suite, and tell those whose result is not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from isthmus.bench.documents.folds import check_seeds
from isthmus.bench.documents.tasks import SPLITS, Task
from isthmus.bench.plan.contestants import missing_package
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.scope import runs_on
from isthmus.bench.plan.suite import Suite
from isthmus.bench.run.results import Record, ResultFile, record_key
from isthmus.bench.run.runs import Run, build

__all__ = ["Choice", "is_outdated", "plan_runs", "split_missing", "split_pending"]


@dataclass(frozen=True)
class Choice:
    """Which part of a suite to run.

    Attributes
    ----------
    methods : tuple of str
        Ids of entries, of sweeps (for all their values) or names of methods; empty for all.
    seeds : tuple of int
        Seeds for random methods; empty for the problem's or else the suite's.
    split : {"development", "evidence", "named", "all"}
        Which problems.
    limit : int, optional
        At most so many problems of every set.
    """

    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    split: str = "all"
    limit: int | None = None

    def with_methods(self, methods: tuple[str, ...]) -> Choice:
        """The same choice for other methods."""
        return replace(self, methods=methods)


def plan_runs(suite: Suite, choice: Choice, data_home: str | None = None) -> list[Run]:
    """Return the runs of a suite, task by task.

    Methods without chance get one run a task, with the seed None, unless the task itself draws
    rows. The runs of a task that have the same documents come one after the other.
    """
    entries = _entries(suite, choice.methods)
    return [
        Run(
            suite=suite.name,
            task=task,
            entry=entry,
            seed=seed,
            text=suite.text,
            dtype=suite.dtype,
            groups=groups,
            data_home=data_home,
            own=suite.own,
        )
        for corpus, tasks in _tasks(suite, choice).items()
        for groups in [suite.groups(corpus)]
        for task in tasks
        for entry, seed in _in_order(
            task,
            [entry for entry in entries if runs_on(entry, task)],
            choice.seeds or task.seeds or suite.seeds,
        )
    ]


def split_pending(
    runs: Sequence[Run], results: ResultFile, again: bool = False
) -> tuple[list[Run], int]:
    """Return the runs without a result that stands, and the number of those that have one.

    Two sweeps may meet in a value: they need one result, and it counts once. With ``again``, no
    result stands.
    """
    records = {} if again else results.read()
    pending: dict[str, Run] = {}
    done: set[str] = set()
    for run in runs:
        key = record_key(run.identity())
        if _is_done(run, records.get(key)):
            done.add(key)
        else:
            pending.setdefault(key, run)
    return list(pending.values()), len(done - pending.keys())


def _is_done(run: Run, record: Record | None) -> bool:
    """Whether another try would be in vain: a failure may have been an accident."""
    if record is None or is_outdated(run, record):
        return False
    return record.get("error") is None or "time_limit" in record


def is_outdated(run: Run, record: Record) -> bool:
    """Whether a run that exceeded its time may have more of it now."""
    if record.get("error") is None or "time_limit" not in record:
        return False
    allowed = run.entry.seconds_allowed
    return allowed is None or allowed > record["time_limit"]


def split_missing(runs: Sequence[Run]) -> tuple[list[Run], dict[str, str]]:
    """Return the runs that can be, and the entries that cannot, with the package they need."""
    missing = {
        run.entry.id: package
        for run in {run.entry.id: run for run in runs}.values()
        if (package := missing_package(run.entry.method)) is not None
    }
    return [run for run in runs if run.entry.id not in missing], missing


def _in_order(
    task: Task, entries: Sequence[Entry], seeds: Sequence[int]
) -> list[tuple[Entry, int | None]]:
    """The entries of a task with their seeds."""
    check_seeds(task, seeds)
    if task.draws_rows:
        return [(entry, seed) for seed in seeds for entry in entries if _wants(entry, seed)]
    return [
        (entry, seed)
        for entry in entries
        for seed in (seeds if task.is_random or build(entry, task).is_random else (None,))
        if _wants(entry, seed)
    ]


def _wants(entry: Entry, seed: int | None) -> bool:
    return seed is None or not entry.seeds or seed in entry.seeds


def _entries(suite: Suite, methods: tuple[str, ...]) -> tuple[Entry, ...]:
    for name in methods:
        if not any(name in entry.names for entry in suite.entries):
            known = dict.fromkeys(entry.chosen_by[-1] for entry in suite.entries)
            raise ValueError(
                f"The suite '{suite.name}' has no entry '{name}': choose among {', '.join(known)}."
            )
    # An exact id comes before the name of a method: 'mtrick' is both.
    ids = {name for entry in suite.entries for name in entry.chosen_by}
    wanted = set(methods)
    return tuple(
        entry
        for entry in suite.entries
        if not methods or wanted & {*entry.chosen_by} or entry.method in wanted - ids
    )


def _tasks(suite: Suite, choice: Choice) -> dict[str, list[Task]]:
    if choice.split not in (*SPLITS, "named", "all"):
        known = ", ".join((*SPLITS, "named"))
        raise ValueError(f"split={choice.split!r} must be one of {known} or all.")
    if choice.limit is not None and choice.limit < 1:
        raise ValueError(f"limit={choice.limit} must be at least 1.")
    found: dict[str, list[Task]] = {}
    for group in suite.sets:
        chosen = [
            task
            for task in group.tasks
            if choice.split in (task.split, "all") or (choice.split == "named" and task.named)
        ]
        for task in chosen[: choice.limit]:
            found.setdefault(task.corpus, []).append(task)
    return found
