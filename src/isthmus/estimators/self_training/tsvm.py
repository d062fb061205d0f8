"""TSVM, the transductive support vector machine of Joachims (1999)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.linear_classifier import LinearRuleClassifier
from isthmus.estimators.components.linear_models import for_every_class
from isthmus.estimators.components.parameters import MOST_C, check_number, check_whole_number
from isthmus.numerics.progress import Callback
from isthmus.numerics.scaling import unit_rows
from isthmus.numerics.stacked import StackedDocuments
from isthmus.solvers.self_training.tsvm import Quota, Settings, transductive_machines


class TSVM(LinearRuleClassifier):
    """A support vector machine whose margin is kept free of unlabelled documents too.

    Over the weights ``w``, ``b`` and the labels ``y_j`` (1 or -1) of the target's documents, of
    which a fixed share has either label (``class_prior``), it minimises, with documents of length 1
    and ``loss(z) = max(0, 1 - z)^2``,

    ``1/2 ||w||^2 + C sum_labelled loss(y_i (x_i w + b)) + C* sum_unlabelled loss(y_j (x_j w + b))``

    No document of the target may lie between the classes without a price, whatever its label, so
    that the border is drawn through a gap in the target. The search begins with the machine of the
    labelled rows and labels the target by rank. Then ``C*`` grows from little to its value by
    doubling; at each ``C*`` the machine is taught, pairs of documents whose labels are in the wrong
    order (whose slacks sum to more than 2) are switched, and so again until no pair is left. At
    one ``C*`` the objective never rises. It is a local minimum that is found: which of them, the
    start and the doubling decide.

    The original was not at hand: objective, quota, switching and doubling are as others tell
    them. What differs is known. The hinge is squared and the machine is taught by its weights
    (Keerthi and DeCoste 2005) with all pairs switched at once (Sindhwani and Keerthi 2006), where
    the original has the plain hinge and one pair at a time. Positive and negative unlabelled
    documents weigh the same from the first ``C*`` on. The intercept is the weight of a large
    constant feature and so hardly penalised; the original leaves it free. With ``unlabelled_C=0``
    this is scikit-learn's ``LinearSVC`` of that ``intercept_scaling``. The default ``C`` is a tenth
    of the usual one: preset ``"paper"`` has 1.

    More than two classes have a machine each, one class against the rest, and one labelling in
    common: pairs of any two classes are switched if that lowers the sum of all machines' losses,
    which leaves every class its quota. Every target has a quota of its own, labelled target rows
    are labelled rows, and source rows without a label and documents without a term say nothing.
    Documents that tie at the edge of a quota share what is left of it. Nothing is left to chance.

    Parameters
    ----------
    C : float, default=0.1
        Weight of labelled documents. The less, the more the target's own groups decide: to 0.01 for
        topics that stand well apart, to 1 for opinions, whose gaps are seldom the widest.
    unlabelled_C : float, default=0.1
        The last ``C*``, weight of unlabelled documents; 0 leaves them out.
    initial_C_ratio : float, default=0.001
        The first ``C*`` is about this part of the last.
    intercept_scaling : float, default=10.0
        The constant feature; the larger, the less the intercept is penalised. At 10 it is as good
        as free, which classes of different sizes need.
    max_iter : int, default=10
        How often the machine is taught at one ``C*``, at the most.
    tol : float, default=0.0
        A ``C*`` is done with if no greater part of the target's documents was switched.
    class_prior : None, "source", "estimate", array or dict, default="source"
        The fixed share of every class in every target: that of the source; an estimate without
        labels (see :func:`isthmus.estimate_class_prior`); an array in the order of the sorted
        classes, or a dict from class to share. None takes the shares that the machine of the
        labelled rows gives, and leaves the labels found in the end as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        How much a term speaks for each class; one row a class also for two classes.
    intercept_ : array of shape (n_classes,)
    objective_ : list of float
        The objective whenever the machine has been taught, first that of the labelled rows.
    unlabelled_C_ : list of float
        The ``C*`` that each of them is for.
    n_iter_ : int
        How often the machine was taught, the first time on the labelled rows alone.
    classes_, transduction_, label_distributions_, domains_
    class_prior_, domain_prior_, term_totals_
        As in the other classifiers.
    alignment_certainty_ : float
        How clearly words speak for the names of the targets' classes, as of :class:`MTrick`; a
        warning tells of less than 4. 0 for documents with values below zero.

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

    _sources_need_labels: ClassVar[bool] = False  # it asks for labels, wherever they stand
    _reads_unit_rows: ClassVar[bool] = True
    _learns_from_targets: ClassVar[bool] = True
    _fitted_shapes: ClassVar[dict[str, str]] = {
        **LinearRuleClassifier._fitted_shapes,
        "n_iter_": "",
    }
    _presets: ClassVar[dict[str, dict[str, Any]]] = {"paper": {"C": 1.0, "unlabelled_C": 1.0}}

    def __init__(
        self,
        C: float = 0.1,
        *,
        unlabelled_C: float = 0.1,
        initial_C_ratio: float = 1e-3,
        intercept_scaling: float = 10.0,
        max_iter: int = 10,
        tol: float = 0.0,
        class_prior: Any = "source",
        missing_label: Any = -1,
    ) -> None:
        self.C = C
        self.unlabelled_C = unlabelled_C
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
            float(self.unlabelled_C),
            initial_ratio=float(self.initial_C_ratio),
            constant=float(self.intercept_scaling),
            max_iter=self.max_iter,
            tol=self.tol,
        )

    @property
    def _max_iterations(self) -> int:
        return len(self._settings.levels) * self.max_iter

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=0, most=MOST_C)
        check_number("unlabelled_C", self.unlabelled_C, least=0, most=MOST_C)
        check_number("initial_C_ratio", self.initial_C_ratio, least=1e-12, most=1)
        check_number("intercept_scaling", self.intercept_scaling, above=0, most=1e3)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0, most=1)

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        documents = StackedDocuments([unit_rows(domain.documents) for domain in problem.domains])
        found = transductive_machines(
            documents,
            np.concatenate([domain.labels for domain in problem.domains]),
            problem.n_classes,
            self._quotas(problem, documents.starts),
            self._settings,
            callback,
        )
        self.objective_, self.unlabelled_C_ = found.objective, found.levels
        self.n_iter_ = len(found.objective)
        coef, intercept = for_every_class(found.weights, found.intercept)
        self.coef_, self.intercept_ = coef.astype(X.dtype), intercept.astype(X.dtype)
        return [self._new_memberships(part, n) for n, part in rows_of_domains(problem, X)]

    def _quotas(self, problem: Problem, starts: NDArray[np.intp]) -> list[Quota]:
        """The unlabelled rows of every target, and their shares if it is held to any."""
        quotas = []
        for domain, start in zip(problem.domains, starts[:-1].tolist(), strict=True):
            if domain.is_target:
                # Without a term a document lies where the intercept says, on either side.
                rows = np.flatnonzero(~domain.labelled & (domain.documents.row_norms() > 0))
                quotas.append(Quota(start + rows, self._held_to.get(domain.number)))
        return quotas
