"""The engine of a ``Transfer``, and texts and labels in collections of Dask.

A collection is a bag, or a column of a data frame.
"""

from __future__ import annotations

import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.matrices.engines import current_engine, engine_setting, is_dask_client, use_engine
from isthmus.transfer.prediction import Prediction

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer

__all__ = [
    "check_engine_of",
    "cluster_client",
    "collected",
    "engine_scope",
    "is_collection",
    "label_collection",
    "partitions_of",
    "uses_cluster",
]


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


def is_collection(values: Any) -> bool:
    """Return whether values are a collection of Dask; Dask need not be installed."""
    if "dask" not in sys.modules or not hasattr(values, "to_delayed"):
        return False
    from dask.base import is_dask_collection

    return bool(is_dask_collection(values))


def partitions_of(texts: Any, client: Any) -> list[Any]:
    """Return a future of every partition, which has texts."""
    return list(client.compute(list(_as_one_dimensional(texts).to_delayed())))


def collected(values: Any) -> list[Any]:
    """Return all values of a collection, such as labels, as a list."""
    return list(_as_one_dimensional(values).compute())


def _as_one_dimensional(values: Any) -> Any:
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(
            "A Dask data frame was given where texts or labels are expected: pass a column of it, "
            "as in frame['text']."
        )
    return values


def label_collection(model: Transfer, texts: Any, domain: str | None) -> Prediction:
    """Return the predictions of all texts, in their order; the texts stay on the workers."""
    from isthmus.matrices.dask.cluster import results_in_order

    client = cluster_client(model.engine if uses_cluster(model.engine) else "dask")
    key = f"isthmus-label-texts-{uuid.uuid4().hex}"
    # A model file is data, and smaller than the fitted object.
    shared = client.submit(bytes, _model_file(model), key=f"{key}-model", pure=False)
    futures = [
        client.submit(_label, partition, shared, domain, key=f"{key}-{number}", pure=False)
        for number, partition in enumerate(partitions_of(texts, client))
    ]
    return Prediction.join(list(results_in_order(client, futures)))


def _model_file(model: Transfer) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        model.save(path)
        return path.read_bytes()


def _label(partition: Any, model_file: bytes, domain: str | None) -> Prediction:
    return _loaded(model_file).label(list(partition), domain)


@lru_cache(maxsize=1)
def _loaded(model_file: bytes) -> Transfer:
    from isthmus.transfer.saving import load

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        path.write_bytes(model_file)
        return load(path).set_params(engine="cpu")
