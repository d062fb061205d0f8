"""Label the texts of a Dask collection on the workers of its cluster."""

from __future__ import annotations

import tempfile
import uuid
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.transfer.collections import partitions_of
from isthmus.transfer.engine_scope import cluster_client, uses_cluster
from isthmus.transfer.prediction import Prediction

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer

__all__ = ["label_collection"]


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
