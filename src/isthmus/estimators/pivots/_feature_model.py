"""Features of documents in a space that all domains share, and linear rules fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from isthmus.domains.model import Domain
from isthmus.estimators.base.fitted_model import FittedModel, array
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    fit_linear_blocks,
    linear_model,
    one_row_per_class,
    uses_sklearn,
    with_unit_norm,
)
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.matrices.rows import unit_rows_of, with_narrow_indices
from isthmus.matrices.threads import one_thread
from isthmus.numerics.derived_documents import SideBySide

# Number of documents whose features are computed at once: on the CPU few enough to stay in the
# cache, on another device enough to use all of it.
_BLOCK_ROWS, _DEVICE_BLOCK_ROWS = 4096, 131_072

FeatureFunction = Callable[[Documents], Array]


@dataclass(frozen=True, kw_only=True)
class FeatureMap:
    """Maps the documents of a domain to features, without labels.

    A subclass declares the arrays that it needs and implements ``feature_function`` and
    ``word_features``. Both return unscaled features ``z``; ``transform`` returns
    ``(z - feature_shift) * feature_scale``.
    """

    feature_shift: NDArray[np.float64] = array("features")
    feature_scale: NDArray[np.float64] = array("features", nonnegative=True)

    def feature_function(self, domain: int, engine: Engine, dtype: Any) -> FeatureFunction:
        """A function from documents of a domain to their unscaled features, one row each.

        It is called once per block of documents, so large arrays should be computed, and moved to
        the engine, before it is returned.
        """
        raise NotImplementedError  # pragma: no cover - every feature map defines it

    def word_features(self, domain: int) -> NDArray[Any]:
        """How much every word (row) adds to every unscaled feature (column) in a domain."""
        raise NotImplementedError  # pragma: no cover - every feature map defines it

    def read_documents(self, X: Any, documents: Documents | None = None) -> Documents:
        """The documents as ``feature_function`` expects them; by default with unit-norm rows.

        ``documents`` are the rows of ``X`` on the engine, if they are there already.
        """
        return (current_engine().documents(X) if documents is None else documents).unit_rows()

    def unscaled_blocks(self, documents: Documents, domain: int) -> Iterator[Array]:
        """Unscaled features of documents that were read, one block of rows at a time."""
        engine = documents.engine
        function = self.feature_function(domain, engine, documents.dtype)
        for block in documents.row_blocks(_block_rows(engine)):
            yield function(block)

    def scaled_blocks(self, documents: Documents, domain: int) -> Iterator[Array]:
        """Scaled features of documents that were read, one block of rows at a time."""
        shift = documents.engine.asarray(self.feature_shift)
        scale = documents.engine.asarray(self.feature_scale)
        for block in self.unscaled_blocks(documents, domain):
            yield ((block - shift) * scale).astype(documents.dtype, copy=False)

    def scaled_features(self, documents: Documents, domain: int) -> Array:
        """Scaled features of documents that were read."""
        return documents.engine.xp.concatenate(list(self.scaled_blocks(documents, domain)))

    def transform(self, X: Any, domain: int) -> NDArray[Any]:
        """Scaled features of the documents of a domain."""
        documents = self.read_documents(X)
        to_host = documents.engine.to_host
        return np.concatenate([to_host(b) for b in self.scaled_blocks(documents, domain)])


def _block_rows(engine: Engine) -> int:
    return _BLOCK_ROWS if engine.name == "cpu" else _DEVICE_BLOCK_ROWS


@dataclass(frozen=True, kw_only=True)
class FeatureModel(FittedModel, FeatureMap):
    """Linear rule on documents (unit-norm rows) and their scaled features.

    Class probabilities are the softmax of ``x @ coef.T + z @ feature_coef.T + intercept``.
    """

    coef: NDArray[Any] = array("classes", "terms")
    feature_coef: NDArray[Any] = array("classes", "features")
    intercept: NDArray[Any] = array("classes")

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        documents = current_engine().documents(X)
        return self.memberships_of(documents, self.read_documents(X, documents), domain)

    def memberships_of(self, documents: Documents, read: Documents, domain: int) -> NDArray[Any]:
        """Class probabilities of documents, given also as ``read_documents`` returns them."""
        engine = documents.engine
        coef = engine.asarray(np.ascontiguousarray(self.coef.T), documents.dtype)
        scores = documents.unit_rows().times(coef)
        start = 0
        for features in self.scaled_blocks(read, domain):
            rows = slice(start, start + len(features))
            scores[rows] += engine.product(features, self.feature_coef.T)
            start = rows.stop
        probabilities = softmax(engine.to_host(scores) + self.intercept, axis=1)
        return np.asarray(probabilities, documents.dtype)

    def word_weights(self) -> dict[int, NDArray[Any]]:
        weights = self.feature_coef * self.feature_scale
        return {
            number: totals[:, None] * (self.coef.T + self.word_features(number) @ weights.T)
            for number, totals in self.term_totals.items()
        }


def fit_linear(
    kind: str,
    C: float,
    features: FeatureMap,
    data: TrainingData,
    read: Mapping[int, Documents],
    *,
    include_input: bool,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Coefficients (one row per class) and intercepts of a classifier of the labeled rows.

    Its columns are the terms of unit-norm rows, if ``include_input``, then the scaled features.
    ``read`` are the documents as the features need them, by domain number.
    """
    by_sklearn = uses_sklearn(data.engine, data.problem.n_labeled)
    fit = _fit_sklearn if by_sklearn else _fit_on_engine
    return one_row_per_class(*fit(kind, C, features, data, read, include_input))


