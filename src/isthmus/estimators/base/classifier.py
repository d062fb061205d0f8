"""Classifiers that transfer labels from source domains to target domains."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from isthmus._warnings import warn_user
from isthmus.domains.labels import abstain, as_label_array, check_min_confidence, with_labels
from isthmus.domains.model import Problem
from isthmus.domains.parse import make_problem, rows_of_domains
from isthmus.estimators.base.domain_estimator import (
    DomainEstimator,
    check_same_index,
    end_callbacks,
    join_callbacks,
    with_callbacks,
)
from isthmus.estimators.base.fitted_model import (
    Fit,
    FittedDomains,
    FittedModel,
    Words,
    top_words_by_class,
)
from isthmus.estimators.base.result_checks import (
    check_class_swaps,
    warn_of_empty_classes,
    warn_of_no_shared_terms,
)
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.parameter import check_class_prior, priors_of_targets
from isthmus.estimators.selection import labeled_rows
from isthmus.matrices.engines import current_engine, fit_engine, is_distributed
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import is_signed
from isthmus.numerics.class_probabilities import row_argmax, row_sums, shift_to_prior, shifted
from isthmus.numerics.progress import Callback


class TransferClassifier(ClassifierMixin, DomainEstimator):
    """Base of the classifiers.

    A subclass implements two methods:

    - ``_check_parameters()`` raises ValueError if a constructor parameter makes no sense.
    - ``_fit(data, callback)`` returns a :class:`Fit`: the fitted model, the class memberships of
      the fitted rows, and diagnostics. It sets no attribute.

    This class does the rest. It validates the input, sets the fitted attributes from the fields of
    the model, matches the labels of targets to ``class_prior``, and predicts new documents by the
    rule of the model.

    Parameters
    ----------
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target. The labels are matched to it by one log shift per class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None leaves the labels unchanged.
    missing_label : object, default=-1
        Marks unlabeled rows, in addition to None and NaN. None turns it off.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels of the classes, sorted. Columns of memberships have this order.
    transduction_ : array of shape (n_rows,)
        Label of every fitted row; labeled rows keep theirs.
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1.
    class_prior_ : array of shape (n_classes,)
        Class proportions of the labeled source rows.
    domain_prior_ : dict of domain number to array of shape (n_classes,)
        Class prior of every domain: what ``class_prior`` says for a target, or else
        ``class_prior_``.
    term_totals_ : dict of domain number to array of shape (n_terms,)
        Sum of every term over the documents of a domain, as the method scales them.
    """

    _kind: ClassVar[str] = "classifier"

    __metadata_request__predict: ClassVar[dict[str, bool]] = {
        "sample_domain": True,
        "min_confidence": True,
    }
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"sample_domain": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"sample_domain": True}

    #: Class of the model that ``_fit`` returns; model files are read with it.
    _model_class: ClassVar[type[FittedModel]]
    #: Whether every source must have a labeled row.
    _sources_need_labels: ClassVar[bool] = True
    #: Whether rows without a label belong to the target if ``sample_domain`` is not given.
    _unlabeled_is_target: ClassVar[bool] = True
    #: Whether the result is checked for swapped classes. Methods that group the documents of the
    #: target may find the right groups and give them the wrong names.
    _checks_class_swap: ClassVar[bool] = False
    #: Whether the method has a poor accuracy on the data of scikit-learn's checks.
    _poor_score: ClassVar[bool] = False

    class_prior: Any = None
    missing_label: Any

    classes_: NDArray[Any]
    class_prior_: NDArray[np.float64]
    domain_prior_: Mapping[int, NDArray[np.float64]]
    log_prior_shift_: Mapping[int, NDArray[np.float64]]
    term_totals_: Mapping[int, NDArray[Any]]
    model_: FittedModel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._poor_score
        return tags

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense."""

    @abstractmethod
    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        """Fit to the data; attributes of the estimator are only read."""

    def _refit(self, model: FittedModel, data: TrainingData) -> FittedModel:
        """Fit again after labels were added to the data, as self-training does.

        ``model`` is the result of the earlier fit. A method may reuse what needs no label.
        """
        return self._fit(data, None).model

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Learn from the labeled rows and label the others.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row.
        y : array-like of shape (n_rows,)
            Labels, strings or numbers. Unlabeled rows are marked with ``missing_label``, None or
            NaN. To search parameters with scikit-learn, use :class:`SourceFolds`: its default
            folds fail if ``y`` holds None and strings.
        sample_domain : array-like of int of shape (n_rows,), default=None
            0 and above are source domains, below 0 target domains. By default labeled rows are
            the source and unlabeled rows the target. DKT accepts labels in any domain, so it
            requires ``sample_domain`` if there are unlabeled rows.
        callback : function, default=None
            Called after every iteration with an object that has the attributes ``iteration``,
            ``objective`` and ``changed`` (proportion of target labels that changed; NaN for methods
            that do not compute labels while they iterate). Return True to stop the fit. Methods
            without iterations never call it.

        Returns
        -------
        self
        """
        self._check_settings()
        with self._on_engine(X, fits=True) as X:
            data = self._read_training_data(X, y, sample_domain)
            self._fit_data(data, join_callbacks(self, callback))
        end_callbacks(self)
        return self

    def _read_training_data(
        self,
        X: Any,
        y: Any,
        sample_domain: Any,
        *,
        feature_names: Any = None,
        domain_names: Mapping[int, str] | None = None,
    ) -> TrainingData:
        """Validate the input of a fit."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None: pass the labels, with None for unlabeled rows."
            )
        check_same_index(X, y, "y")
        check_same_index(X, sample_domain, "sample_domain")
        y = _read_labels(y)
        check_consistent_length(X, y)
        X = self._read_matrix(X, reset=True)
        problem = make_problem(
            X,
            y,
            sample_domain,
            missing_label=self.missing_label,
            sources_need_labels=self._sources_need_labels,
            unlabeled_is_target=self._unlabeled_is_target,
            domain_names=domain_names,
        )
        open_domains = problem.targets if self._unlabeled_is_target else problem.domains
        if problem.targets and all(domain.labeled.all() for domain in open_domains):
            warn_user(
                "Every target row has a label, so there is nothing to predict: mark unlabeled "
                f"rows with None, or pass missing_label (now {self.missing_label!r})."
            )
        _check_label_type(problem)
        names = feature_names if feature_names is not None else self._feature_names()
        return TrainingData(problem, X, names)

    def _fit_data(
        self, data: TrainingData, callback: Callback | None, *, check_result: bool = True
    ) -> None:
        """Fit to validated data, set the fitted attributes and warn about doubtful results."""
        # Each step starts again if a worker of a cluster is lost.
        run = data.engine.run
        with_prior = run(partial(self._with_class_prior, data))
        fit = run(partial(self._fit, with_prior, callback))
        run(partial(self._set_fit, with_prior, fit, check_result=check_result))

    @contextmanager
    def _supported_engine(self, data: TrainingData) -> Iterator[TrainingData]:
        """The data on an engine that this method runs on, for methods that fit this one."""
        if data.engine.name == "cpu" or self._runs_on_engine(data.engine):
            yield data
            return
        if is_distributed(data.X):
            raise ValueError(f"{type(self).__name__} does not run on Dask")
        host = HostEngine()
        with fit_engine(host):
            yield data.on_engine(host)

    def _with_class_prior(self, data: TrainingData) -> TrainingData:
        """The data with the class prior that this estimator assumes."""
        target_prior = priors_of_targets(self.class_prior, data.problem, data.X, data.shared)
        class_prior = data.problem.class_prior()
        numbers = [domain.number for domain in data.problem.domains]
        return data.with_prior(target_prior, {n: target_prior.get(n, class_prior) for n in numbers})

    def _set_fit(self, data: TrainingData, fit: Fit, *, check_result: bool = True) -> None:
        """Set all fitted attributes from the result of a fit."""
        self._clear_fitted_attributes()
        problem, target_prior = data.problem, data.target_prior
        shifts = _prior_shifts(problem, fit.memberships, target_prior)
        new_shifts = shifts
        if target_prior:
            # The model may predict on another scale than the memberships of the fitted rows.
            predicted = [
                fit.model.predict_memberships(part, number)
                for number, part in rows_of_domains(problem, self._model_input(data))
            ]
            new_shifts = _prior_shifts(problem, predicted, target_prior)
        domains = FittedDomains(
            classes=problem.classes,
            class_prior=problem.class_prior(),
            domains=np.array([domain.number for domain in problem.domains]),
            domain_prior=data.domain_prior,
            log_prior_shift=new_shifts,
        )
        self._set_model(domains, fit.model, data.X.shape[1])
        for name, value in fit.diagnostics.items():
            setattr(self, name, value)
        self._set_labels(problem, fit.memberships, shifts)
        if check_result:
            warn_of_empty_classes(problem, self.transduction_, self.domain_prior_)
            if self._checks_class_swap:
                self._check_for_class_swap(data)

    def _model_input(self, data: TrainingData) -> Any:
        """The matrix of all rows as the model's ``predict_memberships`` reads it."""
        return data.X

    def _set_model(self, domains: FittedDomains, model: FittedModel, n_terms: int) -> None:
        """Set the fitted attributes that predictions need; model files restore the same."""
        self.n_features_in_ = n_terms
        self.fitted_domains_ = domains
        self.model_ = model
        self._set_fields(domains, model)

    def _set_labels(
        self,
        problem: Problem,
        memberships: Sequence[NDArray[Any]],
        shifts: Mapping[int, NDArray[np.float64]],
    ) -> None:
        """Set the labels of the fitted rows; labeled rows keep theirs."""
        parts = []
        for domain, part in zip(problem.domains, memberships, strict=True):
            if not domain.labeled.all():
                part = self._with_prior(part, domain.number, shifts[domain.number])
            parts.append(with_labels(part, domain.labels, np.eye(problem.n_classes)))
        self.label_distributions_ = problem.gather(parts)
        self.transduction_ = self.classes_[row_argmax(self.label_distributions_)]

    def _set_refit(
        self, data: TrainingData, model: FittedModel, memberships: Sequence[NDArray[Any]]
    ) -> None:
        """Set another model and the labels that it predicts for the fitted rows."""
        shifts = _prior_shifts(data.problem, memberships, data.target_prior)
        domains = replace(self.fitted_domains_, log_prior_shift=shifts)
        self._set_model(domains, model, data.X.shape[1])
        self._set_labels(data.problem, memberships, shifts)

    def _check_for_class_swap(self, data: TrainingData) -> None:
        warn_of_no_shared_terms(data.problem, data.X)
        self.alignment_certainty_ = 0.0
        if not is_signed(data.X):  # the check compares how often words occur
            domains = data.problem.domains
            predicted = [row_argmax(self.label_distributions_[d.rows]) for d in domains]
            self.alignment_certainty_ = check_class_swaps(data.problem, data.X, predicted)

    def predict(
        self, X: Any, sample_domain: Any = None, min_confidence: float | None = None
    ) -> NDArray[Any]:
        """Predict the labels of new documents.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents, one per row, with the columns of the fit.
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default rows belong to the target. Required if several targets
            were fitted.
        min_confidence : float, default=None
            Documents whose largest class membership is below this number from 0 to 1 get None
            instead of a label. None labels all documents.

        Returns
        -------
        array of shape (n_rows,)
            Labels; an array of objects if some are None.
        """
        check_min_confidence(min_confidence)
        distributions = self.predict_proba(X, sample_domain)
        labels = np.asarray(self.classes_[row_argmax(distributions)])
        return abstain(labels, distributions, min_confidence)

    def predict_proba(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Predict the class memberships of new documents.

        Returns
        -------
        array of shape (n_rows, n_classes)
            Memberships in the order of ``classes_``; rows sum to 1.
        """
        check_is_fitted(self)
        self._check_produces_labels()
        check_same_index(X, sample_domain, "sample_domain")
        with self._on_engine(X) as X:
            X = self._read_matrix(X, reset=False)
            return current_engine().run(lambda: self._distributions(X, sample_domain))

    def _distributions(self, X: Any, sample_domain: Any) -> NDArray[Any]:
        """Class memberships of validated rows."""
        memberships = np.zeros((X.shape[0], len(self.classes_)), X.dtype)
        for number, rows, part in self._new_documents(X, sample_domain):
            predicted = self.model_.predict_memberships(part, number)
            memberships[rows] = self._with_prior(predicted, number, self.log_prior_shift_[number])
        return memberships

    def score(self, X: Any, y: Any, sample_weight: Any = None, sample_domain: Any = None) -> float:
        """Accuracy of the predicted labels.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            True labels. Rows marked with ``missing_label``, None or NaN are left out.
        sample_weight : array-like of float of shape (n_rows,), default=None
            Weight of every row in the mean. By default all rows count the same.

        Returns
        -------
        float
            Proportion of the labeled rows whose label is right.
        """
        check_is_fitted(self)
        self._check_produces_labels()
        check_consistent_length(X, y, sample_weight)
        return self._accuracy(self.predict(X, sample_domain), y, sample_weight)

    def _accuracy(self, labels: NDArray[Any], y: Any, sample_weight: Any) -> float:
        """Accuracy of predicted labels on the rows that have a label in ``y``."""
        known, truth = labeled_rows(y, self.missing_label, self.classes_)
        labels = labels[known]
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(truth, labels, sample_weight=weights))

    def top_words(self, feature_names: Any = None, n_words: int = 10) -> Words:
        """The words that are most typical of every class, in every domain.

        Parameters
        ----------
        feature_names : array-like of shape (n_terms,), default=None
            Names of the terms, such as ``vectorizer.get_feature_names_out()``. By default the
            column names of the fitted data frame, or the column numbers.
        n_words : int, default=10
            Number of words per class and domain.

        Returns
        -------
        dict
            For every class the words by domain number, strongest first. A strong word is frequent
            in the domain and typical of the class.
        """
        check_is_fitted(self)
        self._check_produces_labels()
        names = self._term_names(feature_names)
        return top_words_by_class(
            names, self.classes_.tolist(), self.model_.word_weights(), n_words
        )

    def _term_names(self, feature_names: Any) -> Any:
        if feature_names is not None:
            return feature_names
        return getattr(self, "feature_names_in_", np.arange(self.n_features_in_))

    def _with_prior(
        self, memberships: NDArray[Any], number: int, shift: NDArray[np.float64]
    ) -> NDArray[Any]:
        """Memberships after the prior shift, scaled to sum 1; the class prior for rows of zeros."""
        if shift.any():
            memberships = shifted(memberships, shift)
        totals = row_sums(memberships)
        known = totals > 0
        scaled = memberships / np.where(known, totals, 1)[:, None]
        scaled[~known] = self.domain_prior_[number]
        return scaled

    def _check_produces_labels(self) -> None:
        """Raise ValueError if the parameters turn the estimator into a transformer."""

    def _check_settings(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense for any data."""
        self._check_parameters()
        check_class_prior(self.class_prior)


def _prior_shifts(
    problem: Problem,
    memberships: Sequence[NDArray[Any]],
    target_prior: Mapping[int, NDArray[np.float64]],
) -> dict[int, NDArray[np.float64]]:
    """By domain, the log shift that makes the labels of unlabeled rows match the prior."""
    shifts = {}
    for domain, part in zip(problem.domains, memberships, strict=True):
        shifts[domain.number] = np.zeros(problem.n_classes)
        if domain.number in target_prior:
            # Documents without a term would all move from one class to another together.
            counted = ~domain.labeled & domain.filled
            shifts[domain.number] = shift_to_prior(part[counted], target_prior[domain.number])
    return shifts


def _check_label_type(problem: Problem) -> None:
    """Raise ValueError if the labels are continuous; warn if most of them occur once.

    The check depends on the classes and, if they are more than half of the labels, on the number of
    labels, so it needs no more than two labels of every class.
    """
    fractions = [c for c in problem.classes if isinstance(c, float) and not c.is_integer()]
    if fractions:
        raise ValueError(
            f"Unknown label type: numbers with fractions, such as {fractions[0]:g}. If they are "
            "classes, pass them as text, for example with .astype(str)."
        )
    n_labels = min(problem.n_labeled, 2 * problem.n_classes)
    check_classification_targets(np.resize(problem.classes, n_labels))


def _read_labels(y: Any) -> NDArray[Any]:
    y = column_or_1d(y, warn=True) if getattr(y, "ndim", 1) == 2 else as_label_array(y)
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise ValueError(
            "Input y contains infinity or a value too large for its dtype: labels must be finite."
        )
    return y
