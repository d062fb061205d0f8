"""The goals of a suite, with what became of them."""

from __future__ import annotations

from collections.abc import Mapping

from isthmus.bench.plan.goals import Goal
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block, Bullets
from isthmus.bench.report.judging import judge
from isthmus.bench.report.summary import EntryResults

__all__ = ["goal_lines"]


def goal_lines(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    """A line for every goal; nothing if there is none."""
    if not suite.goals:
        return []
    labels = {entry.id: entry.label for entry in suite.entries}
    lines = []
    for verdict in (judge(suite, goal, results) for goal in suite.goals):
        goal = verdict.goal
        place = f"{goal.set_name}, {goal.task or (goal.split or 'all') + ' problems'}"
        lines.append(
            f"{labels[goal.entry]} on {place}: {_wanted(goal, labels)}: "
            f"**{verdict.state}** ({verdict.detail})"
        )
    return [Bullets(tuple(lines), intro="Goals:")]


def _wanted(goal: Goal, labels: Mapping[str, str]) -> str:
    metric = METRICS[goal.metric]
    name = "" if goal.metric == "accuracy" else f"{goal.metric} "
    what = name if goal.each_problem else f"mean {name}"
    less, more = ("above", "below") if metric.smaller_is_better else ("below", "above")
    wanted = []
    if goal.mean is not None:
        least = metric.show(goal.mean) if metric.share else f"{goal.mean:g}"
        wanted.append(f"{what}{'≤' if metric.smaller_is_better else '≥'} {least}")
    if goal.above_paper:
        wanted.append(f"{name}{more} the paper")
    if goal.not_below is not None:
        wanted.append(f"{name}not {less} {labels[goal.not_below]}")
    if goal.above is not None:
        wanted.append(f"{name}{more} {labels[goal.above]}")
    if goal.collapsed is not None:
        wanted.append(f"at most {100 * goal.collapsed:g} % {metric.beyond_half}")
    return ("each " if goal.each_problem else "") + ", ".join(wanted)
