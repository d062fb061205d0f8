"""Plan the runs of a suite and carry out those whose result is not there yet."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context

from isthmus.bench.documents.folds import check_seeds
from isthmus.bench.documents.tasks import SPLITS, Task
from isthmus.bench.plan.contestants import missing_package
from isthmus.bench.plan.entries import EMBEDDINGS, Entry
from isthmus.bench.plan.scope import runs_on
from isthmus.bench.plan.suite import Suite
from isthmus.bench.run.results import Record, ResultFile, record_key
from isthmus.bench.run.runs import Run, build
from isthmus.bench.run.worker import execute, given_up, prepare_process, read_data
from isthmus.kernels.setting import COMPILE_SETTING

__all__ = ["Choice", "plan_runs", "run_pending", "split_missing", "split_pending"]

# What exceeded its time so often in a set of problems would do so on the others.
_ENOUGH_TRIES = 2
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@dataclass(frozen=True)
class Choice:
    """Which part of a suite to run.

    Attributes
    ----------
    methods : tuple of str
        Ids of entries, of sweeps (for all their values) or names of methods; empty for all.
    seeds : tuple of int
        Seeds for random methods; empty for the problem's or else the suite's.
    split : {"development", "evidence", "all"}
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


def split_pending(runs: Sequence[Run], results: ResultFile) -> tuple[list[Run], int]:
    """Return the runs without a result that stands, and the number of those that have one."""
    records = results.read()
    pending: dict[str, Run] = {}
    for run in runs:
        key = record_key(run.identity())
        if not _is_done(run, records.get(key)):
            pending.setdefault(key, run)  # two sweeps may meet in a value, and need one result
    return list(pending.values()), len(runs) - len(pending)


def _is_done(run: Run, record: Record | None) -> bool:
    """Whether another try would be in vain: a failure may have been an accident."""
    if record is None:
        return False
    if record.get("error") is None:
        return True
    allowed = run.entry.seconds_allowed
    return "time_limit" in record and allowed is not None and allowed <= record["time_limit"]


def split_missing(runs: Sequence[Run]) -> tuple[list[Run], dict[str, str]]:
    """Return the runs that can be, and the entries that cannot, with the package they need."""
    missing = {
        run.entry.id: package
        for run in {run.entry.id: run for run in runs}.values()
        if (package := missing_package(run.entry.method)) is not None
    }
    return [run for run in runs if run.entry.id not in missing], missing


def run_pending(
    pending: Sequence[Run],
    results: ResultFile,
    jobs: int = 1,
    on_result: Callable[[Record], None] | None = None,
    executor: Executor | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> None:
    """Carry out runs in worker processes and append every result as it comes.

    Parameters
    ----------
    pending : sequence of Run
        What to run.
    results : ResultFile
        Where results go; only this process writes it.
    jobs : int
        Number of worker processes, each with one thread.
    on_result : callable, optional
        Called with every record.
    executor : concurrent.futures.Executor, optional
        Runs the work instead of processes of its own.
    tell : callable, optional
        Called with what is being prepared before the first run.
    """
    if jobs < 1:
        raise ValueError(f"jobs={jobs} must be at least 1.")
    if not pending:
        return
    # Missing data is found here, once, and the workers find the counts in the cache.
    for run in {_data_of(run): run for run in pending}.values():
        read_data(run, tell)
    if executor is not None:
        _drive(executor, pending, results, on_result)
        return
    with _worker_environment():
        pool = ProcessPoolExecutor(
            min(jobs, len(pending)), mp_context=get_context("spawn"), initializer=prepare_process
        )
        try:
            _drive(pool, pending, results, on_result)
        except BrokenProcessPool as error:
            raise RuntimeError(
                "A worker process died, most likely for lack of memory: what is done is kept, "
                "run the same command again with fewer --jobs."
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _drive(
    executor: Executor,
    pending: Sequence[Run],
    results: ResultFile,
    on_result: Callable[[Record], None] | None,
) -> None:
    runs: dict[Future[Record], Run] = {executor.submit(execute, run): run for run in pending}
    waiting = set(runs)
    exceeded: Counter[tuple[str, str]] = Counter()

    def take(record: Record) -> None:
        results.append([record])
        if on_result is not None:
            on_result(record)

    try:
        while waiting:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                record = future.result()
                take(record)
                kind = _kind_of(runs[future])
                exceeded[kind] += "time_limit" in record
                if "time_limit" not in record or exceeded[kind] < _ENOUGH_TRIES:
                    continue
                for other in [f for f in waiting if _kind_of(runs[f]) == kind and f.cancel()]:
                    waiting.discard(other)
                    take(given_up(runs[other], f"not tried: {record['error']} on other problems"))
    finally:
        for future in waiting:
            future.cancel()


def _kind_of(run: Run) -> tuple[str, str]:
    """An entry and a set: its problems are of one size, more or less."""
    return run.entry.id, run.task.set_name


@contextmanager
def _worker_environment() -> Iterator[None]:
    """Set what new processes inherit, and put the old values back.

    One thread each, and compiled loops from the first run on: a result must not depend on what ran
    before it.
    """
    wanted = {**dict.fromkeys(_THREAD_VARIABLES, "1"), COMPILE_SETTING: "always"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


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
        for seed in (seeds if task.uses_chance or build(entry, task).uses_chance else (None,))
        if _wants(entry, seed)
    ]


def _wants(entry: Entry, seed: int | None) -> bool:
    return seed is None or not entry.seeds or seed in entry.seeds


def _data_of(run: Run) -> tuple[object, ...]:
    """What has to be read for a run; a sentence model reads a task's own groups alone."""
    task = run.task
    embedded = run.entry.weighting == EMBEDDINGS
    groups = run.groups if task.vocabulary is None and not embedded else task.groups
    return task.corpus, groups, task.vocabulary, embedded


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
    if choice.split not in (*SPLITS, "all"):
        raise ValueError(f"split={choice.split!r} must be one of {', '.join(SPLITS)} or all.")
    if choice.limit is not None and choice.limit < 1:
        raise ValueError(f"limit={choice.limit} must be at least 1.")
    found: dict[str, list[Task]] = {}
    for group in suite.sets:
        chosen = [t for t in group.tasks if choice.split in (t.split, "all")]
        for task in chosen[: choice.limit]:
            found.setdefault(task.corpus, []).append(task)
    return found
