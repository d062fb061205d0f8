"""The graph of the documents that are most alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.neighbors import NearestNeighbors

from isthmus.matrices.adopt import adopt

# Megabytes of cosines made at a time.
_WORKING_MEMORY = 64


def neighbour_graph(X: Any, n_neighbors: int, *, signed: bool, with_self: bool) -> Any:
    """Cosines between every document and those most like it, as a symmetric CSR matrix.

    A pair is kept if either is among the neighbours of the other. ``signed`` makes a cosine
    (1 + cosine) / 2. Every pair is looked at once, in blocks, so the time grows with the square of
    the number of documents; the memory does not.
    """
    n_rows = X.shape[0]
    with config_context(working_memory=_WORKING_MEMORY):
        searcher = NearestNeighbors(metric="cosine", algorithm="brute").fit(X)
        graph = searcher.kneighbors_graph(n_neighbors=min(n_neighbors, n_rows - 1), mode="distance")
    graph.data = 1 - graph.data / 2 if signed else np.maximum(1 - graph.data, 0)
    graph = graph.maximum(graph.T).tocsr()
    filled = (adopt(X).row_norms() > 0).astype(float)  # an empty document is near to nobody
    graph.setdiag(filled if with_self else 0.0)
    graph = sparse.diags(filled) @ graph @ sparse.diags(filled)
    graph = graph.tocsr()
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph
