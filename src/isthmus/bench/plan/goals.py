"""Goals: what a suite wants an entry to reach on a set of problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isthmus.bench.documents.tasks import SPLITS, Task
from isthmus.bench.plan.fields import number, only, optional, require
from isthmus.bench.plan.metrics import METRICS

__all__ = ["Goal", "read_goal"]


@dataclass(frozen=True)
class Goal:
    """What an entry ought to reach on a set, or on one problem of it.

    Attributes
    ----------
    set_name, entry : str
        Whom and what it is about.
    split : {"development", "evidence"}, optional
        Only these problems of the set.
    mean : float, optional
        The least mean, the largest for the error, in the unit of the metric.
    collapsed : float, optional
        The largest share of problems with an accuracy below one half.
    above_paper : bool
        Whether to ask for more than the paper's number.
    task : str, optional
        A single problem.
    metric : str
        What the mean is of.
    not_below : str, optional
        Another entry, which this one must not fall behind.
    above : str, optional
        Another entry, which this one must be better than.
    each_problem : bool
        Whether every problem has to reach it, not the mean over them.
    """

    set_name: str
    entry: str
    split: str | None
    mean: float | None
    collapsed: float | None
    above_paper: bool
    task: str | None = None
    metric: str = "accuracy"
    not_below: str | None = None
    above: str | None = None
    each_problem: bool = False

    @property
    def rivals(self) -> tuple[str, ...]:
        """The entries that this one is held against."""
        return tuple(name for name in (self.not_below, self.above) if name is not None)

    @property
    def on_single(self) -> bool:
        """Whether a problem is held against the numbers of that problem."""
        return self.each_problem or self.task is not None

    def chosen(self, tasks: Sequence[Task]) -> list[Task]:
        """Those of a set's problems that it is about."""
        return [t for t in tasks if self.split in (None, t.split) and self.task in (None, t.name)]

    def parts(self, tasks: Sequence[Task]) -> list[list[Task]]:
        """The problems that are judged together: all in one, or each by itself."""
        chosen = self.chosen(tasks)
        return [[task] for task in chosen] if self.each_problem else [chosen]


def read_goal(data: Mapping[str, Any], where: str) -> Goal:
    """Read one table of ``goals``."""
    only(
        data,
        ("set", "entry", "split", "task", "metric", "mean", "collapsed", "above_paper",
         "not_below", "above", "each_problem"),
        where,
    )  # fmt: skip
    split = optional(data, "split", str, where)
    if split not in (None, *SPLITS):
        raise ValueError(f"split={split!r} in {where} must be one of {', '.join(SPLITS)}.")
    metric = optional(data, "metric", str, where) or "accuracy"
    if metric not in METRICS:
        raise ValueError(f"metric={metric!r} in {where} must be one of {', '.join(METRICS)}.")
    goal = Goal(
        set_name=require(data, "set", str, where),
        entry=require(data, "entry", str, where),
        split=split,
        mean=number(data, "mean", where) if "mean" in data else None,
        collapsed=number(data, "collapsed", where) if "collapsed" in data else None,
        above_paper=optional(data, "above_paper", bool, where) or False,
        task=optional(data, "task", str, where),
        metric=metric,
        not_below=optional(data, "not_below", str, where),
        above=optional(data, "above", str, where),
        each_problem=optional(data, "each_problem", bool, where) or False,
    )
    _check(goal, where)
    return goal


def _check(goal: Goal, where: str) -> None:
    if goal.task is not None and goal.split is not None:
        raise ValueError(f"Both 'task' and 'split' stand in {where}: a task is of one split.")
    share = METRICS[goal.metric].share
    if goal.mean is not None and not 0 <= goal.mean <= (1 if share else 100):
        unit = "a share, from 0 to 1" if share else "per cent, from 0 to 100"
        raise ValueError(f"The field 'mean' in {where} must be {unit}.")
    # Unlike other shares it may be 0: then nothing may collapse.
    if goal.collapsed is not None and not 0 <= goal.collapsed <= 1:
        raise ValueError(f"The field 'collapsed' in {where} must be a share, from 0 to 1.")
    if goal.collapsed is not None and (goal.each_problem or goal.metric != "accuracy"):
        raise ValueError(
            f"The field 'collapsed' in {where} is a share of all problems by their accuracy: "
            "leave out 'metric' and 'each_problem'."
        )
    for name, rival in (("not_below", goal.not_below), ("above", goal.above)):
        if rival == goal.entry:
            raise ValueError(f"The field '{name}' in {where} names the goal's own entry.")
    if not goal.above_paper and not goal.rivals and goal.mean is None and goal.collapsed is None:
        raise ValueError(
            "Neither 'mean' nor 'collapsed' nor 'above_paper' nor 'not_below' nor 'above' stands "
            f"in {where}."
        )
