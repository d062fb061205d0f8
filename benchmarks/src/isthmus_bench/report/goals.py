"""The goals of a suite, compared with its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.goals import Goal
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.suite import Suite, TaskSet
from isthmus_bench.report.blocks import Block, bullets
from isthmus_bench.report.summary import Results, Summary, summarize

__all__ = ["Verdict", "goal_lines", "judge"]

# Means of the same numbers in another order may differ in the last digit.
_EQUAL = 1e-9


@dataclass(frozen=True)
class Verdict:
    """The state of a goal, "met", "missed" or "not complete", and the numbers."""

    goal: Goal
    state: str
    detail: str


def goal_lines(suite: Suite, results: Results) -> list[Block]:
    """One line per goal; nothing if there is none."""
    lines = []
    for verdict in (judge(suite, goal, results) for goal in suite.goals):
        goal = verdict.goal
        place = f"{goal.set}, {goal.task or (goal.split or 'all') + ' problems'}"
        lines.append(
            f"{suite.label(goal.entry)} on {place}: {_condition(suite, goal)}: "
            f"**{verdict.state}** ({verdict.detail})"
        )
    return [bullets(lines, "Goals:")] if lines else []


def _condition(suite: Suite, goal: Goal) -> str:
    metric = METRICS[goal.metric]
    name = "" if goal.metric == "accuracy" else f"{goal.metric} "
    what = name if goal.each_problem else f"mean {name}"
    less, more = ("above", "below") if metric.smaller_is_better else ("below", "above")
    parts = []
    if goal.mean is not None:
        least = metric.show(goal.mean) if metric.share else f"{goal.mean:g}"
        parts.append(f"{what}{'≤' if metric.smaller_is_better else '≥'} {least}")
    if goal.above_paper:
        parts.append(f"{name}{more} the paper")
    if goal.not_below is not None:
        parts.append(f"{name}not {less} {suite.label(goal.not_below)}")
    if goal.above is not None:
        parts.append(f"{name}{more} {suite.label(goal.above)}")
    if goal.collapsed is not None:
        parts.append(f"at most {100 * goal.collapsed:g} % {metric.beyond_half}")
    return ("each " if goal.each_problem else "") + ", ".join(parts)


def judge(suite: Suite, goal: Goal, results: Results) -> Verdict:
    """Compare a goal with the results."""
    group = next(g for g in suite.sets if g.name == goal.set)
    tasks = goal.chosen(group.tasks)
    for entry in (goal.entry, *goal.rivals):
        summary = summarize(results[entry], tasks, goal.metric)
        if not summary.complete or summary.mean is None:
            whose = "" if entry == goal.entry else f" of {suite.label(entry)}"
            return Verdict(goal, "not complete", f"{summary.runs} of {summary.planned} runs{whose}")
    if goal.each_problem:
        return _judge_each(suite, group, goal, results)
    summary = summarize(results[goal.entry], tasks, goal.metric)
    met = not _missed(suite, group, goal, tasks, results)
    if goal.collapsed is not None:
        # The stricter of the two counts: the mean of several seeds may hide a collapsed run.
        problems = summary.collapsed_problems / summary.problems
        met = met and max(problems, summary.collapsed_runs / summary.runs) <= goal.collapsed
    detail = _detail(suite, goal, summary, tasks, results)
    return Verdict(goal, "met" if met else "missed", detail)


def _judge_each(suite: Suite, group: TaskSet, goal: Goal, results: Results) -> Verdict:
    """The verdict on a goal that every problem has to reach."""
    show = METRICS[goal.metric].show
    parts = goal.parts(group.tasks)
    missed = []
    for part in parts:
        bounds = _missed(suite, group, goal, part, results)
        if bounds:
            mean = summarize(results[goal.entry], part, goal.metric).mean
            missed.append(
                f"{part[0].name} ({show(mean)} against {' and '.join(map(show, bounds))})"
            )
    detail = f"{len(parts) - len(missed)} of {len(parts)} problems"
    detail += f", not {', '.join(missed)}" if missed else ""
    return Verdict(goal, "missed" if missed else "met", detail)


def _missed(
    suite: Suite, group: TaskSet, goal: Goal, tasks: Sequence[BenchmarkTask], results: Results
) -> list[float]:
    """The bounds that the mean over some tasks does not reach, or does not exceed."""
    mean = summarize(results[goal.entry], tasks, goal.metric).mean
    bounds: list[tuple[float | None, bool]] = [(goal.mean, False)]
    if goal.above_paper:
        column = next(e.paper for e in suite.entries if e.id == goal.entry)
        bounds.append((group.paper_score(column, tasks, goal.metric, goal.on_single), True))
    for rival in goal.rivals:
        other = summarize(results[rival], tasks, goal.metric).mean
        bounds.append((other, rival == goal.above))
    missed = []
    for bound, exceed in bounds:
        if bound is None or mean is None:
            continue
        margin = METRICS[goal.metric].margin(mean, bound)
        if margin <= _EQUAL if exceed else margin < -_EQUAL:
            missed.append(bound)
    return missed


def _detail(
    suite: Suite, goal: Goal, summary: Summary, tasks: Sequence[BenchmarkTask], results: Results
) -> str:
    metric = METRICS[goal.metric]
    parts = [f"mean {metric.show(summary.mean)}"]
    if goal.metric == "accuracy":
        parts.append(
            f"{summary.collapsed_problems} of {summary.problems} problems and "
            f"{summary.collapsed_runs} of {summary.runs} runs {metric.beyond_half}"
        )
    for rival in dict.fromkeys(goal.rivals):
        other = summarize(results[rival], tasks, goal.metric).mean
        parts.append(f"{suite.label(rival)} {metric.show(other)}")
    return ", ".join(parts)
