"""CODA, the co-training for domain adaptation of Chen, Weinberger and Blitzer (2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import MOST_C, check_number, check_whole_number
from isthmus.estimators.self_training._pseudo_labels import (
    Candidates,
    candidates_of,
    changed_share,
    with_labels,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import take_rows, with_unit_rows
from isthmus.numerics.progress import Callback, Progress
from isthmus.numerics.scaling import unit_rows
from isthmus.solvers.self_training._co_training import lessons
from isthmus.solvers.self_training._feature_penalties import (
    absolute_penalties,
    disagreement,
    label_correlations,
)
from isthmus.solvers.self_training.coda import Rule, class_codes, learn_views, split_terms

# Twice the two views in turn: a third time moves hardly a term.
_TURNS = 2


class CODA(TransferClassifier):
    """Two views of the words, found by the fit, that teach each other what each is sure of.

    Logistic regressions ``u`` and ``v`` minimise, with ``L`` the log-loss on the labelled documents
    (of length 1) and ``u_j``, ``v_j`` the weights of a term,

    ``L(u) + L(v) + sum_j (u_j^2 + v_j^2) / 2C + gamma_t sum_j D_j (|u_j| + |v_j|)``

    where ``sum_j u_j^2 v_j^2 = 0``: every term serves one of the two. ``D_j``, from 0 to 1, says
    how differently a term goes with the classes in the labelled documents and, by the labels found
    so far, in the target: 1 for a term of the source alone. ``gamma_t`` grows from round to round.
    Then the target's documents are looked at about which exactly one view is confident. The most
    certain ones join the labelled documents with the class that this view says, every class with
    its share (``class_prior``), a few in the first round and more in every other. Labels are those
    of ``u + v``.

    The views must be epsilon-expanding for that: documents about which only one is confident must
    be at least ``epsilon`` times as many as those about which both are, or neither is.

    The paper was at hand only as its abstract and as others tell it, so that much of this is a
    reconstruction, and some of it simpler on purpose. The split is learnt in the first round and
    kept (learnt in every round, it was worse), with a penalty on ``u_j^2 v_j^2`` from a start that
    deals the terms out by their frequency. Expansion is not a constraint of the fit: rounds end
    where it fails. A view is confident about a share of the documents of every class, not above a
    probability. Documents that were added are chosen anew in every round. ``u + v`` is not taught
    as a third classifier. The absolute values are minimised by the squares that bound them.

    Any number of classes (by softmax, a term's weights for all classes in one view), of sources and
    of targets works alike; source documents without a label say nothing. Nothing is left to chance.

    Parameters
    ----------
    C : float, default=10
        How much the views are to fit the labels.
    split : float, default=100
        Weight of ``sum_j u_j^2 v_j^2`` while the terms are split (rho).
    feature_penalty : float, default=0.1
        gamma of the last round; 0 takes all terms alike.
    n_rounds : int, default=10
        Rounds of teaching; 0 learns from the labelled documents alone. More rounds carry a hard
        problem further from the source, to the right labels or away from them.
    fraction : float, default=0.5
        The share of a target's documents that may be taught in the last round; in round t of T it
        is t / T of that.
    confident_share : float, default=0.6
        The share of every class's documents about which a view is confident.
    epsilon : float, default=0.1
        A target with less expansion teaches nothing.
    class_prior : None, "source", "estimate", array or dict, default="source"
        Class shares of the documents that are taught, and of the labels in every target; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms, of either view.
    intercept_ : array of shape (n_classes,)
    views_ : array of shape (n_terms,)
        0 or 1: the view that has the term.
    expansion_ : list of float
        How far the views were expanding in every round, in the target where they were least.
    n_rounds_ : int
        Rounds that were taught.

    References
    ----------
    M. Chen, K. Q. Weinberger, J. Blitzer. Co-Training for Domain Adaptation. NIPS 2011.

    M.-F. Balcan, A. Blum, K. Yang. Co-Training and Expansion: Towards Bridging Theory and Practice.
    NIPS 2004.

    Examples
    --------
    >>> from isthmus import CODA
    >>> books = [[2, 1, 1, 0, 0, 0], [1, 2, 0, 0, 0, 0], [0, 0, 0, 2, 1, 1], [0, 0, 0, 1, 2, 0]]
    >>> tools = [[1, 0, 2, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 2], [0, 0, 0, 0, 1, 1]]
    >>> model = CODA().fit(books + tools, ["+", "+", "-", "-", None, None, None, None])
    >>> model.transduction_[4:].tolist()
    ['+', '+', '-', '-']
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "coef_": "cm",
        "intercept_": "c",
        "views_": "m",
        "n_rounds_": "",
    }
    _sources_need_labels: ClassVar[bool] = False  # it asks for labels, wherever they stand

    coef_: NDArray[Any]
    intercept_: NDArray[Any]

    def __init__(
        self,
        C: float = 10.0,
        *,
        split: float = 100.0,
        feature_penalty: float = 0.1,
        n_rounds: int = 10,
        fraction: float = 0.5,
        confident_share: float = 0.6,
        epsilon: float = 0.1,
        class_prior: Any = "source",
        missing_label: Any = -1,
    ) -> None:
        self.C = C
        self.split = split
        self.feature_penalty = feature_penalty
        self.n_rounds = n_rounds
        self.fraction = fraction
        self.confident_share = confident_share
        self.epsilon = epsilon
        self.class_prior = class_prior
        self.missing_label = missing_label

    @property
    def _max_iterations(self) -> int:
        return self.n_rounds

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=0, most=MOST_C)
        check_number("split", self.split, least=0, most=1e10)
        check_number("feature_penalty", self.feature_penalty, least=0, most=1e6)
        check_whole_number("n_rounds", self.n_rounds, least=0)
        check_number("fraction", self.fraction, above=0, most=1)
        check_number("confident_share", self.confident_share, above=0, most=1)
        check_number("epsilon", self.epsilon, least=0)

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        candidates = candidates_of(problem, X, self._held_to)
        unlabelled = [_Rows.of(candidate.X) for candidate in candidates]
        lesson, labels = _lesson(problem, X)
        penalties = np.full(X.shape[1], 1 / self.C)
        self.views_ = split_terms(
            lesson.documents,
            labels,
            problem.n_classes,
            penalties,
            _sides(X),
            self.split,
            _TURNS,
        )
        rules = self._learn(lesson, labels, penalties, None)
        self.n_rounds_ = 0
        self.expansion_: list[float] = []
        before = None
        for number in range(1, self.n_rounds + 1):
            found = self._found(problem, candidates, unlabelled, rules, number)
            if found is None:
                break
            guesses = [self._memberships(rows.documents) for rows in unlabelled]
            lesson, labels = _lesson(with_labels(problem, found), X)
            prices = self._prices(lesson, labels, unlabelled, guesses) * number / self.n_rounds
            sizes = np.sqrt(sum((rule.weights**2).sum(axis=1) for rule in rules))
            penalties = 1 / self.C + absolute_penalties(sizes, prices)
            rules = self._learn(lesson, labels, penalties, rules)
            self.n_rounds_ = number
            now = [guess.argmax(axis=1) for guess in guesses]
            changed, before = changed_share(before, now), now
            loss = (rules[0].loss + rules[1].loss) / len(labels)
            if callback is not None and callback(Progress(number, loss, changed)):
                break
        self.coef_ = self.coef_.astype(X.dtype)
        self.intercept_ = self.intercept_.astype(X.dtype)
        return [self._new_memberships(part, number) for number, part in rows_of_domains(problem, X)]

    def _learn(
        self,
        lesson: _Rows,
        labels: NDArray[np.intp],
        penalties: NDArray[np.float64],
        starts: tuple[Rule, Rule] | None,
    ) -> tuple[Rule, Rule]:
        """Learn both views, and keep their sum."""
        n_classes = len(self.classes_)
        u, v = learn_views(lesson.documents, labels, n_classes, penalties, self.views_, starts)
        codes = class_codes(n_classes)
        self.coef_ = codes.T @ (u.weights + v.weights).T
        self.intercept_ = (u.intercept + v.intercept) @ codes
        return u, v

    def _found(
        self,
        problem: Problem,
        candidates: list[Candidates],
        unlabelled: list[_Rows],
        rules: tuple[Rule, Rule],
        number: int,
    ) -> dict[int, NDArray[np.intp]] | None:
        """What the views teach each other: classes of target rows; None if they have nothing to."""
        found = {domain.number: np.full(len(domain.labels), -1) for domain in problem.targets}
        fraction = self.fraction * number / self.n_rounds
        expansions = []
        for candidate, rows in zip(candidates, unlabelled, strict=True):
            taught = lessons(
                [_known_only(rows.documents, rule.scores(rows.documents)) for rule in rules],
                candidate.shares,
                max(1, round(fraction * candidate.n_different)),
                self.confident_share,
                candidate.groups,
            )
            # A target whose documents the views know alike teaches nothing, beside others that do.
            if len(taught.rows) and taught.expansion >= self.epsilon:
                found[candidate.number][candidate.places[taught.rows]] = taught.labels
                expansions.append(taught.expansion)
        if not expansions:
            return None
        self.expansion_.append(min(expansions))
        return found

    def _prices(
        self,
        lesson: _Rows,
        labels: NDArray[np.intp],
        unlabelled: list[_Rows],
        guesses: list[NDArray[Any]],
    ) -> NDArray[np.float64]:
        """Terms that do not go with the same classes in the target are dear."""
        n_classes = len(self.classes_)
        taught = [np.eye(n_classes)[labels]]
        there = label_correlations([lesson.documents], [lesson.squares], taught, n_classes)
        documents, squares = zip(*((r.documents, r.squares) for r in unlabelled), strict=True)
        here = label_correlations(documents, squares, guesses, n_classes)
        return self.feature_penalty * disagreement(there, here)

    def _memberships(self, documents: Documents) -> NDArray[Any]:
        scores = np.asarray(documents.times(np.ascontiguousarray(self.coef_.T, documents.dtype)))
        return _known_only(documents, scores + self.intercept_)

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        return self._memberships(unit_rows(as_documents(X))).astype(X.dtype)

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return {number: use[:, None] * self.coef_.T for number, use in self.term_totals_.items()}


