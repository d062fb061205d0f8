"""The classifier that gives a method its first idea of the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from isthmus.domains.model import Problem
from isthmus.estimators.parameters import check_choice
from isthmus.matrices.adopt import adopt, row_block
from isthmus.matrices.threads import one_thread

# Rows whose guesses are made at a time: a copy of them is made on the way.
_BLOCK = 20_000


def with_unit_rows(X: Any) -> Any:
    """Rows of length 1; the matrix itself if they have it already.

    scikit-learn's own scaling takes very small rows of an array for empty, and overflows.
    """
    lengths = adopt(X).row_norms()
    if np.allclose(lengths[lengths > 0], 1.0, atol=1e-4):
        return X
    scale = 1 / np.where(lengths > 0, lengths, 1.0)
    if not sparse.issparse(X):
        return (X * scale[:, None]).astype(X.dtype)
    # Only the numbers change: the places are shared.
    numbers = (X.data * np.repeat(scale, np.diff(X.indptr))).astype(X.dtype)
    return row_block(numbers, X.indices, X.indptr, 0, *X.shape)


def some_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Rows in rising order, as a view if they are consecutive."""
    if len(rows) == 0 or rows[-1] - rows[0] + 1 != len(rows):
        return X[rows]
    start, stop = int(rows[0]), int(rows[-1]) + 1
    if not sparse.issparse(X):
        return X[start:stop]
    return row_block(X.data, X.indices, X.indptr, start, stop, X.shape[1])


def rows_of_domains(problem: Problem, X: Any) -> Iterator[tuple[int, Any]]:
    """The number of every domain and its rows of the matrix."""
    everyone = np.arange(problem.n_rows)
    for domain in problem.domains:
        yield domain.number, some_rows(X, everyone[domain.rows])


def with_narrow_indices(X: Any) -> Any:
    """A sparse matrix with 32-bit indices, which liblinear insists on, if it is small enough."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32 or X.nnz > np.iinfo(np.int32).max:
        return X
    arrays = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sparse.csr_matrix(arrays, shape=X.shape, copy=False)


def probabilities(classifier: Any, X: Any) -> NDArray[Any]:
    """``predict_proba``, or a logistic squashing of the decision values where there is none."""
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(X))
    decision = np.asarray(classifier.decision_function(X))
    if decision.ndim == 1:
        decision = np.column_stack([np.zeros_like(decision), decision])
    return np.asarray(softmax(decision, axis=1))


#: First classifiers by name.
FIRST_CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(C=1.0, max_iter=300),
    "complement_nb": ComplementNB,
}


def check_first_classifier(classifier: Any) -> None:
    """Raise ValueError unless it is a known name or an object that can be fitted."""
    if isinstance(classifier, str):
        check_choice("first_classifier", classifier, tuple(FIRST_CLASSIFIERS))
    elif not hasattr(classifier, "fit"):
        names = ", ".join(repr(name) for name in FIRST_CLASSIFIERS)
        raise ValueError(
            f"first_classifier must be {names} or a scikit-learn classifier, got {classifier!r}."
        )


def first_guesses(problem: Problem, X: Any, classifier: Any) -> list[NDArray[Any]]:
    """Class probabilities for every row, learnt from all labelled rows of unit length.

    Labelled rows get zeros: nobody needs a guess for them.
    """
    labels = problem.labels
    known, unknown = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    guesses = np.zeros((problem.n_rows, problem.n_classes), X.dtype)
    if len(unknown):
        named = isinstance(classifier, str)
        model = FIRST_CLASSIFIERS[classifier]() if named else clone(classifier)
        # A classifier of the user's may work in place, and rows may be the caller's own.
        own = _borrowed_rows if named else _copied_rows
        with one_thread() if named else nullcontext():
            model.fit(own(X, known), labels[known])
            for start in range(0, len(unknown), _BLOCK):
                rows = unknown[start : start + _BLOCK]
                guesses[rows] = probabilities(model, own(X, rows))
    return [guesses[domain.rows] for domain in problem.domains]


def _borrowed_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    return with_unit_rows(with_narrow_indices(some_rows(X, rows)))


def _copied_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    return with_unit_rows(with_narrow_indices(X[rows]))
