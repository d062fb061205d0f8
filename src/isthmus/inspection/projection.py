"""Documents in few dimensions: coordinates for distances, and a map in two dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.rows import as_documents, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.truncated_svd import truncated_svd

__all__ = ["document_coordinates", "map_of_documents"]

_N_COMPONENTS = 50
_PERPLEXITY = 30.0
_N_ITERATIONS = 400
# t-SNE needs a neighborhood; fewer documents are placed by their principal components.
_MIN_DOCUMENTS = 12


def document_coordinates(X: Any) -> NDArray[np.float64]:
    """Coordinates of unit-norm documents in the space of their largest singular vectors.

    They have unit norm too, unless a document has no term of that space.
    """
    rows = with_unit_rows(with_narrow_indices(X).astype(np.float64))
    rank = min(_N_COMPONENTS, min(rows.shape))
    svd = truncated_svd(as_documents(rows), rank, np.random.default_rng(0))
    coordinates = np.asarray(svd.coordinates, np.float64)
    norms = np.linalg.norm(coordinates, axis=1, keepdims=True)
    return np.divide(coordinates, norms, out=np.zeros_like(coordinates), where=norms > 1e-9)


def map_of_documents(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places of documents in a square from 0 to 1, by t-SNE.

    Neighbors on the map have many words in common. No label is used. Distances between far groups
    mean nothing.
    """
    n = len(coordinates)
    if n < _MIN_DOCUMENTS:
        return _in_square(_principal(coordinates))
    from sklearn.manifold import TSNE

    start = _principal(coordinates)
    spread = float(start[:, 0].std()) or 1.0
    tsne = TSNE(
        2,
        perplexity=min(_PERPLEXITY, (n - 1) / 4),
        init=(1e-4 * start / spread).astype(np.float32),
        learning_rate="auto",
        max_iter=_N_ITERATIONS,
        random_state=0,
    )
    with one_thread():
        places = tsne.fit_transform(coordinates.astype(np.float32))
    return _in_square(np.asarray(places, np.float64))


def _principal(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first two principal components; zeros in place of missing ones."""
    centered = coordinates - coordinates.mean(axis=0)
    left, values, right = np.linalg.svd(centered, full_matrices=False)
    places = np.zeros((len(coordinates), 2))
    for k in range(min(2, len(values))):
        # Singular vectors are defined up to sign: the largest entry is made positive.
        sign = np.sign(right[k][np.argmax(np.abs(right[k]))]) or 1.0
        places[:, k] = sign * left[:, k] * values[k]
    return places


def _in_square(places: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.where(high > low, high - low, 1.0))
