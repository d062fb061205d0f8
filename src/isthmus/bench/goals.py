"""Goals: what a suite wants an entry to reach on a set of problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isthmus.bench.fields import number, only, optional, require
from isthmus.bench.tasks import SPLITS

__all__ = ["Goal", "read_goal"]


@dataclass(frozen=True)
class Goal:
    """What an entry ought to reach on a set, or on one problem of it.

    ``split=None`` means all problems of the set, ``task`` names a single one; ``mean`` is the
    least mean accuracy in per cent, ``above_paper`` asks for more than the paper's number,
    ``collapsed`` is the largest share of problems below one half.
    """

    set_name: str
    entry: str
    split: str | None
    mean: float | None
    collapsed: float | None
    above_paper: bool
    task: str | None = None


def read_goal(data: Mapping[str, Any], where: str) -> Goal:
    """Read one table of ``goals``."""
    only(data, ("set", "entry", "split", "task", "mean", "collapsed", "above_paper"), where)
    split = optional(data, "split", str, where)
    if split not in (None, *SPLITS):
        raise ValueError(f"split={split!r} in {where} must be one of {', '.join(SPLITS)}.")
    goal = Goal(
        set_name=require(data, "set", str, where),
        entry=require(data, "entry", str, where),
        split=split,
        mean=number(data, "mean", where) if "mean" in data else None,
        collapsed=number(data, "collapsed", where) if "collapsed" in data else None,
        above_paper=optional(data, "above_paper", bool, where) or False,
        task=optional(data, "task", str, where),
    )
    if goal.task is not None and goal.split is not None:
        raise ValueError(f"Both 'task' and 'split' stand in {where}: a task is of one split.")
    if goal.mean is not None and not 0 <= goal.mean <= 100:
        raise ValueError(f"The field 'mean' in {where} must be per cent, from 0 to 100.")
    # Unlike other shares it may be 0: then nothing may collapse.
    if goal.collapsed is not None and not 0 <= goal.collapsed <= 1:
        raise ValueError(f"The field 'collapsed' in {where} must be a share, from 0 to 1.")
    if goal.mean is None and goal.collapsed is None and not goal.above_paper:
        raise ValueError(f"Neither 'mean' nor 'collapsed' nor 'above_paper' stands in {where}.")
    return goal
