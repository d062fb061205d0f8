"""KTW, knowledge transfer through word clusters (Li et al. 2009)."""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_number
from isthmus.estimators.tri_factorization._base import PAPER
from isthmus.estimators.tri_factorization._exact_factor import (
    MAX_WEIGHT,
    ExactFactorClassifier,
    weights_of_domains,
)
from isthmus.numerics.progress import Callback
from isthmus.solvers.tri_factorization._base import InitialFactors, TriFactorization
from isthmus.solvers.tri_factorization.ktw import ktw


class KTW(ExactFactorClassifier):
    """Transfer the word clusters of the source to the target in a second step.

    First ``min ||X_s - G_s S' F_s'||^2 + alpha tr((G_s - Y)' C (G_s - Y))``, then
    ``min ||X_t - G_t S_t' F_t'||^2 + carry tr((F_t - F_s)' (F_t - F_s))``, over nonnegative
    factors. Source and target share the word clusters, and the target has its own associations. The
    method is included for comparison. This implementation follows descriptions of the two problems
    by others, not the original paper; initialization, updates and stopping are those of DKT.

    Parameters
    ----------
    n_word_clusters : int, "auto" or "classes", default="auto"
        Number of word clusters (k1); see :class:`MTrick`.
    alpha : float, default=1.0
        Weight of the labels in all domains. It has almost no effect if the initial labels are
        one-hot, because multiplicative updates cannot change zeros.
    carry : float, default=1.0
        Weight of the penalty on differences between the word clusters of target and source.
    relative_carry : bool, default=True
        Whether ``carry`` is multiplied by the mean class size of the target, about the curvature
        of its word clusters, so that its effect does not depend on the size of the data.
    init : {"class_conditional", "plsa", "two_stage"}, default="class_conditional"
        Initial word clusters; see :class:`MTrick`.
    unit_rows : bool, default=True
        Whether documents are scaled to unit norm, after the columns.
    column_power : float, default=0.4
        Every term is divided by its total weight to this power, so that frequent terms do not
        dominate. 0 leaves the columns unchanged. ``init_classifier`` uses the unscaled ``X``.
    init_classifier : "logistic", "complement_nb" or classifier, default="logistic"
        Gives the initial memberships of the unlabeled rows; see :class:`MTrick`.
    check_class_swap : bool, default=True
        Whether predicted classes of the target are compared with all labeled rows; see
        :class:`MTrick`.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target; see :class:`MTrick`.
    label_smoothing : float, default=0.0
        Part of the initial membership of a source label that is distributed over the other classes.
    max_iter : int, default=30
        Maximum number of iterations of each step.
    tol : float, default=0.005
        Tolerance of ``stopping``; 0 runs ``max_iter`` iterations.
    stopping : {"labels", "relative", "absolute"}, default="labels"
        When the second step stops; see :class:`DKT`. With "labels" the first step always runs
        ``max_iter`` iterations.
    plsa_iter : int, default=30
        Number of EM iterations of the PLSA initialization.
    plsa_sample : int or None, default=50000
        Maximum number of documents for the PLSA initialization, drawn from all domains. None uses
        all documents.
    new_documents : {"classifier", "fold_in"}, default="classifier"
        How ``predict`` labels new documents: by a logistic regression on the labels of all fitted
        rows, or by memberships under the fitted factors; see :class:`DKT`.
    missing_label : object, default=-1
        Marks unlabeled rows, in addition to None and NaN. None turns it off.
    random_state : int, RandomState or None, default=None
        Random seed of the PLSA initialization; the class-conditional one is not random.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels of the classes, sorted. Columns of memberships have this order.
    transduction_ : array of shape (n_rows,)
        Label of every fitted row; labeled rows keep theirs.
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1.
    word_clusters_ : dict of domain number to array of shape (n_terms, n_word_clusters)
        ``F``, not normalized; uniform for a term that the domain does not use.
    associations_ : array of shape (n_word_clusters, n_classes)
        How strongly every word cluster is associated with every class in the second step.
    column_scale_ : array of shape (n_terms,)
        Factor of every term.
    coef_, intercept_ : arrays of shape (n_classes, n_terms) and (n_classes,)
        The classifier for new documents; zeros with ``new_documents="fold_in"``.
    objective_ : array of shape (n_iterations + 1,)
        The objective of the second step, initially and after every iteration; it never increases.
    n_iter_ : int
        Number of iterations of the second step.
    init_agreement_ : float
        Agreement of the target labels with those of ``init_classifier``; see :class:`MTrick`.
    alignment_certainty_ : float
        Evidence of the shared words that classes are not swapped; see :class:`MTrick`.
    domains_ : array of int of shape (n_domains,)
        Numbers of the fitted domains.
    class_prior_ : array of shape (n_classes,)
        Class proportions of the labeled source rows.
    domain_prior_ : dict of domain number to array of shape (n_classes,)
        Class prior of every domain: what ``class_prior`` says for a target, or else
        ``class_prior_``.
    term_totals_ : dict of domain number to array of shape (n_terms,)
        Sum of every term over the documents of a domain, as the method scales them.

    References
    ----------
    T. Li, V. Sindhwani, C. Ding, Y. Zhang. Knowledge Transformation for Cross-domain Sentiment
    Classification. SIGIR 2009.

    Examples
    --------
    >>> from isthmus import KTW, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[2, 0, 1, 0], [0, 2, 0, 1]], ["good", "bad"])},
    ...     {"dvd": [[1, 0, 2, 0], [0, 1, 0, 2]]},
    ... )
    >>> KTW().fit(X, y, sample_domain).transduction_.tolist()
    ['good', 'bad', 'good', 'bad']
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            **PAPER,
            "n_word_clusters": "classes",
            "carry": 1.0,
            "relative_carry": False,
            "column_power": 0.0,
        }
    }

    def __init__(
        self,
        n_word_clusters: int | str = "auto",
        *,
        alpha: float = 1.0,
        carry: float = 1.0,
        relative_carry: bool = True,
        init: str = "class_conditional",
        unit_rows: bool = True,
        column_power: float = 0.4,
        init_classifier: Any = "logistic",
        check_class_swap: bool = True,
        class_prior: Any = None,
        label_smoothing: float = 0.0,
        max_iter: int = 30,
        tol: float = 0.005,
        stopping: str = "labels",
        plsa_iter: int = 30,
        plsa_sample: int | None = 50_000,
        new_documents: str = "classifier",
        missing_label: Any = -1,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_word_clusters,
            alpha=alpha,
            init=init,
            unit_rows=unit_rows,
            init_classifier=init_classifier,
            check_class_swap=check_class_swap,
            class_prior=class_prior,
            label_smoothing=label_smoothing,
            max_iter=max_iter,
            tol=tol,
            stopping=stopping,
            plsa_iter=plsa_iter,
            plsa_sample=plsa_sample,
            missing_label=missing_label,
            random_state=random_state,
        )
        self.carry = carry
        self.relative_carry = relative_carry
        self.column_power = column_power
        self.new_documents = new_documents

    @property
    def max_iterations(self) -> int:
        return 2 * super().max_iterations  # every run has two steps

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("carry", self.carry, least=0, most=MAX_WEIGHT)

    def _solve(
        self, problem: Problem, initial: InitialFactors, callback: Callback | None
    ) -> TriFactorization:
        return ktw(
            problem.domains,
            initial,
            engine=problem.domains[0].documents.engine,
            stopping=self._stopping,
            alpha=self.alpha,
            carries=weights_of_domains(self.carry, problem, relative=self.relative_carry),
            callback=callback,
        )
