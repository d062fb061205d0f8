"""Plan the runs of suites, and find those that have no result yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus_bench.documents.rows import check_seeds
from isthmus_bench.documents.tasks import SPLITS, BenchmarkTask
from isthmus_bench.peers.registry import missing_package
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.results import Record, ResultFile, record_key
from isthmus_bench.run.runs import Run, build

__all__ = ["Choice", "is_outdated", "plan_runs", "split_missing", "split_pending"]


@dataclass(frozen=True)
class Choice:
    """Which part of a suite to run.

    Attributes
    ----------
    methods : tuple of str
        Ids of entries, of sweeps and grids, or names of methods; empty for all.
    seeds : tuple of int
        Seeds for random methods; empty for those of the problem or of the suite.
    split : {"development", "evidence", "named", "all"}
        Which problems.
    limit : int, optional
        The largest number of problems per set.
    """

    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    split: str = "all"
    limit: int | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        known = (*SPLITS, "named", "all")
        if self.split not in known:
            raise ValueError(f"--split {self.split!r} is unknown: choose from {', '.join(known)}.")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"--limit {self.limit} must be at least 1.")

    def includes(self, task: BenchmarkTask) -> bool:
        """Whether a problem is in the chosen split."""
        return self.split in (task.split, "all") or (self.split == "named" and task.named)


def plan_runs(suite: Suite, choice: Choice, data_home: str | None = None) -> list[Run]:
    """Return the runs of a suite, problem by problem.

    Deterministic methods run once per problem, with the seed None, unless the problem draws
    documents. Runs with the same documents are next to each other.
    """
    entries = _entries(suite, choice.methods)
    runs = []
    for corpus, tasks in _tasks(suite, choice).items():
        groups = suite.groups(corpus)
        for task in tasks:
            here = [one for entry in entries if entry.runs_on(task) for one in entry.settings()]
            for entry, seed in _with_seeds(task, here, choice.seeds or task.seeds or suite.seeds):
                runs.append(
                    Run(
                        suite=suite.name,
                        task=task,
                        entry=entry,
                        seed=seed,
                        text=suite.text,
                        dtype=suite.dtype,
                        groups=groups,
                        data_home=data_home,
                        user_corpora=suite.user_corpora,
                    )
                )
    return runs


def split_pending(
    runs: Sequence[Run], results: ResultFile, again: bool = False
) -> tuple[list[Run], int]:
    """Return the runs without a valid result, and the number of those that have one.

    Two sweeps may share a value: it needs one result. With ``again``, no result is valid.
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
    """Whether the run has a result; a failure is tried again, an exceeded time limit is not."""
    if record is None or is_outdated(run, record):
        return False
    return record["error"] is None or "time_limit" in record


def is_outdated(run: Run, record: Record) -> bool:
    """Whether a run exceeded a time limit that is higher now."""
    if record["error"] is None or "time_limit" not in record:
        return False
    allowed = run.entry.seconds_allowed
    return allowed is None or allowed > record["time_limit"]


def split_missing(runs: Sequence[Run]) -> tuple[list[Run], dict[str, str]]:
    """Return the runs that are possible, and the other entries with the package they need."""
    missing = {
        entry.id: package
        for entry in {run.entry.id: run.entry for run in runs}.values()
        if (package := missing_package(entry.method)) is not None
    }
    return [run for run in runs if run.entry.id not in missing], missing


def _with_seeds(
    task: BenchmarkTask, entries: Sequence[Entry], seeds: Sequence[int]
) -> list[tuple[Entry, int | None]]:
    check_seeds(task, seeds)
    if task.draws_rows:
        pairs = [(entry, seed) for seed in seeds for entry in entries]
        return [(e, s) for e, s in pairs if not e.seeds or s in e.seeds]
    return [
        (entry, seed)
        for entry in entries
        for seed in (seeds if task.is_random or build(entry, task).is_random else (None,))
        if seed is None or not entry.seeds or seed in entry.seeds
    ]


def _entries(suite: Suite, methods: tuple[str, ...]) -> tuple[Entry, ...]:
    for name in methods:
        if not any(name in entry.names for entry in suite.entries):
            known = dict.fromkeys(entry.family_id for entry in suite.entries)
            raise ValueError(
                f"The suite '{suite.name}' has no entry '{name}': choose from {', '.join(known)}."
            )
    # An id takes precedence over the name of a method: 'mtrick' may be both.
    ids = {name for entry in suite.entries for name in (entry.id, entry.family_id)}
    chosen = set(methods)
    return tuple(
        entry
        for entry in suite.entries
        if not methods or chosen & {entry.id, entry.family_id} or entry.method in chosen - ids
    )


def _tasks(suite: Suite, choice: Choice) -> dict[str, list[BenchmarkTask]]:
    """The chosen problems by corpus."""
    tasks: dict[str, list[BenchmarkTask]] = {}
    for group in suite.sets:
        for task in list(filter(choice.includes, group.tasks))[: choice.limit]:
            tasks.setdefault(task.corpus, []).append(task)
    return tasks
