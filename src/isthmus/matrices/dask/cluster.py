"""Finds the client of a Dask cluster, and explains in one sentence what is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from isthmus._version import __version__
from isthmus.matrices.engines import EngineError
from isthmus.matrices.protocols import Engine

__all__ = ["as_client", "check_installed", "dask_engine"]

_INSTALL = 'pip install "isthmus[dask]"'
# Clients whose workers were checked, by identifier, with the workers.
_checked: dict[str, frozenset[str]] = {}


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
