"""The setting ``engine``, and the engine of the current fit.

The setting is "auto", "cpu", "gpu", "dask" or a client of Dask. A fit resolves it once, at its
outermost call; methods that fit other methods pass the engine on, because :func:`current_engine` is
the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from isthmus.kernels.dispatch import compile_setting, use_compile_setting
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import Engine

ENGINES = ("auto", "cpu", "gpu", "dask")
#: Names of the other engines in messages.
_TITLES = {"gpu": "the GPU", "dask": "Dask"}

# With fewer non-zeros, "auto" stays on the CPU: see docs/guides/gpu.md for the measured crossover.
_MIN_NONZEROS_ON_GPU = 5_000_000

_HOST = HostEngine()
_process_setting: Any = "auto"
_setting: ContextVar[Any] = ContextVar("_setting", default=None)
_current: ContextVar[Engine | None] = ContextVar("_current", default=None)
#: Documents on the CPU of the current fit, by their matrix and rows; see ``as_documents``.
kept_documents: ContextVar[dict[Any, Any] | None] = ContextVar("kept_documents", default=None)


class EngineError(RuntimeError):
    """The engine cannot be used.

    CuPy or a device is missing, or its memory is too small; Dask or a cluster is missing, or lost.

    Examples
    --------
    >>> from isthmus import EngineError, SourceLogistic, config_context
    >>> with config_context(engine="dask"):
    ...     try:
    ...         model = SourceLogistic().fit([[1, 0], [0, 1]], ["a", "b"])
    ...     except EngineError:
    ...         print("There is no Dask cluster.")
    There is no Dask cluster.
    """


def check_engine(setting: Any) -> Any:
    """Return the setting, or raise ValueError."""
    if is_dask_client(setting):
        return setting
    if not isinstance(setting, str) or setting not in ENGINES:
        raise ValueError(
            f"engine={setting!r} is unknown: use 'auto', 'cpu', 'gpu', 'dask' or a client of Dask."
        )
    return setting


def is_dask_client(setting: Any) -> bool:
    """Whether it is a client of a Dask cluster; Dask need not be installed."""
    return any(
        cls.__module__.partition(".")[0] == "distributed" and cls.__name__ == "Client"
        for cls in type(setting).__mro__
    )


def engine_setting() -> Any:
    """Return the setting that applies now: a name, or a client of Dask."""
    setting = _setting.get()
    return _process_setting if setting is None else setting


def set_engine(setting: Any) -> None:
    """Set the engine of this process."""
    global _process_setting
    _process_setting = check_engine(setting)


@contextmanager
def use_engine(setting: Any) -> Iterator[None]:
    """Set the engine inside a ``with`` statement; None changes nothing."""
    if setting is None:
        yield
        return
    token = _setting.set(check_engine(setting))
    try:
        yield
    finally:
        _setting.reset(token)


def engine_is_chosen() -> bool:
    """Whether a fit has resolved the setting already."""
    return _current.get() is not None


def current_engine() -> Engine:
    """Return the engine of the current fit; the CPU outside of a fit."""
    return _current.get() or _HOST


@contextmanager
def fit_engine(engine: Engine) -> Iterator[None]:
    """Use an engine for everything inside a ``with`` statement.

    The outermost fit keeps its documents and the setting of the loops for everything inside.
    """
    token = _current.set(engine)
    kept = kept_documents.get()
    kept_token = kept_documents.set({} if kept is None else kept)
    try:
        with use_compile_setting(compile_setting()):
            yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise EngineError(
            f"The memory of the GPU is too small for this computation ({str(error).rstrip('.')}): "
            "free memory on the device, reduce the number of documents or topics, or set "
            "engine='cpu'."
        ) from error
    finally:
        _current.reset(token)
        kept_documents.reset(kept_token)
        engine.release()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the memory of the device was too small; CuPy need not be installed."""
    module = type(error).__module__.partition(".")[0]
    return type(error).__name__ == "OutOfMemoryError" and module == "cupy"


def is_device_array(X: Any) -> bool:
    """Whether it is an array or a sparse matrix of CuPy."""
    return type(X).__module__.partition(".")[0] in ("cupy", "cupyx")


def host_matrix(X: Any) -> Any:
    """Return a matrix of CuPy in the memory of the CPU; any other object unchanged."""
    return X.get() if is_device_array(X) else X


def resolve_engine(
    X: Any, *, runs_on: Callable[[str], bool], who: str, others: Callable[[str], str]
) -> Engine:
    """Return the engine for a matrix, according to the setting.

    ``runs_on`` says whether the method runs on an engine. ``who`` and ``others`` are for the
    message if it does not: its name, and the names of the methods that run there.
    """
    setting = engine_setting()
    if is_distributed(X) or setting == "dask" or is_dask_client(setting):
        reason = "X is a distributed matrix" if is_distributed(X) else "a Dask engine is set"
        _check_runs("dask", reason, runs_on, who, others)
        # Dask is an optional package.
        from isthmus.matrices.dask.cluster import dask_engine

        return dask_engine(X.client if is_distributed(X) else setting)
    wants_gpu = setting == "gpu" or (setting == "auto" and is_device_array(X))
    if wants_gpu:
        reason = "engine='gpu' is set" if setting == "gpu" else "X is a matrix of CuPy"
        _check_runs("gpu", reason, runs_on, who, others)
    if not wants_gpu and (setting == "cpu" or not runs_on("gpu") or not _is_large(X)):
        return _HOST
    # CuPy is an optional package, and its import takes a second.
    from isthmus.matrices.gpu.device import gpu_engine, gpu_fits, gpu_is_usable

    if wants_gpu or (gpu_is_usable() and gpu_fits(X)):
        return gpu_engine()
    return _HOST


def _check_runs(
    engine: str,
    reason: str,
    runs_on: Callable[[str], bool],
    who: str,
    others: Callable[[str], str],
) -> None:
    if runs_on(engine):
        return
    if reason.startswith("X is a distributed"):
        advice = "pass a matrix in memory"
    else:
        advice = "set engine='cpu'"
    raise ValueError(
        f"{who} does not run on {_TITLES[engine]}, but {reason}: {advice}, or use a method that "
        f"does ({others(engine)})."
    )


def is_distributed(X: Any) -> bool:
    """Whether it is a matrix on the workers of a Dask cluster; Dask need not be installed."""
    return getattr(X, "is_distributed", False) is True


def _is_large(X: Any) -> bool:
    if hasattr(X, "nnz"):
        return int(X.nnz) >= _MIN_NONZEROS_ON_GPU
    return int(getattr(X, "size", 0)) >= _MIN_NONZEROS_ON_GPU
