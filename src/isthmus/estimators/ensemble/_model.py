"""The fitted model of the automatic method: one linear rule per domain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.fitted_model import FittedModel, array_per_domain
from isthmus.estimators.components.linear_models import softmax_memberships
from isthmus.estimators.ensemble._second_view import joined
from isthmus.matrices.engines import current_engine, is_distributed
from isthmus.matrices.rows import as_documents

__all__ = ["AutoModel"]


@dataclass(frozen=True, kw_only=True)
class AutoModel(FittedModel):
    """A linear rule per domain, fitted to the labels that the members agreed on.

    A new document has the columns of ``X`` followed by those of the second matrix, if there was
    one.
    """

    coef: Mapping[int, NDArray[Any]] = array_per_domain("classes", "terms")
    intercept: Mapping[int, NDArray[Any]] = array_per_domain("classes")
    second_coef: Mapping[int, NDArray[Any]] | None = array_per_domain(
        "classes", "second_terms", optional=True
    )
    """Weights of the columns of the second matrix; None if there was none."""

    @property
    def n_second(self) -> int:
        """Number of columns of the second matrix; 0 if there was none."""
        if self.second_coef is None:
            return 0
        return int(next(iter(self.second_coef.values())).shape[1])

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        coef = self.coef[domain]
        if self.second_coef is None:
            rows = joined(X, None)
        else:
            n_terms = coef.shape[1]
            rows = joined(X[:, :n_terms], X[:, n_terms:])
            coef = np.hstack([coef, self.second_coef[domain]])
        memberships = softmax_memberships(rows, coef, self.intercept[domain]).astype(X.dtype)
        memberships[_row_norms(rows) == 0] = 0
        return memberships

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef[n].T for n, totals in self.term_totals.items()}


def _row_norms(rows: Any) -> NDArray[Any]:
    if not is_distributed(rows):
        return np.asarray(as_documents(rows).row_norms())
    engine = current_engine()
    return engine.to_host(engine.documents(rows).row_norms())
