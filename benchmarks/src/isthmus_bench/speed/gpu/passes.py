"""Single passes over the documents on the device, beside the bandwidth of a copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from isthmus.matrices.protocols import PLAIN_STEP
from isthmus_bench.speed.gpu.problem import PLAIN, make_counts
from isthmus_bench.speed.gpu.processes import READY

__all__ = ["PASS_SIZES", "WIDTHS", "PassJob", "measure_passes", "run_passes"]

PASS_SIZES = (1_000_000, 5_000_000)
WIDTHS = (2, 4, 16)
# Values of 4 bytes in the arrays of the copy.
_COPIED = 2**30
_LAUNCHES = 10
Timer = Callable[[Callable[[], Any], int], list[float]]


@dataclass(frozen=True)
class PassJob:
    """What is measured, for one number of documents."""

    documents: int
    terms: int
    rounds: int
    copied: int = _COPIED


def run_passes(job: PassJob, send: Callable[[Any], None]) -> None:
    """Measure on the GPU; this runs in a process of its own."""
    from isthmus.matrices.gpu.device import gpu_engine

    measure_passes(job, send, gpu_engine(), _event_seconds, _queued_row_pass)


def measure_passes(
    job: PassJob,
    send: Callable[[Any], None],
    engine: Any,
    timer: Timer,
    row_pass: Callable[..., Callable[[], Any]],
) -> None:
    """Send one result for the copy and one for every pass and width."""
    copy, moved = _copy_seconds(job, engine.xp, timer), 2 * 4 * job.copied
    rate = moved / median(copy)
    common = {"documents": job.documents, "terms": job.terms, "dtype": "float32"}
    send({"name": "copy", **common, **_seconds(copy), "bytes": moved})
    X = make_counts(job.documents, job.terms, PLAIN).X
    documents = engine.documents(X)
    generator = np.random.default_rng(0)
    for width in WIDTHS:
        G = engine.asarray(generator.random((job.documents, width), np.float32))
        P = engine.asarray(generator.random((job.terms, width), np.float32))
        passes: dict[str, Callable[[], Any]] = {
            "row pass": row_pass(documents, G, P, engine.gram(P, P)),
            "X'G": partial(documents.transposed_times, G),
        }
        for name, function in passes.items():
            send(READY)
            seconds = timer(function, job.rounds)
            counted = {"nonzeros": int(X.nnz), "bytes": 8 * int(X.nnz), "copy_rate": rate}
            send({"name": name, **common, "width": width, **_seconds(seconds), **counted})


def _copy_seconds(job: PassJob, xp: Any, timer: Timer) -> list[float]:
    source = xp.ones(job.copied, np.float32)
    target = xp.empty_like(source)
    return timer(lambda: xp.copyto(target, source), job.rounds)


def _seconds(values: list[float]) -> dict[str, float]:
    return {"seconds": median(values), "least": min(values)}


def _event_seconds(function: Callable[[], Any], rounds: int) -> list[float]:
    """Seconds of a call by events on the device, the mean of calls that follow each other."""
    import cupy

    function()
    times = []
    for _ in range(rounds):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(_LAUNCHES):
            function()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end) / 1000 / _LAUNCHES)
    return times


def _queued_row_pass(documents: Any, G: Any, P: Any, gram: Any) -> Callable[[], Any]:
    """The update of memberships without waiting for the number of changed labels."""
    gram = np.asarray(gram, np.float64)

    def update() -> None:
        documents.queue_update(G, P, gram, PLAIN_STEP)

    return update
