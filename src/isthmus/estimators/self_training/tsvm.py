"""TSVM, the transductive support vector machine of Joachims (1999)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel, predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import one_row_per_class
from isthmus.estimators.components.parameters import MAX_C, check_number, check_whole_number
from isthmus.numerics.derived_documents import StackedDocuments
from isthmus.numerics.progress import Callback
from isthmus.solvers.self_training.tsvm import Quota, Settings, transductive_svm


class TSVM(TransferClassifier):
    """Support vector machine whose margin also avoids the unlabeled documents.

    Over the weights ``w``, ``b`` and the labels ``y_j`` (1 or -1) of the target's documents, with a
    fixed proportion of each label (``class_prior``), it minimizes, with unit-norm rows and
    ``loss(z) = max(0, 1 - z)^2``,

    ``1/2 ||w||^2 + C sum_labeled loss(y_i (x_i w + b)) + C* sum_unlabeled loss(y_j (x_j w + b))``

    A target document inside the margin has a loss with either label, so the boundary is placed in
    a gap of the target. The search starts with the machine of the labeled rows and labels the
    target by rank. Then ``C*`` grows from a small value by doubling. For each ``C*``, the machine
    is fitted, and pairs of documents whose labels are in the wrong order (whose slacks sum to more
    than 2) are switched, until no such pair remains. The objective never increases while ``C*`` is
    fixed. The result is a local minimum that depends on the start and the doubling.

    Objective, quota, switching and doubling follow descriptions in other papers. There are known
    differences. The hinge loss is squared, the machine is fitted in the primal (Keerthi and DeCoste
    2005) and all pairs are switched at once (Sindhwani and Keerthi 2006), instead of the plain
    hinge loss and one pair at a time. Positive and negative unlabeled documents have the same
    weight from the first ``C*`` on. The intercept is the weight of a large constant feature, so it
    is hardly penalized; in the paper it has no penalty. With ``unlabeled_C=0`` this is
    scikit-learn's ``LinearSVC`` with the same ``intercept_scaling``. The default ``C`` is a tenth
    of the usual one; the preset ``"paper"`` has 1.

    With more than two classes, there is one machine per class against the rest, with common labels:
    pairs of any two classes are switched if that lowers the total loss of all machines, which keeps
    the quotas. Every target has its own quota. Labeled target rows are treated as labeled source
    rows; unlabeled source rows and empty documents are ignored. Documents that tie at the border
    of a quota share what remains of it. The method is deterministic.

    Parameters
    ----------
    C : float, default=0.1
        Weight of labeled documents. With a smaller value, the groups of the target have more
        influence: down to 0.01 for topics, which are well separated, up to 1 for opinions, whose
        gaps are seldom the widest.
    unlabeled_C : float, default=0.1
        Final ``C*``, the weight of unlabeled documents; 0 ignores them.
    initial_C_ratio : float, default=0.001
        The first ``C*`` is about this proportion of the final one.
    intercept_scaling : float, default=10.0
        Value of the constant feature. The larger it is, the less the intercept is penalized. At 10
        the penalty is negligible, which classes of different sizes need.
    max_iter : int, default=10
        Maximum number of fits of the machine per value of ``C*``.
    tol : float, default=0.0
        The next ``C*`` follows when at most this proportion of the target's documents was switched.
    class_prior : None, "source", "estimate", array or dict, default="source"
        Fixed proportion of every class in every target: that of the source; an estimate without
        labels (see :func:`isthmus.estimate_class_prior`); an array in the order of the sorted
        classes, or a dict from class to proportion. None takes the proportions of the labels by the
        machine of the labeled rows, and leaves the final labels unchanged.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms, one row per class also for two classes.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    objective_ : list of float
        Objective after every fit of the machine; the first value is that of the labeled rows.
    unlabeled_C_ : list of float
        ``C*`` of each of these fits.
    n_iter_ : int
        Number of fits of the machine, including the first one on the labeled rows.
    alignment_certainty_ : float
        Evidence of shared words that the classes of the targets are not swapped, as in
        :class:`MTrick`; a warning is given below 4. 0 for documents with negative values.

    References
    ----------
    T. Joachims. Transductive Inference for Text Classification using Support Vector Machines. ICML
    1999.

    V. Sindhwani, S. S. Keerthi. Large Scale Semi-supervised Linear SVMs. SIGIR 2006.

    S. S. Keerthi, D. DeCoste. A Modified Finite Newton Method for Fast Solution of Large Scale
    Linear SVMs. JMLR 2005.

    Examples
    --------
    >>> from isthmus import TSVM
    >>> books = [[2, 1, 1, 0, 0, 0], [1, 2, 0, 0, 0, 0], [0, 0, 0, 2, 1, 1], [0, 0, 0, 1, 2, 0]]
    >>> tools = [[1, 0, 2, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 2], [0, 0, 0, 0, 1, 1]]
    >>> model = TSVM().fit(books + tools, ["+", "+", "-", "-", None, None, None, None])
    >>> model.transduction_[4:].tolist()
    ['+', '+', '-', '-']
    """

    _has_objective: ClassVar[bool] = True
    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _sources_need_labels: ClassVar[bool] = False  # labels of targets are enough
    _checks_class_swap: ClassVar[bool] = True
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
    _presets: ClassVar[dict[str, dict[str, Any]]] = {"paper": {"C": 1.0, "unlabeled_C": 1.0}}

    def __init__(
        self,
        C: float = 0.1,
        *,
        unlabeled_C: float = 0.1,
        initial_C_ratio: float = 1e-3,
        intercept_scaling: float = 10.0,
        max_iter: int = 10,
        tol: float = 0.0,
        class_prior: Any = "source",
        missing_label: Any = -1,
    ) -> None:
        self.C = C
        self.unlabeled_C = unlabeled_C
        self.initial_C_ratio = initial_C_ratio
        self.intercept_scaling = intercept_scaling
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    @property
    def _settings(self) -> Settings:
        return Settings(
            float(self.C),
            float(self.unlabeled_C),
            initial_ratio=float(self.initial_C_ratio),
            constant=float(self.intercept_scaling),
            max_iter=self.max_iter,
            tol=self.tol,
        )

    @property
    def max_iterations(self) -> int:
        return len(self._settings.levels) * self.max_iter

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=0, most=MAX_C)
        check_number("unlabeled_C", self.unlabeled_C, least=0, most=MAX_C)
        check_number("initial_C_ratio", self.initial_C_ratio, least=1e-12, most=1)
        check_number("intercept_scaling", self.intercept_scaling, above=0, most=1e3)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0, most=1)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        problem = data.problem
        documents = StackedDocuments([domain.documents.unit_rows() for domain in problem.domains])
        result = transductive_svm(
            documents,
            np.concatenate([domain.labels for domain in problem.domains]),
            problem.n_classes,
            _quotas(data, documents.starts),
            self._settings,
            callback,
        )
        coef, intercept = one_row_per_class(result.weights, result.intercept)
        model = LinearModel.of(data, coef, intercept)
        diagnostics = {
            "objective_": result.objective,
            "unlabeled_C_": result.levels,
            "n_iter_": len(result.objective),
        }
        return Fit(model, predict_rows(model, data), diagnostics)


def _quotas(data: TrainingData, starts: NDArray[np.intp]) -> list[Quota]:
    """The unlabeled rows of every target, with its class prior if there is one."""
    quotas = []
    for domain, start in zip(data.problem.domains, starts[:-1].tolist(), strict=True):
        if domain.is_target:
            # The score of an empty document is the intercept, which says nothing about its class.
            rows = np.flatnonzero(~domain.labeled & domain.filled)
            quotas.append(Quota(start + rows, data.target_prior.get(domain.number)))
    return quotas
