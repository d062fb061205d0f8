"""Classifiers that carry labels from source domains to target domains."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from isthmus._warnings import warn_user
from isthmus.domains.labels import as_label_array, known_labels
from isthmus.domains.model import Problem
from isthmus.domains.parse import make_problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.callbacks import end_callbacks, join_callbacks, with_callbacks
from isthmus.estimators.base.diagnostics import warn_of_empty_classes
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.class_prior.parameter import check_class_prior, priors_of_targets
from isthmus.estimators.components.top_words import Words, top_words_by_class
from isthmus.numerics.prior_shift import shift_to_shares, shifted
from isthmus.numerics.progress import Callback


class TransferClassifier(ClassifierMixin, DomainEstimator):
    """Base of the classifiers.

    A subclass writes ``_fit_problem``, which gives class memberships of every fitted row, and
    ``_new_memberships``, which gives those of new documents of one domain. A row of zeros means
    that nothing is known of a document; it gets the class shares of its domain.

    With ``class_prior`` the memberships of every target are shifted, by one number a class, until
    the labels of its unlabelled rows have those shares; new documents are shifted alike.
    """

    __metadata_request__predict: ClassVar[dict[str, bool]] = {"sample_domain": True}
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"sample_domain": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"sample_domain": True}

    _fitted_shapes: ClassVar[dict[str, str]] = {
        "classes_": "c",
        "class_prior_": "c",
        "domain_prior_": "domain:c",
        "log_prior_shift_": "domain:c",
        "domains_": "d",
        "term_totals_": "domain:m",
    }
    _signed: ClassVar[tuple[str, ...]] = ("log_prior_shift_",)

    #: Whether every source must have a label.
    _sources_need_labels: ClassVar[bool] = True
    #: Whether a row without a label is a target's, if nobody says otherwise.
    _unlabelled_is_target: ClassVar[bool] = True

    class_prior: Any = None
    missing_label: Any

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Learn from labelled rows and label the others.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one a row.
        y : array-like of shape (n_rows,)
            Labels, text or numbers. Rows without one carry ``missing_label``, None or NaN.
        sample_domain : array-like of int of shape (n_rows,), default=None
            0 and above are source domains, below 0 target domains. Without it labelled rows are
            the source and unlabelled rows the target; DKT, which takes labels in any domain, then
            refuses unlabelled rows.
        callback : function, default=None
            Called after every iteration with one object, which has ``iteration``, ``objective`` and
            ``changed`` (share of target labels that changed, NaN for methods that find none on the
            way); a true answer stops the fit. Methods without iterations never call it.

        Returns
        -------
        self
        """
        self._check_settings()
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None: pass the labels, with None for rows that have none."
            )
        y = _read_labels(y)
        check_consistent_length(X, y)
        X = self._read_matrix(X, reset=True)
        problem = make_problem(
            X,
            y,
            sample_domain,
            missing_label=self.missing_label,
            sources_need_labels=self._sources_need_labels,
            unlabelled_is_target=self._unlabelled_is_target,
        )
        labels = problem.labels
        known = labels >= 0
        open_domains = problem.targets if self._unlabelled_is_target else problem.domains
        if problem.targets and all(domain.labelled.all() for domain in open_domains):
            warn_user(
                "Every target row carries a label, so none is left to find: mark those without "
                f"one with None, or pass missing_label (now {self.missing_label!r})."
            )
        check_classification_targets(problem.classes[labels[known]])
        self._learn_problem(problem, X, join_callbacks(self, callback))
        end_callbacks(self)
        return self

    def _learn_problem(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        """Set all fitted attributes from a problem and its checked matrix."""
        self.classes_ = problem.classes
        self.class_prior_ = problem.class_shares()
        self.domains_ = np.array([domain.number for domain in problem.domains])
        self.term_totals_ = {d.number: d.documents.column_sums() for d in problem.domains}
        held_to = priors_of_targets(self.class_prior, problem, X)
        self.domain_prior_ = {n: held_to.get(n, self.class_prior_) for n in self.domains_.tolist()}
        memberships = self._fit_problem(problem, X, callback)
        shifts = self._shifts_of(problem, memberships, held_to)
        read_anew = memberships
        if held_to:
            # New documents may be read otherwise than fitted ones, and on another scale.
            parts = rows_of_domains(problem, X)
            read_anew = [self._new_memberships(part, number) for number, part in parts]
        self.log_prior_shift_ = self._shifts_of(problem, read_anew, held_to)
        distributions = [
            self._with_prior(found, domain.number, shifts[domain.number])
            for domain, found in zip(problem.domains, memberships, strict=True)
        ]
        self._keep_labels(problem, problem.gather(distributions))
        warn_of_empty_classes(problem, self.transduction_, self.domain_prior_)

    @property
    def _held_to(self) -> dict[int, NDArray[np.float64]]:
        """The class shares that every target is held to; empty if it is to none."""
        if self.class_prior is None:
            return {}
        return {number: shares for number, shares in self.domain_prior_.items() if number < 0}

    def _shifts_of(
        self,
        problem: Problem,
        memberships: Sequence[NDArray[Any]],
        held_to: Mapping[int, NDArray[np.float64]],
    ) -> dict[int, NDArray[np.float64]]:
        """By domain, what holds its unlabelled rows to class shares; nothing if it has none."""
        shifts = {}
        for domain, found in zip(problem.domains, memberships, strict=True):
            shifts[domain.number] = np.zeros(problem.n_classes)
            if domain.number in held_to:
                # Of a document without a term a classifier says no more than where it leans.
                counted = ~domain.labelled & (domain.documents.row_norms() > 0)
                shifts[domain.number] = shift_to_shares(found[counted], held_to[domain.number])
        return shifts

    def _keep_labels(self, problem: Problem, distributions: NDArray[Any]) -> None:
        labels = problem.labels
        known = labels >= 0
        distributions[known] = np.eye(problem.n_classes)[labels[known]]
        self.label_distributions_ = distributions
        self.transduction_ = self.classes_[distributions.argmax(axis=1)]

    def predict(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Labels of new documents.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row. Without it rows belong to the target; needed when several
            targets were fitted.
        """
        distributions = self.predict_proba(X, sample_domain)
        return np.asarray(self.classes_[distributions.argmax(axis=1)])

    def predict_proba(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Class memberships of new documents, rows summing to 1; see :meth:`predict`."""
        check_is_fitted(self)
        self._check_labels_documents()
        X = self._read_matrix(X, reset=False)
        memberships = np.zeros((X.shape[0], len(self.classes_)), X.dtype)
        for number, rows, part in self._new_documents(X, sample_domain):
            found = self._new_memberships(part, number)
            memberships[rows] = self._with_prior(found, number, self.log_prior_shift_[number])
        return memberships

    def score(self, X: Any, y: Any, sample_weight: Any = None, sample_domain: Any = None) -> float:
        """Accuracy on the rows of ``X`` that have a label; see :meth:`predict`."""
        check_is_fitted(self)
        self._check_labels_documents()
        check_consistent_length(X, y, sample_weight)
        known, truth = known_labels(y, self.missing_label, self.classes_)
        if len(known) == 0:
            raise ValueError("No labelled row to score on.")
        labels = self.predict(X, sample_domain)[known]
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(truth, labels, sample_weight=weights))

    def top_words(self, feature_names: Any = None, n_words: int = 10) -> Words:
        """The words that speak most for every class, in every domain: the bridge.

        Parameters
        ----------
        feature_names : array-like of shape (n_terms,), default=None
            Names of the terms, such as ``vectorizer.get_feature_names_out()``; by default the names
            of the fitted data frame's columns, or the numbers of the columns.
        n_words : int, default=10

        Returns
        -------
        dict
            For every class the words by domain number, the strongest first: words that are both
            frequent in the domain and its class's own.
        """
        check_is_fitted(self)
        self._check_labels_documents()
        names = self._term_names(feature_names)
        return top_words_by_class(names, self.classes_.tolist(), self._word_strengths(), n_words)

    def _term_names(self, feature_names: Any) -> Any:
        if feature_names is not None:
            return feature_names
        return getattr(self, "feature_names_in_", np.arange(self.n_features_in_))

    def _with_prior(
        self, memberships: NDArray[Any], number: int, shift: NDArray[np.float64]
    ) -> NDArray[Any]:
        """Rows shifted and scaled to sum 1, the domain's class shares where a row holds nothing."""
        if shift.any():
            memberships = shifted(memberships, shift)
        totals = memberships.sum(axis=1, keepdims=True)
        shares = np.broadcast_to(self.domain_prior_[number], memberships.shape)
        return np.divide(
            memberships, totals, out=shares.astype(memberships.dtype), where=totals > 0
        )

    def _check_labels_documents(self) -> None:
        """Raise ValueError if these parameters make something else than labels."""

    def _check_settings(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense, whatever the data."""
        self._check_parameters()
        check_class_prior(self.class_prior)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense."""

    @abstractmethod
    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        """By domain, how much every word (row) speaks for every class (column)."""

    @abstractmethod
    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        """Fit, and give the memberships of every domain's rows."""

    def _fit_again(self, problem: Problem, X: Any) -> None:
        """Fit once more, with labels added to target rows; what needs no label may stay.

        The labels of the first fit stay too, until ``_label_again``.
        """
        self._fit_problem(problem, X, None)

    def _label_again(self, problem: Problem, memberships: list[NDArray[Any]]) -> None:
        """Keep other labels, from memberships of every domain's rows as new documents."""
        self.log_prior_shift_ = self._shifts_of(problem, memberships, self._held_to)
        distributions = [
            self._with_prior(found, number, self.log_prior_shift_[number])
            for found, number in zip(memberships, self.domains_.tolist(), strict=True)
        ]
        self._keep_labels(problem, problem.gather(distributions))

    @abstractmethod
    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        """Memberships of new documents of the domain ``number``."""


def _read_labels(y: Any) -> NDArray[Any]:
    y = column_or_1d(y, warn=True) if getattr(y, "ndim", 1) == 2 else as_label_array(y)
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise ValueError(
            "Input y contains infinity or a value too large for its dtype: labels must be finite."
        )
    return y
