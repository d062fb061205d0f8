"""Checks on a suite as a whole: what would fail after hours of runs is told before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isthmus.bench.documents.folds import check_seeds
from isthmus.bench.plan.contestants import CONTESTANTS
from isthmus.bench.plan.fields import names
from isthmus.bench.plan.figure_checks import check_figures
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.scope import runs_on

if TYPE_CHECKING:
    from isthmus.bench.plan.goals import Goal
    from isthmus.bench.plan.suite import Suite

__all__ = ["check_suite"]


def check_suite(suite: Suite, where: str) -> None:
    """Raise ValueError if names of a suite are not unique or lead nowhere."""
    sweeps = {entry.sweep.entry for entry in suite.entries if entry.sweep is not None}
    ids = [*(entry.id for entry in suite.entries), *sorted(sweeps)]
    names({"entries": ids}, "entries", where)
    names({"sets": [group.name for group in suite.sets]}, "sets", where)
    names({"tasks": [task.name for task in suite.tasks]}, "tasks", where)
    _check_text(suite, where)
    _check_kinds(suite, where)
    _check_known_shares(suite, where)
    _check_limited(suite, where)
    known = {entry.id for entry in suite.entries}
    used = {goal.entry for goal in suite.goals}
    used.update(rival for goal in suite.goals for rival in goal.rivals)
    if suite.difficulty is not None:
        used.add(suite.difficulty[0])
    if suite.paired_with is not None:
        used.add(suite.paired_with)
    if used - known:
        raise ValueError(f"There is no entry '{sorted(used - known)[0]}' in {where}.")
    for goal in suite.goals:
        _check_goal(suite, goal, where)
    _check_columns(suite, where)
    for task in suite.tasks:
        check_seeds(task, task.seeds or suite.seeds, f" in {where}")
    if suite.paired_with is not None:
        _check_paired(suite, where)
    check_figures(suite, where)


def _check_text(suite: Suite, where: str) -> None:
    needing = [task.name for task in suite.tasks if task.vocabulary is None]
    if suite.text.min_df is None and needing:
        raise ValueError(
            f"The field 'min_df' is missing in the table 'text' of {where}: the problem "
            f"'{needing[0]}' needs it."
        )

    bilingual = [task.name for task in suite.tasks if task.vocabulary is not None]
    for name in ("stemmer", "max_terms"):
        if getattr(suite.text, name) is not None and bilingual:
            raise ValueError(
                f"The field '{name}' in the table 'text' of {where} is for one language, but the "
                f"problem '{bilingual[0]}' has two: leave it out."
            )


def _check_kinds(suite: Suite, where: str) -> None:
    """Every entry runs on every problem, so all have to be for labels or all for clusters."""
    for entry in suite.entries:
        kind = CONTESTANTS[entry.method].kind
        wrong = [t.name for t in suite.tasks if t.is_clustering != (kind == "clusterer")]
        if wrong:
            reason = "shows labels" if kind == "clusterer" else "shows no label ('tasks')"
            raise ValueError(
                f"The entry '{entry.id}' of {where} is a {kind}, but the problem '{wrong[0]}' "
                f"{reason}: put them into suites of their own."
            )
    kinds = {CONTESTANTS[entry.method].kind for entry in suite.entries}
    for name in [*suite.metrics, *(goal.metric for goal in suite.goals)]:
        if METRICS[name].kind not in (None, *kinds):
            raise ValueError(
                f"The metric '{name}' in {where} is for a {METRICS[name].kind}, which no entry is."
            )


def _check_known_shares(suite: Suite, where: str) -> None:
    several = [task.name for task in suite.tasks if len(task.targets) > 1]
    for entry in suite.entries:
        if entry.known_shares and several:
            raise ValueError(
                f"The entry '{entry.id}' of {where} is told the class shares of the one target "
                f"('known_shares'), but the problem '{several[0]}' has several: leave it out."
            )


def _check_limited(suite: Suite, where: str) -> None:
    """Entries that cannot run anywhere, and goals on problems that their entry does not have."""
    known = [group.name for group in suite.sets]
    for entry in suite.entries:
        unknown = [name for name in entry.sets if name not in known]
        if unknown:
            raise ValueError(
                f"The field 'sets' in entry '{entry.id}' of {where} names the unknown set "
                f"'{unknown[0]}': choose among {', '.join(known)}."
            )
        if not any(runs_on(entry, task) for task in suite.tasks):
            reason = (
                "no problem is named" if entry.named else "no problem has texts of one language"
            )
            raise ValueError(f"The entry '{entry.id}' of {where} runs on no problem: {reason}.")
        for task in suite.tasks if entry.seeds else ():
            if runs_on(entry, task) and not set(entry.seeds) & set(task.seeds or suite.seeds):
                raise ValueError(
                    f"The entry '{entry.id}' of {where} has none of the seeds of '{task.name}'."
                )
    limited = {entry.id for entry in suite.entries if entry.named or entry.sets}
    used = {name for goal in suite.goals for name in (goal.entry, *goal.rivals)}
    used |= {suite.difficulty[0]} if suite.difficulty is not None else set()
    if limited & used:
        raise ValueError(
            f"The entry '{min(limited & used)}' of {where} does not run on all problems: no "
            "goal or difficulty can be about it."
        )


def _check_goal(suite: Suite, goal: Goal, where: str) -> None:
    groups = {group.name: group for group in suite.sets}
    if goal.set_name not in groups:
        raise ValueError(f"A goal of {where} names the unknown set '{goal.set_name}'.")
    group = groups[goal.set_name]
    if not any(goal.split in (None, task.split) for task in group.tasks):
        raise ValueError(f"A goal of {where} asks for a split that '{group.name}' has not.")
    if goal.task is not None and goal.task not in {task.name for task in group.tasks}:
        raise ValueError(
            f"A goal of {where} names the task '{goal.task}' that '{group.name}' does not have."
        )
    column = next(entry.paper for entry in suite.entries if entry.id == goal.entry)
    for part in goal.parts(group.tasks) if goal.above_paper else ():
        if group.paper_score(column, part, goal.metric, goal.on_single) is None:
            field = _paper_field(goal.metric) if goal.on_single else "paper.total"
            place = part[0].name if goal.on_single else group.name
            raise ValueError(
                f"A goal of {where} compares '{goal.entry}' on '{place}' with the paper, but there "
                f"is no such number: add it under {field}."
            )


def _paper_field(metric: str) -> str:
    return f"paper.{metric if metric.isidentifier() else repr(metric)} of the problem"


def _check_columns(suite: Suite, where: str) -> None:
    rows = [row for group in suite.sets for row in group.paper.values()]
    rows += [
        row
        for group in suite.sets
        for papers in group.problem_papers.values()
        for row in papers.values()
    ]
    columns = {name for row in rows for name in row}
    for entry in suite.entries:
        if entry.paper is not None and entry.paper not in columns:
            raise ValueError(
                f"The entry '{entry.id}' of {where} names the column '{entry.paper}' of a paper, "
                "but no set has a number for it."
            )


def _check_paired(suite: Suite, where: str) -> None:
    """Two entries are compared on the same documents, each of which counts once."""
    if any(CONTESTANTS[entry.method].kind == "clusterer" for entry in suite.entries):
        raise ValueError(
            f"The field 'paired_with' in {where} is about documents that got their class, and "
            "clusters name none: leave it out."
        )
