"""How target-like source documents are, by any of the ways that CovariateShift knows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from isthmus.estimators.components.repeatable_kmeans import random_places
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.truncated_svd import truncated_svd
from isthmus.solvers.reweighting._kliep import kliep_ratio
from isthmus.solvers.reweighting.covariate_shift import folds_by_place, kernel_density_ratio

__all__ = ["RATIOS", "source_log_ratios"]

#: Where ratios of densities come from.
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
    """``log p_t / p_s`` of rows ``source``."""
    with one_thread():
        places = random_places(documents, np.random.default_rng(0))
    if ratio == "classifier":
        return _judged_domains(documents, in_target, source, places, C)
    found = truncated_svd(as_documents(documents), n_components, np.random.default_rng(0))
    coordinates = found.coordinates.astype(np.float64)
    there, target = coordinates[~in_target], coordinates[in_target]
    if ratio == "kliep":
        log_ratios = kliep_ratio(there, target, places[in_target]).log_ratios
    else:
        both = places[~in_target], places[in_target]
        log_ratios = kernel_density_ratio(there, target, *both).log_ratios
    return log_ratios[np.searchsorted(np.flatnonzero(~in_target), source)]


def _judged_domains(
    documents: Any,
    in_target: NDArray[np.bool_],
    source: NDArray[np.intp],
    places: NDArray[np.float64],
    C: float,
) -> NDArray[np.float64]:
    """Log ratios of source rows, each by a classifier of domains that has not seen it."""
    folds = folds_by_place(places, _FOLDS)
    log_ratios = np.zeros(len(source))
    for fold in np.unique(folds[source]).tolist():
        asked = np.flatnonzero(folds[source] == fold)
        seen = np.flatnonzero(folds != fold)
        n_target = int(in_target[seen].sum())
        n_source = len(seen) - n_target
        if n_target == 0 or n_source == 0:
            continue  # nothing to tell apart: documents of a mean weight
        with one_thread():
            model = LogisticRegression(C=C, max_iter=300).fit(documents[seen], in_target[seen])
            decided = model.decision_function(documents[source[asked]])
        log_ratios[asked] = decided + np.log(n_source / n_target)
    return log_ratios
