"""Progress reports and stopping criteria of iterative solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal


@dataclass(frozen=True)
class Progress:
    """The argument of a callback, after every iteration."""

    iteration: int
    """Counted from 1."""
    objective: float
    changed: float
    """Proportion of predicted labels that differ from the previous iteration: of the target rows,
    or of all unlabeled rows. NaN for methods that do not compute labels while they iterate."""


#: Called after every iteration; the solver stops if it returns True.
Callback = Callable[[Progress], bool | None]


@dataclass(frozen=True)
class Stopping:
    """Stopping criterion of an iterative solver."""

    max_iter: int
    tol: float
    criterion: Literal["relative", "absolute", "labels"] = "relative"
    """What must fall below ``tol``: the relative or the absolute change of the objective, or the
    proportion of target labels that an iteration changed."""
    min_iter: int = 1
    """Minimum number of iterations."""
    patience: int = 1
    """Number of consecutive iterations that must change the objective by less than ``tol``.

    With row normalization the objective may turn from falling to rising. A single small change is
    then no sign of convergence: labels may still change.
    """

    def without_labels(self) -> Stopping:
        """The criterion for a step that computes no labels: it runs ``max_iter`` iterations."""
        return replace(self, tol=0.0) if self.criterion == "labels" else self

    def reached(self, before: float, now: float, changed: float) -> bool:
        """Whether an iteration changed less than ``tol``."""
        if self.criterion == "labels":
            return changed < self.tol
        scale = max(abs(before), 1e-300) if self.criterion == "relative" else 1.0
        return abs(before - now) < self.tol * scale


@dataclass
class Monitor:
    """Records the objective of every iteration and decides when to stop."""

    stopping: Stopping
    callback: Callback | None = None
    objective: list[float] = field(default_factory=list)
    converged: bool = False
    interrupted: bool = False
    _n_small: int = 0

    @property
    def n_iter(self) -> int:
        return max(0, len(self.objective) - 1)

    def begin(self, objective: float) -> None:
        """Record the initial objective."""
        self.objective.append(objective)

    def finished(self, objective: float, changed: float) -> bool:
        """Record an iteration; True if it was the last."""
        self.objective.append(objective)
        small = self.stopping.reached(self.objective[-2], objective, changed)
        self._n_small = self._n_small + 1 if small else 0
        enough = self.n_iter >= self.stopping.min_iter
        self.converged = enough and self._n_small >= self.stopping.patience
        if self.callback is not None:
            progress = Progress(self.n_iter, objective, changed)
            self.interrupted = bool(self.callback(progress))
        return self.converged or self.interrupted
