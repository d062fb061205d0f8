"""Hold the goals of a suite against its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.goals import Goal
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.suite import Suite, TaskSet
from isthmus.bench.report.summary import EntryResults, Summary, summarise

__all__ = ["Verdict", "judge"]

# Means of the same numbers in another order are equal, whatever the last digit says.
_EQUAL = 1e-9


@dataclass(frozen=True)
class Verdict:
    """A goal and what became of it: "met", "missed" or "not complete"."""

    goal: Goal
    state: str
    detail: str


@dataclass(frozen=True)
class _Bound:
    """What a mean has to reach, or to pass."""

    value: float
    passed: bool = False


def judge(suite: Suite, goal: Goal, found: Mapping[str, EntryResults]) -> Verdict:
    """Hold a goal against the results."""
    group = next(g for g in suite.sets if g.name == goal.set_name)
    tasks = goal.chosen(group.tasks)
    for entry in (goal.entry, *goal.rivals):
        reached = summarise(found[entry], tasks, {}, goal.metric)
        if not reached.complete or reached.mean is None:
            whose = "" if entry == goal.entry else f" of {_label(suite, entry)}"
            return Verdict(goal, "not complete", f"{reached.runs} of {reached.planned} runs{whose}")
    if goal.each_problem:
        return _judge_each(suite, group, goal, found)
    reached = summarise(found[goal.entry], tasks, {}, goal.metric)
    bounds = _bounds(suite, group, goal, tasks, found)
    met = all(_holds(goal, reached, bound) for bound in bounds)
    if goal.collapsed is not None:
        # The stricter of the two counts: a swap that two other seeds hide is still a swap.
        share = max(
            reached.collapsed_problems / reached.problems, reached.collapsed_runs / reached.runs
        )
        met = met and share <= goal.collapsed
    return Verdict(goal, "met" if met else "missed", _detail(suite, goal, reached, tasks, found))


def _judge_each(
    suite: Suite, group: TaskSet, goal: Goal, found: Mapping[str, EntryResults]
) -> Verdict:
    """The verdict on a goal that every problem has to reach by itself."""
    metric = METRICS[goal.metric]
    parts = goal.parts(group.tasks)
    missed = []
    for part in parts:
        reached = summarise(found[goal.entry], part, {}, goal.metric)
        bounds = _bounds(suite, group, goal, part, found)
        broken = [bound for bound in bounds if not _holds(goal, reached, bound)]
        if broken:
            wanted = " and ".join(metric.show(bound.value) for bound in broken)
            missed.append(f"{part[0].name} ({metric.show(reached.mean)} against {wanted})")
    detail = f"{len(parts) - len(missed)} of {len(parts)} problems"
    detail += f", not {', '.join(missed)}" if missed else ""
    return Verdict(goal, "missed" if missed else "met", detail)


def _bounds(
    suite: Suite,
    group: TaskSet,
    goal: Goal,
    tasks: Sequence[Task],
    found: Mapping[str, EntryResults],
) -> list[_Bound]:
    """What the goal asks of the mean over some tasks."""
    bounds = [] if goal.mean is None else [_Bound(goal.mean)]
    if goal.above_paper:
        column = next(e.paper for e in suite.entries if e.id == goal.entry)
        paper = group.paper_score(column, tasks, goal.metric, goal.on_single)
        # A suite whose goal has no such number is refused.
        bounds += [] if paper is None else [_Bound(paper, passed=True)]
    for rival in goal.rivals:
        other = summarise(found[rival], tasks, {}, goal.metric).mean
        bounds += [] if other is None else [_Bound(other, passed=rival == goal.above)]
    return bounds


def _holds(goal: Goal, reached: Summary, bound: _Bound) -> bool:
    if reached.mean is None:
        return False
    margin = METRICS[goal.metric].margin(reached.mean, bound.value)
    return margin > _EQUAL if bound.passed else margin >= -_EQUAL


def _detail(
    suite: Suite,
    goal: Goal,
    reached: Summary,
    tasks: Sequence[Task],
    found: Mapping[str, EntryResults],
) -> str:
    metric = METRICS[goal.metric]
    parts = [f"mean {metric.show(reached.mean)}"]
    if goal.metric == "accuracy":
        parts.append(
            f"{reached.collapsed_problems} of {reached.problems} problems and "
            f"{reached.collapsed_runs} of {reached.runs} runs {metric.beyond_half}"
        )
    for rival in dict.fromkeys(goal.rivals):
        other = summarise(found[rival], tasks, {}, goal.metric).mean
        parts.append(f"{_label(suite, rival)} {metric.show(other)}")
    return ", ".join(parts)


def _label(suite: Suite, entry: str) -> str:
    return next(e.label for e in suite.entries if e.id == entry)
