"""Goals: what an entry should reach on a set of problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from isthmus_bench.documents.tasks import BenchmarkTask, Split
from isthmus_bench.fields import Fields, Flag, Number, require
from isthmus_bench.plan.metrics import METRICS

__all__ = ["Goal"]


class Goal(Fields):
    """What an entry should reach on a set, on a split of it or on one problem.

    Attributes
    ----------
    mean : float, optional
        The least mean (the largest for errors), in the unit of the metric.
    collapsed : float, optional
        The largest fraction of problems with an accuracy below one half.
    above_paper : bool
        Whether to exceed the paper's number.
    not_below, above : str, optional
        Another entry that this one must not be worse than, or must be better than.
    each_problem : bool
        Whether every problem has to reach it, instead of the mean.
    """

    set: str
    entry: str
    split: Split | None = None
    task: str | None = None
    metric: str = "accuracy"
    mean: Number | None = None
    collapsed: Annotated[float, Field(strict=True, ge=0, le=1)] | None = None
    above_paper: Flag = False
    not_below: str | None = None
    above: str | None = None
    each_problem: Flag = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        require(
            self.metric in METRICS,
            f"there is no metric '{self.metric}': choose from {', '.join(METRICS)}",
        )
        require(
            self.task is None or self.split is None,
            "'task' and 'split' cannot be combined: a task belongs to one split",
        )
        largest = 1 if METRICS[self.metric].share else 100
        require(
            self.mean is None or 0 <= self.mean <= largest,
            f"'mean' must be between 0 and {largest} for '{self.metric}'",
        )
        require(
            self.collapsed is None or not (self.each_problem or self.metric != "accuracy"),
            "'collapsed' counts all problems by accuracy: remove 'metric' and 'each_problem'",
        )
        require(self.entry not in self.rivals, "the entry is compared with itself")
        require(
            self.above_paper or self.rivals or self.mean is not None or self.collapsed is not None,
            "give 'mean', 'collapsed', 'above_paper', 'not_below' or 'above'",
        )
        return self

    @property
    def rivals(self) -> tuple[str, ...]:
        """The entries that this one is compared with."""
        return tuple(name for name in (self.not_below, self.above) if name is not None)

    @property
    def on_single(self) -> bool:
        """Whether single problems are compared with the numbers of that problem."""
        return self.each_problem or self.task is not None

    def chosen(self, tasks: Sequence[BenchmarkTask]) -> list[BenchmarkTask]:
        """The problems of a set that it is about."""
        return [t for t in tasks if self.split in (None, t.split) and self.task in (None, t.name)]

    def parts(self, tasks: Sequence[BenchmarkTask]) -> list[list[BenchmarkTask]]:
        """The problems that are judged together: all, or each by itself."""
        chosen = self.chosen(tasks)
        return [[task] for task in chosen] if self.each_problem else [chosen]
