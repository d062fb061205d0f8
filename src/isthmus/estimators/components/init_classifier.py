"""The classifier of the labeled rows that initializes a method."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from isthmus.domains.model import Problem
from isthmus.estimators.components.linear_models import (
    fit_linear_blocks,
    labeled_blocks,
    one_row_per_class,
    softmax_of_documents,
    uses_sklearn,
    with_unit_norm,
)
from isthmus.estimators.components.parameters import check_classifier
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.rows import unit_rows_of
from isthmus.matrices.threads import one_thread
from isthmus.solvers.linear.logistic import LinearFit

# Rows per prediction, because each prediction copies its rows.
_BLOCK = 20_000


def probabilities(classifier: Any, X: Any) -> NDArray[Any]:
    """``predict_proba``, or the softmax of the decision values if there is none."""
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(X))
    decision = np.asarray(classifier.decision_function(X))
    if decision.ndim == 1:
        decision = np.column_stack([np.zeros_like(decision), decision])
    return np.asarray(softmax(decision, axis=1))


#: Initial classifiers by name.
INIT_CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(C=1.0, max_iter=300),
    "complement_nb": ComplementNB,
}


def check_init_classifier(classifier: Any) -> None:
    """Raise ValueError unless it is a known name or an estimator."""
    check_classifier("init_classifier", classifier, tuple(INIT_CLASSIFIERS))


def predict_initial_memberships(
    problem: Problem, X: Any, classifier: Any, shared: dict[Any, Any]
) -> list[NDArray[Any]]:
    """Class probabilities of the unlabeled rows, from a classifier of the labeled rows.

    Returns one array per domain. Labeled rows get zeros. ``shared`` keeps the fitted classifier
    and its probabilities for other methods that are fitted on the same data.
    """
    named = isinstance(classifier, str)
    key = ("initial memberships", classifier)
    if named and key in shared:
        return [memberships.copy() for memberships in shared[key]]
    if named and classifier == "logistic" and not _is_fitted_by_sklearn(problem):
        memberships = _predict_on_engine(problem, X.dtype, shared)
    elif is_distributed(X):
        raise ValueError(
            f"init_classifier={classifier!r} is fitted by scikit-learn, which does not run on "
            "Dask: use 'logistic'."
        )
    else:
        memberships = _predict_by_sklearn(problem, X, classifier, shared)
    if named:
        shared[key] = [part.copy() for part in memberships]
    return memberships


def _is_fitted_by_sklearn(problem: Problem) -> bool:
    return uses_sklearn(problem.domains[0].documents.engine, problem.n_labeled)


def _predict_on_engine(problem: Problem, dtype: Any, shared: dict[Any, Any]) -> list[NDArray[Any]]:
    memberships = [
        np.zeros((len(domain.labels), problem.n_classes), dtype) for domain in problem.domains
    ]
    domains_to_predict = [i for i, domain in enumerate(problem.domains) if not domain.labeled.all()]
    if not domains_to_predict:
        return memberships
    fit = fit_logistic_on_engine(problem, 300, shared)
    rule = one_row_per_class(fit.coef, fit.intercept)
    for i in domains_to_predict:
        domain = problem.domains[i]
        memberships[i] = softmax_of_documents(with_unit_norm(domain.documents), *rule, dtype)
        memberships[i][domain.labeled] = 0
    return memberships


def _predict_by_sklearn(
    problem: Problem, X: Any, classifier: Any, shared: dict[Any, Any]
) -> list[NDArray[Any]]:
    named, labels = isinstance(classifier, str), problem.labels
    known, unknown = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    predicted = np.zeros((problem.n_rows, problem.n_classes), X.dtype)
    if len(unknown):
        # A classifier of the user may change its input, which may share memory with X.
        rows_of = partial(unit_rows_of, copied=not named)
        with one_thread() if named else nullcontext():
            if classifier == "logistic":
                model = fit_logistic(rows_of(X, known), labels[known], 300, shared)
            else:
                model = INIT_CLASSIFIERS[classifier]() if named else clone(classifier)
                model.fit(rows_of(X, known), labels[known])
            for start in range(0, len(unknown), _BLOCK):
                rows = unknown[start : start + _BLOCK]
                predicted[rows] = probabilities(model, rows_of(X, rows))
    return [predicted[domain.rows] for domain in problem.domains]


def fit_logistic_on_engine(problem: Problem, max_iter: int, shared: dict[Any, Any]) -> LinearFit:
    """The same as :func:`fit_logistic`, on the engine of the documents."""
    fit: LinearFit | None = shared.get("logistic on engine")
    if fit is None or not fit.converged:
        blocks, labels = labeled_blocks(problem)
        blocks = [with_unit_norm(block) for block in blocks]
        fit = fit_linear_blocks("logistic", blocks, labels, problem.n_classes, max_iter=max_iter)
        shared["logistic on engine"] = fit
    return fit


def fit_logistic(
    X: Any, labels: NDArray[np.intp], max_iter: int, shared: dict[Any, Any]
) -> LogisticRegression:
    """Logistic regression with C=1 on the labeled unit-norm rows, fitted once per ``shared``."""
    model = shared.get("logistic")
    # The fit is reused if the limit of iterations would not have changed it.
    if model is None or int(np.max(model.n_iter_)) >= max_iter:
        model = LogisticRegression(C=1.0, max_iter=max_iter).fit(X, labels)
        shared["logistic"] = model
    return model
