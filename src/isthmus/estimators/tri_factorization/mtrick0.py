"""MTrick0, the two-step variant of Zhuang et al. (2010)."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.tri_factorization._base import PAPER, TriFactorClassifier
from isthmus.solvers.tri_factorization._restarts import Solve
from isthmus.solvers.tri_factorization.mtrick0 import mtrick0


class MTrick0(TriFactorClassifier):
    """MTrick in two steps: associations from the sources, then targets with fixed associations.

    First ``min ||X_s - G_s S' F_s'||^2 + (alpha / n_s) ||G_s - G_0||^2``, then, with fixed ``S``,
    ``min ||X_t - G_t S' F_t'||^2``, over nonnegative factors; the rows of F and G sum to 1.

    The symbols are those of :class:`MTrick`, which fits sources and targets together.

    Parameters
    ----------
    max_iter : int, default=100
        Maximum number of iterations of each step.
    tol : float, default=1e-6
        Tolerance of ``stopping``; 0 runs ``max_iter`` iterations.
    stopping : {"relative", "absolute", "labels"}, default="relative"
        When a step stops; see :class:`MTrick`.

    Attributes
    ----------
    objective_ : array of shape (n_iterations + 1,)
        The objective of the second step, initially and after every iteration.
    n_iter_ : int
        Number of iterations of the second step.

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

    def _solver(self, problem: Problem) -> Solve:
        return partial(mtrick0, alpha=self.alpha)
