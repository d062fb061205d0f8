"""The client of a Dask cluster: what is missing, waiting for results, and lost workers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from isthmus._version import __version__
from isthmus._warnings import warn_user
from isthmus.matrices.engines import EngineError
from isthmus.matrices.protocols import Engine, Result

_INSTALL = 'pip install "isthmus[dask]"'
# Clients whose workers were checked, by identifier, with the workers.
_checked: dict[str, frozenset[str]] = {}
# How often a computation is started again after workers were lost.
MAX_RESTARTS = 3
# Seconds between two looks at the cluster while results are awaited.
_INTERVAL = 5.0
# Seconds without a worker after which a computation is given up.
_MAX_WITHOUT_WORKERS = 60.0
# Seconds without a result after which the user is told.
_LONG = 300.0


def dask_engine(client: Any) -> Engine:
    """Return a new engine for a client or "dask"; raises EngineError with the reason if none."""
    client = as_client(client)
    if client.status != "running":
        raise EngineError(
            "The Dask client is closed, or the scheduler of the Dask cluster is lost: start the "
            "cluster again if needed, connect a new client and fit again."
        )
    _check_workers(client)
    from isthmus.matrices.dask.engine import DaskEngine

    return DaskEngine(client)


def as_client(setting: Any) -> Any:
    """The client of a setting: itself, or the default client of this process for "dask"."""
    if setting != "dask":
        return setting
    check_installed()
    from distributed import get_client

    try:
        return get_client()
    except ValueError:
        raise EngineError(
            "engine='dask' found no Dask client in this process: make one first, with "
            "distributed.Client() for this machine or distributed.Client(address) for a cluster, "
            "or pass the client itself as engine."
        ) from None


def check_installed() -> None:
    """Raise EngineError if a package of Dask is missing."""
    for package in ("dask", "distributed"):
        found = sys.modules.get(package) or find_spec(package)
        if found is None:
            raise EngineError(
                f"engine='dask' needs the package {package}: install it with {_INSTALL}, or set "
                "engine='cpu'."
            )


def _check_workers(client: Any) -> None:
    """Raise EngineError if there is no worker, or one without this version of the package."""
    workers = frozenset(client.nthreads())
    if not workers:
        raise EngineError(
            "The Dask cluster has no workers: start some, for example with dask worker ADDRESS."
        )
    if workers <= _checked.get(client.id, frozenset()):
        return
    versions = client.run(_version_function(), on_error="return")
    for worker, version in versions.items():
        if version == __version__:
            continue
        if isinstance(version, BaseException):
            has = f"cannot say its version ({' '.join(str(version).split())})"
        else:
            has = f"has isthmus {version}" if version else "has no isthmus"
        raise EngineError(
            f"The Dask worker {worker} {has}, but this process has isthmus {__version__}: install "
            f"isthmus {__version__} on all workers and start them again."
        )
    _checked[client.id] = workers


def _version_function() -> Callable[[], str]:
    def version() -> str:
        try:
            from isthmus._version import __version__ as found
        except ImportError:
            return ""
        return str(found)

    # An inner function is sent as a whole; one of this module would be imported by the worker.
    return version


class WorkerLostError(RuntimeError):
    """A worker was lost with results that cannot be computed again one by one."""


def repeated(client: Any, function: Callable[[], Result]) -> Result:
    """Call a function whose futures Dask computes again if workers are lost; then call it again."""
    for restart in range(MAX_RESTARTS + 1):
        try:
            with lost_workers(client):
                return function()
        except WorkerLostError as error:
            if restart == MAX_RESTARTS:
                raise too_many_losses(error) from error
    raise AssertionError  # the loop returns or raises


def too_many_losses(error: WorkerLostError) -> EngineError:
    """Return the error of a computation that was started again in vain."""
    return EngineError(
        f"Workers of the Dask cluster were lost {MAX_RESTARTS + 1} times in one computation "
        f"({error}): give the workers more memory, or use more of them."
    )


def results_in_order(client: Any, futures: Sequence[Any]) -> Generator[Any]:
    """Yield the result of every future as soon as those before it are there."""
    for future in futures:
        yield repeated(client, lambda future=future: results_of(client, [future])[0])  # type: ignore[misc]


def results_of(client: Any, futures: Sequence[Any]) -> list[Any]:
    """Wait for results and gather them."""
    wait_for(client, futures)
    return list(client.gather(list(futures)))


def wait_for(client: Any, futures: Sequence[Any]) -> None:
    """Wait until all futures are done; look after the cluster meanwhile."""
    import distributed

    wait: Any = distributed.wait
    started, last_worker_seen, was_told = time.monotonic(), time.monotonic(), False
    while True:
        try:
            wait(futures, timeout=_INTERVAL)
            return
        except (TimeoutError, distributed.TimeoutError) as error:
            if not is_connected(client):
                raise EngineError(_no_scheduler()) from error
            now = time.monotonic()
            if n_workers(client):
                last_worker_seen = now
            elif now - last_worker_seen > _MAX_WITHOUT_WORKERS:
                raise EngineError(
                    "The Dask cluster has no workers any more: start some and fit again."
                ) from error
            if now - started > _LONG and not was_told:
                was_told = True
                warn_user(
                    f"A step on the Dask cluster has taken more than {_LONG:.0f} seconds: look at "
                    f"its dashboard ({client.dashboard_link}) for paused or slow workers."
                )


@contextmanager
def lost_workers(client: Any) -> Iterator[None]:
    """Turn errors of the cluster into WorkerLostError or EngineError."""
    from concurrent.futures import CancelledError

    import distributed
    from distributed.comm.core import CommClosedError

    try:
        yield
    except EngineError:
        raise
    except Exception as error:
        lost = (distributed.KilledWorker, distributed.CancelledError, CancelledError)
        broken = (CommClosedError, ConnectionError, TimeoutError)
        is_loss = isinstance(error, (*lost, *broken))
        if not (_stays_connected(client) if is_loss else is_connected(client)):
            raise EngineError(_no_scheduler()) from error
        if not is_loss:
            raise
        raise WorkerLostError(" ".join(str(error).split()) or type(error).__name__) from error


def is_connected(client: Any) -> bool:
    """Whether the client still talks to its scheduler."""
    comm = getattr(client, "scheduler_comm", None)
    return client.status == "running" and comm is not None and not comm.comm.closed()


def _stays_connected(client: Any) -> bool:
    """The same, after a moment for a connection that is being closed."""
    for _ in range(5):
        if not is_connected(client):
            return False
        time.sleep(0.05)
    return True


def n_workers(client: Any) -> int:
    """The number of workers that the scheduler knows."""
    return len(client.nthreads())


def _no_scheduler() -> str:
    return (
        "The connection to the scheduler of the Dask cluster is lost: start the cluster again, "
        "connect a new client and fit again."
    )
