"""What classifiers by tri-factorization share: word clusters, fold-in of new documents."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.class_swap_check import (
    clearly_wrong,
    target_alignments,
    warn_of_class_swaps,
)
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.class_balance import match_class_prior, row_weights
from isthmus.estimators.components.init_classifier import check_init_classifier, initial_memberships
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.components.top_words import Words, strengths, top_words_by_class
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import Documents
from isthmus.numerics.class_alignment import ClassAlignment
from isthmus.numerics.progress import Callback, Stopping
from isthmus.numerics.scaling import unit_rows
from isthmus.solvers.tri_factorization._base import TriFactorization
from isthmus.solvers.tri_factorization._fold_in import fold_in
from isthmus.solvers.tri_factorization._init import InitialFactors
from isthmus.solvers.tri_factorization._restarts import Restarts

_AUTO_CLUSTERS = 50
_PATIENCE = 10
# The first iterations turn labels away from the first guess; quiet ones among them mean nothing.
_LEAST_BY_LABELS = 3
# Rounds with known class shares: the first weighs documents by guesses, the next by labels found.
_ROUNDS = 3
_STAGES = {
    "class_conditional": "class_conditional",
    "plsa": "topics",
    "two_stage": "two_stage",
}

# What MTrick's paper says of both variants; it does not say how many steps its topics took.
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


class TriFactorClassifier(TransferClassifier):
    """Base of classifiers that factorize documents into classes, associations and word clusters."""

    _needs_nonnegative: ClassVar[bool] = True
    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "associations_": "kc",
        "word_clusters_": "domain:mk",
        "_profiles": "domain:mc",
        "alignment_certainty_": "",
        "init_agreement_": "",
        "n_iter_": "",
        "objective_": "i",
    }
    _signed: ClassVar[tuple[str, ...]] = (*TransferClassifier._signed, "alignment_certainty_")

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
        """The class-conditional start draws nothing."""
        return self.init != "class_conditional"

    @property
    def _most_iterations(self) -> int:
        rounds = 1 if self.class_prior is None else _ROUNDS
        stages = (2 if self.init == "two_stage" else 1) + int(self.check_class_swap)
        return self.max_iter * stages * rounds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # A model of word counts says nothing useful about a cloud of points in the plane.
        tags.classifier_tags.poor_score = True
        return tags

    def _check_parameters(self) -> None:
        if self.n_word_clusters not in ("auto", "classes"):
            check_whole_number(
                "n_word_clusters (unless 'auto' or 'classes')", self.n_word_clusters, least=1
            )
        check_flag("unit_rows", self.unit_rows)
        check_number("alpha", self.alpha, least=0)
        check_choice("init", self.init, tuple(_STAGES))
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
        if self.stopping == "absolute":  # the papers' rule
            return Stopping(self.max_iter, self.tol, "absolute")
        if self.stopping == "labels":
            return Stopping(self.max_iter, self.tol, "labels", least_iter=_LEAST_BY_LABELS)
        return Stopping(self.max_iter, self.tol, patience=_PATIENCE)

    def _count_topics(self, n_terms: int, n_classes: int) -> int:
        """Word clusters of the topic start, after a check of what was asked for."""
        wanted = n_classes if self.n_word_clusters == "classes" else self.n_word_clusters
        if not isinstance(wanted, numbers.Integral):
            return min(_AUTO_CLUSTERS, n_terms)
        if wanted > n_terms:
            raise ValueError(
                f"n_word_clusters={wanted} (k1) is larger than the vocabulary of {n_terms} terms: "
                f"ask for at most {n_terms}, or leave it at 'auto'."
            )
        if self.init == "class_conditional" and wanted != n_classes:
            raise ValueError(
                f"init='class_conditional' makes one word cluster a class, {n_classes} here, but "
                f"n_word_clusters={wanted}: leave it at 'auto' or take init='plsa'."
            )
        return int(wanted)

    def _scaled(self, problem: Problem) -> Problem:
        """The documents as the factorization takes them."""
        if not self.unit_rows:
            return problem
        return with_documents(problem, [unit_rows(d.documents) for d in problem.domains])

    @abstractmethod
    def _solve(
        self, problem: Problem, start: InitialFactors, callback: Callback | None
    ) -> TriFactorization:
        """Factors of all domains, in their order."""

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        n_topics = self._count_topics(X.shape[1], problem.n_classes)
        guesses: Sequence[NDArray[Any]] = initial_memberships(problem, X, self.init_classifier)
        problem = self._scaled(problem)
        stages = Restarts(
            partial(self._solve, problem),
            problem.domains,
            guesses,
            smoothing=self.label_smoothing,
            n_topics=n_topics,
            topic_steps=self.plsa_iter,
            topic_sample=self.plsa_sample,
            generator=make_generator(self.random_state),
            engine=HostEngine(),
            callback=callback,
        )
        if self.class_prior is None:
            first: TriFactorization = getattr(stages, _STAGES[self.init])()
            result, found = self._pointed(problem, X, stages, first)
        else:
            result, found = self._balanced(problem, X, stages)
        self.alignment_certainty_ = min((one.certainty for one in found.values()), default=0.0)
        if self.check_class_swap and not result.interrupted:
            warn_of_class_swaps(problem, found)
        self.init_agreement_ = stages.agreement_with_guesses(result)
        words: tuple[str, ...] = ()
        if self.stopping == "labels":
            # More iterations would not mend it: labels that go on changing have lost their way.
            words = ("the target's labels", "trust them less, and try a larger tol")
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol, *words)
        self._keep(problem, result)
        return [np.asarray(G) for G in result.memberships]

    def _fit_again(self, problem: Problem, X: Any) -> None:
        # Labels that were learnt from this target say nothing about its direction: what the given
        # ones said stays.
        certainty, checks = self.alignment_certainty_, self.check_class_swap
        self.check_class_swap = False
        try:
            self._fit_problem(problem, X, None)
        finally:
            self.alignment_certainty_, self.check_class_swap = certainty, checks

    def _balanced(
        self, problem: Problem, X: Any, stages: Restarts
    ) -> tuple[TriFactorization, dict[int, ClassAlignment]]:
        """From guesses with the target's class shares, its documents weighed by their rarity."""
        memberships: Sequence[NDArray[Any]] = stages.guesses
        for _ in range(_ROUNDS):
            memberships = match_class_prior(problem, memberships, self.domain_prior_)
            weights = row_weights(problem, memberships, self.domain_prior_)
            pairs = zip(problem.domains, weights, strict=True)
            blocks = [d.documents if w is None else d.documents.scaled(rows=w) for d, w in pairs]
            weighed = with_documents(problem, blocks)
            stages = replace(
                stages,
                solve=partial(self._solve, weighed),
                domains=weighed.domains,
                guesses=memberships,
            )
            first: TriFactorization = getattr(stages, _STAGES[self.init])()
            result, found = self._pointed(weighed, X, stages, first)
            if result.interrupted:
                break
            memberships = [np.asarray(G) for G in result.memberships]
        return result, found

    def _pointed(
        self, problem: Problem, X: Any, stages: Restarts, result: TriFactorization
    ) -> tuple[TriFactorization, dict[int, ClassAlignment]]:
        """The result, or one from renamed labels where words clearly speak for other names."""
        found = target_alignments(problem, X, result.memberships)
        wrong = clearly_wrong(found)
        if wrong and self.check_class_swap and not result.interrupted:
            result = stages.renamed(result, wrong)
            found = target_alignments(problem, X, result.memberships)
        return result, found

    def _keep(self, problem: Problem, result: TriFactorization) -> None:
        self.associations_ = result.associations
        self.objective_ = np.asarray(result.objective)
        self.n_iter_ = result.n_iter
        n_clusters = result.associations.shape[0]
        self.term_totals_ = {d.number: d.documents.column_sums() for d in problem.domains}
        used = [self.term_totals_[domain.number] > 0 for domain in problem.domains]
        profiles = result.profiles
        # A word that a domain never used is read as the sources read it.
        sources = [i for i, domain in enumerate(problem.domains) if not domain.is_target]
        votes = np.sum([used[i] for i in sources], axis=0)
        shared = np.sum([profiles[i] for i in sources], axis=0) / np.maximum(votes, 1)[:, None]
        shared = shared.astype(result.associations.dtype)
        self._warn_of_strangers(problem, used, votes > 0)
        self.word_clusters_ = {}
        self._profiles = {}
        for i, domain in enumerate(problem.domains):
            seen = used[i][:, None]
            # The solver's row of zeros is shown as what it means: no preference.
            self.word_clusters_[domain.number] = np.where(
                seen, result.clusters[i], result.clusters[i].dtype.type(1 / n_clusters)
            )
            self._profiles[domain.number] = np.where(seen, profiles[i], shared)

    def _warn_of_strangers(
        self, problem: Problem, used: list[NDArray[np.bool_]], in_source: NDArray[np.bool_]
    ) -> None:
        for domain, words in zip(problem.domains, used, strict=True):
            alone = not (words & in_source).any() and not domain.labelled.any()
            if domain.is_target and alone:
                warn_user(
                    f"{domain.name} has no term in common with the sources, so its labels mean "
                    "nothing: count the documents of all domains with one vocabulary."
                )

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return {n: strengths(self._profiles[n], self.term_totals_[n]) for n in self._profiles}

    def top_cluster_words(self, feature_names: Any = None, n_words: int = 10) -> Words:
        """The words that make up every word cluster, in every domain; see :meth:`top_words`."""
        check_is_fitted(self)
        by_domain = {
            n: strengths(clusters, self.term_totals_[n])
            for n, clusters in self.word_clusters_.items()
        }
        clusters = range(self.associations_.shape[0])
        return top_words_by_class(self._term_names(feature_names), clusters, by_domain, n_words)

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        documents = as_documents(X)
        return np.asarray(fold_in(documents, self._profiles[number], engine=HostEngine()))


def with_documents(problem: Problem, documents: Sequence[Documents]) -> Problem:
    """The same problem with other documents in its domains."""
    pairs = zip(problem.domains, documents, strict=True)
    return replace(problem, domains=tuple(replace(d, documents=block) for d, block in pairs))
