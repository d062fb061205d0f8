"""Features of documents in a space that all domains share, and linear rules that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.estimators.base.fitted_model import FittedModel, array
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.scaling import unit_rows

__all__ = ["FeatureFunction", "FeatureMap", "FeatureModel"]

# Number of documents whose features are computed at once.
_BLOCK_ROWS = 4096

FeatureFunction = Callable[[Documents], NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class FeatureMap:
    """Maps the documents of a domain to features, without labels.

    A subclass declares the arrays that it needs and implements ``feature_function`` and
    ``word_features``. Both return unscaled features ``z``; ``transform`` returns
    ``(z - feature_shift) * feature_scale``.
    """

    feature_shift: NDArray[np.float64] = array("features")
    feature_scale: NDArray[np.float64] = array("features", nonnegative=True)

    def feature_function(self, domain: int, dtype: Any) -> FeatureFunction:
        """A function from documents of a domain to their unscaled features, one row each.

        It is called once per block of documents, so large arrays should be computed before it is
        returned.
        """
        raise NotImplementedError  # pragma: no cover - every feature map defines it

    def word_features(self, domain: int) -> NDArray[Any]:
        """How much every word (row) adds to every unscaled feature (column) in a domain."""
        raise NotImplementedError  # pragma: no cover - every feature map defines it

    def read_documents(self, X: Any) -> Documents:
        """The documents as ``feature_function`` expects them; by default with unit-norm rows."""
        return unit_rows(as_documents(X))

    def unscaled_blocks(self, X: Any, domain: int) -> Iterator[NDArray[Any]]:
        """Unscaled features of the documents of a domain, one block of rows at a time."""
        function = self.feature_function(domain, X.dtype)
        for block in self.read_documents(X).row_blocks(_BLOCK_ROWS):
            yield function(block)

    def scaled_blocks(self, X: Any, domain: int) -> Iterator[NDArray[Any]]:
        """Scaled features of the documents of a domain, one block of rows at a time."""
        for block in self.unscaled_blocks(X, domain):
            yield np.asarray((block - self.feature_shift) * self.feature_scale, X.dtype)

    def transform(self, X: Any, domain: int) -> NDArray[Any]:
        """Scaled features of the documents of a domain."""
        return np.concatenate(list(self.scaled_blocks(X, domain)))


@dataclass(frozen=True, kw_only=True)
class FeatureModel(FittedModel, FeatureMap):
    """Linear rule on documents (unit-norm rows) and their scaled features.

    Class probabilities are the softmax of ``x @ coef.T + z @ feature_coef.T + intercept``.
    """

    coef: NDArray[Any] = array("classes", "terms")
    feature_coef: NDArray[Any] = array("classes", "features")
    intercept: NDArray[Any] = array("classes")

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        scores = np.asarray(unit_rows(as_documents(X)).times(self.coef.T))
        start = 0
        for features in self.scaled_blocks(X, domain):
            rows = slice(start, start + len(features))
            with one_blas_thread():
                scores[rows] += features @ self.feature_coef.T
            start = rows.stop
        return np.asarray(softmax(scores + self.intercept, axis=1), X.dtype)

    def word_weights(self) -> dict[int, NDArray[Any]]:
        weights = self.feature_coef * self.feature_scale
        return {
            number: totals[:, None] * (self.coef.T + self.word_features(number) @ weights.T)
            for number, totals in self.term_totals.items()
        }
