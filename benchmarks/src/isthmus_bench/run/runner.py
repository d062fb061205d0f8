"""Execute runs in worker processes."""

from __future__ import annotations

import multiprocessing
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from isthmus.kernels.dispatch import COMPILE_SETTING
from isthmus_bench.plan.entries import EMBEDDINGS
from isthmus_bench.run.inputs import read_data
from isthmus_bench.run.results import Record, ResultFile
from isthmus_bench.run.runs import Run
from isthmus_bench.run.worker import NOT_TRIED, execute, failed, given_up, prepare_process

__all__ = ["run_pending"]

# After this many problems of a set over the time limit, the others are not tried.
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
    on_progress: Callable[[str], None] = lambda text: None,
) -> None:
    """Execute runs in ``jobs`` worker processes and append every result.

    A run whose process dies, for lack of memory or by a fault of a library, is recorded as failed,
    and the others continue. ``executor`` replaces the processes. ``on_progress`` is called with
    what is prepared before the first run.
    """
    if jobs < 1:
        raise ValueError(f"jobs={jobs} must be at least 1.")

    def take(record: Record) -> None:
        results.append(record)
        if on_result is not None:
            on_result(record)

    left = _prepare(pending, take, on_progress)
    if executor is not None:
        _drive(executor, left, take)
        return
    while left:
        left = _in_pool(left, jobs, take)
        # A process died: each run that may be the cause is repeated in a process of its own.
        suspects, left = left[: jobs + 1], left[jobs + 1 :]
        for run in suspects:
            for culprit in _in_pool([run], 1, take):
                take(failed(culprit, "its process died, most likely for lack of memory"))


def _prepare(
    pending: Sequence[Run], take: Callable[[Record], None], on_progress: Callable[[str], None]
) -> list[Run]:
    """Read the data of the runs once, and return the runs that are possible.

    Missing data is an error. A sentence model that does not load fails only its own runs.
    """
    parts: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for run in pending:
        parts[_data_of(run)].append(run)
    lost: set[int] = set()
    for runs in parts.values():
        try:
            read_data(runs[0], on_progress)
        except Exception as error:
            if runs[0].entry.weighting != EMBEDDINGS:
                raise
            for run in runs:
                take(failed(run, f"{type(error).__name__}: {error}"))
                lost.add(id(run))
    return [run for run in pending if id(run) not in lost]


def _in_pool(pending: list[Run], jobs: int, take: Callable[[Record], None]) -> list[Run]:
    """Run in new processes; return the remaining runs if one of them dies."""
    with _worker_environment():
        pool = ProcessPoolExecutor(
            min(jobs, len(pending)), mp_context=get_context("spawn"), initializer=prepare_process
        )
        try:
            return _drive(pool, pending, take)
        except BaseException:
            # Do not wait for the current runs.
            for child in multiprocessing.active_children():
                child.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _drive(executor: Executor, pending: Sequence[Run], take: Callable[[Record], None]) -> list[Run]:
    """Run all, and return the remaining runs if the pool breaks."""
    runs: dict[Future[Record], Run] = {}
    try:
        runs.update((executor.submit(execute, run), run) for run in pending)
    except BrokenProcessPool:
        # It broke while runs were submitted: no result has been taken.
        return list(pending)
    waiting = set(runs)
    # By entry and set, whose problems have similar sizes.
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
                    waiting -= _give_up_similar(run, runs, record["error"], take)
    finally:
        for future in waiting:
            future.cancel()
    return list(runs.values())


def _give_up_similar(
    run: Run, runs: dict[Future[Record], Run], reason: str, take: Callable[[Record], None]
) -> set[Future[Record]]:
    """Cancel the runs of an entry on a set that have not started."""
    similar = [
        future
        for future, other in runs.items()
        if (other.entry.id, other.task.set_name) == (run.entry.id, run.task.set_name)
        and future.cancel()
    ]
    for future in similar:
        take(given_up(runs.pop(future), f"{NOT_TRIED}: {reason} on other problems"))
    return set(similar)


@contextmanager
def _worker_environment() -> Iterator[None]:
    """Set the environment of new processes: one thread each, and always compiled loops.

    A result must not depend on what ran before it.
    """
    values = {**dict.fromkeys(_THREAD_VARIABLES, "1"), COMPILE_SETTING: "always"}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _data_of(run: Run) -> tuple[object, ...]:
    """What has to be read for a run; a sentence model reads only the groups of the task."""
    task = run.task
    embedded = run.entry.weighting == EMBEDDINGS
    groups = run.groups if task.vocabulary is None and not embedded else task.groups
    return task.corpus, groups, task.vocabulary, embedded
