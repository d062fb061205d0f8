"""Settings of the whole package, with the names that scikit-learn uses for its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from isthmus.matrices.engines import engine_setting, set_engine, use_engine

__all__ = ["config_context", "get_config", "set_config"]


def get_config() -> dict[str, Any]:
    """Return the current settings.

    Examples
    --------
    >>> import isthmus
    >>> isthmus.get_config()
    {'engine': 'auto'}
    """
    return {"engine": engine_setting()}


def set_config(*, engine: Any = None) -> None:
    """Change settings of this process.

    Parameters
    ----------
    engine : "auto", "cpu", "gpu", "dask" or distributed.Client, default=None
        Where fits and predictions are computed. "auto" uses the GPU if there is one, if the method
        runs on it and if the matrix is large enough. A CuPy matrix is always computed on the GPU,
        unless the setting is "cpu". A client computes on the workers of its Dask cluster, and
        "dask" on those of the default client of this process. A distributed matrix is always
        computed on its own cluster. None leaves the setting unchanged.

    Examples
    --------
    >>> import isthmus
    >>> isthmus.set_config(engine="cpu")
    >>> isthmus.get_config()
    {'engine': 'cpu'}
    >>> isthmus.set_config(engine="auto")
    """
    if engine is not None:
        set_engine(engine)


@contextmanager
def config_context(*, engine: Any = None) -> Iterator[None]:
    """Change settings inside a ``with`` statement, in this thread only.

    Examples
    --------
    >>> import isthmus
    >>> with isthmus.config_context(engine="cpu"):
    ...     isthmus.get_config()
    {'engine': 'cpu'}
    """
    with use_engine(engine):
        yield
