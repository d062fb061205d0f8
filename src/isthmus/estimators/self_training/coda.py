"""CODA, the co-training for domain adaptation of Chen, Weinberger and Blitzer (2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, array
from isthmus.estimators.base.linear_model import predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import MAX_C, check_number, check_whole_number
from isthmus.estimators.self_training._pseudo_labels import (
    Candidates,
    candidates_of,
    changed_proportion,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import take_rows, with_unit_rows
from isthmus.numerics.progress import Callback, Progress
from isthmus.numerics.scaling import unit_rows
from isthmus.solvers.self_training._co_training import co_training_labels
from isthmus.solvers.self_training._feature_penalties import (
    disagreement,
    label_correlations,
    quadratic_penalties,
)
from isthmus.solvers.self_training.coda import View, fit_views, joint_weights, split_terms

# Number of times that both views are fitted to split the terms. A third time changes few terms.
_ALTERNATIONS = 2


@dataclass(frozen=True, kw_only=True)
class CODAModel(FittedModel):
    """The sum of both views: softmax of ``x @ coef.T + intercept`` with unit-norm rows."""

    coef: NDArray[Any] = array("classes", "terms")
    intercept: NDArray[Any] = array("classes")

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        # The same products as in the fit, whose last bits differ from those of LinearModel.
        documents = unit_rows(as_documents(X))
        return _memberships(documents, self.coef, self.intercept).astype(X.dtype)

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef.T for n, totals in self.term_totals.items()}


class CODA(TransferClassifier):
    """Co-training of two views of the terms; the split into views is part of the fit.

    Logistic regressions ``u`` and ``v`` minimise, with ``L`` the log-loss on the labelled documents
    (unit-norm rows) and ``u_j``, ``v_j`` the weights of a term,

    ``L(u) + L(v) + sum_j (u_j^2 + v_j^2) / 2C + gamma_t sum_j D_j (|u_j| + |v_j|)``

    subject to ``sum_j u_j^2 v_j^2 = 0``: every term belongs to one of the two views. ``D_j``, from
    0 to 1, measures how much a term's correlation with the classes differs between the labelled
    documents and the target with its current labels; it is 1 for a term that only the source uses.
    ``gamma_t`` grows from round to round. In every round, documents of the target about which
    exactly one view is confident are candidates. The most certain ones are added to the labelled
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
    are minimised through quadratic upper bounds.

    Any number of classes (by softmax, with all weights of a term in one view), sources and targets
    is possible. Unlabelled source documents are ignored. The method is deterministic.

    Parameters
    ----------
    C : float, default=10
        Inverse regularization strength of the views.
    split : float, default=100
        Weight of ``sum_j u_j^2 v_j^2`` in the split of the terms (rho).
    feature_penalty : float, default=0.1
        gamma of the last round; 0 penalises all terms equally.
    n_rounds : int, default=10
        Number of rounds; 0 uses the labelled documents only. On a difficult problem, more rounds
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
    missing_label : object, default=-1
        Marks unlabelled rows, in addition to None and NaN. None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        See :class:`MTrick`.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms, sum of both views.
    intercept_ : array of shape (n_classes,)
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
        X, n_classes = data.X, data.problem.n_classes
        candidates = candidates_of(data, X)
        unlabelled = [_Rows.of(candidate.X) for candidate in candidates]
        training_set = _TrainingSet.of(data)
        penalties = np.full(X.shape[1], 1 / self.C)
        view_of_term = split_terms(
            training_set.rows.documents,
            training_set.labels,
            n_classes,
            penalties,
            _initial_views(X),
            self.split,
            _ALTERNATIONS,
        )
        views = training_set.fit_views(penalties, view_of_term, None)
        n_rounds, previous = 0, None
        expansions: list[float] = []
        for number in range(1, self.n_rounds + 1):
            pseudo_labels, expansion = self._pseudo_labels(candidates, unlabelled, views, number)
            if not pseudo_labels:
                break
            expansions.append(expansion)
            coef, intercept = joint_weights(views, n_classes)
            memberships = [_memberships(rows.documents, coef, intercept) for rows in unlabelled]
            training_set = _TrainingSet.of(data.with_labels(pseudo_labels))
            differences = training_set.correlation_differences(unlabelled, memberships)
            l1_penalties = self.feature_penalty * differences * number / self.n_rounds
            norms = np.sqrt(sum((view.weights**2).sum(axis=1) for view in views))
            penalties = 1 / self.C + quadratic_penalties(norms, l1_penalties)
            views = training_set.fit_views(penalties, view_of_term, views)
            n_rounds = number
            labels = [part.argmax(axis=1) for part in memberships]
            changed, previous = changed_proportion(previous, labels), labels
            loss = (views[0].loss + views[1].loss) / len(training_set.labels)
            if callback is not None and callback(Progress(number, loss, changed)):
                break
        coef, intercept = joint_weights(views, n_classes)
        model = CODAModel(
            term_totals=data.term_totals,
            coef=coef.astype(X.dtype),
            intercept=intercept.astype(X.dtype),
        )
        diagnostics = {"views_": view_of_term, "expansion_": expansions, "n_rounds_": n_rounds}
        return Fit(model, predict_rows(model, data), diagnostics)

    def _pseudo_labels(
        self,
        candidates: list[Candidates],
        unlabelled: list[_Rows],
        views: tuple[View, View],
        number: int,
    ) -> tuple[dict[int, NDArray[np.intp]], float]:
        """Pseudo-labels of a round by target, and the lowest expansion of these targets."""
        fraction = self.fraction * number / self.n_rounds
        pseudo_labels, expansions = {}, []
        for candidate, rows in zip(candidates, unlabelled, strict=True):
            chosen = co_training_labels(
                [_softmax_of_filled(rows.documents, view.scores(rows.documents)) for view in views],
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
class _Rows:
    """Unit-norm rows, and the same rows with squared entries, in double precision.

    In single precision, rounding errors led to other pseudo-labels after some rounds: one document
    in forty got another label.
    """

    documents: Documents
    squares: Documents

    @classmethod
    def of(cls, X: Any) -> _Rows:
        X = X.astype(np.float64, copy=False)
        unit = with_unit_rows(X)  # squares of very large entries would be infinite
        squared = unit.multiply(unit).tocsr() if sparse.issparse(unit) else unit * unit
        return cls(unit_rows(as_documents(X)), as_documents(squared))


@dataclass(frozen=True)
class _TrainingSet:
    """All rows with a label or pseudo-label."""

    rows: _Rows
    labels: NDArray[np.intp]
    n_classes: int

    @classmethod
    def of(cls, data: TrainingData) -> _TrainingSet:
        labels = data.problem.labels
        known = np.flatnonzero(labels >= 0)
        return cls(_Rows.of(take_rows(data.X, known)), labels[known], data.problem.n_classes)

    def fit_views(
        self,
        penalties: NDArray[np.float64],
        view_of_term: NDArray[np.intp],
        initial_views: tuple[View, View] | None,
    ) -> tuple[View, View]:
        return fit_views(
            self.rows.documents, self.labels, self.n_classes, penalties, view_of_term, initial_views
        )

    def correlation_differences(
        self, unlabelled: list[_Rows], memberships: list[NDArray[Any]]
    ) -> NDArray[np.float64]:
        """How much the class correlation of every term differs in the unlabelled documents."""
        own = label_correlations(
            [self.rows.documents],
            [self.rows.squares],
            [np.eye(self.n_classes)[self.labels]],
            self.n_classes,
        )
        other = label_correlations(
            [rows.documents for rows in unlabelled],
            [rows.squares for rows in unlabelled],
            memberships,
            self.n_classes,
        )
        return disagreement(own, other)


def _initial_views(X: Any) -> NDArray[np.intp]:
    """Views of the terms, alternating in the order of their document frequency."""
    views = np.empty(X.shape[1], np.intp)
    views[np.argsort(-document_frequency(X), kind="stable")] = np.arange(X.shape[1]) % 2
    return views


def _memberships(documents: Documents, coef: NDArray[Any], intercept: NDArray[Any]) -> NDArray[Any]:
    scores = np.asarray(documents.times(np.ascontiguousarray(coef.T, documents.dtype)))
    return _softmax_of_filled(documents, scores + intercept)


def _softmax_of_filled(documents: Documents, scores: NDArray[Any]) -> NDArray[Any]:
    """Memberships by softmax; zeros for empty documents, about which nothing is known."""
    return np.asarray(softmax(scores, axis=1) * (documents.row_norms() > 0)[:, None])
