"""CODA, the co-training for domain adaptation of Chen, Weinberger and Blitzer (2011)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, array, predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import MAX_C, check_number, check_whole_number
from isthmus.estimators.self_training._pseudo_labels import (
    Candidates,
    candidates_of,
    changed_proportion,
)
from isthmus.kernels.plain_loops import row_block
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import as_documents, take_rows, with_unit_rows
from isthmus.numerics.progress import Callback, Progress
from isthmus.solvers.self_training.coda import (
    TermGroup,
    co_training_labels,
    disagreement,
    fit_views,
    joint_weights,
    label_correlations,
    quadratic_penalties,
    split_terms,
    view_scores,
)

# Number of times that both views are fitted to split the terms. A third time changes few terms.
_ALTERNATIONS = 2


@dataclass(frozen=True, kw_only=True)
class CODAModel(FittedModel):
    """The sum of both views: softmax of ``x @ coef.T + intercept`` with unit-norm rows."""

    coef: NDArray[Any] = array("classes", "terms")
    intercept: NDArray[Any] = array("classes")

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        # The same products as in the fit, whose last bits differ from those of LinearModel.
        documents = as_documents(X).unit_rows()
        return _memberships(documents, self.coef, self.intercept).astype(X.dtype)

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef.T for n, totals in self.term_totals.items()}


class CODA(TransferClassifier):
    """Co-training of two views of the terms; the split into views is part of the fit.

    Logistic regressions ``u`` and ``v`` minimize, with ``L`` the log-loss on the labeled documents
    (unit-norm rows) and ``u_j``, ``v_j`` the weights of a term,

    ``L(u) + L(v) + sum_j (u_j^2 + v_j^2) / 2C + gamma_t sum_j D_j (|u_j| + |v_j|)``

    subject to ``sum_j u_j^2 v_j^2 = 0``: every term belongs to one of the two views. ``D_j``, from
    0 to 1, measures how much a term's correlation with the classes differs between the labeled
    documents and the target with its current labels; it is 1 for a term that only the source uses.
    ``gamma_t`` grows from round to round. In every round, documents of the target about which
    exactly one view is confident are candidates. The most certain ones are added to the labeled
    documents with the class of that view, each class with its prior proportion (``class_prior``),
    few in the first round and more in every later one. The final labels are those of ``u + v``.

    This requires epsilon-expanding views: the documents about which exactly one view is confident
    must be at least ``epsilon`` times as many as those about which both are, or as those about
    which neither is, whichever is less.

    Only the abstract of the paper and descriptions by others were available, so much of this is a
    reconstruction, and some parts are simpler on purpose. The split of the terms is fitted in the
    first round and kept (a new split in every round was worse). It uses a penalty on
    ``u_j^2 v_j^2`` and starts by assigning the terms alternately in the order of their frequency.
    Expansion is not a constraint of the fit: rounds stop when it fails. A view is confident about a
    proportion of the documents of every class, not above a probability. Added documents are
    selected again in every round. ``u + v`` is not trained as a third classifier. Absolute values
    are minimized through quadratic upper bounds.

    Any number of classes (by softmax, with all weights of a term in one view), sources and targets
    is possible. Unlabeled source documents are ignored. The method is deterministic.

    Parameters
    ----------
    C : float, default=10
        Inverse regularization strength of the views.
    split : float, default=100
        Weight of ``sum_j u_j^2 v_j^2`` in the split of the terms (rho).
    feature_penalty : float, default=0.1
        gamma of the last round; 0 penalizes all terms equally.
    n_rounds : int, default=10
        Number of rounds; 0 uses the labeled documents only. On a difficult problem, more rounds
        move the labels further from those of the source, for better or worse.
    fraction : float, default=0.5
        Maximum proportion of a target's documents that the last round adds; round t of T adds t / T
        of it.
    confident_share : float, default=0.6
        Proportion of the documents of every class about which a view is confident.
    epsilon : float, default=0.1
        Targets with less expansion get no pseudo-labels.
    class_prior : None, "source", "estimate", array or dict, default="source"
        Class prior of every target. The documents that are added have these proportions, and the
        labels are matched to it by one log shift per class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None leaves the labels unchanged.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms, sum of both views.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    views_ : array of shape (n_terms,)
        View of every term, 0 or 1.
    expansion_ : list of float
        Expansion of the views in every round, the lowest of all targets that were used.
    n_rounds_ : int
        Number of completed rounds.

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

    _model_class: ClassVar[type[FittedModel]] = CODAModel
    _sources_need_labels: ClassVar[bool] = False  # labels of targets are enough

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
    def max_iterations(self) -> int:
        return self.n_rounds

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=0, most=MAX_C)
        check_number("split", self.split, least=0, most=1e10)
        check_number("feature_penalty", self.feature_penalty, least=0, most=1e6)
        check_whole_number("n_rounds", self.n_rounds, least=0)
        check_number("fraction", self.fraction, above=0, most=1)
        check_number("confident_share", self.confident_share, above=0, most=1)
        check_number("epsilon", self.epsilon, least=0)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        n_classes = data.problem.n_classes
        candidates = candidates_of(data, data.X)
        unlabeled = [_unit_documents(candidate.X) for candidate in candidates]
        documents = _AllDocuments.of(data)
        labels = data.problem.labels
        penalties = np.full(data.X.shape[1], 1 / self.C)
        view_of_term = self._split_terms(documents, labels, n_classes, penalties)
        documents = documents.split(view_of_term)
        groups, known_labels = documents.labeled(labels)
        views = fit_views(groups, known_labels, n_classes, penalties)
        n_rounds, previous = 0, None
        expansions: list[float] = []
        for number in range(1, self.n_rounds + 1):
            scores = [view_scores(rows, views, n_classes) for rows in unlabeled]
            pseudo_labels, expansion = self._pseudo_labels(candidates, unlabeled, scores, number)
            if not pseudo_labels:
                break
            expansions.append(expansion)
            memberships = [
                _softmax_of_filled(rows, first + second)
                for rows, (first, second) in zip(unlabeled, scores, strict=True)
            ]
            labels = data.with_labels(pseudo_labels).problem.labels
            differences = documents.correlation_differences(labels, memberships, n_classes)
            l1_penalties = self.feature_penalty * differences * number / self.n_rounds
            norms = np.sqrt(sum((view.weights**2).sum(axis=1) for view in views))
            penalties = 1 / self.C + quadratic_penalties(norms, l1_penalties)
            groups, known_labels = documents.labeled(labels)
            views = fit_views(groups, known_labels, n_classes, penalties, views)
            n_rounds = number
            current = [part.argmax(axis=1) for part in memberships]
            changed, previous = changed_proportion(previous, current), current
            loss = (views[0].loss + views[1].loss) / len(known_labels)
            if callback is not None and callback(Progress(number, loss, changed)):
                break
        coef, intercept = joint_weights(views, n_classes)
        model = CODAModel(
            term_totals=data.term_totals,
            coef=coef.astype(data.X.dtype),
            intercept=intercept.astype(data.X.dtype),
        )
        diagnostics = {"views_": view_of_term, "expansion_": expansions, "n_rounds_": n_rounds}
        return Fit(model, predict_rows(model, data), diagnostics)

    def _split_terms(
        self,
        documents: _AllDocuments,
        labels: NDArray[np.intp],
        n_classes: int,
        penalties: NDArray[np.float64],
    ) -> NDArray[np.intp]:
        """The view of every term."""
        initial = _initial_views(documents.document_frequency)
        [group], known_labels = documents.labeled(labels)
        view_of_term = initial.copy()
        view_of_term[group.terms] = split_terms(
            group.documents,
            known_labels,
            n_classes,
            penalties[group.terms],
            initial[group.terms],
            self.split,
            _ALTERNATIONS,
        )
        return view_of_term

    def _pseudo_labels(
        self,
        candidates: list[Candidates],
        unlabeled: list[Documents],
        scores: list[list[NDArray[np.float64]]],
        number: int,
    ) -> tuple[dict[int, NDArray[np.intp]], float]:
        """Pseudo-labels of a round by target, and the lowest expansion of these targets."""
        fraction = self.fraction * number / self.n_rounds
        pseudo_labels, expansions = {}, []
        for candidate, rows, by_view in zip(candidates, unlabeled, scores, strict=True):
            chosen = co_training_labels(
                [_softmax_of_filled(rows, part) for part in by_view],
                candidate.class_prior,
                max(1, round(fraction * candidate.n_different)),
                self.confident_share,
                candidate.groups,
            )
            # Targets without expansion are skipped; others may still be used.
            if len(chosen.rows) and chosen.expansion >= self.epsilon:
                labels = candidate.labels_of_domain(chosen.rows, chosen.labels)
                pseudo_labels[candidate.number] = labels
                expansions.append(chosen.expansion)
        return pseudo_labels, min(expansions, default=0.0)


