"""Base of the classifiers by tri-factorization: word clusters, fold-in of new documents."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.domain_estimator import ALL_ENGINES
from isthmus.estimators.base.fitted_model import (
    Fit,
    FittedModel,
    Words,
    array,
    array_per_domain,
    profile_word_weights,
    top_words_by_class,
)
from isthmus.estimators.base.result_checks import (
    find_class_swaps,
    target_alignments,
    warn_of_class_swaps,
    warn_of_disjoint_targets,
)
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.parameter import match_class_prior, row_weights
from isthmus.estimators.components.linear_models import check_init_classifier
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Documents
from isthmus.numerics.class_alignment import ClassAlignment
from isthmus.numerics.class_probabilities import row_argmax
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization._base import TriFactorization, fold_in
from isthmus.solvers.tri_factorization._restarts import Restarts, Solve

_AUTO_CLUSTERS = 50
_PATIENCE = 10
# Few changed labels in the first iterations are not a sign of convergence.
_MIN_ITER_BY_LABELS = 3
# Rounds with a class prior: the first weights documents by initial memberships, the next ones by
# the memberships of the round before.
_ROUNDS = 3
# The run by the value of ``init``.
_RUNS = {
    "class_conditional": Restarts.class_conditional,
    "plsa": Restarts.topics,
    "two_stage": Restarts.two_stage,
}

#: Folding in for explanations. After convergence, how small a membership is depends on the
#: iteration in which the document stopped, so a few iterations are made for all. On 60 news
#: articles the labels were the same, and the words of every article supported its label; after
#: convergence, those of 34 did.
EXPLAINED: dict[str, Any] = {"max_iter": 3, "tol": 0.0}

# Settings of both variants in the paper of MTrick, which does not give the number of PLSA steps.
PAPER: dict[str, Any] = {
    "n_word_clusters": 50,
    "alpha": 1.0,
    "init": "plsa",
    "unit_rows": False,
    "init_classifier": "logistic",
    "max_iter": 100,
    "plsa_iter": 30,
    "plsa_sample": None,
    "tol": 1e-11,
    "stopping": "absolute",
    "check_class_swap": False,
    "class_prior": None,
}


@dataclass(frozen=True, kw_only=True)
class TriFactorModel(FittedModel):
    """Word clusters of every domain and their associations with the classes."""

    associations: NDArray[Any] = array("clusters", "classes", nonnegative=True)
    word_clusters: Mapping[int, NDArray[Any]] = array_per_domain(
        "terms", "clusters", nonnegative=True
    )
    profiles: Mapping[int, NDArray[Any]] = array_per_domain(
        "terms", "classes", nonnegative=True, public=False
    )
    """``F S`` of every domain; for terms that a domain does not use, the mean of the sources."""

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        return self._fold_in(current_engine().documents(X), domain)

    def explained_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        return self._fold_in(current_engine().documents(X), domain, **EXPLAINED)

    def _fold_in(self, documents: Documents, domain: int, **stopping: Any) -> NDArray[Any]:
        engine = documents.engine
        profiles = engine.asarray(self.profiles[domain])
        return engine.to_host(fold_in(documents, profiles, engine=engine, **stopping))

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: profile_word_weights(p, self.term_totals[n]) for n, p in self.profiles.items()}


class TriFactorClassifier(TransferClassifier):
    """Base of classifiers that factorize documents into classes, associations and word clusters.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the source labels. It has no effect if the initial labels are one-hot, because
        multiplicative updates cannot change zeros. It matters with ``label_smoothing``.
    unit_rows : bool, default=True
        Whether documents are scaled to unit norm, so that long documents do not dominate.
    n_word_clusters : int, "auto" or "classes", default="auto"
        Number of word clusters (k1); see :class:`MTrick`.
    init : {"class_conditional", "plsa", "two_stage"}, default="class_conditional"
        Initial word clusters; see :class:`MTrick`.
    init_classifier : "logistic", "complement_nb" or classifier, default="logistic"
        Gives the initial memberships of the unlabeled rows; see :class:`MTrick`.
    check_class_swap : bool, default=True
        Whether the preferences of the shared words for classes are compared between labeled
        documents and predicted target classes. Classes with strong evidence of a swap are swapped
        in a second factorization. Weak evidence gives a warning.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target: that of the source, an estimate (see
        :func:`isthmus.estimate_class_prior`), or given values. The initial memberships and the
        labels are matched to it. In three rounds the target documents are weighted so that all
        classes have the same total weight; otherwise the objective splits a frequent class and
        ignores a rare one. None leaves the labels unchanged.
    label_smoothing : float, default=0.0
        Part of the initial membership of a source label that is distributed over the other classes.
    plsa_iter : int, default=30
        Number of EM iterations of the PLSA initialization.
    plsa_sample : int or None, default=50000
        Maximum number of documents for the PLSA initialization, drawn from all domains. None uses
        all documents.
    random_state : int, RandomState or None, default=None
        Random seed of the PLSA initialization; the class-conditional one is not random.

    Attributes
    ----------
    word_clusters_ : dict of domain number to array of shape (n_terms, n_word_clusters)
        ``F``: rows sum to 1; uniform for a term that the domain does not use.
    associations_ : array of shape (n_word_clusters, n_classes)
        ``S``: how strongly every word cluster is associated with every class.
    init_agreement_ : float
        Agreement of the target labels with those of ``init_classifier``, on the pair of classes
        with the lowest agreement. Near 0.5 the initial classifier could not separate the two.
    alignment_certainty_ : float
        Evidence of the shared words that no two classes of a target are swapped, for the pair and
        the target with the least evidence: a sum over words in standard deviations of a sum with
        random signs. 4 or more is reliable, a negative value is evidence for a swap, and 0 means
        that there is nothing to compare. It is at most the square root of the number of words.
    n_iter_ : int
        Number of iterations.
    """

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _has_objective: ClassVar[bool] = True
    _needs_nonnegative: ClassVar[bool] = True
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
    _model_class: ClassVar[type[FittedModel]] = TriFactorModel
    # scikit-learn's checks use points in the plane, which a model of word counts cannot fit.
    _poor_score: ClassVar[bool] = True

    def __init__(
        self,
        n_word_clusters: int | str = "auto",
        *,
        alpha: float = 1.0,
        init: str = "class_conditional",
        unit_rows: bool = True,
        init_classifier: Any = "logistic",
        check_class_swap: bool = True,
        class_prior: Any = None,
        label_smoothing: float = 0.0,
        max_iter: int = 100,
        tol: float = 1e-6,
        stopping: str = "relative",
        plsa_iter: int = 30,
        plsa_sample: int | None = 50_000,
        missing_label: Any = -1,
        random_state: Any = None,
    ) -> None:
        self.n_word_clusters = n_word_clusters
        self.alpha = alpha
        self.init = init
        self.unit_rows = unit_rows
        self.init_classifier = init_classifier
        self.check_class_swap = check_class_swap
        self.class_prior = class_prior
        self.label_smoothing = label_smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.stopping = stopping
        self.plsa_iter = plsa_iter
        self.plsa_sample = plsa_sample
        self.missing_label = missing_label
        self.random_state = random_state

    @property
    def is_random(self) -> bool:
        """Whether the initialization is random; the class-conditional one is not."""
        return self.init != "class_conditional"

    @property
    def max_iterations(self) -> int:
        rounds = 1 if self.class_prior is None else _ROUNDS
        stages = (2 if self.init == "two_stage" else 1) + int(self.check_class_swap)
        return self.max_iter * stages * rounds

    def _check_parameters(self) -> None:
        if self.n_word_clusters not in ("auto", "classes"):
            check_whole_number(
                "n_word_clusters (unless 'auto' or 'classes')", self.n_word_clusters, least=1
            )
        check_flag("unit_rows", self.unit_rows)
        check_number("alpha", self.alpha, least=0)
        check_choice("init", self.init, tuple(_RUNS))
        check_init_classifier(self.init_classifier)
        check_flag("check_class_swap", self.check_class_swap)
        check_number("label_smoothing", self.label_smoothing, least=0, most=0.4)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)
        check_choice("stopping", self.stopping, ("relative", "absolute", "labels"))
        check_whole_number("plsa_iter", self.plsa_iter, least=1)
        if self.plsa_sample is not None:
            check_whole_number("plsa_sample (unless None)", self.plsa_sample, least=1)

    @property
    def _stopping(self) -> Stopping:
        if self.stopping == "absolute":  # as in the papers
            return Stopping(self.max_iter, self.tol, "absolute")
        if self.stopping == "labels":
            return Stopping(self.max_iter, self.tol, "labels", min_iter=_MIN_ITER_BY_LABELS)
        return Stopping(self.max_iter, self.tol, patience=_PATIENCE)

    def _count_topics(self, n_terms: int, n_classes: int) -> int:
        """Number of word clusters of the PLSA initialization, after a check of the parameter."""
        n_clusters = n_classes if self.n_word_clusters == "classes" else self.n_word_clusters
        if not isinstance(n_clusters, numbers.Integral):
            return min(_AUTO_CLUSTERS, n_terms)
        if n_clusters > n_terms:
            raise ValueError(
                f"n_word_clusters={n_clusters} (k1) is larger than the vocabulary of {n_terms} "
                f"terms: use at most {n_terms}, or 'auto'."
            )
        if self.init == "class_conditional" and n_clusters != n_classes:
            raise ValueError(
                f"init='class_conditional' has one word cluster per class ({n_classes}), but "
                f"n_word_clusters={n_clusters}: use 'auto', or init='plsa'."
            )
        return int(n_clusters)

    def _scaled(self, problem: Problem) -> tuple[Problem, NDArray[Any]]:
        """The problem with scaled documents, and the weights of the terms."""
        ones = np.ones(problem.domains[0].documents.shape[1])
        if not self.unit_rows:
            return problem, ones
        return with_documents(problem, [d.documents.unit_rows() for d in problem.domains]), ones

    @abstractmethod
    def _solver(self, problem: Problem) -> Solve:
        """The solver with the parameters that only this method has."""

    def _solve(self, problem: Problem) -> Solve:
        """A function from initial factors to those of all domains."""
        engine = problem.domains[0].documents.engine
        return partial(
            self._solver(problem), problem.domains, engine=engine, stopping=self._stopping
        )

    def _refit(self, model: FittedModel, data: TrainingData) -> FittedModel:
        # Labels that were learned from the target are not evidence of its class alignment.
        return self._fit(data, None, is_refit=True).model

    def _fit(self, data: TrainingData, callback: Callback | None, *, is_refit: bool = False) -> Fit:
        check_class_swap = self.check_class_swap and not is_refit
        n_topics = self._count_topics(data.X.shape[1], data.problem.n_classes)
        initial = data.initial_memberships(self.init_classifier)
        problem, column_scale = self._scaled(data.problem)
        restarts = Restarts(
            self._solve(problem),
            problem.domains,
            initial,
            smoothing=self.label_smoothing,
            n_topics=n_topics,
            topic_steps=self.plsa_iter,
            topic_sample=self.plsa_sample,
            generator=make_generator(self.random_state),
            engine=data.engine,
            callback=callback,
        )
        scaled = replace(data, problem=problem)
        factorize = self._factorize if self.class_prior is None else self._factorize_balanced
        result, alignments = factorize(scaled, restarts, check_class_swap)
        if check_class_swap and not result.interrupted:
            warn_of_class_swaps(problem, alignments)
        advice: tuple[str, ...] = ()
        if self.stopping == "labels":
            # More iterations do not help when labels keep changing.
            advice = ("the target labels", "trust them less, or increase tol")
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol, *advice)
        result = result.on_host(data.engine)
        memberships = result.memberships
        diagnostics = {
            "objective_": np.asarray(result.objective),
            "n_iter_": result.n_iter,
            "init_agreement_": restarts.initial_agreement(memberships),
            "alignment_certainty_": min((a.certainty for a in alignments.values()), default=0.0),
        }
        model = self._make_model(scaled, result, column_scale, memberships)
        return Fit(model, memberships, diagnostics)

    def _factorize(
        self, data: TrainingData, restarts: Restarts, check_class_swap: bool
    ) -> tuple[TriFactorization, dict[int, ClassAlignment]]:
        """Factorize, and again with swapped classes if there is strong evidence of a swap."""
        result = _RUNS[self.init](restarts)
        alignments = target_alignments(data.problem, data.X, self._labels_of(data, result))
        swapped = find_class_swaps(alignments)
        if swapped and check_class_swap and not result.interrupted:
            result = restarts.restart(result, swapped)
            alignments = target_alignments(data.problem, data.X, self._labels_of(data, result))
        return result, alignments

    def _labels_of(self, data: TrainingData, result: TriFactorization) -> list[NDArray[np.intp]]:
        """The class of every row, one array per domain."""
        return [data.engine.to_host(row_argmax(G)) for G in result.memberships]

    def _factorize_balanced(
        self, data: TrainingData, restarts: Restarts, check_class_swap: bool
    ) -> tuple[TriFactorization, dict[int, ClassAlignment]]:
        """Factorize with target documents weighted so that all classes have the same weight."""
        problem, prior = data.problem, data.domain_prior
        memberships: Sequence[NDArray[Any]] = restarts.predicted
        for _ in range(_ROUNDS):
            memberships = match_class_prior(problem, memberships, prior)
            weights = row_weights(problem, memberships, prior)
            pairs = zip(problem.domains, weights, strict=True)
            blocks = [
                d.documents if w is None else d.documents.scaled(rows=d.documents.asarray(w))
                for d, w in pairs
            ]
            weighted = with_documents(problem, blocks)
            restarts = replace(
                restarts,
                solve=self._solve(weighted),
                domains=weighted.domains,
                predicted=memberships,
            )
            result, alignments = self._factorize(
                replace(data, problem=weighted), restarts, check_class_swap
            )
            if result.interrupted:
                break
            memberships = result.on_host(data.engine).memberships
        return result, alignments

    def _make_model(
        self,
        data: TrainingData,
        result: TriFactorization,
        column_scale: NDArray[Any],
        memberships: Sequence[NDArray[Any]],
    ) -> TriFactorModel:
        """The fitted model; subclasses add what their prediction needs."""
        return TriFactorModel(**self._factor_fields(data.problem, result))

    def _factor_fields(self, problem: Problem, result: TriFactorization) -> dict[str, Any]:
        """Fields of :class:`TriFactorModel`."""
        n_clusters = result.associations.shape[0]
        totals = {d.number: d.term_totals for d in problem.domains}
        used = [totals[domain.number] > 0 for domain in problem.domains]
        # A term that a domain does not use gets the mean profile of the sources.
        sources = [i for i, domain in enumerate(problem.domains) if not domain.is_target]
        votes = np.sum([used[i] for i in sources], axis=0)
        mean = np.sum([result.profiles[i] for i in sources], axis=0) / np.maximum(votes, 1)[:, None]
        mean = mean.astype(result.associations.dtype)
        warn_of_disjoint_targets(problem, votes > 0, "the sources")
        word_clusters, profiles = {}, {}
        for i, domain in enumerate(problem.domains):
            seen = used[i][:, None]
            # A row of zeros means no preference, so it is shown as a uniform row.
            word_clusters[domain.number] = np.where(
                seen, result.clusters[i], result.clusters[i].dtype.type(1 / n_clusters)
            )
            profiles[domain.number] = np.where(seen, result.profiles[i], mean)
        return {
            "term_totals": totals,
            "associations": result.associations,
            "word_clusters": word_clusters,
            "profiles": profiles,
        }

    def top_cluster_words(self, feature_names: Any = None, n_words: int = 10) -> Words:
        """The words of every word cluster, in every domain.

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
        check_is_fitted(self)
        by_domain = {
            n: profile_word_weights(clusters, self.term_totals_[n])
            for n, clusters in self.word_clusters_.items()
        }
        clusters = range(self.associations_.shape[0])
        return top_words_by_class(self._term_names(feature_names), clusters, by_domain, n_words)


def with_documents(problem: Problem, documents: Sequence[Documents]) -> Problem:
    """The same problem with other documents in its domains."""
    pairs = zip(problem.domains, documents, strict=True)
    return replace(problem, domains=tuple(replace(d, documents=block) for d, block in pairs))
