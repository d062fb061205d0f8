"""Self-training with class quotas, around any classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.components.top_words import Words
from isthmus.estimators.registry import find_classifier
from isthmus.estimators.self_training._pseudo_labels import (
    Candidates,
    candidates_of,
    changed_share,
    with_labels,
)
from isthmus.numerics.progress import Callback, Progress


def _has_word_clusters(self: SelfTraining) -> bool:
    fitted = getattr(self, "estimator_", None)
    return hasattr(self._make_estimator() if fitted is None else fitted, "top_cluster_words")


class SelfTraining(TransferClassifier):
    """A classifier that learns, round by round, from the labels of which it is most certain.

    In round ``r`` of ``R`` the classifier ``f`` labels the target; the ``(r / R) * fraction * n``
    most certain of its ``n`` different documents, of class ``c`` a share ``pi_c`` of them, become
    labelled rows beside the given ones, and ``f`` is fitted again. In the end the labels of the
    whole target have the shares ``pi`` too. The documents that are learnt are chosen anew in every
    round, so that an early mistake can be mended.

    The quotas are what makes it work: without them a classifier that leans to one class teaches
    itself to lean more. They are also what it assumes. If ``pi`` is far from the truth, so many
    documents as that get the wrong label.

    Documents that hold the same terms as often are one document: they take one place in the quotas
    together and get one label.

    Parameters
    ----------
    estimator : str or classifier, default="svm"
        Name of a method (see ``isthmus methods``) or an estimator of one. Features that a method
        learns without labels (SCL, SFA, PJNMF, mSDA) are learnt once, for all rounds. Its own
        ``class_prior`` has a part in its fits; the labels follow the one below.
    class_prior : None, "source", "estimate", array or dict, default="source"
        Class shares ``pi`` of every target: those of the source; an estimate without labels (see
        :func:`isthmus.estimate_class_prior`); an array in the order of the sorted classes, or a
        dict from class to share. None is self-training as it is often done: the most certain
        documents, whatever their classes.
    n_rounds : int, default=10
        How often it learns from its own labels; 0 leaves what the classifier says of new documents.
    fraction : float, default=0.8
        Share of the target's documents that the last round learns from.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.
    random_state : int, RandomState or None, default=None
        Given to an estimator that draws at random; None leaves it as it is.

    Attributes
    ----------
    estimator_ : the classifier as fitted in the last round
    domain_prior_ : dict of domain number to array of shape (n_classes,)
        The class shares that were assumed of every domain.
    n_rounds_ : int
        Rounds that were done: fewer than asked for if a callback ended them or no document of a
        target was without a label.
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As in the other classifiers.

    See Also
    --------
    sklearn.semi_supervised.SelfTrainingClassifier : no quotas, no domains.

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
    >>> shares = {"good": 2 / 3, "bad": 1 / 3}
    >>> SelfTraining(class_prior=shares).fit(X, y, sample_domain).transduction_.tolist()
    ['good', 'bad', 'good', 'bad', 'good']
    """

    _fitted_parts: ClassVar[dict[str, str]] = {"estimator_": "one"}
    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "n_rounds_": "",
    }

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
        """Whether the estimator does; self-training itself draws nothing."""
        return bool(self._make_estimator().is_random)

    @property
    def _max_iterations(self) -> int:
        return self.n_rounds

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the estimator as ``estimator__C``; see scikit-learn."""
        inner = params.get("estimator", self.estimator)
        nested = [name for name in params if name.startswith("estimator__")]
        if nested and isinstance(inner, str):
            raise ValueError(
                f"{nested[0]!r} sets a parameter of an estimator, and the estimator is a name: "
                f"give an object in the place of {inner!r}."
            )
        return super().set_params(**params)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            inner = self._make_estimator().__sklearn_tags__()
        except ValueError:  # an estimator that is none: fit will say so
            return tags
        tags.input_tags.positive_only = inner.input_tags.positive_only
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags

    def _make_estimator(self) -> TransferClassifier:
        wanted = self.estimator
        if isinstance(wanted, str):
            model: TransferClassifier = find_classifier(wanted).build()
        elif isinstance(wanted, TransferClassifier):
            model = clone(wanted)
        else:
            raise ValueError(
                f"estimator={wanted!r} must be the name of a method (see isthmus methods) or a "
                "classifier of isthmus."
            )
        if self.random_state is not None and "random_state" in model.get_params(deep=False):
            model.set_params(random_state=self.random_state)
        return model

    def _with_term_names(self, names: Any) -> SelfTraining:
        model = self._make_estimator()
        told = model._with_term_names(names)
        # A name stays a name where nothing has to be told.
        return self if told is model else clone(self).set_params(estimator=told)

    def _check_parameters(self) -> None:
        model = self._make_estimator()
        model._check_settings()
        model._check_labels_documents()
        check_whole_number("n_rounds", self.n_rounds, least=0)
        check_number("fraction", self.fraction, above=0, most=1)

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        model = self.estimator_ = self._make_estimator()
        X = model._read_matrix(X, reset=True)
        model._learn_problem(problem, X, None)
        candidates = candidates_of(problem, X, self._held_to)
        self.n_rounds_ = 0
        before = None
        for number in range(1, self.n_rounds + 1 if candidates else 1):
            found = [model._new_memberships(c.X, c.number) for c in candidates]
            fraction = self.fraction * number / self.n_rounds
            taught = with_labels(problem, _most_certain(candidates, found, fraction))
            model._fit_again(taught, X)
            self.n_rounds_ = number
            labels = [memberships.argmax(axis=1) for memberships in found]
            uncertainty = 1 - float(np.concatenate(found).max(axis=1).mean())
            changed, before = changed_share(before, labels), labels
            if callback is not None and callback(Progress(number, uncertainty, changed)):
                break
        last = [model._new_memberships(part, n) for n, part in rows_of_domains(problem, X)]
        model._label_again(problem, last)
        return last

    @available_if(_has_word_clusters)
    def top_cluster_words(self, feature_names: Any = None, n_words: int = 10) -> Words:
        """The words of every word cluster, where the classifier has any; see ``top_words``."""
        model: Any = self.estimator_
        found: Words = model.top_cluster_words(self._term_names(feature_names), n_words)
        return found

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        return self.estimator_._new_memberships(X, number)

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return self.estimator_._word_strengths()


def _most_certain(
    candidates: list[Candidates], memberships: list[NDArray[Any]], fraction: float
) -> dict[int, NDArray[np.intp]]:
    """For every target the classes of the documents to learn from, -1 for the others."""
    found = {}
    for candidate, shares in zip(candidates, memberships, strict=True):
        rows, labels = candidate.most_certain(shares, fraction)
        found[candidate.number] = candidate.spread(rows, labels)
    return found