@dataclass(frozen=True)
class _AllDocuments:
    """All rows in double precision, and their terms in one or more groups.

    In single precision, rounding errors led to other pseudo-labels after some rounds: one document
    in forty got another label. The rows of a round are taken from the groups, because a view needs
    its own terms only: its products are half as long, and so are the vectors of the optimization.
    """

    X: Any
    row_scale: NDArray[np.float64]
    """Factors that give the rows unit norm."""
    squares: Documents
    """Squared entries of the unit-norm rows."""
    unlabeled_rows: NDArray[np.intp]
    """Rows of the candidates of all targets, one target after the other."""
    unlabeled_squares: NDArray[np.float64]
    """Sums of ``squares`` over these rows."""
    document_frequency: NDArray[np.intp]
    """Number of documents with every term."""
    groups: tuple[tuple[NDArray[np.intp], Any], ...]
    """Terms of every group, and the columns of ``X`` of these terms."""

    @classmethod
    def of(cls, data: TrainingData) -> _AllDocuments:
        """All terms that occur in a document, as one group."""
        X = data.X.astype(np.float64, copy=False)
        norms = as_documents(X).row_norms()
        positions = np.arange(X.shape[0])
        targets = [domain for domain in data.problem.targets if not domain.labeled.all()]
        rows = [positions[domain.rows][~domain.labeled] for domain in targets]
        unlabeled_rows = np.concatenate(rows) if rows else np.empty(0, np.intp)
        # Squares of very large entries would be infinite without unit norm.
        squares = as_documents(_squared_entries(with_unit_rows(X)))
        frequency = document_frequency(X)
        occurring = np.flatnonzero(frequency)
        return cls(
            X=X,
            row_scale=1 / np.where(norms > 0, norms, 1.0),
            squares=squares,
            unlabeled_rows=unlabeled_rows,
            unlabeled_squares=_sums_of_rows(squares, _mask(X.shape[0], unlabeled_rows)),
            document_frequency=frequency,
            groups=((occurring, X[:, occurring]),),
        )

    def split(self, view_of_term: NDArray[np.intp]) -> _AllDocuments:
        """The same rows with one group per view."""
        [(terms, X)] = self.groups
        chosen = [np.flatnonzero(view_of_term[terms] == number) for number in (0, 1)]
        return replace(self, groups=tuple((terms[some], X[:, some]) for some in chosen))

    def labeled(self, labels: NDArray[np.intp]) -> tuple[list[TermGroup], NDArray[np.intp]]:
        """The rows with a label or pseudo-label, by group of terms, and their labels."""
        known = np.flatnonzero(labels >= 0)
        groups = [
            TermGroup(terms, as_documents(take_rows(X, known)).scaled(rows=self.row_scale[known]))
            for terms, X in self.groups
        ]
        return groups, labels[known]

    def correlation_differences(
        self, labels: NDArray[np.intp], memberships: list[NDArray[Any]], n_classes: int
    ) -> NDArray[np.float64]:
        """How much the class correlation of every term differs in the unlabeled documents."""
        documents = as_documents(self.X).scaled(rows=self.row_scale)
        known = labels >= 0
        own = label_correlations(
            documents,
            _sums_of_rows(self.squares, known),
            np.eye(n_classes)[np.maximum(labels, 0)],
            known,
            n_classes,
        )
        predicted = np.zeros((len(labels), n_classes))
        predicted[self.unlabeled_rows] = np.concatenate(memberships)
        unlabeled = _mask(len(labels), self.unlabeled_rows)
        other = label_correlations(
            documents, self.unlabeled_squares, predicted, unlabeled, n_classes
        )
        return disagreement(own, other)


