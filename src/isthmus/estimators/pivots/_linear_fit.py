"""The linear classifier of labeled documents and their features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.domains.model import Domain
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    fit_linear_blocks,
    linear_model,
    one_row_per_class,
    uses_sklearn,
    with_unit_norm,
)
from isthmus.estimators.pivots._feature_model import FeatureMap
from isthmus.matrices.protocols import Array, Documents
from isthmus.matrices.rows import unit_rows_of, with_narrow_indices
from isthmus.matrices.threads import one_thread
from isthmus.numerics.derived_documents import SideBySide


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
