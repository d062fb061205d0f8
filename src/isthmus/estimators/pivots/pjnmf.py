"""PJNMF, the joint factorization over pivots of Zhou et al. (2016)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.components.parameters import (
    check_auto_or_whole_number,
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.pivots._pivot_classifier import PivotClassifier
from isthmus.estimators.pivots._topic_rows import balanced_presence, term_balance
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import Documents
from isthmus.numerics.progress import Callback, Stopping
from isthmus.numerics.scaling import unit_rows
from isthmus.solvers.pivots.pjnmf import (
    Penalties,
    first_coefficients,
    fold_in_coefficients,
    pjnmf,
    random_factors,
    without_pivots,
)

_AUTO_OWN = 10
# So many pivots a shared topic, and a topic of a domain, at least.
_PIVOTS_PER_SHARED, _PIVOTS_PER_OWN = 2, 3


class PJNMF(PivotClassifier):
    """Topics of pivots that all domains share, beside topics of their own.

    With rows of ``X_d`` for the documents of a domain, minimises over nonnegative factors

    ``sum_d ||X_d - H_d U_0' - L_d U_d'||^2 / ||X_d||^2 + alpha ||U_0'U_s||^2 + beta ||U_0'U_t||^2
    + gamma ||U_s'U_t||^2``

    with topics ``U_0`` that all domains share and topics ``U_d`` of each domain. All documents take
    part, labelled or not. A linear support vector machine is taught the labelled documents beside
    what they have of the shared topics.

    The default is what our experiments made of it (``benchmarks/pivot_defaults.md``). ``X_d`` is
    the presence of terms, divided by the roots of a document's and of a term's size, so that
    frequent words do not make the topics. The columns of pivots are multiplied by ``pivot_weight``:
    what a document has of the topics is then mostly what its pivots say, and a topic's share of
    every other term how much the term keeps company with such pivots (the weight cancels in
    ``U_0``). Topics of a domain hold no pivot. The classifier sees documents beside their
    products with the shared topics. The objective and the updates are the paper's; the
    penalties, which are 0, and the topics of the domains earn nothing.

    ``from_preset("paper")`` is the method as printed, with the misprint of its equation 9 corrected
    (``H_t`` for ``L_t``): documents as given, scaled to length 1, a random start, the coefficients
    ``H`` alone for the classifier. The paper names neither the number of topics nor its penalties,
    which it chose by cross-validation; they are 0 here.

    Any number of sources, targets and classes. New documents are projected on the shared topics,
    or folded in (``features="coefficients"``).

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Shared topics. "auto" is 100, or half the number of pivots if that is less.
    n_domain_components : int or "auto", default="auto"
        Topics of each domain. "auto" is 10, or a third of the number of pivots if that is less.
    n_pivots : int or "auto", default="auto"
        The most pivots. "auto" is 200 (500 if they are chosen without labels), or a quarter of the
        vocabulary if that is less.
    pivots : {"label", "shared", "frequency", "domain"} or list of str or of int, default="label"
        How pivots are chosen, see :class:`PivotSelector`, or the pivots themselves as names or
        numbers of columns, whatever ``n_pivots`` and ``min_df`` say.
    min_df : int or "auto", default="auto"
        The least number of documents of every domain that hold a pivot. "auto" is 10, or one
        in ten documents of a domain with fewer than a hundred.
    factorized : {"presence", "documents"}, default="presence"
        The presence of pivots and of terms that stand in 20 documents or more, with sizes balanced;
        or the documents as given, scaled to length 1, in which pivots play no part.
    pivot_weight : float, default=4.0
        What the columns of pivots are multiplied by.
    alpha, beta, gamma : float, default=0.0
        Penalties on the overlap of the shared topics with those of sources and of targets, and of
        the topics of two domains. They can be had for nothing, by small topics and large
        coefficients, and on the way there they rule the first iterations: measured, they only
        cost accuracy.
    max_iter : int, default=30
    tol : float, default=0.0
        The fit ends when the objective changes by less than this share of itself.
    features : {"projection", "coefficients"}, default="projection"
        What a document has of the shared topics: its products with topics of length 1, or its
        coefficients ``H``, found by fold-in for fitted and for new documents alike.
    include_input : bool, default=True
        Whether the classifier sees the documents themselves too.
    feature_weight : float, default=0.5
        Mean length of a document's features; the document itself has length 1.
    classifier : {"svm", "logistic"} or None, default="svm"
        None makes features alone, for ``transform``.
    C : float, default=1.0
        How much the classifier is to fit the labels.
    random_state : int, RandomState or None, default=None
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_
        As of :class:`MTrick`.
    pivots_ : array of int
        Columns of the pivots, the best first; not there with ``factorized="documents"``, which
        has no use for any.
    components_ : array of shape (n_components, n_terms)
        ``U_0``, a row a topic.
    domain_components_ : dict of arrays of shape (n_domain_components, n_terms)
        ``U_d`` by domain.
    objective_ : array
        Its value at the start and after every iteration: it never rises, but for rounding.
    n_iter_ : int
    coef_, feature_coef_, intercept_ : arrays
        The classifier's weights of terms and of features for every class.

    References
    ----------
    G. Zhou, T. He, W. Wu, X. T. Hu. Linking Heterogeneous Input Features with Pivots for Domain
    Adaptation. IJCAI 2016.

    Examples
    --------
    >>> import pandas as pd
    >>> from isthmus import PJNMF
    >>> terms = ["good", "bad", "thrilling", "dull", "sturdy", "flimsy"]
    >>> books = [[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 0, 2, 0, 0]]
    >>> tools = [[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1]]
    >>> X = pd.DataFrame(books + tools, columns=terms)
    >>> y = ["+", "-", "+", "-", None, None]
    >>> model = PJNMF(2, pivots=["good", "bad"], random_state=0).fit(X, y)
    >>> model.transduction_[4:].tolist(), model.transform(X).shape
    (['+', '-'], (6, 2))
    """

    _needs_nonnegative: ClassVar[bool] = True
    _auto_pivots: ClassVar[dict[str, int]] = {"label": 200, "shared": 200}
    _fitted_shapes: ClassVar[dict[str, str]] = {
        **PivotClassifier._fitted_shapes,
        "domain_components_": "domain:jm",
        "term_scale_": "m",
    }
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            "n_components": 100,
            "n_domain_components": 50,
            "factorized": "documents",
            "max_iter": 200,
            "features": "coefficients",
            "include_input": False,
            "feature_weight": 1.0,
        },
    }

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        n_domain_components: int | str = "auto",
        n_pivots: int | str = "auto",
        pivots: Any = "label",
        min_df: int | str = "auto",
        factorized: str = "presence",
        pivot_weight: float = 4.0,
        alpha: float = 0.0,
        beta: float = 0.0,
        gamma: float = 0.0,
        max_iter: int = 30,
        tol: float = 0.0,
        features: str = "projection",
        include_input: bool = True,
        feature_weight: float = 0.5,
        classifier: str | None = "svm",
        C: float = 1.0,
        random_state: Any = None,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_components = n_components
        self.n_domain_components = n_domain_components
        self.n_pivots = n_pivots
        self.pivots = pivots
        self.min_df = min_df
        self.factorized = factorized
        self.pivot_weight = pivot_weight
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.features = features
        self.include_input = include_input
        self.feature_weight = feature_weight
        self.classifier = classifier
        self.C = C
        self.random_state = random_state
        self.class_prior = class_prior
        self.missing_label = missing_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Rows have length 1, and scikit-learn checks it on blobs that only lengths tell apart.
        tags.classifier_tags.poor_score = True
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_auto_or_whole_number("n_domain_components", self.n_domain_components, least=1)
        check_choice("factorized", self.factorized, ("presence", "documents"))
        check_number("pivot_weight", self.pivot_weight, least=0.01, most=100)
        check_choice("features", self.features, ("projection", "coefficients"))
        check_flag("include_input", self.include_input)
        for name in ("alpha", "beta", "gamma", "tol"):
            check_number(name, getattr(self, name), least=0)
        check_whole_number("max_iter", self.max_iter, least=1)

    def _learn_features(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        n_terms = X.shape[1]
        weights, self.term_scale_ = np.ones(n_terms, X.dtype), np.ones(n_terms, X.dtype)
        n_pivots = None
        self.__dict__.pop("pivots_", None)  # of an earlier fit with other parameters
        if self.factorized == "presence":
            pivots = self._choose_pivots(problem, X).columns
            self.term_scale_ = term_balance(X, pivots)
            weights[pivots] = self.pivot_weight
            n_pivots = len(pivots)
        terms = np.flatnonzero(self.term_scale_)
        rows = self._rows(problem, X, terms, weights)
        numbers = self._numbers_of_topics(n_terms, n_pivots)
        shared, own = random_factors(rows, *numbers, make_generator(self.random_state))
        if n_pivots is not None:
            own = without_pivots(own, np.flatnonzero(np.isin(terms, self.pivots_)))
        self._factorize(problem, rows, (shared, own), terms, callback)
        if self.features == "projection":
            self.components_ /= weights
        else:  # coefficients are those of the rows that were factorized
            self.term_scale_ = self.term_scale_ * weights

    def _rows(
        self, problem: Problem, X: Any, terms: NDArray[np.intp], weights: NDArray[Any]
    ) -> list[Documents]:
        """What is factorized, domain by domain."""
        if self.factorized == "documents":
            return [unit_rows(domain.documents) for domain in problem.domains]
        return [
            balanced_presence(part, self.term_scale_, terms).scaled(columns=weights[terms])
            for _, part in rows_of_domains(problem, X)
        ]

    def _factorize(
        self,
        problem: Problem,
        rows: list[Documents],
        factors: tuple[NDArray[Any], list[NDArray[Any]]],
        terms: NDArray[np.intp],
        callback: Callback | None,
    ) -> None:
        engine = HostEngine()
        shared, own = factors
        weights = [self.beta if domain.is_target else self.alpha for domain in problem.domains]
        result = pjnmf(
            rows,
            shared,
            own,
            [
                first_coefficients(block, np.hstack([shared, factor]), engine)
                for block, factor in zip(rows, own, strict=True)
            ],
            penalties=Penalties(weights, self.gamma),
            engine=engine,
            stopping=Stopping(self.max_iter, self.tol),
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol)
        n_terms = len(self.term_scale_)
        self.components_ = _over_all_terms(result.shared, terms, n_terms)
        self.domain_components_ = {
            domain.number: _over_all_terms(factor, terms, n_terms)
            for domain, factor in zip(problem.domains, result.own, strict=True)
        }
        self.objective_ = np.asarray(result.objective)
        self.n_iter_ = result.n_iter

    def _numbers_of_topics(self, n_terms: int, n_pivots: int | None = None) -> tuple[int, int]:
        """How many topics are shared, and how many every domain has for itself."""
        n_shared, n_domain_components = (
            self._number_of_components(n_terms),
            self.n_domain_components,
        )
        if isinstance(n_domain_components, str):
            n_domain_components = min(_AUTO_OWN, n_terms)
            if n_pivots is not None:
                n_domain_components = min(n_domain_components, max(1, n_pivots // _PIVOTS_PER_OWN))
        if n_domain_components > n_terms:
            raise ValueError(
                f"n_domain_components={n_domain_components} is larger than the vocabulary of "
                f"{n_terms} terms: lower it, or leave it at 'auto'."
            )
        if isinstance(self.n_components, str) and n_pivots is not None:
            n_shared = min(n_shared, max(1, n_pivots // _PIVOTS_PER_SHARED))
        return n_shared, n_domain_components

    def _sees_documents(self) -> bool:
        return self.include_input

    def _feature_documents(self, X: Any) -> Documents:
        if self.factorized == "presence":
            return balanced_presence(X, self.term_scale_)
        return unit_rows(as_documents(X))

    def _feature_map(self, number: int, dtype: Any) -> Callable[[Documents], NDArray[Any]]:
        if self.features == "projection":
            topics = self._unit_topics().astype(dtype).T
            return lambda documents: np.asarray(documents.times(topics))
        both = np.vstack([self.components_, self.domain_components_[number]]).astype(dtype)
        topics, n_shared = np.ascontiguousarray(both.T), len(self.components_)
        engine = HostEngine()
        return lambda documents: np.asarray(
            fold_in_coefficients(documents, topics, engine)[:, :n_shared]
        )

    def _unit_topics(self) -> NDArray[Any]:
        lengths = np.sqrt((self.components_.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
        return np.asarray(self.components_ / np.where(lengths > 0, lengths, 1.0))

    def _word_features(self, number: int) -> NDArray[Any]:
        return self._unit_topics().T * self.term_scale_[:, None]


def _over_all_terms(factor: NDArray[Any], terms: NDArray[np.intp], n_terms: int) -> NDArray[Any]:
    """A row a topic and a column for every term of the documents."""
    found = np.zeros((factor.shape[1], n_terms), factor.dtype)
    found[:, terms] = factor.T
    return found
