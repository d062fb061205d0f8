"""Settings of the whole package, with the names that scikit-learn uses for its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from isthmus.matrices.engines import engine_setting, set_engine, use_engine
from isthmus.text.parts.memory import memory_settings, set_memory, use_memory

__all__ = ["config_context", "get_config", "set_config"]


def get_config() -> dict[str, Any]:
    """Return the current settings.

    Returns
    -------
    dict
        The settings by name, as :func:`set_config` takes them.

    Examples
    --------
    >>> import isthmus
    >>> isthmus.get_config()
    {'engine': 'auto', 'max_memory': 'auto', 'scratch_folder': None}
    """
    return {"engine": engine_setting(), **asdict(memory_settings())}


def set_config(
    *,
    engine: Any = None,
    max_memory: int | str | None = None,
    scratch_folder: str | os.PathLike[str] | None = None,
) -> None:
    """Change settings of this process. A parameter that is None leaves its setting unchanged.

    Parameters
    ----------
    engine : "auto", "cpu", "gpu", "dask" or distributed.Client, default=None
        Where fits and predictions are computed. "auto" uses the GPU if there is one, if the method
        runs on it and if the matrix is large enough. A CuPy matrix is always computed on the GPU,
        unless the setting is "cpu". A client computes on the workers of its Dask cluster, and
        "dask" on those of the default client of this process. A distributed matrix is always
        computed on its own cluster.
    max_memory : int, str or None, default=None
        Memory for the counts of words: a number of bytes, a text such as "2 GB", or "auto" for an
        eighth of the memory of the machine. Larger counts are kept in files of the scratch folder,
        and fits read them block by block.
    scratch_folder : path or None, default=None
        Folder for these files, by default the folder of the system for temporary files. They are
        removed when they are no longer needed; those of a process that was killed are removed when
        the folder is used again.

    Examples
    --------
    >>> import isthmus
    >>> isthmus.set_config(engine="cpu", max_memory="2 GB")
    >>> isthmus.get_config()
    {'engine': 'cpu', 'max_memory': 2000000000, 'scratch_folder': None}
    >>> isthmus.set_config(engine="auto", max_memory="auto")
    """
    if engine is not None:
        set_engine(engine)
    set_memory(max_memory, scratch_folder)


@contextmanager
def config_context(
    *,
    engine: Any = None,
    max_memory: int | str | None = None,
    scratch_folder: str | os.PathLike[str] | None = None,
) -> Iterator[None]:
    """Change settings inside a ``with`` statement, in this thread only.

    Parameters
    ----------
    engine : "auto", "cpu", "gpu", "dask" or distributed.Client, default=None
        Where fits and predictions are computed; see :func:`set_config`. None changes nothing.
    max_memory : int, str or None, default=None
        Memory for the counts of words; see :func:`set_config`. None changes nothing.
    scratch_folder : path or None, default=None
        Folder for larger counts; see :func:`set_config`. None changes nothing.

    Yields
    ------
    None
        The settings apply until the end of the ``with`` statement.

    Examples
    --------
    >>> import isthmus
    >>> with isthmus.config_context(engine="cpu"):
    ...     isthmus.get_config()["engine"]
    'cpu'
    """
    with use_engine(engine), use_memory(max_memory, scratch_folder):
        yield
