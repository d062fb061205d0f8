"""PJNMF, the joint factorization over pivots of Zhou et al. (2016)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.domains.model import Problem
from isthmus.estimators.augmented import rows_of_domains
from isthmus.estimators.parameters import (
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.pivot_classifier import PivotClassifier
from isthmus.estimators.pivots import Pivots
from isthmus.estimators.rarity import document_frequency
from isthmus.matrices.adopt import adopt, canonical, row_block
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import Documents
from isthmus.solvers.pjnmf import (
    Penalties,
    first_coefficients,
    fold_in_coefficients,
    pjnmf,
    random_factors,
)
from isthmus.solvers.progress import Callback, Stopping

# Beside pivots a term may belong to any shared topic, but begins low.
_BESIDE_PIVOTS = 0.1
_AUTO_OWN = 30
_AUTO_TOPIC_DF, _AUTO_TOPIC_SHARE = 20, 20
# The least start of a factor that may move at all.
_LEAST_START = 0.01


class PJNMF(PivotClassifier):
    """Topics of pivots that all domains share, beside topics of their own.

    With rows as documents, minimises over nonnegative factors

    ``sum_d ||X_d - H_d U_0' - L_d U_d'||^2 / ||X_d||^2 + alpha ||U_0'U_s||^2 + beta ||U_0'U_t||^2
    + gamma ||U_s'U_t||^2``

    with topics ``U_0`` that the documents of all domains share and topics ``U_d`` of each domain,
    on all documents, labelled or not. A linear support vector machine is taught the documents
    beside what they have of the shared topics.

    The default is what our experiments made of it (``benchmarks/pivot_defaults.md``). It factorizes
    the presence of terms, divided by the roots of a document's and of a term's size, so that
    frequent words do not take all topics. A shared topic is of one class: it may hold the
    pivots of that class and none of the others', and the topics of a domain hold no pivot at all.
    What words beside the pivots end up with is found from their company.

    ``from_preset("paper")`` is the method as printed, with its misprint in equation 9 corrected
    (``H_t`` for ``L_t``): documents as they are given, a random start, the coefficients ``H``
    alone for the classifier. The paper says nothing of the number of topics nor of its penalties.

    Any number of sources, targets and classes. New documents are projected on the shared topics,
    or folded in (``features="coefficients"``).

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Shared topics. "auto" is 100, or the number of terms if that is smaller.
    n_own : int or "auto", default="auto"
        Topics of each domain; "auto" is 30.
    n_pivots : int or "auto", default="auto"
        The most pivots. "auto" is 200, or a quarter of the vocabulary if that is less.
    pivots : {"label", "frequency", "domain"} or list, default="label"
        How pivots are chosen (see :class:`PivotSelector`), or the pivots themselves, by name or
        column.
    min_df : int or "auto", default="auto"
        The least number of documents of every domain that hold a pivot; see
        :class:`PivotSelector`.
    weighting : {"spectral", "given"}, default="spectral"
        What is factorized: the presence of terms divided by the roots of the sizes, or the
        documents as given, scaled to length 1.
    topic_min_df : int or "auto", default="auto"
        With ``weighting="spectral"``, the least number of documents that hold a term of a topic;
        "auto" is 20, or a twentieth of fewer than 400 documents.
    start : {"pivots", "random"}, default="pivots"
        Whether the start says which topics may hold which pivots. Zeros of the start stay.
    alpha, beta, gamma : float, default=0.0
        Penalties on the overlap of the shared topics with those of sources and of targets, and of
        the topics of two domains. As printed they do nothing but shrink the topics and stretch the
        coefficients.
    max_iter : int, default=30
    tol : float, default=0.0
        The fit ends when the objective changes by less than this share of itself.
    features : {"projection", "coefficients"}, default="projection"
        What a document has of the shared topics: its product with them, scaled to length 1, or
        its coefficients ``H`` (new documents by fold-in).
    beside : bool, default=True
        Whether the classifier sees the documents themselves too.
    feature_weight : float, default=0.3
        Mean length of a document's features; the document itself has length 1.
    classifier : {"svm", "logistic"} or None, default="svm"
        None makes features alone, for ``transform``.
    C : float, default=1.0
        Inverse strength of the classifier's penalty.
    random_state : int, RandomState or None, default=None
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_
        As of :class:`MTrick`.
    pivots_ : array of int
        Columns of the pivots, the best first; none with ``start="random"``.
    components_ : array of shape (n_components, n_terms)
        ``U_0``, a row a topic.
    own_components_ : dict of arrays of shape (n_own, n_terms)
        ``U_d`` by domain.
    objective_ : array
        Its value at the start and after every iteration: it never rises.
    n_iter_ : int
    coef_, feature_coef_, intercept_ : arrays
        The classifier's weights of terms and of features for every class.

    References
    ----------
    G. Zhou, T. He, W. Wu, X. T. Hu. Linking Heterogeneous Input Features with Pivots for Domain
    Adaptation. IJCAI 2016.

    Examples
    --------
    "thrilling" and "sturdy" keep the company of "good", each in its domain:

    >>> import pandas as pd
    >>> from isthmus import PJNMF
    >>> terms = ["good", "bad", "thrilling", "dull", "sturdy", "flimsy"]
    >>> books = [[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 0, 2, 0, 0]]
    >>> tools = [[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 0, 2]]
    >>> X = pd.DataFrame(books + tools, columns=terms)
    >>> y = ["+", "-", "+", "-", None, None, None, None]
    >>> model = PJNMF(pivots=["good", "bad"], random_state=0).fit(X, y)
    >>> model.transduction_[4:].tolist()
    ['+', '-', '+', '-']
    """

    _needs_nonnegative: ClassVar[bool] = True
    _auto_pivots: ClassVar[int] = 200
    _fitted_shapes: ClassVar[dict[str, str]] = {
        **PivotClassifier._fitted_shapes,
        "own_components_": "domain:jm",
        "term_scale_": "m",
    }
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            "n_own": 50,
            "weighting": "given",
            "start": "random",
            "alpha": 1.0,
            "beta": 1.0,
            "gamma": 1.0,
            "max_iter": 200,
            "features": "coefficients",
            "beside": False,
            "feature_weight": 1.0,
            "C": 1.0,
        }
    }

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        n_own: int | str = "auto",
        n_pivots: int | str = "auto",
        pivots: Any = "label",
        min_df: int | str = "auto",
        weighting: str = "spectral",
        topic_min_df: int | str = "auto",
        start: str = "pivots",
        alpha: float = 0.0,
        beta: float = 0.0,
        gamma: float = 0.0,
        max_iter: int = 30,
        tol: float = 0.0,
        features: str = "projection",
        beside: bool = True,
        feature_weight: float = 0.3,
        classifier: str | None = "svm",
        C: float = 1.0,
        random_state: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_components = n_components
        self.n_own = n_own
        self.n_pivots = n_pivots
        self.pivots = pivots
        self.min_df = min_df
        self.weighting = weighting
        self.topic_min_df = topic_min_df
        self.start = start
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.features = features
        self.beside = beside
        self.feature_weight = feature_weight
        self.classifier = classifier
        self.C = C
        self.random_state = random_state
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("n_own", "topic_min_df"):
            value = getattr(self, name)
            if not isinstance(value, str) or value != "auto":
                check_whole_number(name, value, least=1)
        check_choice("weighting", self.weighting, ("spectral", "given"))
        check_choice("start", self.start, ("pivots", "random"))
        check_choice("features", self.features, ("projection", "coefficients"))
        check_flag("beside", self.beside)
        for name in ("alpha", "beta", "gamma", "tol"):
            check_number(name, getattr(self, name), least=0)
        check_whole_number("max_iter", self.max_iter, least=1)

    def _learn_features(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        engine = HostEngine()
        n_shared = self._number_of_components(X.shape[1])
        pivots = self._choose_pivots(problem, X) if self.start == "pivots" else None
        self.term_scale_ = self._term_weights(X, pivots)
        terms = np.flatnonzero(self.term_scale_)
        documents = self._factorized(problem, X, terms)
        generator = make_generator(self.random_state)
        n_own = min(_AUTO_OWN, len(terms)) if isinstance(self.n_own, str) else int(self.n_own)
        shared, own = random_factors(documents, n_shared, n_own, generator)
        if pivots is not None:
            shared = (shared + _LEAST_START) * _allowed(pivots, (X.shape[1], n_shared))[terms]
            others = ~np.isin(terms, pivots.columns)[:, None]
            own = [(factor + _LEAST_START) * others for factor in own]
        coefficients = [
            first_coefficients(block, np.hstack([shared, factor]), engine)
            for block, factor in zip(documents, own, strict=True)
        ]
        result = pjnmf(
            documents,
            shared,
            own,
            coefficients,
            penalties=self._penalties(problem),
            engine=engine,
            stopping=Stopping(self.max_iter, self.tol),
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol)
        self.components_ = _over_all_terms(result.shared, terms, X.shape[1])
        self.own_components_ = {
            domain.number: _over_all_terms(factor, terms, X.shape[1])
            for domain, factor in zip(problem.domains, result.own, strict=True)
        }
        self.objective_ = np.asarray(result.objective)
        self.n_iter_ = result.n_iter

    def _factorized(self, problem: Problem, X: Any, terms: NDArray[np.intp]) -> list[Documents]:
        """The documents of every domain in the terms that the topics are made of."""
        if len(terms) == X.shape[1]:
            return [self._feature_documents(part) for _, part in rows_of_domains(problem, X)]
        found = []
        for _, part in rows_of_domains(problem, X):
            some = canonical(_presence(part)[:, terms])
            documents = adopt(some)
            rows = 1 / np.sqrt(np.maximum(documents.row_sums(), 1))
            found.append(documents.scaled(rows=rows, columns=self.term_scale_[terms]))
        return found

    def _penalties(self, problem: Problem) -> Penalties:
        shared = [self.beta if domain.is_target else self.alpha for domain in problem.domains]
        return Penalties(shared, self.gamma)

    def _term_weights(self, X: Any, pivots: Pivots | None) -> NDArray[Any]:
        """What the presence of a term counts; 0 for terms that no topic may hold."""
        if self.weighting == "given":
            return np.ones(X.shape[1], X.dtype)
        frequency = document_frequency(X)
        if isinstance(self.topic_min_df, str):
            least = max(1, min(_AUTO_TOPIC_DF, X.shape[0] // _AUTO_TOPIC_SHARE))
        else:
            least = int(self.topic_min_df)
        enough = frequency >= least
        if pivots is not None:
            enough[pivots.columns] = True
        if not enough.any():
            raise ValueError(
                f"No term stands in {least} documents, the most frequent one in {frequency.max()}: "
                "lower topic_min_df."
            )
        return np.where(enough, 1 / np.sqrt(np.maximum(frequency, 1)), 0.0).astype(X.dtype)

    def _sees_documents(self) -> bool:
        return self.beside

    def _feature_documents(self, X: Any) -> Documents:
        if self.weighting == "given":
            return super()._feature_documents(X)
        documents = adopt(_presence(X))
        sizes = documents.scaled(columns=self.term_scale_ > 0).row_sums()
        return documents.scaled(rows=1 / np.sqrt(np.maximum(sizes, 1)), columns=self.term_scale_)

    def _features(self, documents: Documents, number: int) -> NDArray[Any]:
        topics = self._unit_topics().astype(documents.dtype)
        if self.features == "projection":
            return np.asarray(documents.times(topics.T))
        both = np.vstack([self.components_, self.own_components_[number]]).astype(documents.dtype)
        found = fold_in_coefficients(documents, np.ascontiguousarray(both.T), HostEngine())
        return np.asarray(found[:, : len(self.components_)])

    def _unit_topics(self) -> NDArray[Any]:
        lengths = np.sqrt((self.components_.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
        return np.asarray(self.components_ / np.where(lengths > 0, lengths, 1.0))

    def _word_features(self, number: int) -> NDArray[Any]:
        return self._unit_topics().T * self.term_scale_[:, None]


def _allowed(pivots: Pivots, shape: tuple[int, int]) -> NDArray[np.float32]:
    """What a start is multiplied with: a shared topic is of a class, and has none of the others'.

    Topics are dealt to the classes in turn.
    """
    weights = np.full(shape, _BESIDE_PIVOTS, np.float32)
    if pivots.classes is None:
        weights[pivots.columns] = 1
        return weights
    classes = np.unique(pivots.classes)
    owners = classes[np.arange(shape[1]) % len(classes)]
    weights[pivots.columns] = pivots.classes[:, None] == owners
    return weights


def _over_all_terms(factor: NDArray[Any], terms: NDArray[np.intp], n_terms: int) -> NDArray[Any]:
    """A row a topic and a column for every term of the documents."""
    found = np.zeros((factor.shape[1], n_terms), factor.dtype)
    found[:, terms] = factor.T
    return found


def _presence(X: Any) -> Any:
    """Ones where the matrix is not zero."""
    if not sparse.issparse(X):
        return (X != 0).astype(X.dtype)
    return row_block((X.data != 0).astype(X.dtype), X.indices, X.indptr, 0, *X.shape)
