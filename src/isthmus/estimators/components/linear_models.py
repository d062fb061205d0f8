"""Linear classifiers with one row of weights per class, and their calibration.

On the CPU scikit-learn fits them to few documents. Otherwise the solvers of ``solvers/linear`` do,
and the documents stay on their engine: only results with one row per class or per document are
NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB
from sklearn.svm import LinearSVC

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_classifier
from isthmus.matrices.engines import current_engine, is_distributed
from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.matrices.rows import unit_rows_of, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.class_probabilities import most_likely_scale, scale_to_confidence
from isthmus.solvers.linear.logistic import LinearFit, logistic_regression
from isthmus.solvers.linear.squared_hinge import squared_hinge_svm

# Engines on which scikit-learn fits linear classifiers.
_SKLEARN_ENGINES: tuple[str, ...] = ("cpu",)
# From this many rows on, the CPU uses ``solvers/linear`` too, so that methods begin alike on every
# engine. Logistic regression and self-training are faster with it; a single SVM may take twice as
# long as liblinear (benchmarks/studies/linear_classifiers.md).
_MANY_ROWS = 25_000
# Norms that differ from 1 by less count as 1.
_UNIT_TOLERANCE = 1e-4
# Rows per prediction, because each prediction copies its rows.
_BLOCK = 20_000


def uses_sklearn(engine: Engine, n_rows: int) -> bool:
    """Whether scikit-learn fits a classifier to this many rows."""
    return engine.name in _SKLEARN_ENGINES and n_rows < _MANY_ROWS


def labeled_blocks(problem: Problem) -> tuple[list[Documents], list[NDArray[np.intp]]]:
    """Documents and labels of the labeled rows, one block per domain that has some."""
    blocks, labels = [], []
    for domain in problem.domains:
        known = domain.labeled
        if known.any():
            blocks.append(rows_where(domain.documents, known))
            labels.append(domain.labels[known])
    return blocks, labels


def rows_where(documents: Documents, chosen: NDArray[np.bool_]) -> Documents:
    """The chosen documents; the same object if all are."""
    return documents if chosen.all() else documents.take_rows(np.flatnonzero(chosen))


def have_unit_norm(blocks: Sequence[Documents]) -> bool:
    """Whether all rows that are not empty have unit norm."""
    for block in blocks:
        norms, xp = block.row_norms(), block.engine.xp
        if bool(((norms > 0) & (xp.abs(norms - 1) > _UNIT_TOLERANCE)).any()):
            return False
    return True


def with_unit_norm(documents: Documents) -> Documents:
    """Documents of unit norm; the same object if they have it already."""
    return documents if have_unit_norm([documents]) else documents.unit_rows()


def fit_linear_blocks(
    kind: str,
    blocks: Sequence[Documents],
    labels: Sequence[NDArray[np.intp]],
    n_classes: int,
    *,
    C: float = 1.0,
    max_iter: int = 100,
    class_weight: NDArray[Any] | None = None,
) -> LinearFit:
    """Fit "svm" or "logistic" to blocks of documents on their engine.

    ``labels`` has a class number for every row of a block. The objective is that of
    :func:`linear_model`; ``class_weight`` has one weight per class, as in scikit-learn.
    """
    if kind == "svm":
        return squared_hinge_svm(
            blocks, labels, n_classes, C=C, max_iter=max_iter, class_weight=class_weight
        )
    weights = None if class_weight is None else [class_weight[codes] for codes in labels]
    return logistic_regression(
        blocks, labels, n_classes, C=C, max_iter=max_iter, sample_weight=weights
    )


def linear_scores(documents: Documents, coef: NDArray[Any], intercept: NDArray[Any]) -> Array:
    """Scores of documents on their engine, in float64: one column per row of ``coef``."""
    engine = documents.engine
    weights = engine.asarray(np.ascontiguousarray(coef.T), documents.dtype)
    return documents.times(weights).astype(np.float64) + engine.asarray(intercept, np.float64)


def softmax_of_documents(
    documents: Documents, coef: NDArray[Any], intercept: NDArray[Any], dtype: Any = np.float64
) -> NDArray[Any]:
    """Class probabilities of documents as a NumPy array: the softmax of the linear scores."""
    scores = linear_scores(documents, coef, intercept)
    powers = documents.engine.xp.exp(scores - scores.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    return documents.engine.to_host(powers.astype(dtype, copy=False))


def linear_model(kind: str, C: float) -> Any:
    """An unfitted linear classifier: "svm" or "logistic"."""
    if kind == "logistic":
        return LogisticRegression(C=C, max_iter=1000)
    # The primal solver of liblinear draws no random order of the rows.
    return LinearSVC(C=C, dual=False, max_iter=1000)


def one_row_per_class(
    coef: NDArray[Any], intercept: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Coefficients with one row per class; scikit-learn has a single row for two classes.

    Minus half and plus half of the row give the same probabilities by softmax.
    """
    if len(coef) > 1:
        return coef, intercept
    return np.vstack([-coef, coef]) / 2, np.concatenate([-intercept, intercept]) / 2


