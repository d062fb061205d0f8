"""MTrick, the joint tri-factorization of Zhuang et al. (2010)."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_number
from isthmus.estimators.tri_factorization._base import PAPER, TriFactorClassifier
from isthmus.solvers.tri_factorization._restarts import Solve
from isthmus.solvers.tri_factorization.mtrick import mtrick


class MTrick(TriFactorClassifier):
    """Tri-factorization of all domains with shared associations of word clusters and classes.

    Minimizes, over nonnegative factors,

    ``sum_s ||X_s - G_s S' F_s'||^2 + (alpha / n_s) ||G_s - G_0||^2
    + beta * sum_t ||X_t - G_t S' F_t'||^2``

    where ``X_d`` holds the documents of a domain divided by their sum, ``G_d`` their class
    memberships, ``F_d`` the word clusters of the domain and ``S`` the associations of word clusters
    with classes, which all domains share. The rows of F and G sum to 1.

    The method assumes that every class occurs in every target; a class that does not occur still
    attracts documents. The objective does not determine which group of target documents is which
    class. This depends on the initial classifier. If it is not better than random on the target,
    classes may be swapped. The predicted classes are therefore compared with the words of the
    labeled documents at the end (``check_class_swap``).

    Parameters
    ----------
    n_word_clusters : int, "auto" or "classes", default="auto"
        Number of word clusters (k1). "classes" is one per class. "auto" is one per class for the
        class-conditional initialization, and otherwise 50, or the size of the vocabulary if that is
        smaller.
    beta : float, default=1.5
        Weight of the reconstruction error of the targets.
    init : {"class_conditional", "plsa", "two_stage"}, default="class_conditional"
        Initial word clusters. "class_conditional": the words of each class according to
        ``init_classifier``. "plsa": random topics of all documents, as in the paper. "two_stage":
        first topics, then the words of each class according to the resulting labels.
    init_classifier : "logistic", "complement_nb" or classifier, default="logistic"
        Fitted to the labeled unit-norm rows. It gives the initial memberships of the other rows.
        "logistic" is a logistic regression with C=1, as in the paper. Complement naive Bayes is
        often more accurate initially, but in our measurements not better in the end. Any
        scikit-learn classifier is accepted.
    max_iter : int, default=500
        Maximum number of iterations.
    tol : float, default=5e-8
        Tolerance of ``stopping``; 0 runs ``max_iter`` iterations.
    stopping : {"relative", "absolute", "labels"}, default="relative"
        "relative" stops after ten consecutive iterations with a relative change of the objective
        below ``tol``. "absolute" stops after one iteration with an absolute change below ``tol``,
        as in the paper. "labels" stops when an iteration, the third or a later one, changes a
        smaller proportion of the target labels than ``tol``.

    Attributes
    ----------
    objective_ : array of shape (n_iterations + 1,)
        The objective, initially and after every iteration. The row normalization may increase it
        slightly in late iterations.
    n_iter_ : int
        Number of iterations of the last factorization. The callback counts over all of them.

    References
    ----------
    F. Zhuang, P. Luo, H. Xiong, Q. He, Y. Xiong, Z. Shi. Exploiting Associations between Word
    Clusters and Document Classes for Cross-domain Text Categorization. SDM 2010.

    Examples
    --------
    >>> from isthmus import MTrick, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[2, 0, 1, 0], [0, 2, 0, 1]], ["good", "bad"])},
    ...     {"dvd": [[1, 0, 2, 0], [0, 1, 0, 2]]},
    ... )
    >>> MTrick().fit(X, y, sample_domain).transduction_.tolist()
    ['good', 'bad', 'good', 'bad']
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {"paper": {**PAPER, "beta": 1.5}}

    def __init__(
        self,
        n_word_clusters: int | str = "auto",
        *,
        alpha: float = 1.0,
        beta: float = 1.5,
        init: str = "class_conditional",
        unit_rows: bool = True,
        init_classifier: Any = "logistic",
        check_class_swap: bool = True,
        class_prior: Any = None,
        label_smoothing: float = 0.0,
        max_iter: int = 500,
        tol: float = 5e-8,
        stopping: str = "relative",
        plsa_iter: int = 30,
        plsa_sample: int | None = 50_000,
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
        self.beta = beta

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("beta", self.beta, least=0)

    def _solver(self, problem: Problem) -> Solve:
        return partial(mtrick, alpha=self.alpha, beta=self.beta)
