"""How a solver reports, and when it stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal


@dataclass(frozen=True)
class Progress:
    """What a callback is told after every iteration."""

    iteration: int
    """Counted from 1."""
    objective: float
    changed: float
    """Share of the labels to be found (the target's, if it has any) that differ from those of the
    iteration before (NaN for a method without labels)."""


#: Called after every iteration; a true answer stops the solver.
Callback = Callable[[Progress], bool | None]


@dataclass(frozen=True)
class Stopping:
    """When an iterative solver ends."""

    max_iter: int
    tol: float
    of: Literal["relative", "absolute", "labels"] = "relative"
    """What must fall below ``tol``: the change of the objective as a share of it, that change
    itself, or the share of the target's labels that an iteration changed."""
    least_iter: int = 1
    """No end before so many iterations."""
    patience: int = 1
    """How many iterations in a row must change the objective by less than ``tol``.

    Where row normalisation lets the objective turn from falling to rising, one small change says
    little: the labels may still be on their way.
    """

    def without_labels(self) -> Stopping:
        """The same for a step that labels nothing: it runs to ``max_iter``."""
        return replace(self, tol=0.0) if self.of == "labels" else self

    def reached(self, before: float, now: float, changed: float) -> bool:
        if self.of == "labels":
            return changed < self.tol
        scale = max(abs(before), 1e-300) if self.of == "relative" else 1.0
        return abs(before - now) < self.tol * scale


@dataclass
class Monitor:
    """Keeps the curve of the objective and decides whether to go on."""

    stopping: Stopping
    callback: Callback | None = None
    objective: list[float] = field(default_factory=list)
    converged: bool = False
    interrupted: bool = False
    _quiet: int = 0

    @property
    def n_iter(self) -> int:
        return max(0, len(self.objective) - 1)

    def begin(self, objective: float) -> None:
        """Note the value of the start."""
        self.objective.append(objective)

    def finished(self, objective: float, changed: float) -> bool:
        """Note an iteration; true if it was the last."""
        self.objective.append(objective)
        small = self.stopping.reached(self.objective[-2], objective, changed)
        self._quiet = self._quiet + 1 if small else 0
        late = self.n_iter >= self.stopping.least_iter
        self.converged = late and self._quiet >= self.stopping.patience
        if self.callback is not None:
            progress = Progress(self.n_iter, objective, changed)
            self.interrupted = bool(self.callback(progress))
        return self.converged or self.interrupted
