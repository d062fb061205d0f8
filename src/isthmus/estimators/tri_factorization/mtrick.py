"""MTrick, the joint tri-factorization of Zhuang et al. (2010)."""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_number
from isthmus.estimators.tri_factorization._base import PAPER, TriFactorClassifier
from isthmus.matrices.host import HostEngine
from isthmus.numerics.progress import Callback
from isthmus.solvers.tri_factorization._base import TriFactorization
from isthmus.solvers.tri_factorization._init import InitialFactors
from isthmus.solvers.tri_factorization.mtrick import mtrick


class MTrick(TriFactorClassifier):
    """Classification across domains through shared associations of word clusters and classes.

    Minimises, over nonnegative factors whose rows (of F and G) sum to 1,

    ``sum_s ||X_s - G_s S' F_s'||^2 + (alpha / n_s) ||G_s - G_0||^2
    + beta * sum_t ||X_t - G_t S' F_t'||^2``

    where ``X_d`` are the documents of a domain divided by their total, ``G_d`` their memberships
    in the classes, ``F_d`` the word clusters of the domain and ``S`` the associations of word
    clusters with classes, the one thing that all domains share.

    The method takes it that every class occurs in every target: one that does not draws documents
    away from the others. Nothing in the objective says which group of the target's documents is
    which class: that comes from the first classifier, and where it is no better than chance on
    the target, whole classes may come out swapped. The groups are therefore held against the words
    of the labelled documents at the end (``check_class_swap``).

    Parameters
    ----------
    n_word_clusters : int, "auto" or "classes", default="auto"
        Word clusters (k1). "classes": one a class. "auto": one a class for the class-conditional
        start, else 50 or the size of the vocabulary if that is smaller.
    alpha : float, default=1.0
        Weight of the source's labels. It has no effect while labels start hard: a zero stays a
        zero and rows are normalised, so they cannot move. It acts with ``label_smoothing``.
    beta : float, default=1.5
        Weight of the target's reconstruction.
    init : {"class_conditional", "plsa", "two_stage"}, default="class_conditional"
        Where the word clusters begin: at the words that each class uses according to the first
        classifier; at topics of all documents together (the paper's start; random); or at
        topics first and then, from the labels so found, at the words that each class uses.
    unit_rows : bool, default=True
        Whether documents are first scaled to length 1, so that long ones do not rule.
    init_classifier : "logistic", "complement_nb" or classifier, default="logistic"
        Trained on the labelled rows (of length 1), gives the first memberships of the others: a
        logistic regression with C=1, as in the paper; complement naive Bayes, which is more often
        right at the start and, measured, no better or worse at the end; or any classifier of
        scikit-learn's kind.
    check_class_swap : bool, default=True
        Whether groups of the target that by their words clearly are another class are given to
        it, in a second factorization, and a warning is given where words hardly tell. A word's
        preference for a class among the labelled documents is compared with its preference among
        the documents found, for all words that both use.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares of the target: those of the source, estimated ones (see
        :func:`isthmus.estimate_class_prior`), or given ones. The first guesses and the labels are
        held to them, and in three rounds the target's documents are weighed so that every class
        counts alike: the objective, left alone, cuts a frequent class in two and forgets a rare
        one. None: nothing is known of them.
    label_smoothing : float, default=0.0
        Share of a label that is spread over the other classes at the start.
    max_iter : int, default=500
    tol : float, default=5e-8
        The fit ends when the objective settles; 0 runs ``max_iter`` iterations.
    stopping : {"relative", "absolute", "labels"}, default="relative"
        Settled means: ten iterations in a row that change the objective by less than ``tol`` times
        itself; or (the paper's rule) one that changes it by less than ``tol``; or one, the third or
        a later one, that changes less than this share of the target's labels.
    plsa_iter : int, default=30
        Expectation-maximisation steps of the topic start.
    plsa_sample : int or None, default=50000
        Documents, drawn from all domains alike, that the topic start is made from at most; None
        takes all of them.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.
    random_state : int, RandomState or None, default=None
        Draws the topic start; the class-conditional start is not random.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    transduction_ : array of shape (n_rows,)
        A label for every fitted row; given labels are kept.
    label_distributions_ : array of shape (n_rows, n_classes)
    word_clusters_ : dict of domain number to array of shape (n_terms, n_word_clusters)
        ``F``: rows sum to 1; uniform for a term that the domain never uses.
    associations_ : array of shape (n_word_clusters, n_classes)
        ``S``.
    term_totals_ : dict of domain number to array of shape (n_terms,)
        Weight of every term in the domain's documents, as the fit saw them.
    objective_ : array of shape (n_iter_ + 1,)
        The objective at the start and after every iteration. Row normalisation may let it rise
        a little late in the run.
    n_iter_ : int
        Iterations of the last stage; the callback counts on through all stages.
    init_agreement_ : float
        How far the target's labels agree with the first classifier's, on the pair of classes where
        they agree least. Near 0.5 the first classifier could not tell those classes apart.
    alignment_certainty_ : float
        How clearly words speak for the target's labels against swapping two classes, for the pair
        and the target where they speak least: the sum of the words' votes in standard deviations
        of a sum with random signs. Clear from 4 on, below 0 words speak for the swap; 0 if there
        is nothing to compare. No more than the root of the number of words.
    domains_ : array of the fitted domains' numbers
    class_prior_ : array of the class shares of the labelled source rows

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

    def _solve(
        self, problem: Problem, start: InitialFactors, callback: Callback | None
    ) -> TriFactorization:
        return mtrick(
            problem.domains,
            start,
            engine=HostEngine(),
            stopping=self._stopping,
            alpha=self.alpha,
            beta=self.beta,
            callback=callback,
        )