@dataclass(frozen=True)
class _Rows:
    """Documents of length 1, and the same with every entry squared, in double precision.

    In single precision other roundings ended, some rounds later, in other lessons: one document in
    forty got another label.
    """

    documents: Documents
    squares: Documents

    @classmethod
    def of(cls, X: Any) -> _Rows:
        X = X.astype(np.float64, copy=False)
        unit = with_unit_rows(X)  # squares of very large entries would be infinite
        squared = unit.multiply(unit).tocsr() if sparse.issparse(unit) else unit * unit
        return cls(unit_rows(as_documents(X)), as_documents(squared))


def _lesson(problem: Problem, X: Any) -> tuple[_Rows, NDArray[np.intp]]:
    """All labelled rows, and their classes."""
    labels = problem.labels
    known = np.flatnonzero(labels >= 0)
    return _Rows.of(take_rows(X, known)), labels[known]


def _sides(X: Any) -> NDArray[np.intp]:
    """Terms by their document frequency, put into the one and the other view in turn."""
    sides = np.empty(X.shape[1], np.intp)
    sides[np.argsort(-document_frequency(X), kind="stable")] = np.arange(X.shape[1]) % 2
    return sides


def _known_only(documents: Documents, scores: NDArray[Any]) -> NDArray[Any]:
    """Memberships by softmax, zeros for a document without a term: nothing is known of it."""
    return np.asarray(softmax(scores, axis=1) * (documents.row_norms() > 0)[:, None])
