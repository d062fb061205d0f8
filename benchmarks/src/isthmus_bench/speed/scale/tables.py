"""The tables of the parts disk and cluster."""

from __future__ import annotations

from isthmus_bench.speed.scale.cluster import ClusterCosts

__all__ = ["CLUSTER_COLUMNS", "CLUSTER_NOTE", "DISK_NOTE", "cluster_rows"]

CLUSTER_COLUMNS = ("what", "ms per iteration", "MB moved per iteration", "compared")
CLUSTER_NOTE = (
    "MTrick, 30 iterations; median of the last 25. Workers have one thread if nothing else is "
    "said, and are compared with one of them. Bytes are those of the loopback interface, "
    "everything that client, scheduler and workers send. The tiny matrix has 8,000 documents: its "
    "iteration is the time of the messages. The seconds lost are the fit with a worker that is "
    "killed after half of its iterations minus the same fit without that; the fit starts again on "
    "the remaining worker while the other one is replaced."
)
DISK_NOTE = (
    "isthmus classify --method mtrick with the verdict, from folders of CSV files to labels in a "
    "file, a fifth of the documents source, 130 words per document. Memory is the anonymous memory "
    "of all processes together, looked at ten times per second."
)


def cluster_rows(costs: ClusterCosts) -> list[tuple[str, ...]]:
    """Return the rows of the table."""

    def row(what: str, seconds: float, moved: int | None, compared: str) -> tuple[str, ...]:
        megabytes = "" if moved is None else f"{moved / 1e6:.2f}"
        return what, f"{1e3 * seconds:.1f}", megabytes, compared

    single, one = costs.one_thread.seconds, costs.workers[1].seconds
    return [
        row("CPU engine, one thread", single, None, ""),
        row("CPU engine, all threads", costs.all_threads.seconds, None, ""),
        *(
            row(
                *(f"Dask, workers: {n}", cost.seconds, cost.bytes_moved),
                f"{one / single:.2f} x CPU" if n == 1 else f"{one / cost.seconds:.2f} x as fast",
            )
            for n, cost in costs.workers.items()
        ),
        row(
            *("Dask, one worker with all threads", costs.threaded.seconds),
            *(costs.threaded.bytes_moved, f"{one / costs.threaded.seconds:.2f} x as fast"),
        ),
        *(
            row(f"Dask, tiny matrix, workers: {n_workers}", seconds, None, "")
            for n_workers, seconds in costs.round_trips.items()
        ),
        ("a killed worker", "", "", f"{costs.lost_seconds:.1f} s lost"),
        (
            *("largest memory of one of two workers", "", ""),
            f"{costs.worker_peak / 1e6:.0f} MB; the whole matrix has "
            f"{costs.matrix_bytes / 1e6:.0f} MB",
        ),
        ("labels as on the CPU", "", "", f"{100 * costs.agreement:.3f} %"),
    ]
