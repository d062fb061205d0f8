"""PJNMF, the joint factorization over pivots of Zhou et al. (2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.domains.parse import rows_of_domains
from isthmus.estimators.base.domain_estimator import ONE_MACHINE
from isthmus.estimators.base.fitted_model import FittedModel, array, array_per_domain, flag
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import (
    check_auto_or_whole_number,
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.pivots._feature_classifier import FeatureFit, PivotClassifier, unscaled
from isthmus.estimators.pivots._feature_model import FeatureFunction, FeatureMap, FeatureModel
from isthmus.kernels.plain_loops import row_block
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Documents, Engine
from isthmus.matrices.rows import canonical
from isthmus.numerics.derived_documents import inverse_sqrt
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.pivots.pjnmf import (
    JointTopics,
    Penalties,
    first_coefficients,
    fold_in_coefficients,
    pjnmf,
    random_factors,
    without_pivots,
)

_AUTO_DOMAIN_COMPONENTS = 10
# "auto": minimum number of pivots per shared topic and per topic of a domain.
_PIVOTS_PER_SHARED, _PIVOTS_PER_DOMAIN_TOPIC = 2, 3
# A term must occur in this many documents, or in one in this many of a small collection.
_MIN_DF, _DOCUMENTS_PER_MIN_DF = 20, 20
_PAPER = {
    "n_components": 100,
    "n_domain_components": 50,
    "factorized": "documents",
    "max_iter": 200,
    "features": "coefficients",
    "include_input": False,
    "feature_weight": 1.0,
}


@dataclass(frozen=True, kw_only=True)
class PJNMFFeatures(FeatureMap):
    """Products of documents with the shared topics, or their coefficients by fold-in."""

    components: NDArray[Any] = array("features", "terms", nonnegative=True)
    domain_components: Mapping[int, NDArray[Any]] = array_per_domain(
        "domain_topics", "terms", nonnegative=True
    )
    term_scale: NDArray[Any] = array("terms", nonnegative=True)
    uses_presence: bool = flag()
    """Whether documents are read as the balanced presence of terms."""
    folds_in: bool = flag()
    """Whether features are coefficients instead of products."""

    def read_documents(self, X: Any, documents: Documents | None = None) -> Documents:
        if self.uses_presence:
            return balanced_presence(X, self.term_scale)
        return super().read_documents(X, documents)

    def feature_function(self, domain: int, engine: Engine, dtype: Any) -> FeatureFunction:
        if not self.folds_in:
            unit_topics = engine.asarray(np.ascontiguousarray(self._unit_topics().T), dtype)
            return lambda documents: documents.times(unit_topics)
        both = np.vstack([self.components, self.domain_components[domain]])
        topics = engine.asarray(np.ascontiguousarray(both.T), dtype)
        n_shared = len(self.components)
        return lambda documents: fold_in_coefficients(documents, topics, engine)[:, :n_shared]

    def word_features(self, domain: int) -> NDArray[Any]:
        return self._unit_topics().T * self.term_scale[:, None]

    def _unit_topics(self) -> NDArray[Any]:
        norms = np.sqrt((self.components.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
        return np.asarray(self.components / np.where(norms > 0, norms, 1.0))


@dataclass(frozen=True, kw_only=True)
class PJNMFModel(FeatureModel, PJNMFFeatures):
    """Linear rule on documents and their PJNMF features."""


class PJNMF(PivotClassifier):
    """Features from topics of pivots that all domains share, next to topics of each domain.

    With the documents of a domain as the rows of ``X_d``, minimizes over nonnegative factors

    ``sum_d ||X_d - H_d U_0' - L_d U_d'||^2 / ||X_d||^2 + alpha ||U_0'U_s||^2 + beta ||U_0'U_t||^2
    + gamma ||U_s'U_t||^2``

    with topics ``U_0`` that all domains share and topics ``U_d`` of each domain. All documents are
    used, labeled or not. A linear support vector machine is fitted to the labeled documents and
    their features from the shared topics.

    The defaults are the result of our experiments (``benchmarks/studies/pivot_defaults.md``).
    ``X_d`` is the presence of terms, divided by the square roots of document and term sizes, so
    that frequent words do not dominate the topics. The columns of pivots are multiplied by
    ``pivot_weight``. The pivots of a document then determine most of its coefficients, and a topic
    weights every other term by its co-occurrence with such pivots (the factor cancels in ``U_0``).
    Topics of a domain contain no pivots. The classifier uses the documents and their products with
    the shared topics. The objective and the updates are those of the paper. The penalties, which
    are 0, and the topics of the domains gave no improvement.

    ``from_preset("printed")`` is the method as printed, with the misprint of equation 9 corrected
    (``H_t`` for ``L_t``): documents as given with unit-norm rows (the paper's are tf-idf), a random
    start, all three penalties, and only the coefficients ``H`` for the classifier. The paper states
    neither the number of topics nor the penalties, which it chose by cross-validation. The
    penalties are 0.01 here: on the development pairs of the Amazon reviews they cost 2 points, 1
    cost 7, and with 100 the labels were random. ``from_preset("paper")`` is the same without
    penalties.

    Any number of sources, targets and classes is possible. New documents are projected on the
    shared topics, or folded in (``features="coefficients"``).

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of shared topics. "auto" is 100, or half the number of pivots if that is less.
    n_domain_components : int or "auto", default="auto"
        Number of topics of each domain. "auto" is 10, or a third of the number of pivots if that is
        less.
    n_pivots : int or "auto", default="auto"
        Maximum number of pivots. "auto" is 200 (500 if they are selected without labels), or a
        quarter of the vocabulary if that is less.
    factorized : {"presence", "documents"}, default="presence"
        What is factorized: the presence of pivots and of terms with a document frequency of at
        least 20, with balanced sizes; or the documents as given with unit-norm rows, without
        pivots.
    pivot_weight : float, default=4.0
        Factor of the columns of pivots.
    alpha, beta, gamma : float, default=0.0
        Penalties on the overlap of the shared topics with those of sources and of targets, and of
        the topics of two domains. Small topics with large coefficients avoid them at no cost, and
        until then they dominate the first iterations: in our measurements they only reduced the
        accuracy.
    max_iter : int, default=30
        Maximum number of iterations.
    tol : float, default=0.0
        The fit stops when the relative change of the objective is below this value.
    features : {"projection", "coefficients"}, default="projection"
        Features of a document: its products with unit-norm topics, or its coefficients ``H``,
        computed by fold-in for fitted and new documents.
    include_input : bool, default=True
        Whether the classifier uses the documents in addition to their features.
    feature_weight : float, default=0.5
        Mean norm of a row of features; documents have norm 1.
    C : float, default=1.0
        Inverse regularization strength of the classifier.

    Attributes
    ----------
    pivots_ : array of int
        Columns of the pivots, best first. Not set with ``factorized="documents"``, which uses none.
    components_ : array of shape (n_components, n_terms)
        ``U_0``, one row per topic.
    domain_components_ : dict of domain number to array of shape (n_domain_components, n_terms)
        ``U_d`` of every domain.
    term_scale_ : array of shape (n_terms,)
        Factors of the terms in the matrix that is factorized.
    objective_ : array of shape (n_iterations + 1,)
        Objective at the start and after every iteration; it never increases, except for rounding.
    n_iter_ : int
        Number of iterations.

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

    _engines: ClassVar[tuple[str, ...]] = ONE_MACHINE
    _has_objective: ClassVar[bool] = True
    _needs_nonnegative: ClassVar[bool] = True
    _model_class: ClassVar[type[FittedModel]] = PJNMFModel
    # scikit-learn tests with blobs that differ in the norm of the rows, which is scaled to 1.
    _poor_score: ClassVar[bool] = True
    _auto_pivots: ClassVar[dict[str, int]] = {"label": 200, "shared": 200}
    _preset_weighting: ClassVar[dict[str, str]] = {"printed": "tfidf"}
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": _PAPER,
        "printed": {**_PAPER, "alpha": 0.01, "beta": 0.01, "gamma": 0.01},
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

    def _fit_features(self, data: TrainingData, callback: Callback | None) -> FeatureFit:
        X, problem = data.X, data.problem
        n_terms = X.shape[1]
        weights, term_scale = np.ones(n_terms, X.dtype), np.ones(n_terms, X.dtype)
        pivots = None
        if self.factorized == "presence":
            pivots = self._choose_pivots(data).columns
            term_scale = term_balance(X, pivots)
            weights[pivots] = self.pivot_weight
        engine, used = data.engine, np.flatnonzero(term_scale)
        # On the CPU a matrix without the unused terms is faster; for another device it would be a
        # second copy of the documents.
        terms = used if engine.name == "cpu" else np.arange(n_terms)
        balanced = blocks = self._balanced_documents(data, term_scale, terms)
        if pivots is not None:
            of_terms = engine.asarray(weights[terms])
            blocks = [block.scaled(columns=of_terms) for block in balanced]
        n_topics = self._numbers_of_topics(n_terms, None if pivots is None else len(pivots))
        generator = make_generator(self.random_state)
        shared, own = random_factors(blocks, *n_topics, generator, np.searchsorted(terms, used))
        if pivots is not None:
            own = without_pivots(own, np.flatnonzero(np.isin(terms, pivots)))
        topics = self._factorize(data, blocks, shared, own, callback)
        components = _with_all_terms(engine.to_host(topics.shared), terms, n_terms)
        if self.features == "projection":
            components /= weights
            read = balanced
        else:  # fold-in reads documents as they were factorized
            term_scale = term_scale * weights
            read = blocks
        features = PJNMFFeatures(
            **unscaled(len(components)),
            components=components,
            domain_components={
                domain.number: _with_all_terms(engine.to_host(factor), terms, n_terms)
                for domain, factor in zip(problem.domains, topics.own, strict=True)
            },
            term_scale=term_scale,
            uses_presence=self.factorized == "presence",
            folds_in=self.features == "coefficients",
        )
        diagnostics = {"objective_": np.asarray(topics.objective), "n_iter_": topics.n_iter}
        diagnostics |= {} if pivots is None else {"pivots_": pivots}
        return FeatureFit(features, diagnostics, read if len(terms) == n_terms else None)

    def _balanced_documents(
        self, data: TrainingData, term_scale: NDArray[Any], terms: NDArray[np.intp]
    ) -> list[Documents]:
        """What is factorized, before the pivots are weighted; one block per domain."""
        if self.factorized == "documents":
            return [domain.documents.unit_rows() for domain in data.problem.domains]
        columns = None if len(terms) == data.X.shape[1] else terms
        return [
            balanced_presence(part, term_scale, columns)
            for _, part in rows_of_domains(data.problem, data.X)
        ]

    def _factorize(
        self,
        data: TrainingData,
        blocks: list[Documents],
        shared: NDArray[Any],
        own: list[NDArray[Any]],
        callback: Callback | None,
    ) -> JointTopics:
        """The factors, from initial topics."""
        engine, domains = data.engine, data.problem.domains
        weights = [self.beta if domain.is_target else self.alpha for domain in domains]
        topics = pjnmf(
            blocks,
            engine.asarray(shared),
            [engine.asarray(factor) for factor in own],
            [
                first_coefficients(block, engine.asarray(np.hstack([shared, factor])), engine)
                for block, factor in zip(blocks, own, strict=True)
            ],
            penalties=Penalties(weights, self.gamma),
            engine=engine,
            stopping=Stopping(self.max_iter, self.tol),
            callback=callback,
        )
        self._warn_if_unfinished(topics.converged, topics.interrupted, self.tol)
        return topics

    def _numbers_of_topics(self, n_terms: int, n_pivots: int | None) -> tuple[int, int]:
        """Number of shared topics, and number of topics of each domain."""
        n_shared = self._number_of_components(n_terms)
        n_own = self.n_domain_components
        if isinstance(n_own, str):
            n_own = min(_AUTO_DOMAIN_COMPONENTS, n_terms)
            if n_pivots is not None:
                n_own = min(n_own, max(1, n_pivots // _PIVOTS_PER_DOMAIN_TOPIC))
        if n_own > n_terms:
            raise ValueError(
                f"n_domain_components={n_own} is more than the {n_terms} terms of the documents: "
                "lower it, or use 'auto'."
            )
        if isinstance(self.n_components, str) and n_pivots is not None:
            n_shared = min(n_shared, max(1, n_pivots // _PIVOTS_PER_SHARED))
        return n_shared, n_own


def _with_all_terms(factor: NDArray[Any], terms: NDArray[np.intp], n_terms: int) -> NDArray[Any]:
    """Topics with a column for every term; the factor has a row for each of ``terms``."""
    topics = np.zeros((factor.shape[1], n_terms), factor.dtype)
    topics[:, terms] = factor.T
    return topics


def term_balance(X: Any, pivots: NDArray[np.intp]) -> NDArray[Any]:
    """Weights of the terms: document frequency to the power of -1/2.

    Terms that are too rare get 0, unless they are pivots.
    """
    frequency = document_frequency(X)
    used = frequency >= max(1, min(_MIN_DF, X.shape[0] // _DOCUMENTS_PER_MIN_DF))
    used[pivots] = True
    return (used * inverse_sqrt(frequency)).astype(X.dtype)


def balanced_presence(
    X: Any, term_scale: NDArray[Any], terms: NDArray[np.intp] | None = None
) -> Documents:
    """Presence of terms, times ``term_scale``, divided by the root of the document's size.

    With ``terms`` only these columns are returned; they must include all columns with a nonzero
    scale.
    """
    present = _presence(X)
    if terms is not None:
        present, term_scale = canonical(present[:, terms]), term_scale[terms]
    engine = current_engine()
    documents, xp = engine.documents(present), engine.xp
    used = engine.asarray((term_scale > 0).astype(term_scale.dtype))
    sizes = documents.scaled(columns=used).row_sums()
    filled = sizes > 0
    row_scale = xp.where(filled, xp.where(filled, sizes, 1.0) ** -0.5, 0.0)
    return documents.scaled(rows=row_scale, columns=engine.asarray(term_scale))


def _presence(X: Any) -> Any:
    """Ones where the matrix is not zero; a sparse result shares the index arrays of ``X``."""
    if not sparse.issparse(X):
        return (X != 0).astype(X.dtype)
    return row_block((X.data != 0).astype(X.dtype), X.indices, X.indptr, 0, *X.shape)
