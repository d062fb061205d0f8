"""Fits on a Dask cluster of this machine, compared with the engine of the CPU in the same run."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from isthmus.matrices.threads import one_thread, thread_limit
from isthmus_bench.speed.corpus import SpeedCorpus, make_documents

__all__ = ["ClusterCosts", "IterationCost", "measure_cluster"]

_ITERATIONS = 30
# The first ones contain compiling and sending of blocks.
_WARM_UP = 5
_TINY = 8_000
# More workers than cores show what the messages of a worker cost.
_WORKERS = (1, 2, 4, 8, 16)
_LOOPBACK = Path("/proc/net/dev")


@dataclass(frozen=True)
class IterationCost:
    """The cost of an iteration of MTrick."""

    seconds: float
    bytes_moved: int
    """Bytes through the loopback interface, 0 if they are not known."""
    fit_seconds: float
    """All iterations and what is before them."""
    labels: Any


@dataclass(frozen=True)
class ClusterCosts:
    """Everything that is measured, by name."""

    one_thread: IterationCost
    all_threads: IterationCost
    workers: Mapping[int, IterationCost]
    """By number of workers, at most one per core."""
    threaded: IterationCost
    """One worker with as many threads as cores."""
    round_trips: Mapping[int, float]
    """By number of workers: seconds of an iteration that has next to nothing to compute."""
    killed: IterationCost
    """Two workers, one of which is killed in the middle of the fit."""
    worker_peak: int
    """Largest resident memory of one of two workers, in bytes; 0 if it is not known."""
    matrix_bytes: int
    """The arrays of the matrix of all documents."""

    @property
    def lost_seconds(self) -> float:
        """What the killed worker costs."""
        return self.killed.fit_seconds - self.workers[2].fit_seconds

    @property
    def agreement(self) -> float:
        """The smallest proportion of labels that agree with those of the CPU."""
        expected = self.all_threads.labels
        runs = (*self.workers.values(), self.threaded, self.killed)
        return min(float(np.mean(run.labels == expected)) for run in runs)


def measure_cluster(
    n_documents: int, n_terms: int, n_words: int, on_progress: Callable[[str], None]
) -> ClusterCosts:
    """Measure all fits, one after the other."""
    on_progress(f"making {n_documents:,} documents")
    corpus = make_documents(n_documents, n_terms, n_words, "float32")
    tiny = corpus.first(_TINY)
    on_progress("CPU engine")
    _fit(corpus, "cpu")  # compiles the loops
    everything = _fit(corpus, "cpu")
    with one_thread():
        single = _fit(corpus, "cpu")
    # Dask limits the threads of the process that starts a cluster.
    n_cores = thread_limit()
    costs: dict[int, IterationCost] = {}
    round_trips: dict[int, float] = {}
    on_progress("Dask, 1 worker with all threads")
    with _cluster(1, n_cores) as client:
        _fit(corpus, client)
        threaded = _fit(corpus, client)
    for n_workers in _WORKERS:
        on_progress(f"Dask, {n_workers} {'worker' if n_workers == 1 else 'workers'}")
        with _cluster(n_workers) as client:
            round_trips[n_workers] = _fit(tiny, client, n_blocks=2 * n_workers).seconds
            if n_workers > max(2, n_cores):  # more than this machine has cores
                continue
            _fit(corpus, client)  # the loops of the workers are loaded
            costs[n_workers] = _fit(corpus, client)
            if n_workers == 2:
                worker_peak = max(client.run(peak_memory).values())
                on_progress("Dask, a worker is killed")
                killed = _fit(corpus, client, kill=True)
    return ClusterCosts(
        *(single, everything, costs, threaded, round_trips, killed, worker_peak, corpus.nbytes),
    )


@contextmanager
def _cluster(n_workers: int, n_threads: int = 1) -> Iterator[Any]:
    import logging

    import distributed

    dask: Any = distributed
    options = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
    with (
        dask.LocalCluster(n_workers=n_workers, threads_per_worker=n_threads, **options) as cluster,
        dask.Client(cluster) as client,
    ):
        yield client


def _fit(
    corpus: SpeedCorpus, engine: Any, *, kill: bool = False, n_blocks: int | None = None
) -> IterationCost:
    from isthmus import MTrick
    from isthmus.config import config_context

    X: Any = corpus.X
    if n_blocks is not None:
        from isthmus.matrices.dask.matrix import DistributedMatrix

        X = DistributedMatrix.from_matrix(X, engine, n_blocks)
    times: list[float] = []
    moved: list[int] = []

    def record(progress: Any) -> None:
        times.append(time.perf_counter())
        moved.append(_loopback_bytes())
        if kill and len(times) == _ITERATIONS // 2:
            pids = engine.run(os.getpid)
            os.kill(next(iter(pids.values())), signal.SIGKILL)

    begin = time.perf_counter()
    with warnings.catch_warnings(), config_context(engine=engine):
        warnings.simplefilter("ignore")
        fitted = MTrick(max_iter=_ITERATIONS, tol=0.0, random_state=0).fit(
            X, corpus.y, corpus.sample_domain, callback=record
        )
    seconds = time.perf_counter() - begin
    labels = fitted.transduction_[corpus.n_source :]
    return IterationCost(
        median(np.diff(times[_WARM_UP:]).tolist()),
        int(median(np.diff(moved[_WARM_UP:]).tolist())),
        seconds,
        labels,
    )


def peak_memory() -> int:
    """Return the largest resident memory of this process, in bytes; 0 if it is not known."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def _loopback_bytes() -> int:
    """Return the bytes that the loopback interface has carried."""
    try:
        lines = _LOOPBACK.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.strip().startswith("lo:")), 0)
