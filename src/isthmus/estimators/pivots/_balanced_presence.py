"""Presence of terms, divided by the roots of document and term sizes; PJNMF factorizes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.estimators.components.idf import document_frequency
from isthmus.kernels.plain.documents import row_block
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import canonical
from isthmus.numerics.derived_documents import inverse_sqrt

# A term must occur in this many documents, or in one in this many of a small collection.
_MIN_DF, _DOCUMENTS_PER_MIN_DF = 20, 20


def term_balance(X: Any, pivots: NDArray[np.intp]) -> NDArray[Any]:
    """Weights of the terms: document frequency to the power of -1/2.

    Terms that are too rare get 0, unless they are pivots.
    """
    frequency = document_frequency(X)
    used = frequency >= max(1, min(_MIN_DF, X.shape[0] // _DOCUMENTS_PER_MIN_DF))
    used[pivots] = True
    return (used * inverse_sqrt(frequency)).astype(X.dtype)


def balanced_presence(
    X: Any, term_scale: NDArray[Any], terms: NDArray[np.intp] | None = None
) -> Documents:
    """Presence of terms, times ``term_scale``, divided by the root of the document's size.

    With ``terms`` only these columns are returned; they must include all columns with a nonzero
    scale.
    """
    present = _presence(X)
    if terms is not None:
        present, term_scale = canonical(present[:, terms]), term_scale[terms]
    engine = current_engine()
    documents, xp = engine.documents(present), engine.xp
    used = engine.asarray((term_scale > 0).astype(term_scale.dtype))
    sizes = documents.scaled(columns=used).row_sums()
    filled = sizes > 0
    row_scale = xp.where(filled, xp.where(filled, sizes, 1.0) ** -0.5, 0.0)
    return documents.scaled(rows=row_scale, columns=engine.asarray(term_scale))


def _presence(X: Any) -> Any:
    """Ones where the matrix is not zero; a sparse result shares the index arrays of ``X``."""
    if not sparse.issparse(X):
        return (X != 0).astype(X.dtype)
    return row_block((X.data != 0).astype(X.dtype), X.indices, X.indptr, 0, *X.shape)
