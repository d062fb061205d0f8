"""Density ratios between the domains, by the estimates that CovariateShift offers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.truncated_svd import truncated_svd
from isthmus.solvers.reweighting._kliep import kliep_ratio
from isthmus.solvers.reweighting.covariate_shift import folds_by_projection, kernel_density_ratio

__all__ = ["RATIOS", "source_log_ratios"]

#: Names of the density ratio estimates.
RATIOS = ("classifier", "kliep", "kde")
_FOLDS = 5


def source_log_ratios(
    documents: Any,
    in_target: NDArray[np.bool_],
    source: NDArray[np.intp],
    *,
    ratio: str,
    C: float,
    n_components: int,
) -> NDArray[np.float64]:
    """``log p_t(x) / p_s(x)`` of the rows ``source``."""
    with one_thread():
        projections = random_projections(documents, np.random.default_rng(0))
    if ratio == "classifier":
        return _classifier_log_ratios(documents, in_target, source, projections, C)
    svd = truncated_svd(as_documents(documents), n_components, np.random.default_rng(0))
    coordinates = svd.coordinates.astype(np.float64)
    both = coordinates[~in_target], coordinates[in_target]
    if ratio == "kliep":
        log_ratios = kliep_ratio(*both, projections[in_target]).log_ratios
    else:
        of_source, of_target = projections[~in_target], projections[in_target]
        log_ratios = kernel_density_ratio(*both, of_source, of_target).log_ratios
    return log_ratios[np.searchsorted(np.flatnonzero(~in_target), source)]


def _classifier_log_ratios(
    documents: Any,
    in_target: NDArray[np.bool_],
    source: NDArray[np.intp],
    projections: NDArray[np.float64],
    C: float,
) -> NDArray[np.float64]:
    """Log ratios of source rows, each from a domain classifier that was not trained on it."""
    folds = folds_by_projection(projections, _FOLDS)
    log_ratios = np.zeros(len(source))
    for fold in np.unique(folds[source]).tolist():
        test = np.flatnonzero(folds[source] == fold)
        training = np.flatnonzero(folds != fold)
        n_target = int(in_target[training].sum())
        n_source = len(training) - n_target
        if n_target == 0 or n_source == 0:
            continue  # with one domain only, the log ratio stays 0
        with one_thread():
            model = LogisticRegression(C=C, max_iter=300)
            model.fit(documents[training], in_target[training])
            decisions = model.decision_function(documents[source[test]])
        log_ratios[test] = decisions + np.log(n_source / n_target)
    return log_ratios
