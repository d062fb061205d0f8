"""Documents as topics are made of them: the presence of terms, with sizes balanced."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.estimators.components.idf import document_frequency
from isthmus.matrices.conversion import as_documents, canonical, row_block
from isthmus.matrices.protocols import Documents
from isthmus.numerics.scaling import inverse_root

# A term of a topic stands in so many documents, or one in so many of a small collection.
_LEAST_DF, _LEAST_SHARE = 20, 20


def term_balance(X: Any, pivots: NDArray[np.intp]) -> NDArray[Any]:
    """What the presence of a term counts: its document frequency to the power of -1/2.

    0 for a term that is too rare for a topic, unless it is a pivot.
    """
    frequency = document_frequency(X)
    enough = frequency >= max(1, min(_LEAST_DF, X.shape[0] // _LEAST_SHARE))
    enough[pivots] = True
    return (enough * inverse_root(frequency)).astype(X.dtype)


def balanced_presence(
    X: Any, term_scale: NDArray[Any], terms: NDArray[np.intp] | None = None
) -> Documents:
    """Which terms a document holds, divided by the roots of its size and of theirs.

    Of all terms, or with the columns of some alone, which have to be all that count.
    """
    present = _presence(X)
    if terms is not None:
        present, term_scale = canonical(present[:, terms]), term_scale[terms]
    documents = as_documents(present)
    sizes = documents.scaled(columns=term_scale > 0).row_sums()
    return documents.scaled(rows=inverse_root(sizes), columns=term_scale)


def _presence(X: Any) -> Any:
    """Ones where the matrix is not zero; the places of a sparse one are shared."""
    if not sparse.issparse(X):
        return (X != 0).astype(X.dtype)
    return row_block((X.data != 0).astype(X.dtype), X.indices, X.indptr, 0, *X.shape)
