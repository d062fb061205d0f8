"""MTrick0, the two-step variant of Zhuang et al. (2010)."""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.domains.model import Problem
from isthmus.estimators.tri_factorization._base import PAPER, TriFactorClassifier
from isthmus.numerics.progress import Callback
from isthmus.solvers.tri_factorization._base import TriFactorization
from isthmus.solvers.tri_factorization._init import InitialFactors
from isthmus.solvers.tri_factorization.mtrick0 import mtrick0


class MTrick0(TriFactorClassifier):
    """MTrick in two steps: associations from the sources, then targets with fixed associations.

    First ``min ||X_s - G_s S' F_s'||^2 + (alpha / n_s) ||G_s - G_0||^2``, then, with fixed ``S``,
    ``min ||X_t - G_t S' F_t'||^2``, over nonnegative factors; the rows of F and G sum to 1.

    Parameters and attributes are those of :class:`MTrick`, without ``beta`` and with the defaults
    ``max_iter=100`` for each step and ``tol=1e-6``. ``objective_`` and ``n_iter_`` are those of the
    second step.

    References
    ----------
    F. Zhuang, P. Luo, H. Xiong, Q. He, Y. Xiong, Z. Shi. Exploiting Associations between Word
    Clusters and Document Classes for Cross-domain Text Categorization. SDM 2010.
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
