"""How well a linear classifier tells source from target: the proxy A-distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from isthmus.bench.documents.problems import Problem

__all__ = ["domain_distance", "proxy_a_distance"]

_SEED = 0


def domain_distance(
    estimator: Any, problem: Problem, X: sparse.csr_matrix | np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """The distance by the features that a method learns, or by its input if it learns none."""
    learns = hasattr(estimator, "transform")
    seen = estimator.transform(X, sample_domain=problem.sample_domain) if learns else X
    return {"a_distance": round(proxy_a_distance(seen, problem.sample_domain < 0), 6)}


def proxy_a_distance(
    X: sparse.csr_matrix | np.ndarray, is_target: np.ndarray, seed: int = _SEED
) -> float:
    """Twice 1 - 2 e, where e is the error of a linear SVM in telling two domains apart.

    It learns from one half of either domain and is tested on the other. Rows have length 1, so
    that features of any scale are treated alike, and e is the mean of the errors of both
    domains, so that 0 is chance however large each of them is.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_features)
    is_target : array of bool of shape (n_rows,)
    seed : int
        Draws the halves.

    Returns
    -------
    float
        From 2, for domains that are told apart without error, down to about 0.
    """
    from sklearn.model_selection import train_test_split
    from sklearn.svm import LinearSVC

    from isthmus.matrices.rows import with_narrow_indices, with_unit_rows

    taught, tested = train_test_split(
        np.arange(len(is_target)), test_size=0.5, random_state=seed, stratify=is_target
    )
    documents = with_unit_rows(with_narrow_indices(X))
    model = LinearSVC(dual=False, class_weight="balanced")
    model.fit(documents[taught], is_target[taught])
    wrong = model.predict(documents[tested]) != is_target[tested]
    errors = [wrong[is_target[tested] == side].mean() for side in (False, True)]
    return float(2 * (1 - 2 * np.mean(errors)))