def _mask(n_rows: int, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    mask = np.zeros(n_rows, bool)
    mask[rows] = True
    return mask


def _sums_of_rows(documents: Documents, included: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Column sums of some rows; adding zeros is faster than copying the rows."""
    column = included[:, None].astype(documents.dtype)
    return np.asarray(documents.transposed_times(column), np.float64)[:, 0]


def _unit_documents(X: Any) -> Documents:
    """Unit-norm rows in double precision."""
    return as_documents(X.astype(np.float64, copy=False)).unit_rows()


def _squared_entries(X: Any) -> Any:
    """The matrix with squared entries; a sparse result shares the index arrays."""
    if not sparse.issparse(X):
        return X * X
    return row_block(X.data * X.data, X.indices, X.indptr, 0, *X.shape)


def _initial_views(frequency: NDArray[np.intp]) -> NDArray[np.intp]:
    """Views of the terms, alternating in the order of their document frequency."""
    views = np.empty(len(frequency), np.intp)
    views[np.argsort(-frequency, kind="stable")] = np.arange(len(frequency)) % 2
    return views


def _memberships(documents: Documents, coef: NDArray[Any], intercept: NDArray[Any]) -> NDArray[Any]:
    scores = np.asarray(documents.times(np.ascontiguousarray(coef.T, documents.dtype)))
    return _softmax_of_filled(documents, scores + intercept)


def _softmax_of_filled(documents: Documents, scores: NDArray[Any]) -> NDArray[Any]:
    """Memberships by softmax; zeros for empty documents, about which nothing is known."""
    return np.asarray(softmax(scores, axis=1) * (documents.row_norms() > 0)[:, None])
