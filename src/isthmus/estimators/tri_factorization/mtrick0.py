"""MTrick0, the two-step variant of Zhuang et al. (2010)."""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.tri_factorization._base import PAPER, TriFactorClassifier
from isthmus.numerics.progress import Callback
from isthmus.solvers.tri_factorization._base import InitialFactors, TriFactorization
from isthmus.solvers.tri_factorization.mtrick0 import mtrick0


class MTrick0(TriFactorClassifier):
    """MTrick in two steps: associations from the sources, then targets with fixed associations.

    First ``min ||X_s - G_s S' F_s'||^2 + (alpha / n_s) ||G_s - G_0||^2``, then, with fixed ``S``,
    ``min ||X_t - G_t S' F_t'||^2``, over nonnegative factors; the rows of F and G sum to 1.

    The symbols are those of :class:`MTrick`, which fits sources and targets together.

    Parameters
    ----------
    n_word_clusters : int, "auto" or "classes", default="auto"
        Number of word clusters (k1); see :class:`MTrick`.
    alpha : float, default=1.0
        Weight of the source labels. It has no effect if the initial labels are one-hot, because
        multiplicative updates cannot change zeros. It matters with ``label_smoothing``.
    init : {"class_conditional", "plsa", "two_stage"}, default="class_conditional"
        Initial word clusters; see :class:`MTrick`.
    unit_rows : bool, default=True
        Whether documents are scaled to unit norm, so that long documents do not dominate.
    init_classifier : "logistic", "complement_nb" or classifier, default="logistic"
        Gives the initial memberships of the unlabeled rows; see :class:`MTrick`.
    check_class_swap : bool, default=True
        Whether predicted classes of the target are compared with the words of the labeled rows;
        see :class:`MTrick`.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target; see :class:`MTrick`.
    label_smoothing : float, default=0.0
        Part of the initial membership of a source label that is distributed over the other classes.
    max_iter : int, default=100
        Maximum number of iterations of each step.
    tol : float, default=1e-6
        Tolerance of ``stopping``; 0 runs ``max_iter`` iterations.
    stopping : {"relative", "absolute", "labels"}, default="relative"
        When a step stops; see :class:`MTrick`.
    plsa_iter : int, default=30
        Number of EM iterations of the PLSA initialization.
    plsa_sample : int or None, default=50000
        Maximum number of documents for the PLSA initialization, drawn from all domains. None uses
        all documents.
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
        ``F``: rows sum to 1; uniform for a term that the domain does not use.
    associations_ : array of shape (n_word_clusters, n_classes)
        ``S``: how strongly every word cluster is associated with every class.
    objective_ : array of shape (n_iterations + 1,)
        The objective of the second step, initially and after every iteration.
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
    F. Zhuang, P. Luo, H. Xiong, Q. He, Y. Xiong, Z. Shi. Exploiting Associations between Word
    Clusters and Document Classes for Cross-domain Text Categorization. SDM 2010.

    Examples
    --------
    One word cluster per class, by default:

    >>> from isthmus import MTrick0, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[2, 0, 1, 0], [0, 2, 0, 1]], ["good", "bad"])},
    ...     {"dvd": [[1, 0, 2, 0], [0, 1, 0, 2]]},
    ... )
    >>> model = MTrick0().fit(X, y, sample_domain)
    >>> model.transduction_.tolist()
    ['good', 'bad', 'good', 'bad']
    >>> model.associations_.shape
    (2, 2)
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {"paper": PAPER}

    @property
    def max_iterations(self) -> int:
        return 2 * super().max_iterations  # every run has two steps

    def _solve(
        self, problem: Problem, initial: InitialFactors, callback: Callback | None
    ) -> TriFactorization:
        return mtrick0(
            problem.domains,
            initial,
            engine=problem.domains[0].documents.engine,
            stopping=self._stopping,
            alpha=self.alpha,
            callback=callback,
        )
