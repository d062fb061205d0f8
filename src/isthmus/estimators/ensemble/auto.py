"""The automatic method: several methods, combined, refined and judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from isthmus.domains.labels import abstain, check_min_confidence, plain_label
from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.domain_estimator import (
    ALL_ENGINES,
    check_same_index,
    end_callbacks,
    join_callbacks,
    with_callbacks,
)
from isthmus.estimators.base.fitted_model import Fit, FittedModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.proportions import ConsensusEstimate
from isthmus.estimators.components.parameters import check_choice, check_number
from isthmus.estimators.ensemble._combination import combine
from isthmus.estimators.ensemble._members import (
    EFFORTS,
    Member,
    default_members,
    make_member,
    name_of,
)
from isthmus.estimators.ensemble._model import AutoModel, fit_rules, read_second_view, side_by_side
from isthmus.estimators.ensemble._proportions import estimate_consensus
from isthmus.matrices.engines import current_engine
from isthmus.matrices.rows import is_signed
from isthmus.numerics.progress import Callback

__all__ = ["Auto", "Member"]


class Auto(TransferClassifier):
    """Classifier that needs no choice of a method.

    It fits several methods that fail in different ways (its members), and combines their labels
    and certainties by the model of Dawid and Skene (1979). It estimates the class proportions of
    every target from the members, from the proportions that one half of the target can teach to
    the other half, and, where they can be trusted, from clusters and from label shift; a small
    change is ignored. Then it refines the labels by self-training and by a co-clustering that
    start from them. Doubtful labels stay nearer to those of a source-only classifier. Probabilities
    are scaled so that their mean is the estimated accuracy. A verdict says how far the labels can
    be trusted.

    Parameters
    ----------
    effort : {"fast", "normal", "thorough"}, default="normal"
        "fast" takes about a third of the time of "normal": it uses words alone, has fewer members
        and does not fit them again. "thorough" has more members.
    members : sequence of str or classifiers, default=None
        Names of methods or classifiers of isthmus, the most important first. None means those of
        the effort. A member that fails is left out with a note in ``members_``.
    time_limit : float, default=None
        Seconds for all members together. It is checked before and after every member: a member
        that ends after it is left out with a note in ``members_``, but the first member with a
        result always counts.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of the target. None and "estimate" mean the estimate of this method, which is
        in ``domain_prior_`` then.

    Attributes
    ----------
    members_ : list of Member
        Every fit: name, memberships of all rows, seconds, and why it was left out. Not in model
        files.
    decision_ : str
        How the labels came about, in plain words. Not in model files.
    verdicts_ : dict of target number to Verdict
        Whether the labels can be used, the estimated accuracy, the class proportions and reasons.
    source_only_ : SourceLogistic
        The classifier of the labeled rows alone, with which the labels are compared. It was fitted
        to unit-norm rows.
    coef_, intercept_ : dict of domain number to array
        The linear rule for new documents.
    second_coef_ : dict of domain number to array
        Its weights of the columns of ``second_view``; not set without one.
    alignment_certainty_ : float
        Evidence of the shared words that classes are not swapped; see :class:`MTrick`. 0 for
        documents with negative values.

    Notes
    -----
    ``fit``, ``predict``, ``predict_proba`` and ``score`` take a second matrix for the same rows,
    ``second_view``. :class:`isthmus.Transfer` passes character n-grams. Columns without negative
    values are read beside the words by the members that gain by it. With negative values, as in
    embeddings, a classifier of the second matrix alone is one more member.

    References
    ----------
    A. P. Dawid, A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM
    Algorithm. Applied Statistics 28 (1), 1979.

    Examples
    --------
    >>> from isthmus import Auto, TextVectorizer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus()
    >>> texts = corpus.source_texts + corpus.target_texts
    >>> y = list(corpus.source_labels) + [None] * len(corpus.target_texts)
    >>> model = Auto(effort="fast").fit(TextVectorizer().fit_transform(texts), y)
    >>> model.verdicts_[-1].decision
    'use'
    """

    # In addition to the requests of the base class.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"second_view": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"second_view": True}
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"second_view": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"second_view": True}

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _model_class: ClassVar[type[FittedModel]] = AutoModel
    _needs_nonnegative: ClassVar[bool] = True
    _checks_class_swap: ClassVar[bool] = True
    # Rows have unit norm, so points of the same direction cannot be distinguished.
    _poor_score: ClassVar[bool] = True

    def __init__(
        self,
        effort: str = "normal",
        *,
        members: Any = None,
        time_limit: float | None = None,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.effort = effort
        self.members = members
        self.time_limit = time_limit
        self.class_prior = class_prior
        self.missing_label = missing_label

    @property
    def uses_characters(self) -> bool:
        """Whether character n-grams as a second matrix are worth their time."""
        return self.effort != "fast"

    @property
    def max_iterations(self) -> int:
        """Number of fits, without that of a signed second matrix, which only ``fit`` knows."""
        return len(self._member_list()) + (0 if self.effort == "fast" else 2)

    @property
    def member_names(self) -> list[str]:
        """Names of the members, in the order in which they are fitted."""
        return [name_of(member) for member in self._member_list()]

    def _member_list(self) -> list[Any]:
        if self.members is None:
            return list(default_members(self.effort))
        return list(self.members)

    def _check_parameters(self) -> None:
        check_choice("effort", self.effort, EFFORTS)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, above=0)
        is_list = isinstance(self.members, Sequence | np.ndarray) and not isinstance(
            self.members, str
        )
        if self.members is not None and not is_list:
            raise ValueError(
                f"members={self.members!r} must be a list of method names or classifiers, such as "
                "['cocc', 'sfa']."
            )
        members = self._member_list()
        if not members:
            raise ValueError("members is empty: name at least one method, or omit it.")
        for member in members:
            estimator = make_member(member)
            if isinstance(estimator, Auto):
                raise ValueError("members contains 'auto': name other methods.")
            estimator._check_settings()
            estimator._check_produces_labels()

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_domain: Any = None,
        callback: Callback | None = None,
        *,
        second_view: Any = None,
    ) -> Self:
        """Learn from the labeled rows and label the others.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row, without negative values.
        y : array-like of shape (n_rows,)
            Labels. Unlabeled rows are marked with ``missing_label``, None or NaN.
        sample_domain : array-like of int of shape (n_rows,), default=None
            0 and above are source domains, below 0 target domains. By default labeled rows are
            the source and unlabeled rows the target.
        callback : function, default=None
            Called after every member. Return True to leave out the remaining ones.
        second_view : sparse matrix or array of shape (n_rows, n_columns), default=None
            A second matrix for the same rows, such as character n-grams or embeddings.
        """
        self._check_settings()
        with self._on_engine(X, fits=True) as X:
            data = self._read_training_data(X, y, sample_domain, second_view=second_view)
            has_extra_member = data.second_view is not None and is_signed(data.second_view)
            n_fits = self.max_iterations + has_extra_member
            self._fit_data(data, join_callbacks(self, callback, n_fits))
        end_callbacks(self)
        return self

    def _read_training_data(
        self, X: Any, y: Any, sample_domain: Any, *, second_view: Any = None, **names: Any
    ) -> TrainingData:
        data = super()._read_training_data(X, y, sample_domain, **names)
        return replace(data, second_view=read_second_view(second_view, X, data.X.dtype))

    def _with_class_prior(self, data: TrainingData) -> TrainingData:
        if isinstance(self.class_prior, str) and self.class_prior == "estimate":
            class_prior = data.problem.class_prior()
            return data.with_prior({}, {d.number: class_prior for d in data.problem.domains})
        return super()._with_class_prior(data)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        refits = self.effort != "fast"
        combination = combine(
            data, self._member_list(), refits=refits, time_limit=self.time_limit, callback=callback
        )
        model = fit_rules(data, combination.rows, combination.memberships, combination.source_only)
        diagnostics = {
            "members_": combination.members,
            "decision_": combination.decision,
            "verdicts_": combination.verdicts,
            "source_only_": combination.source_only,
        }
        return Fit(model, combination.memberships, diagnostics)

    def _set_fit(self, data: TrainingData, fit: Fit, *, check_result: bool = True) -> None:
        names = [plain_label(label) for label in data.problem.classes]
        estimated = {
            number: np.array([verdict.class_prior[name].value for name in names])
            for number, verdict in fit.diagnostics["verdicts_"].items()
            if number not in data.target_prior
        }
        data = data.with_prior(data.target_prior, {**data.domain_prior, **estimated})
        super()._set_fit(data, fit, check_result=check_result)

    def _estimate_consensus(self, problem: Problem, X: Any) -> dict[int, ConsensusEstimate]:
        """Scores and class proportions of the open documents of every target."""
        data = TrainingData(problem, X)
        refits = self.effort != "fast"
        combination = combine(
            data, self._member_list(), refits=refits, time_limit=self.time_limit, outside=False
        )
        return estimate_consensus(data, combination.members, combination.labels)

    def _model_input(self, data: TrainingData) -> Any:
        return side_by_side(data.X, data.second_view)

    def predict(
        self,
        X: Any,
        sample_domain: Any = None,
        min_confidence: float | None = None,
        *,
        second_view: Any = None,
    ) -> NDArray[Any]:
        """Predict the labels of new documents.

        Parameters
        ----------
        min_confidence : float, default=None
            Documents whose largest class probability is below this number from 0 to 1 get None
            instead of a label. None labels all documents.
        second_view : sparse matrix or array of shape (n_rows, n_columns), default=None
            The second matrix of these rows. Required if the model was fitted with one.
        """
        check_min_confidence(min_confidence)
        distributions = self.predict_proba(X, sample_domain, second_view=second_view)
        labels = np.asarray(self.classes_[distributions.argmax(axis=1)])
        return abstain(labels, distributions, min_confidence)

    def predict_proba(
        self, X: Any, sample_domain: Any = None, *, second_view: Any = None
    ) -> NDArray[Any]:
        """Predict the class probabilities of new documents.

        Returns
        -------
        array of shape (n_rows, n_classes)
            Probabilities in the order of ``classes_``; rows sum to 1.
        """
        check_is_fitted(self)
        check_same_index(X, sample_domain, "sample_domain")
        with self._on_engine(X) as X:
            return current_engine().run(lambda: self._predict_views(X, sample_domain, second_view))

    def _predict_views(self, X: Any, sample_domain: Any, second_view: Any) -> NDArray[Any]:
        """Class probabilities of new rows of both matrices."""
        first = self._read_matrix(X, reset=False)
        second = read_second_view(second_view, X, first.dtype)
        n_columns = 0 if second is None else second.shape[1]
        n_fitted = self.model_.n_second  # type: ignore[attr-defined]
        if n_columns != n_fitted:
            advice = (
                "pass the second matrix of these rows as second_view"
                if second is None
                else "pass the columns that the model was fitted with"
                if n_fitted
                else "the model was fitted without one, so omit it"
            )
            raise ValueError(
                f"second_view has {n_columns} columns, but the model has {n_fitted}: {advice}."
            )
        return self._distributions(side_by_side(first, second), sample_domain)

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        sample_domain: Any = None,
        *,
        second_view: Any = None,
    ) -> float:
        """Accuracy of the predicted labels."""
        check_is_fitted(self)
        check_consistent_length(X, y, sample_weight)
        labels = self.predict(X, sample_domain, second_view=second_view)
        return self._accuracy(labels, y, sample_weight)
