"""KTW, knowledge transfer through word clusters (Li et al. 2009)."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_number
from isthmus.estimators.tri_factorization._base import PAPER
from isthmus.estimators.tri_factorization._exact_factor import (
    MAX_WEIGHT,
    ExactFactorClassifier,
    weights_of_domains,
)
from isthmus.solvers.tri_factorization._restarts import Solve
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
    alpha : float, default=1.0
        Weight of the labels in all domains. It has almost no effect if the initial labels are
        one-hot, because multiplicative updates cannot change zeros.
    carry : float, default=1.0
        Weight of the penalty on differences between the word clusters of target and source.
    relative_carry : bool, default=True
        Whether ``carry`` is multiplied by the mean class size of the target, about the curvature
        of its word clusters, so that its effect does not depend on the size of the data.
    max_iter : int, default=30
        Maximum number of iterations of each step.
    stopping : {"labels", "relative", "absolute"}, default="labels"
        When the second step stops; see :class:`DKT`. With "labels" the first step always runs
        ``max_iter`` iterations.

    Attributes
    ----------
    associations_ : array of shape (n_word_clusters, n_classes)
        How strongly every word cluster is associated with every class in the second step.
    objective_ : array of shape (n_iterations + 1,)
        The objective of the second step, initially and after every iteration; it never increases.
    n_iter_ : int
        Number of iterations of the second step.

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

    def _solver(self, problem: Problem) -> Solve:
        carries = weights_of_domains(self.carry, problem, relative=self.relative_carry)
        return partial(ktw, alpha=self.alpha, carries=carries)
