"""Options of a Dask cluster, and the client that they describe."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

__all__ = ["ClusterOptions"]

_CONNECT_SECONDS = 20
_MAX_WORKERS = 4


@dataclass(frozen=True)
class ClusterOptions:
    """Which cluster ``--engine dask`` uses."""

    PANEL: ClassVar[str] = "Dask cluster"

    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Compute on the cluster of this Dask scheduler, such as tcp://10.0.0.5:8786. Its "
            "workers need isthmus in the same version, and must find the files under the same "
            "names.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Start this many worker processes on this machine, which share its cores. "
            "Default: at most four.",
        ),
    ] = None

    @contextmanager
    def open(self, engine: str | None) -> Iterator[Any]:
        """Yield the engine of a command: a client of Dask, or another engine unchanged."""
        if engine != "dask":
            for name in ("scheduler", "workers"):
                if getattr(self, name) is not None:
                    raise ValueError(f"--{name} is for a Dask cluster: add --engine dask.")
            yield engine
            return
        if self.scheduler is not None and self.workers is not None:
            raise ValueError(
                "--workers starts a cluster on this machine and --scheduler uses another one: "
                "leave one of them out."
            )
        from isthmus.matrices.dask.cluster import check_installed

        check_installed()
        with ExitStack() as stack:
            yield self._connect(stack)

    def _connect(self, stack: ExitStack) -> Any:
        import logging

        import distributed

        from isthmus.matrices.engines import EngineError
        from isthmus.matrices.threads import thread_limit

        _silence_logs()
        dask: Any = distributed
        address: Any = self.scheduler
        if address is None:
            n_cores = thread_limit()
            # Every worker gets the factors of the words in every iteration: few are better.
            n_workers = self.workers or min(_MAX_WORKERS, n_cores)
            with _workers_ignore_interrupts():
                cluster = dask.LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=max(1, n_cores // n_workers),
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            address = stack.enter_context(cluster)
        try:
            return stack.enter_context(dask.Client(address, timeout=_CONNECT_SECONDS))
        except (OSError, TimeoutError, ValueError) as error:
            raise EngineError(
                f"There is no Dask scheduler at {self.scheduler} "
                f"({' '.join(str(error).split()) or type(error).__name__}): check the address, and "
                "that the scheduler is running."
            ) from error


def _silence_logs() -> None:
    """Leave out what Dask logs, with tracebacks: the command itself says what matters."""
    import logging

    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@contextmanager
def _workers_ignore_interrupts() -> Iterator[None]:
    """Start processes that leave Ctrl-C, which a terminal sends to all, to the main process."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