def _fit_sklearn(
    kind: str,
    C: float,
    features: FeatureMap,
    data: TrainingData,
    read: Mapping[int, Documents],
    include_input: bool,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The classifier of scikit-learn."""
    X, labels = data.X, data.problem.labels
    known = np.flatnonzero(labels >= 0)
    inputs: Any = np.empty((len(known), len(features.feature_scale)), X.dtype)
    positions = np.arange(data.problem.n_rows)
    for domain, block in _labeled_features(features, data, read):
        inputs[np.searchsorted(known, positions[domain.rows][domain.labeled])] = block
    if include_input:
        documents = unit_rows_of(X, known)
        inputs = (
            sparse.hstack([documents, sparse.csr_matrix(inputs)], format="csr")
            if sparse.issparse(documents)
            else np.hstack([documents, inputs])
        )
    with one_thread():
        linear = linear_model(kind, C)
        linear.fit(with_narrow_indices(inputs), labels[known])
    return linear.coef_, linear.intercept_


def _fit_on_engine(
    kind: str,
    C: float,
    features: FeatureMap,
    data: TrainingData,
    read: Mapping[int, Documents],
    include_input: bool,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same classifier by products with the documents, which stay on the engine."""
    inputs: list[Any] = []
    labels = []
    for domain, block in _labeled_features(features, data, read):
        documents = None
        if include_input:
            documents = _labeled_rows(with_unit_norm(domain.documents), domain)
        inputs.append(SideBySide(documents, block, data.engine))
        labels.append(domain.labels[domain.labeled])
    fit = fit_linear_blocks(kind, inputs, labels, data.problem.n_classes, C=C)
    return fit.coef, fit.intercept


def _labeled_features(
    features: FeatureMap, data: TrainingData, read: Mapping[int, Documents]
) -> Iterator[tuple[Domain, Array]]:
    """Scaled features of the labeled rows, on the engine, of every domain that has some."""
    for domain in data.problem.domains:
        if domain.labeled.any():
            documents = _labeled_rows(read[domain.number], domain)
            yield domain, features.scaled_features(documents, domain.number)


def _labeled_rows(documents: Documents, domain: Domain) -> Documents:
    if domain.labeled.all():
        return documents
    return documents.take_rows(np.flatnonzero(domain.labeled))
