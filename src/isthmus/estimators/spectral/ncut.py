"""Normalised cut on the cosines of documents (Shi and Malik 2000; Ng, Jordan and Weiss 2002)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.estimators.base.scoped_clusterer import Found, ScopedClusterer
from isthmus.estimators.components.repeatable_kmeans import (
    nearest_center,
    random_places,
    repeatable_kmeans,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.solvers.spectral.ncut import normalized_cut, unit_length


class NormalizedCut(ScopedClusterer):
    """K-means on the leading eigenvectors of the documents' cosines (NCut in LSSMTC's paper).

    With the cosines of different documents as edges, ``A = X X' - I`` of unit rows, and its row
    sums ``D``, relaxes the cut of that graph into balanced parts: maximises
    ``tr U' D^-1/2 A D^-1/2 U`` over orthonormal ``U`` of ``n_clusters`` columns, scales the rows of
    ``U`` to length 1 and clusters them by K-means. (The paper takes a Gaussian kernel, and the best
    of seven widths by the true classes; a cosine has nothing to choose.)

    ``A`` is never formed: its eigenvectors come from products with ``X``. A new document gets its
    row of ``U`` by Nystrom's extension. Where a domain has values below 0, and so perhaps cosines,
    ``(1 + cosine) / 2`` takes their place. A document that shares no term with another goes into
    the largest cluster.

    Parameters
    ----------
    n_clusters : int, default=2
    scope : "domain" or "all", default="domain"
        Whether every domain is a graph by itself, or all are one. In the first case cluster numbers
        belong to a domain by itself: cluster 0 of one domain has nothing to do with cluster 0 of
        another.
    n_init : int, default=10
        How many starts of K-means; the best end counts.
    unit_rows : bool, default=True
        Whether documents are scaled to length 1; if not, ``A`` holds inner products instead of
        cosines, and values below 0 are refused.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        The cluster of every fitted document.
    projections_, offsets_ : dict
        By domain number, arrays of shape (n_terms, n_clusters) and (n_clusters,) that lead from a
        document to its row of ``U``, but for its length.
    cluster_centers_ : dict
        By domain number, an array of shape (n_clusters, n_clusters): the centres among such rows.
    domains_ : array of int
    n_clusters_ : int

    References
    ----------
    J. Shi, J. Malik. Normalized Cuts and Image Segmentation. IEEE Transactions on Pattern Analysis
    and Machine Intelligence 22, 2000. A. Y. Ng, M. I. Jordan, Y. Weiss. On Spectral Clustering:
    Analysis and an Algorithm. NIPS 2001.

    Examples
    --------
    >>> from isthmus import NormalizedCut
    >>> X = [[2, 0, 1], [3, 0, 0], [0, 4, 1], [1, 0, 2], [0, 0, 3], [0, 5, 0]]
    >>> NormalizedCut(scope="all", random_state=0).fit_predict(X).tolist()
    [0, 0, 1, 0, 0, 1]
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **ScopedClusterer._fitted_shapes,
        "cluster_centers_": "domain:kl",
        "projections_": "domain:ml",
        "offsets_": "domain:l",
    }

    projections_: dict[int, NDArray[Any]]
    offsets_: dict[int, NDArray[Any]]

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        scope: str = "domain",
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.scope = scope
        self.n_init = n_init
        self.unit_rows = unit_rows
        self.random_state = random_state

    def _cluster_part(self, X: Any, generator: np.random.Generator) -> Found:
        signed = X.min() < 0
        if signed and not self.unit_rows:
            raise ValueError(
                "X holds values below 0, so inner products may be negative, which no graph can "
                "have as an edge: leave unit_rows=True."
            )
        start = generator.standard_normal(X.shape[1] + 1)
        places = random_places(X, generator)
        # (1 + cosine) / 2 is half the inner product of documents that have one more term in common.
        lifted = _with_common_term(X) if signed else X
        cut = normalized_cut(as_documents(lifted), self.n_clusters, start[: lifted.shape[1]])
        linked = np.flatnonzero(cut.coordinates.any(axis=1))
        linked = linked if len(linked) else np.arange(X.shape[0])
        clusters = repeatable_kmeans(
            self._with_all_columns(cut.coordinates[linked], X.dtype),
            self.n_clusters,
            generator,
            places=places[linked],
            n_init=self.n_init,
        )
        labels = np.zeros(X.shape[0], np.intp)
        labels[linked] = clusters.labels
        projection = self._with_all_columns(cut.projection, X.dtype)
        offset = projection[-1] if signed else np.zeros(self.n_clusters, X.dtype)
        fitted = {
            "cluster_centers_": clusters.centers,
            "projections_": projection[: X.shape[1]],
            "offsets_": offset,
        }
        return labels, fitted

    def _with_all_columns(self, rows: NDArray[Any], dtype: Any) -> NDArray[Any]:
        """As many columns as clusters: where there are fewer eigenvectors, the others are zeros."""
        missing = self.n_clusters - rows.shape[1]
        return np.pad(rows, ((0, 0), (0, missing))).astype(dtype)

    def _new_labels(self, X: Any, number: int) -> NDArray[np.intp]:
        with one_thread():
            rows = self._prepared(X) @ self.projections_[number] + self.offsets_[number]
        rows = unit_length(np.asarray(rows))
        labels = nearest_center(rows, self.cluster_centers_[number])
        return np.where(rows.any(axis=1), labels, 0)


def _with_common_term(X: Any) -> Any:
    column = np.ones((X.shape[0], 1), X.dtype)
    if sparse.issparse(X):
        return sparse.hstack([X, column], format="csr", dtype=X.dtype)
    return np.hstack([X, column])
