"""The engine of a ``Transfer``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from isthmus.matrices.engines import current_engine, engine_setting, is_dask_client, use_engine

__all__ = ["check_engine_of", "cluster_client", "engine_scope", "uses_cluster"]


@contextmanager
def engine_scope(
    estimator: Any, setting: Any, X: Any = None, *, refuses: bool = True
) -> Iterator[str]:
    """Compute everything inside a ``with`` statement on one engine; yields its name.

    Parameters
    ----------
    estimator : estimator
    setting : "auto", "cpu", "gpu", "dask", a client of Dask or None
        The parameter of :class:`Transfer`; None means the setting of :mod:`isthmus.config`.
    X : matrix, default=None
        The rows to compute with, whose size decides for "auto". None counts as small.
    refuses : bool, default=True
        Whether a method that does not run on the GPU raises ValueError if the setting is "gpu";
        otherwise it is computed on the CPU.
    """
    with use_engine(setting), estimator._on_engine(X, fits=refuses):
        yield current_engine().name


def check_engine_of(estimator: Any, setting: Any) -> None:
    """Raise an error if there is no such engine, or if the method cannot be fitted on it.

    The size of the matrix is not known yet, so "auto" is decided later.
    """
    with use_engine(setting):
        if engine_setting() not in ("auto", "cpu"):
            with engine_scope(estimator, setting):
                pass


def uses_cluster(setting: Any) -> bool:
    """Return whether the setting asks for a Dask cluster."""
    with use_engine(setting):
        return engine_setting() == "dask" or is_dask_client(engine_setting())


def cluster_client(setting: Any) -> Any:
    """Return the client of Dask that the setting asks for; None for another engine."""
    if not uses_cluster(setting):
        return None
    with use_engine(setting):
        chosen = engine_setting()
    from isthmus.matrices.dask.cluster import as_client

    return as_client(chosen)