def softmax_memberships(
    X: Any, coef: NDArray[Any], intercept: NDArray[Any], *, unit_norm: bool = False
) -> NDArray[Any]:
    """Class probabilities on the engine of the current fit: the softmax of the linear scores.

    ``unit_norm`` scales the rows to unit norm first.
    """
    engine = current_engine()
    if engine.name != "cpu":
        documents = engine.documents(X)
        return softmax_of_documents(
            with_unit_norm(documents) if unit_norm else documents, coef, intercept
        )
    rows = with_unit_rows(X) if unit_norm else X
    return np.asarray(softmax(rows @ coef.T + intercept, axis=1))


def fit_logistic_to_memberships(
    X: Any, memberships: NDArray[Any], C: float, problem: Problem | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Coefficients and intercepts of a logistic regression on the labels of a method.

    The label of a row is its largest membership. Rows of zeros are left out. A class without rows
    is never predicted. ``problem``, if it has the rows of ``X``, saves another copy of the
    documents on engines other than the CPU.
    """
    rows = np.flatnonzero(memberships.any(axis=1))
    labels = memberships[rows].argmax(axis=1)
    n_classes = memberships.shape[1]
    if len(np.unique(labels)) < 2:  # a single class
        counts = np.bincount(labels, minlength=n_classes)
        return np.zeros((n_classes, X.shape[1]), X.dtype), counts.astype(X.dtype)
    if uses_sklearn(current_engine(), len(rows)):
        with one_thread():
            model = LogisticRegression(C=C, max_iter=500)
            model.fit(unit_rows_of(X, rows), labels)
        classes, rule = model.classes_, (model.coef_, model.intercept_)
    else:
        classes = np.unique(labels)
        fit = _fit_to_labels(X, memberships, classes, C, problem)
        rule = fit.coef, fit.intercept
    fitted_coef, fitted_intercept = one_row_per_class(*rule)
    coef = np.zeros((n_classes, X.shape[1]), fitted_coef.dtype)
    intercept = np.full(n_classes, -1e9, fitted_intercept.dtype)
    coef[classes], intercept[classes] = fitted_coef, fitted_intercept
    return coef, intercept


def _fit_to_labels(
    X: Any,
    memberships: NDArray[Any],
    classes: NDArray[np.intp],
    C: float,
    problem: Problem | None,
) -> LinearFit:
    """Fit on the engine, to the rows that have a label."""
    if problem is None:
        parts = [(current_engine().documents(X), memberships)]
    else:
        parts = [(domain.documents, memberships[domain.rows]) for domain in problem.domains]
    blocks, labels = [], []
    for documents, part in parts:
        reached = np.asarray(part.any(axis=1))
        if reached.any():
            blocks.append(with_unit_norm(rows_where(documents, reached)))
            labels.append(np.searchsorted(classes, part[reached].argmax(axis=1)))
    return fit_linear_blocks("logistic", blocks, labels, len(classes), C=C)


def fit_inverse_temperature(scores: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    """The ``b`` for which ``softmax(b * scores)`` maximizes the likelihood of the labels."""
    engine = current_engine()
    return most_likely_scale(engine.asarray(scores), engine.asarray(labels), engine)


def calibrate_temperature(
    coef: NDArray[Any], intercept: NDArray[Any], X: Any, confidence: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scale a linear rule so that its mean largest probability on ``X`` is ``confidence``.

    Scaling changes no label. A rule that is fitted to hard labels is more confident than the method
    that predicted them.
    """
    return calibrate_by_scores(coef, intercept, X @ coef.T + intercept, confidence)


def calibrate_by_scores(
    coef: NDArray[Any], intercept: NDArray[Any], scores: NDArray[Any], confidence: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same for a rule whose scores are known."""
    scale = _scale_to_confidence(scores, confidence)
    return scale * coef, scale * intercept


def with_confidence(scores: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
    """The softmax of scaled scores whose mean largest probability is ``confidence``."""
    return np.asarray(softmax(_scale_to_confidence(scores, confidence) * scores, axis=1))


def _scale_to_confidence(scores: NDArray[Any], confidence: float) -> float:
    engine = current_engine()
    return scale_to_confidence(engine.asarray(scores, np.float64), confidence, engine)


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


def check_init_classifier(classifier: Any, *others: str) -> None:
    """Raise ValueError unless it is a known name, one of the ``others``, or an estimator."""
    check_classifier("init_classifier", classifier, (*others, *INIT_CLASSIFIERS))


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
    by_sklearn = uses_sklearn(problem.domains[0].documents.engine, problem.n_labeled)
    if named and classifier == "logistic" and not by_sklearn:
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
