"""``Transfer``: from labeled and unlabeled texts to labels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from isthmus._docstrings import share_entries
from isthmus._stages import record_stages
from isthmus.domains.labels import as_label_array, check_min_confidence, known_labels
from isthmus.transfer.engine import (
    check_engine_of,
    engine_scope,
    is_collection,
    label_collection,
    uses_cluster,
)
from isthmus.transfer.fitting import (
    Prepared,
    fit_texts,
    make_estimator,
    make_vectorizer,
    prepare,
    preset_weighting,
    set_verdicts,
    warn_of_verdicts,
)
from isthmus.transfer.prediction import Prediction
from isthmus.transfer.texts import DEFAULT_TARGET as _TARGET
from isthmus.transfer.texts import read_domains
from isthmus.transfer.words import (
    count_new_texts,
    rows_without_words,
    second_view,
    spellings,
)

if TYPE_CHECKING:
    from isthmus.estimators.base.verdict import Verdict
    from isthmus.inspection.explanation import Explanation
    from isthmus.numerics.progress import Callback
    from isthmus.transfer.plotting import Plots

__all__ = ["DEFAULT_MAX_TEXTS", "Prediction", "Transfer"]

#: Texts in a report.
DEFAULT_MAX_TEXTS = 1_500

#: Attributes that describe the fitted texts, which model files do not hold.
_FITTED_TEXT_ATTRIBUTES = (
    "labels_",
    "probabilities_",
    "source_only_labels_",
    "agreement_",
    "targets_",
    "report_sample_",
    "stage_seconds_",
    "engine_",
)


@share_entries
class Transfer(BaseEstimator):
    """Transfer labels from source texts to target texts.

    Parameters
    ----------
    method : str, estimator or None, default=None
        Name of a method (see ``isthmus methods``) or an estimator of one, such as
        ``MTrick(beta=2.0)``. None means "auto", the automatic method :class:`Auto`: it fits several
        methods, combines them and judges the result. With a :class:`BilingualVectorizer` it uses
        words only, otherwise also character n-grams.
    preset : str or None, default=None
        Preset of the parameters, such as "paper". Only if ``method`` is a name. If neither a
        vectorizer nor a weighting is given, words have the weighting of the preset's paper.
    effort : {"fast", "normal", "thorough"} or None, default=None
        How many methods the automatic method fits, see :class:`Auto`. None means "normal", or
        the effort of ``method`` if it is an :class:`Auto`. Only for the automatic method.
    time_limit : float or None, default=None
        Seconds for all members of the automatic method together. It is checked before and after
        every member: a member that ends after it is left out, but the first member with a result
        always counts. Only for the automatic method.
    vectorizer : TextVectorizer, BilingualVectorizer or None, default=None
        How texts become term counts. None means ``TextVectorizer()``. Use a
        :class:`BilingualVectorizer` if sources and targets are in different languages. Vectorizers
        of scikit-learn work too, but such a model cannot be saved.
    weighting : str or None, default=None
        Weighting of the words, see :func:`isthmus.make_weighting`. None means that of the
        vectorizer, which is "log-tfidf" by default. Only for vectorizers of isthmus.
    class_prior : None, "none", "source", "estimate", array or dict, default=None
        Class prior of the target, which the predicted labels match: "source" for the class
        proportions of the source, "estimate" for an estimate without target labels (see
        :func:`isthmus.estimate_class_prior`), or your own proportions, for example as a dict from
        label to proportion. "none" applies no prior; the automatic method does not accept it,
        because it always uses class proportions. For the automatic method, None and "estimate"
        mean its own estimate. For other methods, None keeps their default: methods that assign
        labels in given class proportions use "source", and all others apply no prior.
    verdict : bool, default=True
        Whether to judge the labels of other methods than the automatic one. It fits
        ``Auto(effort="fast")`` to a sample of at most 2,000 documents per domain and compares the
        labels. The automatic method always gives a verdict.
    random_state : int, RandomState or None, default=None
        Random seed of methods that draw random numbers.
    engine : {"auto", "cpu", "gpu", "dask"}, distributed.Client or None, default=None
        Where fits and predictions are computed, see :func:`isthmus.set_config`. With a client of
        Dask (or "dask", its default client), words are counted and the method is fitted on the
        workers of its cluster. None means the setting of the process. Model files do not hold it: a
        loaded model has None.

    Attributes
    ----------
    labels_ : array, or dict of arrays if ``target_texts`` was a mapping
        Labels of the target texts.
    probabilities_ : array of shape (n_texts, n_classes), or dict of such arrays
        Class memberships of the target texts. Rows sum to 1. The automatic method scales them so
        that the mean of the largest ones is the estimated accuracy; those of other methods rank
        documents but are not calibrated.
    source_only_labels_ : array or dict of arrays
        Labels by a class-balanced logistic regression on the source alone, for comparison.
    agreement_ : float
        Proportion of target texts on which both agree.
    verdict_ : Verdict, or dict of target name to Verdict if ``target_texts`` was a mapping
        Whether the labels can be used: a decision ("use", "check first" or "do not use"), the
        estimated accuracies and the reasons. None (or no entry) if there is no verdict. Model
        files keep it. A warning is given if the decision is "do not use". See
        :class:`~isthmus.estimators.base.verdict.Verdict`.
    verdicts_ : dict of target name to Verdict
        The same, always by name.
    targets_ : dict of target name to Prediction
        Labels and probabilities per target, and which texts have no known word. To leave out
        uncertain labels, use ``targets_[name].labels_at(min_confidence)``. See
        :class:`~isthmus.transfer.prediction.Prediction`.
    stage_seconds_ : dict of stage to seconds
        How long the stages of the fit took. Texts are read and counted at the same time: "counting
        words" is the time that reading had to wait for.
    engine_ : {"cpu", "gpu", "dask"}
        The engine that the fit was computed on.
    report_sample_ : dict of domain name to DomainSample
        A sample of at most 10,000 documents of every domain, for reports and plots: rows, texts and
        given labels. Model files do not hold it, but a pickle does. See
        :class:`~isthmus.inspection.sample.DomainSample`.
    classes_ : array of shape (n_classes,)
        Labels of the classes, sorted. Columns of probabilities have this order.
    domains_ : dict of domain name to int
        Number of every domain: sources are 0 and above, targets below 0.
    estimator_ : classifier
        The fitted estimator of the method.
    source_only_ : SourceLogistic
        The fitted classifier of the source alone.
    vectorizer_ : TextVectorizer, BilingualVectorizer or another vectorizer
        The fitted vectorizer.
    characters_ : CharacterVectorizer or None
        Fitted character n-grams of the same texts, if the method uses them. None if it does not, if
        the language has no spaces between words, or if there are too many texts (see
        :meth:`CharacterVectorizer.observe`).

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus()
    >>> model = Transfer().fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> model.predict(["The kettle is sturdy and quick, a delight."]).tolist()
    ['positive']
    """

    verdict_: Verdict | dict[str, Verdict] | None
    verdicts_: dict[str, Verdict]

    def __init__(
        self,
        method: Any = None,
        *,
        preset: str | None = None,
        effort: str | None = None,
        time_limit: float | None = None,
        vectorizer: Any = None,
        weighting: str | None = None,
        class_prior: Any = None,
        verdict: bool = True,
        random_state: Any = None,
        engine: Any = None,
    ) -> None:
        self.method = method
        self.preset = preset
        self.effort = effort
        self.time_limit = time_limit
        self.vectorizer = vectorizer
        self.weighting = weighting
        self.class_prior = class_prior
        self.verdict = verdict
        self.random_state = random_state
        self.engine = engine

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
        """Fit on labeled source texts and label the target texts.

        Warns if labels differ only in case or spaces, or look like a missing value; estimators
        used without ``Transfer`` do not check the spelling of labels.

        Parameters
        ----------
        source_texts : iterable of str, TextFiles, or mapping of name to (texts, labels)
            Labeled texts. Use a mapping for several named source domains. If the engine is Dask,
            texts and labels may also be bags or columns of data frames of Dask.
        labels : sequence, default=None
            Labels of the source texts, strings or numbers; None marks an unlabeled text. Omit it
            if ``source_texts`` is a mapping or a :class:`TextFiles`, which has labels.
        target_texts : iterable of str, TextFiles, or mapping of name to texts or (texts, labels)
            Texts to be labeled. Use a mapping for several named target domains; texts that have
            a label are learned from.
        callback : function, default=None
            Called after every iteration with an object that has ``iteration``, ``objective`` and
            ``changed``. Return True to stop the fit. The automatic method calls it after every
            member.
        announce : function, default=None
            Called with a short description at the beginning of every stage.
        prepared : Prepared, default=None
            The result of :meth:`prepare`, if it was called before.

        Returns
        -------
        self
        """
        as_mapping = isinstance(target_texts, Mapping)
        with record_stages("other") as times:
            fitted = fit_texts(
                prepared or self.prepare(),
                read_domains(source_texts, labels, target_texts),
                callback,
                announce or (lambda stage: None),
                with_verdict=self.verdict,
                engine=self.engine,
            )
            self.vectorizer_, self.characters_ = fitted.vectorizer, fitted.characters
            self.estimator_, self.source_only_ = fitted.estimator, fitted.source_only
            self.domains_ = {domain.name: domain.number for domain in fitted.domains}
            self.classes_ = fitted.estimator.classes_
            self._set_predictions(fitted.X, fitted.sample_domain, as_mapping)
            self.report_sample_ = fitted.sample
            set_verdicts(self, fitted.verdicts, as_mapping)
            warn_of_verdicts(self)
        self.engine_ = fitted.engine
        self.stage_seconds_ = dict(times.seconds)
        return self

    def prepare(self) -> Prepared:
        """Build the estimator and the vectorizer and validate all parameters.

        :meth:`fit` does this itself. Call it to find a wrong parameter before any text is read,
        and pass the result to :meth:`fit`, which then does not build them again.

        Returns
        -------
        Prepared
            The estimator and the vectorizer, for the parameter ``prepared`` of :meth:`fit`.
        """
        weighting = self.weighting
        if weighting is None and self.vectorizer is None:
            weighting = preset_weighting(self.method, self.preset)
        vectorizer = make_vectorizer(self.vectorizer, weighting)
        prepared = prepare(self.make_estimator(), vectorizer)
        check_engine_of(prepared.estimator, self.engine)
        return prepared

    def make_estimator(self) -> Any:
        """Create the unfitted estimator of the method.

        Returns
        -------
        classifier
            An unfitted estimator with the parameters of this object.
        """
        return make_estimator(
            self.method,
            preset=self.preset,
            effort=self.effort,
            time_limit=self.time_limit,
            class_prior=self.class_prior,
            random_state=self.random_state,
        )

    def check(self) -> Self:
        """Raise ValueError if a parameter makes no sense, before any text is read.

        Returns
        -------
        self
        """
        self.prepare()
        return self

    def predict(
        self,
        texts: Iterable[str],
        domain: str | None = None,
        min_confidence: float | None = None,
    ) -> NDArray[Any]:
        """Predict the labels of new texts.

        Parameters
        ----------
        texts : iterable of str, TextFiles, or a bag or column of Dask
            A collection of Dask is labeled on the workers of its cluster.
        domain : str, default=None
            Name of the domain of the texts, by default the target. Required if several targets
            were fitted.
        min_confidence : float, default=None
            Texts whose largest probability is below this number from 0 to 1 get None instead of a
            label; the result is then an array of objects. None labels all texts. For the fitted
            texts, use ``targets_[name].labels_at(min_confidence)``.

        Returns
        -------
        array of shape (n_texts,)
            The labels.
        """
        check_min_confidence(min_confidence)
        return self.label(texts, domain).labels_at(min_confidence)

    def predict_proba(self, texts: Iterable[str], domain: str | None = None) -> NDArray[Any]:
        """Predict the class memberships of new texts.

        Returns
        -------
        array of shape (n_texts, n_classes)
            Memberships in the order of ``classes_``; rows sum to 1.
        """
        return self.label(texts, domain).probabilities

    def label(self, texts: Iterable[str], domain: str | None = None) -> Prediction:
        """Predict the labels, memberships and source-only labels of new texts in one pass.

        Returns
        -------
        Prediction
            See :class:`~isthmus.transfer.prediction.Prediction`.
        """
        number = self._domain_number(domain)
        if is_collection(texts):
            return label_collection(self, texts, domain)
        views = count_new_texts(self.vectorizer_, self.characters_, texts, number)
        return Prediction.join([self._label_rows(X, Z, number) for X, Z in views])

    def _label_rows(self, X: Any, Z: Any, number: int) -> Prediction:
        numbers = np.full(X.shape[0], number)
        # Texts that are not on a cluster are labeled faster here.
        setting = "cpu" if uses_cluster(self.engine) else self.engine
        with engine_scope(self.estimator_, setting, X, refuses=False):
            probabilities = np.asarray(self.estimator_.predict_proba(X, numbers, **second_view(Z)))
            source_only = self.source_only_.predict(X, numbers)
        labels = np.asarray(self.classes_[probabilities.argmax(axis=1)])
        return Prediction(labels, probabilities, source_only, rows_without_words(X))

    def check_domain(self, domain: str | None) -> None:
        """Raise ValueError if there is no such domain.

        Parameters
        ----------
        domain : str or None
            Name of a domain; None means the only target.
        """
        self._domain_number(domain)

    def score(self, texts: Iterable[str], labels: Any, domain: str | None = None) -> float:
        """Accuracy of the predicted labels.

        Parameters
        ----------
        labels : sequence
            True labels. Texts whose label is None or NaN are left out.
        domain : str, default=None
            Name of the domain of the texts, by default the target. Required if several targets
            were fitted.

        Returns
        -------
        float
            Proportion of the texts with a known label whose predicted label is right.
        """
        self._check_fitted()
        known, truth = known_labels(labels, None, self.classes_)
        predicted = self.predict(texts, domain)
        if len(as_label_array(labels)) != len(predicted):
            raise ValueError(
                f"There are {len(predicted)} texts but {len(as_label_array(labels))} labels: give "
                "one label per text."
            )
        if len(known) == 0:
            raise ValueError("All labels are missing, so there is nothing to score.")
        return float(np.mean([p == t for p, t in zip(predicted[known], truth, strict=True)]))

    def top_words(self, n_words: int = 10) -> dict[Any, dict[str, list[str]]]:
        """Return the words that are most typical of every class.

        Parameters
        ----------
        n_words : int, default=10
            Number of words per class and domain.

        Returns
        -------
        dict of label to dict of domain name to list of str
            The words, strongest first. A strong word is frequent in the domain and typical of the
            class.
        """
        self._check_fitted()
        return self._by_name(self.estimator_.top_words(self._columns(), n_words))

    def explain(self, text: str, domain: str | None = None) -> Explanation:
        """Explain the label of a text by the words that speak for and against every class.

        The weight of a word says how much the score of a class falls if the word is removed from
        the text. It means the same with every method. The rule for new documents is explained: the
        label of a text of the fit may differ from ``labels_``.

        Parameters
        ----------
        text : str
            The document.
        domain : str, default=None
            Name of the domain of the text, by default the target. Required if several targets
            were fitted.

        Returns
        -------
        Explanation
            The words with their weights, and where they are in the text; print it for a summary.
            See :class:`~isthmus.inspection.explanation.Explanation`. For many texts,
            :func:`~isthmus.transfer.explaining.explain_many` is faster.
        """
        from isthmus.transfer.explaining import explain

        return explain(self, text, domain)

    @property
    def plot(self) -> Plots:
        """The figures of the fitted texts: ``model.plot.words()``, ``map()`` and others.

        See :class:`~isthmus.transfer.plotting.Plots`. A notebook shows a figure, and
        ``save("words.svg")`` writes it to a file.
        """
        from isthmus.transfer.plotting import Plots

        return Plots(self)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        domain: str | None = None,
        max_texts: int = DEFAULT_MAX_TEXTS,
        title: str | None = None,
    ) -> None:
        """Write a report of the fitted texts: one HTML page that needs no network.

        It shows the verdict, what was read, the labels found, the words behind them, the documents
        to look at and to label first, a map of the documents, and the settings. It contains words
        and some texts of your documents.

        Parameters
        ----------
        path : path
            The HTML file. An existing one is replaced.
        domain : str, default=None
            Name of the target. Required if several targets were fitted.
        max_texts : int, default=1500
            At most this many texts are shown, cut to 2,000 characters; 0 leaves out all texts.
            Single words are shown nevertheless.
        title : str, default=None
            Title of the page. By default it names source and target.
        """
        from isthmus.transfer.reporting import write_report

        write_report(self, path, domain, max_texts=max_texts, title=title)

    def to_frame(self, domain: str | None = None) -> Any:
        """Return the labels of the fitted target texts as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per text, with the index of the pandas Series of texts if it was one. Columns:

            - ``label`` and ``confidence``, the probability of the label;
            - ``source_only``, the label by a classifier of the source alone, and ``agrees``,
              whether both are the same;
            - ``disputed``, whether that classifier or a member of the automatic method gives
              another label;
            - ``given``, whether the label of the text was given;
            - ``without_words``, whether the text has no word that the model knows, so that its
              label is meaningless.
        """
        from isthmus.transfer.target_report import target_frame

        return target_frame(self, domain)

    @property
    def _repr_html_(self) -> Any:
        """What a notebook shows: a summary of the fit; scikit-learn's diagram before it.

        A property as in scikit-learn, because there is no HTML if its option ``display`` is "text".
        """
        diagram = super()._repr_html_
        return self._summary_html if self.__sklearn_is_fitted__() else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """The same for Jupyter, which prefers this to ``_repr_html_``."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if self.__sklearn_is_fitted__() and "text/html" in bundle:
            bundle["text/html"] = self._summary_html()
        return bundle

    def _summary_html(self) -> str:
        from isthmus.transfer.target_report import summary_html

        return summary_html(self)

    @property
    def has_word_clusters(self) -> bool:
        """Whether the method groups words into clusters."""
        self._check_fitted()
        return hasattr(self.estimator_, "top_cluster_words")

    def top_cluster_words(self, n_words: int = 10) -> dict[int, dict[str, list[str]]]:
        """Return the words of every word cluster, for methods that have word clusters.

        Parameters
        ----------
        n_words : int, default=10
            Number of words per cluster and domain.

        Returns
        -------
        dict of int to dict of domain name to list of str
            The words by number of the cluster, strongest first.
        """
        if not self.has_word_clusters:
            raise ValueError(
                f"{type(self.estimator_).__name__} has no word clusters: use top_words()."
            )
        return self._by_name(self.estimator_.top_cluster_words(self._columns(), n_words))

    def cluster_associations(self) -> NDArray[np.float64]:
        """Return how strongly every word cluster is associated with every class.

        Returns
        -------
        array of shape (n_word_clusters, n_classes)
            One row per cluster, in the order of :meth:`top_cluster_words`; rows sum to 1.
        """
        if not self.has_word_clusters:
            raise ValueError(f"{type(self.estimator_).__name__} has no word clusters.")
        associations = np.asarray(self.estimator_.associations_, np.float64)
        return associations / associations.sum(axis=1, keepdims=True).clip(min=1e-300)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, for :func:`isthmus.load`.

        The file holds what predictions need: settings, vocabulary, weights and factors. It
        contains the words of your documents, but neither the texts nor their labels.

        Parameters
        ----------
        path : path
            The file, such as ``"kitchen.isthmus"``. An existing one is replaced.
        """
        from isthmus.transfer.saving import save

        self._check_fitted()
        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Transfer:
        """Read a model file; the same as :func:`isthmus.load`.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Transfer
            The fitted model.
        """
        from isthmus.transfer.saving import load

        return load(path)

    def __getattr__(self, name: str) -> Any:
        if name in _FITTED_TEXT_ATTRIBUTES and "estimator_" in vars(self):
            raise AttributeError(
                f"{name} describes the fitted texts, which a model file does not hold: use "
                "predict, or read it before the model is saved."
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def __sklearn_clone__(self) -> Self:
        # A client of Dask cannot be copied, and a copy would not be the same cluster.
        parameters = self.get_params(deep=False)
        engine = parameters.pop("engine")
        copies = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(**copies, engine=engine)

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def _check_fitted(self) -> None:
        if "estimator_" not in vars(self):
            raise NotFittedError("This Transfer is not fitted yet: call fit, or isthmus.load.")

    def _set_predictions(self, X: Any, sample_domain: NDArray[np.int64], as_mapping: bool) -> None:
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
        self.labels_ = {name: p.labels for name, p in self.targets_.items()}
        self.probabilities_ = {name: p.probabilities for name, p in self.targets_.items()}
        self.source_only_labels_ = {name: p.source_only for name, p in self.targets_.items()}
        if not as_mapping:
            for attribute in ("labels_", "probabilities_", "source_only_labels_"):
                setattr(self, attribute, getattr(self, attribute)[_TARGET])
        self.agreement_ = float(
            np.concatenate([p.labels == p.source_only for p in self.targets_.values()]).mean()
        )

    def _domain_number(self, domain: str | None) -> int:
        """The number of a domain; None means the only target."""
        self._check_fitted()
        targets = [number for number in self.domains_.values() if number < 0]
        names = ", ".join(repr(name) for name in self.domains_)
        if domain is None:
            if len(targets) > 1:
                raise ValueError(f"Several targets were fitted: pass domain, one of {names}.")
            return targets[0]
        if domain not in self.domains_:
            raise ValueError(f"There is no domain {domain!r}: the fitted domains are {names}.")
        return self.domains_[domain]

    def _columns(self) -> NDArray[np.intp]:
        return np.arange(self.estimator_.n_features_in_)

    def _by_name(self, words: dict[Any, dict[int, list[Any]]]) -> dict[Any, dict[str, list[Any]]]:
        """Words by domain name, in their usual spelling."""
        names = {number: name for name, number in self.domains_.items()}
        spelled = {number: spellings(self.vectorizer_, number) for number in names}

        def spell(number: int, columns: list[Any]) -> list[Any]:
            by_column = spelled[number]
            return columns if by_column is None else [by_column[column] for column in columns]

        return {
            label: {names[number]: spell(number, columns) for number, columns in by_number.items()}
            for label, by_number in words.items()
        }
