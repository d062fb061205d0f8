"""Self-training with class quotas, for any classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_non_negative

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.domain_estimator import ALL_ENGINES
from isthmus.estimators.base.fitted_model import (
    Fit,
    FittedModel,
    Words,
    fitted_estimator,
    predict_rows,
)
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.registry import find_classifier
from isthmus.estimators.self_training._pseudo_labels import (
    Candidates,
    candidates_of,
    changed_proportion,
)
from isthmus.matrices.engines import is_distributed
from isthmus.numerics.progress import Callback, Progress


def _has_word_clusters(self: SelfTraining) -> bool:
    fitted = getattr(self, "estimator_", None)
    return hasattr(self._make_estimator() if fitted is None else fitted, "top_cluster_words")


@dataclass(frozen=True, kw_only=True)
class SelfTrainingModel(FittedModel):
    """The model of the classifier after the last round."""

    estimator: Any = fitted_estimator()

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        memberships: NDArray[Any] = self.estimator.model_.predict_memberships(X, domain)
        return memberships

    def word_weights(self) -> dict[int, NDArray[Any]]:
        weights: dict[int, NDArray[Any]] = self.estimator.model_.word_weights()
        return weights


class SelfTraining(TransferClassifier):
    """Fit a classifier repeatedly to its own most certain labels of the target.

    In round ``r`` of ``R``, the classifier ``f`` labels the target. Of its ``n`` different
    documents, the ``(r / R) * fraction * n`` most certain ones, with a proportion ``pi_c`` of class
    ``c``, are added to the labeled rows, and ``f`` is fitted again. The labels of the whole target
    are matched to ``pi`` at the end. Every round selects the documents again, so that early
    mistakes can be corrected.

    Without the quotas, a classifier that prefers one class would increase this preference in every
    round. The quotas are also the assumption of the method: if ``pi`` is wrong, as many documents
    as the difference get a wrong label.

    Documents with the same term counts are duplicates: they count as one document and get one
    label.

    Parameters
    ----------
    estimator : str or classifier, default="svm"
        Name of a method (see ``isthmus methods``) or an estimator. Features that need no
        pseudo-labels (SCL, SFA, PJNMF, mSDA) are fitted once for all rounds. The ``class_prior`` of
        the estimator is used in its own fits; the labels are matched to the one below.
    class_prior : None, "source", "estimate", array or dict, default="source"
        Class prior ``pi`` of every target: that of the source; an estimate without labels (see
        :func:`isthmus.estimate_class_prior`); an array in the order of the sorted classes, or a
        dict from class to proportion. None is self-training without quotas: the most certain
        documents of any class are added.
    n_rounds : int, default=10
        Number of rounds. 0 returns the predictions of the classifier for new documents.
    fraction : float, default=0.8
        Proportion of the target's documents that get a pseudo-label in the last round.
    random_state : int, RandomState or None, default=None
        Random seed of the estimator, if it has one; None leaves it unchanged.

    Attributes
    ----------
    estimator_ : classifier
        The classifier after the last round.
    n_rounds_ : int
        Number of completed rounds: fewer than ``n_rounds`` if a callback stopped the fit, 0 if no
        target has an unlabeled document.

    See Also
    --------
    sklearn.semi_supervised.SelfTrainingClassifier : without quotas and domains.

    References
    ----------
    D. Yarowsky. Unsupervised Word Sense Disambiguation Rivaling Supervised Methods. ACL 1995.

    Y. Zou, Z. Yu, B. V. K. V. Kumar, J. Wang. Unsupervised Domain Adaptation for Semantic
    Segmentation via Class-Balanced Self-Training. ECCV 2018 (quotas by class).

    Examples
    --------
    >>> from isthmus import SelfTraining, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[2, 0, 1, 0], [0, 2, 0, 1]], ["good", "bad"])},
    ...     {"dvd": [[1, 0, 2, 0], [0, 1, 0, 2], [0, 0, 3, 0]]},
    ... )
    >>> prior = {"good": 2 / 3, "bad": 1 / 3}
    >>> SelfTraining(class_prior=prior).fit(X, y, sample_domain).transduction_.tolist()
    ['good', 'bad', 'good', 'bad', 'good']
    """

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _model_class: ClassVar[type[FittedModel]] = SelfTrainingModel

    estimator_: Any

    def __init__(
        self,
        estimator: Any = "svm",
        *,
        class_prior: Any = "source",
        n_rounds: int = 10,
        fraction: float = 0.8,
        missing_label: Any = -1,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.class_prior = class_prior
        self.n_rounds = n_rounds
        self.fraction = fraction
        self.missing_label = missing_label
        self.random_state = random_state

    @property
    def is_random(self) -> bool:
        """Whether the estimator is random; self-training itself is deterministic."""
        return bool(self._make_estimator().is_random)

    @property
    def max_iterations(self) -> int:
        return self.n_rounds

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the estimator as ``estimator__C``, see scikit-learn.

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        self
        """
        inner = params.get("estimator", self.estimator)
        nested = [name for name in params if name.startswith("estimator__")]
        if nested and isinstance(inner, str):
            raise ValueError(
                f"{nested[0]!r} sets a parameter of the estimator, but the estimator is only a "
                f"name: pass an estimator object instead of {inner!r}."
            )
        return super().set_params(**params)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            inner = self._make_estimator().__sklearn_tags__()
        except ValueError:  # fit reports an invalid estimator
            return tags
        tags.input_tags.positive_only = inner.input_tags.positive_only
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags

    def _make_estimator(self) -> TransferClassifier:
        """An unfitted copy of the classifier."""
        if isinstance(self.estimator, str):
            inner: TransferClassifier = find_classifier(self.estimator).build()
        elif isinstance(self.estimator, TransferClassifier):
            inner = clone(self.estimator)
        else:
            raise ValueError(
                f"estimator={self.estimator!r} must be the name of a method (see isthmus methods) "
                "or a classifier of isthmus."
            )
        if self.random_state is not None and "random_state" in inner.get_params(deep=False):
            inner.set_params(random_state=self.random_state)
        return inner

    def _runs_on(self, engine: str) -> bool:
        try:
            return super()._runs_on(engine) and self._make_estimator()._runs_on(engine)
        except ValueError:  # fit reports an invalid estimator
            return super()._runs_on(engine)

    def _check_parameters(self) -> None:
        inner = self._make_estimator()
        inner._check_settings()
        inner._check_produces_labels()
        check_whole_number("n_rounds", self.n_rounds, least=0)
        check_number("fraction", self.fraction, above=0, most=1)

    def _read_matrix(self, X: Any, *, reset: bool) -> Any:
        X = super()._read_matrix(X, reset=reset)
        inner = self._make_estimator()
        if inner._needs_nonnegative and is_distributed(X):
            inner._read_distributed(X, reset=True)
        elif inner._needs_nonnegative:
            check_non_negative(X, type(inner).__name__)
        return X

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        inner = self._make_estimator()
        inner_data = inner._with_class_prior(data)
        inner._set_fit(
            inner_data,
            inner._fit(inner_data, None),
            # An empty class matters in the final labels only. Swapped classes are checked before
            # pseudo-labels hide them.
            check_result=inner._checks_class_swap,
        )
        model = inner.model_
        candidates = candidates_of(data, data.X)
        n_rounds, previous = 0, None
        for number in range(1, self.n_rounds + 1 if candidates else 1):
            memberships = [candidate.memberships(model) for candidate in candidates]
            fraction = self.fraction * number / self.n_rounds
            pseudo_labels = _most_certain(candidates, memberships, fraction)
            model = inner._refit(model, inner_data.with_labels(pseudo_labels))
            n_rounds = number
            labels = [part.argmax(axis=1) for part in memberships]
            uncertainty = 1 - float(np.concatenate(memberships).max(axis=1).mean())
            changed, previous = changed_proportion(previous, labels), labels
            if callback is not None and callback(Progress(number, uncertainty, changed)):
                break
        final = predict_rows(model, data)
        inner._set_refit(inner_data, model, final)
        fitted = SelfTrainingModel(term_totals=data.term_totals, estimator=inner)
        return Fit(fitted, final, {"n_rounds_": n_rounds})

    @available_if(_has_word_clusters)
    def top_cluster_words(self, feature_names: Any = None, n_words: int = 10) -> Words:
        """The words of every word cluster, if the classifier has word clusters.

        Parameters
        ----------
        feature_names : array-like of shape (n_terms,), default=None
            Names of the terms, such as ``vectorizer.get_feature_names_out()``. By default the
            column names of the fitted data frame, or the column numbers.
        n_words : int, default=10
            Number of words per cluster and domain.

        Returns
        -------
        dict
            For every word cluster the words by domain number, strongest first.
        """
        words: Words = self.estimator_.top_cluster_words(self._term_names(feature_names), n_words)
        return words


def _most_certain(
    candidates: list[Candidates], memberships: list[NDArray[Any]], fraction: float
) -> dict[int, NDArray[np.intp]]:
    """By target number, the pseudo-labels of all rows; -1 for rows without one."""
    return {
        candidate.number: candidate.labels_of_domain(*candidate.most_confident(part, fraction))
        for candidate, part in zip(candidates, memberships, strict=True)
    }
