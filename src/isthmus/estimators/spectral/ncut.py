"""NCut, the normalized cut (Shi and Malik 2000; Ng, Jordan and Weiss 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.estimators.base.clusterer import GroupFit, GroupModel, ScopedClusterer
from isthmus.estimators.base.fitted_model import array
from isthmus.estimators.components.repeatable_kmeans import (
    nearest_center,
    random_projections,
    repeatable_kmeans,
)
from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.solvers.spectral.ncut import normalized_cut, unit_norm_rows


@dataclass(frozen=True, kw_only=True)
class CutModel(GroupModel):
    """A linear map to the eigenvectors, and the cluster centers there."""

    cluster_centers: NDArray[Any] = array("clusters", "eigenvectors")
    projections: NDArray[Any] = array("terms", "eigenvectors")
    offsets: NDArray[Any] = array("eigenvectors")

    def predict_labels(self, X: Any) -> NDArray[np.intp]:
        with one_thread():
            rows = X @ self.projections + self.offsets
        rows = unit_norm_rows(np.asarray(rows))
        labels = nearest_center(rows, self.cluster_centers)
        # Cluster 0 is the largest.
        return np.where(rows.any(axis=1), labels, 0)


class NormalizedCut(ScopedClusterer):
    """K-means on the leading eigenvectors of the cosine similarities (NCut in LSSMTC's paper).

    The graph has the cosines of different documents as edges: ``A = X X' - I`` for unit-norm rows,
    with row sums ``D``. The relaxed cut of this graph into balanced parts maximizes
    ``tr U' D^-1/2 A D^-1/2 U`` over orthonormal ``U`` with ``n_clusters`` columns. The rows of
    ``U`` are scaled to unit norm and clustered by K-means. (The paper uses a Gaussian kernel and
    chooses the best of seven widths by the true classes. The cosine has no parameter.)

    ``A`` is never formed: its eigenvectors are computed from products with ``X``. A new document
    gets its row of ``U`` by the Nyström extension. If a group of documents has negative values,
    ``(1 + cosine) / 2`` replaces the cosine. A document that shares no term with another document
    is assigned to the largest cluster.

    Parameters
    ----------
    unit_rows : bool, default=True
        Whether rows are scaled to unit norm. If not, ``A`` holds inner products instead of
        cosines, and negative values raise an error.

    Attributes
    ----------
    projections_ : dict of domain number to array of shape (n_terms, n_clusters)
        Linear map of a document to its row of ``U``, before that is scaled to unit norm.
    offsets_ : dict of domain number to array of shape (n_clusters,)
        What is added to the result of the map.
    cluster_centers_ : dict of domain number to array of shape (n_clusters, n_clusters)
        Centers among the rows of ``U``.

    References
    ----------
    J. Shi, J. Malik. Normalized Cuts and Image Segmentation. IEEE Transactions on Pattern Analysis
    and Machine Intelligence 22, 2000.

    A. Y. Ng, M. I. Jordan, Y. Weiss. On Spectral Clustering: Analysis and an Algorithm. NIPS 2001.

    Examples
    --------
    >>> from isthmus import NormalizedCut
    >>> X = [[2, 0, 1], [3, 0, 0], [0, 4, 1], [1, 0, 2], [0, 0, 3], [0, 5, 0]]
    >>> NormalizedCut(scope="all", random_state=0).fit_predict(X).tolist()
    [0, 0, 1, 0, 0, 1]
    """

    def _cluster_group(self, X: Any, generator: np.random.Generator) -> GroupFit:
        signed = X.min() < 0
        if signed and not self.unit_rows:
            raise ValueError(
                "X has negative values, so inner products may be negative and cannot be edges of a "
                "graph: set unit_rows=True."
            )
        start = generator.standard_normal(X.shape[1] + 1)
        places = random_projections(X, generator)
        # With one more term of weight 1 in every document, the inner product is 1 + cosine.
        lifted = _with_common_term(X) if signed else X
        cut = normalized_cut(as_documents(lifted), self.n_clusters, start[: lifted.shape[1]])
        linked = np.flatnonzero(cut.coordinates.any(axis=1))
        linked = linked if len(linked) else np.arange(X.shape[0])
        clusters = repeatable_kmeans(
            self._with_all_columns(cut.coordinates[linked], X.dtype),
            self.n_clusters,
            generator,
            projections=places[linked],
            n_init=self.n_init,
        )
        labels = np.zeros(X.shape[0], np.intp)
        labels[linked] = clusters.labels
        projection = self._with_all_columns(cut.projection, X.dtype)
        offset = projection[-1] if signed else np.zeros(self.n_clusters, X.dtype)
        model = CutModel(
            cluster_centers=clusters.centers,
            projections=projection[: X.shape[1]],
            offsets=offset,
        )
        return GroupFit(labels, model)

    def _with_all_columns(self, rows: NDArray[Any], dtype: Any) -> NDArray[Any]:
        """The rows with columns of zeros added if there are fewer eigenvectors than clusters."""
        missing = self.n_clusters - rows.shape[1]
        return np.pad(rows, ((0, 0), (0, missing))).astype(dtype)


def _with_common_term(X: Any) -> Any:
    column = np.ones((X.shape[0], 1), X.dtype)
    if sparse.issparse(X):
        return sparse.hstack([X, column], format="csr", dtype=X.dtype)
    return np.hstack([X, column])
