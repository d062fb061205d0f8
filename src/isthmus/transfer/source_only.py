"""The source-only classifier, with which every result is compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from isthmus.estimators.base.training_data import TrainingData

__all__ = ["fit_source_only"]


def fit_source_only(
    estimator: Any, data: TrainingData, y: NDArray[Any], sample_domain: NDArray[np.int64]
) -> Any:
    """Return the classifier of the sources alone, on unit-norm rows.

    That of a fitted automatic method is reused, unless it was fitted to labels of a target too.
    There is no warning about its result, because it would be read as one about the method.
    """
    from isthmus.estimators.ensemble._combination import make_source_only
    from isthmus.matrices.rows import with_unit_rows

    if hasattr(estimator, "source_only_") and not data.has_target_labels:
        return estimator.source_only_
    source_only = make_source_only()
    if data.has_target_labels:
        hidden = _labels_of_sources(y, sample_domain)
        data = source_only._read_training_data(data.X, hidden, sample_domain)
    words = data.with_documents(with_unit_rows(data.X))
    source_only._fit_data(words, None, check_result=False)
    # New documents are scaled to unit norm too.
    model = replace(source_only.model_, unit_norm=True)  # type: ignore[call-arg]
    source_only._set_model(source_only.fitted_domains_, model, source_only.n_features_in_)
    return source_only


def _labels_of_sources(y: NDArray[Any], sample_domain: NDArray[np.int64]) -> NDArray[Any]:
    """The labels without those of targets, unless the sources have only one class."""
    hidden = y.copy()
    hidden[sample_domain < 0] = None
    return hidden if len({label for label in hidden if label is not None}) > 1 else y
