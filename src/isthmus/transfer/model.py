"""The front door: from labelled and unlabelled texts to labels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from isthmus.domains.labels import MarkedLabels, as_label_array, known_labels
from isthmus.estimators.base.callbacks import end_callbacks, join_callbacks
from isthmus.estimators.registry import METHODS, find_classifier
from isthmus.transfer.prediction import Prediction
from isthmus.transfer.texts import DEFAULT_TARGET as _TARGET
from isthmus.transfer.texts import read_domains
from isthmus.transfer.words import (
    check_shared_words,
    count_new_words,
    count_words,
    joins_languages,
    rows_without_words,
    spellings,
    term_names,
)

if TYPE_CHECKING:
    from isthmus.estimators.base.training_data import TrainingData
    from isthmus.numerics.progress import Callback

__all__ = ["Prediction", "Prepared", "Transfer"]

_WITHIN_A_LANGUAGE, _ACROSS_LANGUAGES = "mtrick", "dkt"
_SOURCE_ONLY = "lg"
_NO_SHARES = "none"
_OF_THE_FITTED_TEXTS = (
    "labels_",
    "probabilities_",
    "source_only_labels_",
    "agreement_",
    "targets_",
)


class Prepared(NamedTuple):
    """Validated parts of a :class:`Transfer`; see :meth:`Transfer.prepare`."""

    estimator: Any
    vectorizer: Any


class Transfer(BaseEstimator):
    """Carries labels from source texts to target texts.

    Parameters
    ----------
    method : str, estimator or None, default=None
        Name of a method (see ``isthmus methods``) or an estimator of one, such as
        ``MTrick(beta=2.0)``. None is "mtrick", and "dkt" where the vectorizer joins two languages.
    preset : str or None, default=None
        Preset of the method's parameters, such as "paper"; only with a name.
    vectorizer : TextVectorizer, BilingualVectorizer or None, default=None
        How texts become terms; None is ``TextVectorizer()``. If the sources are in one language
        and the targets in another, a :class:`BilingualVectorizer`. Another vectorizer of
        scikit-learn's kind works too, but such a model cannot be saved.
    class_prior : None, "none", "source", "estimate", array or dict, default=None
        Class shares that the target is taken to have: those of the source, an estimate without
        labels (see :func:`isthmus.estimate_class_prior`), or your own, as a dict from label to
        share. The labels are held to them. "none" holds them to nothing; None leaves the method's
        own setting, which is "source" for self-training, MCT and CODA and nothing for the others.
    random_state : int, RandomState or None, default=None
        For methods that draw at random.

    Attributes
    ----------
    labels_ : array, or dict of arrays if ``target_texts`` was a mapping
        A label for every target text.
    probabilities_ : array of shape (n_texts, n_classes), or dict of such arrays
        Membership of every target text in the classes. Rows sum to 1; they rank documents well
        but are not calibrated.
    source_only_labels_ : array or dict of arrays
        What a logistic regression on the source alone says, to compare with.
    agreement_ : float
        Share of the target's labels on which both agree.
    targets_ : dict of target name to Prediction
        All of this by target, and which texts hold no known word.
    classes_ : array
    domains_ : dict of domain name to number, sources 0 and above, targets below 0
    estimator_, source_only_, vectorizer_
        The fitted parts.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus()
    >>> model = Transfer().fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> model.predict(["The kettle is sturdy and quick, a delight."]).tolist()
    ['positive']
    """

    def __init__(
        self,
        method: Any = None,
        *,
        preset: str | None = None,
        vectorizer: Any = None,
        class_prior: Any = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.preset = preset
        self.vectorizer = vectorizer
        self.class_prior = class_prior
        self.random_state = random_state

    def fit(
        self,
        source_texts: Any,
        labels: Any = None,
        target_texts: Any = None,
        *,
        callback: Callback | None = None,
        announce: Callable[[str], None] | None = None,
        prepared: Prepared | None = None,
    ) -> Self:
        """Learn from the source's labels and label the target.

        Parameters
        ----------
        source_texts : iterable of str, or mapping of name to (texts, labels)
            Prediction texts; as a mapping, several named source domains.
        labels : sequence, default=None
            Their labels, text or numbers; None for a text without one. Left out with a mapping.
        target_texts : iterable of str, or mapping of name to texts or (texts, labels)
            Texts to be labelled; as a mapping, several named target domains, in which some texts
            may have labels.
        callback : function, default=None
            Called after every iteration with its ``iteration``, ``objective`` and ``changed``; a
            true answer stops the fit.
        announce : function, default=None
            Called with a short description at the beginning of every stage.
        prepared : Prepared, default=None
            The result of :meth:`prepare`, if it was called before.

        Returns
        -------
        self
        """
        estimator, vectorizer = prepared or self.prepare()
        domains = read_domains(source_texts, labels, target_texts)
        tell = announce or (lambda phase: None)
        tell("Counting words")
        X = count_words(vectorizer, domains)
        y = np.empty(X.shape[0], object)
        y[:] = [label for domain in domains for label in domain.labels_of_rows()]
        y = y.view(MarkedLabels)
        sample_domain = np.repeat([d.number for d in domains], [d.n_texts for d in domains])
        check_shared_words(X, domains)
        data = estimator._read_training_data(
            X,
            y,
            sample_domain,
            feature_names=term_names(vectorizer),
            domain_names={domain.number: domain.name for domain in domains},
        )
        tell("Fitting the source-only classifier")
        source_only = _fit_source_only(data, y, sample_domain)
        tell(f"Fitting {type(estimator).__name__}")
        estimator._fit_data(data, join_callbacks(estimator, callback))
        end_callbacks(estimator)
        self.vectorizer_, self.estimator_, self.source_only_ = vectorizer, estimator, source_only
        self.domains_ = {domain.name: domain.number for domain in domains}
        self.classes_ = estimator.classes_
        self._keep_labels(X, sample_domain, as_mapping=isinstance(target_texts, Mapping))
        return self

    def prepare(self) -> Prepared:
        """Build the estimator and the vectorizer and validate all parameters.

        :meth:`fit` does this itself. Call it to find a wrong parameter before any text is read,
        and pass the result to :meth:`fit`, which then does not build them again.
        """
        estimator = self.make_estimator()
        estimator._check_settings()
        estimator._check_produces_labels()
        vectorizer = self._make_vectorizer()
        if hasattr(vectorizer, "check"):
            vectorizer.check()
        return Prepared(estimator, vectorizer)

    def check(self) -> Self:
        """Raise ValueError if a parameter makes no sense, before any text is read."""
        self.prepare()
        return self

    def predict(self, texts: Iterable[str], domain: str | None = None) -> NDArray[Any]:
        """Labels of new texts.

        Parameters
        ----------
        texts : iterable of str
        domain : str, default=None
            Name of the domain that they come from; by default the target. Needed when several
            targets were fitted.
        """
        return self.label(texts, domain).labels

    def predict_proba(self, texts: Iterable[str], domain: str | None = None) -> NDArray[Any]:
        """Membership of new texts in the classes (``classes_``); see :meth:`predict`."""
        return self.label(texts, domain).probabilities

    def label(self, texts: Iterable[str], domain: str | None = None) -> Prediction:
        """All that the model says of new texts, which are read once; see :meth:`predict`."""
        number = self._domain_number(domain)
        X = count_new_words(self.vectorizer_, texts, number)
        numbers = np.full(X.shape[0], number)
        probabilities = np.asarray(self.estimator_.predict_proba(X, numbers))
        return Prediction(
            np.asarray(self.classes_[probabilities.argmax(axis=1)]),
            probabilities,
            self.source_only_.predict(X, numbers),
            rows_without_words(X),
        )

    def check_domain(self, domain: str | None) -> None:
        """Raise ValueError unless texts of that domain (None: of the target) can be labelled."""
        self._domain_number(domain)

    def score(self, texts: Iterable[str], labels: Any, domain: str | None = None) -> float:
        """Accuracy on the texts whose label is known (not None or NaN)."""
        self._check_fitted()
        known, truth = known_labels(labels, None, self.classes_)
        predicted = self.predict(texts, domain)
        if len(as_label_array(labels)) != len(predicted):
            raise ValueError(
                f"There are {len(predicted)} texts but {len(as_label_array(labels))} labels: give "
                "one label a text."
            )
        if len(known) == 0:
            raise ValueError("No label is known, so there is nothing to score.")
        return float(np.mean([p == t for p, t in zip(predicted[known], truth, strict=True)]))

    def top_words(self, n_words: int = 10) -> dict[Any, dict[str, list[str]]]:
        """The words that speak most for every class, by domain name: the bridge."""
        self._check_fitted()
        return self._by_name(self.estimator_.top_words(self._columns(), n_words))

    @property
    def has_word_clusters(self) -> bool:
        """Whether the method groups words into clusters."""
        self._check_fitted()
        return hasattr(self.estimator_, "top_cluster_words")

    def top_cluster_words(self, n_words: int = 10) -> dict[int, dict[str, list[str]]]:
        """The words that make up every word cluster, by domain name."""
        if not self.has_word_clusters:
            raise ValueError(
                f"{type(self.estimator_).__name__} has no word clusters: see top_words()."
            )
        return self._by_name(self.estimator_.top_cluster_words(self._columns(), n_words))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, for :func:`isthmus.load`.

        The file holds what predictions need: settings, vocabulary, weights and factors, so it
        tells the words of your documents. It holds neither the texts nor their labels.
        """
        from isthmus.transfer.saving import save

        self._check_fitted()
        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Transfer:
        """The same as :func:`isthmus.load`."""
        from isthmus.transfer.saving import load

        return load(path)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_THE_FITTED_TEXTS and "estimator_" in vars(self):
            raise AttributeError(
                f"{name} is not kept in a model file, which holds no documents: use predict, or "
                "take it from the model before it is saved."
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def _check_fitted(self) -> None:
        if "estimator_" not in vars(self):
            raise NotFittedError("This Transfer is not fitted yet: call fit, or isthmus.load.")

    def make_estimator(self) -> Any:
        """A new estimator of the method, with its parameters."""
        from isthmus.estimators.base.classifier import TransferClassifier

        wanted = self._usual_method() if self.method is None else self.method
        if isinstance(wanted, str):
            estimator = find_classifier(wanted).build(self.preset)
        elif isinstance(wanted, TransferClassifier):
            if self.preset is not None:
                raise ValueError(
                    f"preset={self.preset!r} goes with the name of a method, not with an estimator."
                )
            estimator = clone(self.method)
        else:
            raise ValueError(
                f"method={self.method!r} must be one of {', '.join(METHODS)} or an estimator of "
                "one of them."
            )
        if self.class_prior is not None:
            if "class_prior" not in estimator.get_params(deep=False):
                raise ValueError(
                    f"{type(estimator).__name__} says of no document how likely its class is, so "
                    "it cannot be held to a class_prior: leave it out, or take another method."
                )
            free = isinstance(self.class_prior, str) and self.class_prior == _NO_SHARES
            estimator.set_params(class_prior=None if free else self.class_prior)
        if self.random_state is not None and "random_state" in estimator.get_params(deep=False):
            estimator.set_params(random_state=self.random_state)
        return estimator

    def _usual_method(self) -> str:
        return _ACROSS_LANGUAGES if joins_languages(self.vectorizer) else _WITHIN_A_LANGUAGE

    def _make_vectorizer(self) -> Any:
        if self.vectorizer is None:
            from isthmus.text.vectorizer import TextVectorizer

            return TextVectorizer()
        return clone(self.vectorizer)

    def _keep_labels(self, X: Any, sample_domain: NDArray[np.int64], as_mapping: bool) -> None:
        without_words = rows_without_words(X)
        self.targets_ = {}
        for name, number in self.domains_.items():
            if number < 0:
                rows = sample_domain == number
                self.targets_[name] = Prediction(
                    self.estimator_.transduction_[rows],
                    self.estimator_.label_distributions_[rows],
                    self.source_only_.transduction_[rows],
                    without_words[rows],
                )
        answers = {
            "labels_": {name: said.labels for name, said in self.targets_.items()},
            "probabilities_": {name: said.probabilities for name, said in self.targets_.items()},
            "source_only_labels_": {name: said.source_only for name, said in self.targets_.items()},
        }
        for attribute, by_name in answers.items():
            setattr(self, attribute, by_name if as_mapping else by_name[_TARGET])
        self.agreement_ = float(
            np.concatenate([s.labels == s.source_only for s in self.targets_.values()]).mean()
        )

    def _domain_number(self, domain: str | None) -> int:
        """The number of a domain by its name; without one, that of the only target."""
        self._check_fitted()
        targets = [number for number in self.domains_.values() if number < 0]
        names = ", ".join(repr(name) for name in self.domains_)
        if domain is None:
            if len(targets) > 1:
                raise ValueError(f"Several targets were fitted: say which domain, of {names}.")
            return targets[0]
        if domain not in self.domains_:
            raise ValueError(f"There is no domain {domain!r}: the fitted ones are {names}.")
        return self.domains_[domain]

    def _columns(self) -> NDArray[np.intp]:
        return np.arange(self.estimator_.n_features_in_)

    def _by_name(self, words: dict[Any, dict[int, list[Any]]]) -> dict[Any, dict[str, list[Any]]]:
        """Words by the names of the domains, each as people write it there."""
        names = {number: name for name, number in self.domains_.items()}
        written = {number: spellings(self.vectorizer_, number) for number in names}
        return {
            label: {
                names[number]: [column if written[number] is None else written[number][column]
                                for column in found]
                for number, found in by_number.items()
            }
            for label, by_number in words.items()
        }  # fmt: skip


def _fit_source_only(data: TrainingData, y: NDArray[Any], sample_domain: NDArray[np.int64]) -> Any:
    """The classifier of the source alone, to compare with.

    It shares its fit with the initial classifier of the method, and makes no remarks of its own:
    a warning about it would be read as one about the method.
    """
    source_only = find_classifier(_SOURCE_ONLY).build()
    if data.has_target_labels:
        hidden = _labels_of_sources(y, sample_domain)
        data = source_only._read_training_data(data.X, hidden, sample_domain)
    source_only._fit_data(data, None, check_result=False)
    return source_only


def _labels_of_sources(y: NDArray[Any], sample_domain: NDArray[np.int64]) -> NDArray[Any]:
    """The labels without those of targets, unless the sources teach one class only."""
    hidden = y.copy()
    hidden[sample_domain < 0] = None
    return hidden if len({label for label in hidden if label is not None}) > 1 else y
