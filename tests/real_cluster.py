"""A Dask cluster of processes on this machine."""

from __future__ import annotations

from typing import Any

CONFIG = {
    "distributed.comm.timeouts.connect": "3s",
    "distributed.scheduler.allowed-failures": 5,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": 0.95,
}


def start(n_workers: int) -> Any:
    """Start a cluster, to be used in a ``with`` statement."""
    import dask
    import distributed

    with dask.config.set(CONFIG):
        return distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=50,
        )
