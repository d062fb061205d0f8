"""DKT, the dual knowledge transfer of Wang et al. (2011)."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_flag, check_number
from isthmus.estimators.tri_factorization._base import PAPER
from isthmus.estimators.tri_factorization._exact_factor import (
    MAX_WEIGHT,
    ExactFactorClassifier,
    weights_of_domains,
)
from isthmus.solvers.tri_factorization._restarts import Solve
from isthmus.solvers.tri_factorization.dkt import dkt


class DKT(ExactFactorClassifier):
    """Tri-factorization across languages or domains, with labels in any domain.

    Minimizes, over nonnegative factors,

    ``sum_d ||X_d - G_d S' F_d'||^2 + alpha tr((G_s - Y_s)' C_s (G_s - Y_s))
    + beta tr((G_t - Y_t)' C_t (G_t - Y_t)) + gamma tr((F_t - F_s)' V (F_t - F_s))``

    where ``X_d`` holds the documents of a domain, ``G_d`` their class memberships, ``F_d`` the word
    clusters of the domain and ``S`` the associations of word clusters with classes, which all
    domains share. ``C_d`` selects the labeled rows of a domain and ``V`` the words that source and
    target both use. ``gamma=0`` shares the associations only ("S only" in the paper).

    The objective keeps decreasing, but the labels are best after a few iterations. The fit
    therefore stops as soon as the target labels have converged, which needs no true label of the
    target. The method assumes that every class occurs in every target.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the labels of the sources. It has almost no effect if the initial labels are
        one-hot, because multiplicative updates cannot change zeros.
    beta : float, default=1.0
        The same for the labels of the targets.
    gamma : float, default=0.0
        Weight of the penalty on differences between the word clusters of source and target. On
        reviews in three languages (benchmarks/tables/dkt-table3.md), 1.5 lost one to three points
        on average and seventeen in one task, where the labels did not converge. It gained two
        points in one task with poor initial labels.
    relative_gamma : bool, default=True
        Whether ``gamma`` is multiplied by the mean class size of the source, about the curvature of
        its word clusters, so that its effect does not depend on the size of the data.
    max_iter : int, default=30
        Maximum number of iterations.
    stopping : {"labels", "relative", "absolute"}, default="labels"
        "labels" stops when an iteration, the third or a later one, changes a smaller proportion of
        the target labels than ``tol``. "relative" and "absolute" use the objective, see
        :class:`MTrick`.

    Attributes
    ----------
    objective_ : array of shape (n_iterations + 1,)
        The objective, initially and after every iteration; it never increases.

    References
    ----------
    H. Wang, H. Huang, F. Nie, C. Ding. Cross-Language Web Page Classification via Dual Knowledge
    Transfer Using Nonnegative Matrix Tri-factorization. SIGIR 2011.

    Examples
    --------
    Source and target both have labeled and unlabeled rows, so ``sample_domain`` is required:

    >>> from isthmus import DKT, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"english": ([[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 1, 0]], ["art", "sport", None])},
    ...     {"german": ([[1, 0, 2, 0], [0, 1, 0, 2]], [None, "sport"])},
    ... )
    >>> DKT().fit(X, y, sample_domain).transduction_.tolist()
    ['art', 'sport', 'art', 'art', 'sport']
    """

    _sources_need_labels: ClassVar[bool] = False
    _unlabeled_is_target: ClassVar[bool] = False
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            **PAPER,
            "n_word_clusters": "classes",
            "beta": 1.0,
            "gamma": 1.5,
            "relative_gamma": False,
            "column_power": 0.0,
        }
    }

    def __init__(
        self,
        n_word_clusters: int | str = "auto",
        *,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 0.0,
        relative_gamma: bool = True,
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
        self.beta = beta
        self.gamma = gamma
        self.relative_gamma = relative_gamma
        self.column_power = column_power
        self.new_documents = new_documents

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("beta", self.beta, least=0, most=MAX_WEIGHT)
        check_number("gamma", self.gamma, least=0, most=MAX_WEIGHT)
        check_flag("relative_gamma", self.relative_gamma)

    def _solver(self, problem: Problem) -> Solve:
        gammas = weights_of_domains(self.gamma, problem, relative=self.relative_gamma)
        return partial(dkt, alpha=self.alpha, beta=self.beta, gammas=gammas)
