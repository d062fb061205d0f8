"""Classifiers trained on the labelled rows alone: what a transfer has to beat."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from isthmus.domains.model import Problem
from isthmus.estimators.base.linear_classifier import LinearRuleClassifier
from isthmus.estimators.components.linear_models import for_every_class
from isthmus.estimators.components.parameters import MOST_C, check_number, check_whole_number
from isthmus.matrices.rows import take_rows, with_narrow_indices
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback

# Values within which linear classifiers end in good time.
_LARGEST = 1e12


class SourceOnlyClassifier(LinearRuleClassifier):
    """Base: a linear classifier that never looks at an unlabelled row."""

    _sources_need_labels: ClassVar[bool] = False  # it asks for labels, wherever they stand

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **LinearRuleClassifier._fitted_shapes,
        "n_iter_": "",
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        max_iter: int = 1000,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.C = C
        self.max_iter = max_iter
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=0, most=MOST_C)
        check_whole_number("max_iter", self.max_iter, least=1)

    @abstractmethod
    def _make_model(self) -> Any:
        """The unfitted scikit-learn classifier."""

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        labels = problem.labels
        known = np.flatnonzero(labels >= 0)
        _check_size(take_rows(X, known))
        with one_thread():
            model = self._make_model().fit(with_narrow_indices(take_rows(X, known)), labels[known])
        self.n_iter_ = int(np.max(model.n_iter_))
        self.coef_, self.intercept_ = for_every_class(model.coef_, model.intercept_)
        memberships = np.zeros((problem.n_rows, problem.n_classes), X.dtype)
        unknown = np.flatnonzero(labels < 0)
        if len(unknown):
            memberships[unknown] = self._new_memberships(take_rows(X, unknown), 0)
        return [memberships[domain.rows] for domain in problem.domains]


def _check_size(X: Any) -> None:
    """Far from 1 liblinear never ends, and cannot be interrupted."""
    values = X.data if sparse.issparse(X) else X
    largest = float(np.abs(values).max(initial=0.0))
    if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
        raise ValueError(
            f"The largest value of X is {largest:.1g}, too far from 1 to learn from: scale the "
            "values."
        )


class SourceLogistic(SourceOnlyClassifier):
    """Logistic regression on the labelled rows (LG in the papers' tables).

    Minimises ``1/2 ||w||^2 + C sum_labelled log-loss``; documents are taken as they are weighted.

    Parameters
    ----------
    C : float, default=1.0
    max_iter : int, default=1000
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        How much a term speaks for each class; one row a class also for two classes.
    intercept_ : array of shape (n_classes,)
    """

    def _make_model(self) -> LogisticRegression:
        return LogisticRegression(C=self.C, max_iter=self.max_iter)


class SourceSVM(SourceOnlyClassifier):
    """Linear support vector machine on the labelled rows (SVM in the papers' tables).

    Minimises ``1/2 ||w||^2 + C sum_labelled squared hinge``. The memberships are a logistic
    squashing of the decision values: good for ranking, not calibrated.

    Parameters
    ----------
    C : float, default=1.0
    max_iter : int, default=1000
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        How much a term speaks for each class; one row a class also for two classes.
    intercept_ : array of shape (n_classes,)
    """

    def _make_model(self) -> LinearSVC:
        # The primal-dual choice of liblinear that needs no random order of the rows.
        return LinearSVC(C=self.C, max_iter=self.max_iter, dual=False)
