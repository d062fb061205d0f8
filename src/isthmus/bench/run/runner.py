"""Carry out runs in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from isthmus.bench.plan.entries import EMBEDDINGS
from isthmus.bench.run.inputs import read_data
from isthmus.bench.run.results import Record, ResultFile
from isthmus.bench.run.runs import Run
from isthmus.bench.run.worker import (
    NOT_TRIED,
    execute,
    failed,
    given_up,
    prepare_process,
)
from isthmus.kernels.compile_setting import COMPILE_SETTING

__all__ = ["run_pending"]

# What exceeded its time on so many problems of a set would do so on the others.
_ENOUGH_TRIES = 2
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def run_pending(
    pending: Sequence[Run],
    results: ResultFile,
    jobs: int = 1,
    on_result: Callable[[Record], None] | None = None,
    executor: Executor | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> None:
    """Carry out runs in worker processes and append every result as it comes.

    A run whose process dies, for lack of memory or by a fault of a library, is recorded as failed,
    and the others go on.

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

    def take(record: Record) -> None:
        results.append([record])
        if on_result is not None:
            on_result(record)

    left = _prepare(pending, take, tell)
    if executor is not None:
        _drive(executor, left, take)
        return
    while left:
        left = _in_pool(left, jobs, take)
        # If a process died, one of the runs at work is to blame: each gets a process of its own.
        suspects, left = left[: jobs + 1], left[jobs + 1 :]
        for run in suspects:
            for guilty in _in_pool([run], 1, take):
                take(failed(guilty, "its process died, most likely for lack of memory"))


def _prepare(
    pending: Sequence[Run], take: Callable[[Record], None], tell: Callable[[str], None]
) -> list[Run]:
    """Read what the runs need, once, and return those that can be.

    Missing data is an error here and now. A sentence model that does not load is a failure of its
    own runs alone.
    """
    parts: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for run in pending:
        parts[_data_of(run)].append(run)
    lost: set[int] = set()
    for runs in parts.values():
        try:
            read_data(runs[0], tell)
        except Exception as error:
            if runs[0].entry.weighting != EMBEDDINGS:
                raise
            for run in runs:
                take(failed(run, f"{type(error).__name__}: {error}"))
                lost.add(id(run))
    return [run for run in pending if id(run) not in lost]


def _in_pool(pending: list[Run], jobs: int, take: Callable[[Record], None]) -> list[Run]:
    """Run in new processes; return what is left to do if one of them dies."""
    with _worker_environment():
        pool = ProcessPoolExecutor(
            min(jobs, len(pending)), mp_context=get_context("spawn"), initializer=prepare_process
        )
        try:
            return _drive(pool, pending, take)
        except BaseException:
            # What is at work now would be waited for.
            for child in multiprocessing.active_children():
                child.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _drive(executor: Executor, pending: Sequence[Run], take: Callable[[Record], None]) -> list[Run]:
    """Run all, and return what is left to do if the processes break down."""
    runs: dict[Future[Record], Run] = {}
    try:
        runs.update((executor.submit(execute, run), run) for run in pending)
    except BrokenProcessPool:
        # Broken while runs were still handed over: nothing of it has been taken.
        return list(pending)
    waiting = set(runs)
    # By entry and set, whose problems are of one size, more or less.
    exceeded: dict[tuple[str, str], set[str]] = defaultdict(set)
    try:
        while waiting:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                if isinstance(future.exception(), BrokenProcessPool):
                    continue
                record = future.result()
                take(record)
                run = runs.pop(future)
                if "time_limit" not in record:
                    continue
                problems = exceeded[run.entry.id, run.task.set_name]
                problems.add(run.task.name)
                if len(problems) >= _ENOUGH_TRIES:
                    waiting -= _give_up_alike(run, runs, record["error"], take)
    finally:
        for future in waiting:
            future.cancel()
    return list(runs.values())


def _give_up_alike(
    run: Run, runs: dict[Future[Record], Run], why: str, take: Callable[[Record], None]
) -> set[Future[Record]]:
    """Take back what is not begun of an entry on a set."""
    alike = [
        future
        for future, other in runs.items()
        if (other.entry.id, other.task.set_name) == (run.entry.id, run.task.set_name)
        and future.cancel()
    ]
    for future in alike:
        take(given_up(runs.pop(future), f"{NOT_TRIED}: {why} on other problems"))
    return set(alike)


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


def _data_of(run: Run) -> tuple[object, ...]:
    """What has to be read for a run; a sentence model reads a task's own groups alone."""
    task = run.task
    embedded = run.entry.weighting == EMBEDDINGS
    groups = run.groups if task.vocabulary is None and not embedded else task.groups
    return task.corpus, groups, task.vocabulary, embedded
