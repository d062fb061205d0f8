"""Checks of a suite as a whole: what would otherwise fail after hours of runs."""

from __future__ import annotations

from isthmus_bench.documents.bilingual import find_languages
from isthmus_bench.documents.corpora import find_corpus
from isthmus_bench.documents.rows import check_seeds
from isthmus_bench.fields import repeated, require
from isthmus_bench.peers.registry import COMPETITORS
from isthmus_bench.plan.figures import MEASURE_OF_X, Figure
from isthmus_bench.plan.goals import Goal
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.suite import Suite

__all__ = ["check_suite"]


def check_suite(suite: Suite) -> None:
    """Raise ValueError if names of a suite are not unique or refer to nothing."""
    families = {entry.family_id for entry in suite.entries if entry.sweep is not None}
    names = {
        "entry": [*(entry.id for entry in suite.entries), *families],
        "set": [group.name for group in suite.sets],
        "problem": [task.name for task in suite.tasks],
    }
    for kind, used in names.items():
        for name in repeated(used):
            raise ValueError(f"two of its {kind} names are '{name}': rename one")
    for task in suite.tasks:
        find_corpus(task.corpus)
        check_seeds(task, task.seeds or suite.seeds)
        if task.vocabulary is not None:
            find_languages(task)
    _check_text(suite)
    _check_kinds(suite)
    _check_scopes(suite)
    for goal in suite.goals:
        _check_goal(suite, goal)
    rows = [row for group in suite.sets for row in group.paper.values()]
    rows += [row for task in suite.tasks for row in task.paper.values()]
    columns = {column for row in rows for column in row}
    for entry in suite.entries:
        require(
            entry.paper is None or entry.paper in columns,
            f"the entry '{entry.id}' refers to the paper's column '{entry.paper}', which no set or "
            "problem has",
        )
    require(
        suite.layout != "figures" or suite.figures,
        "table = \"figures\" shows figures only: add [[figures]] or remove 'table'",
    )
    for figure in suite.figures:
        _check_figure(suite, figure)


def _check_text(suite: Suite) -> None:
    for task in suite.tasks:
        if task.vocabulary is None:
            require(
                suite.text.min_df is not None,
                f"'min_df' is missing in the table 'text', and the problem '{task.name}' needs it",
            )
            continue
        for name in ("stemmer", "max_terms"):
            require(
                getattr(suite.text, name) is None,
                f"'{name}' in the table 'text' is for one language, but the problem "
                f"'{task.name}' has two: remove it",
            )


def _check_kinds(suite: Suite) -> None:
    """All entries run on all problems, so they are all classifiers or all clusterers."""
    for entry in suite.entries:
        kind = COMPETITORS[entry.method].kind
        for task in suite.tasks:
            require(
                task.is_clustering == (kind == "clusterer"),
                f"the entry '{entry.id}' is a {kind}, which the problem '{task.name}' is not for: "
                "use separate suites for classifiers and clusterers ('tasks')",
            )
            require(
                entry.trained_on == "all" or not (task.new_documents and entry.runs_on(task)),
                f"the entry '{entry.id}' has 'trained_on', which is for documents of the fit, but "
                f"the problem '{task.name}' has 'new_documents'",
            )
            require(
                not entry.known_class_prior or len(task.targets) == 1,
                f"the entry '{entry.id}' has 'known_class_prior', which is for one target, but "
                f"the problem '{task.name}' has several",
            )
    kinds = {COMPETITORS[entry.method].kind for entry in suite.entries}
    for name in [*suite.metrics, *(goal.metric for goal in suite.goals)]:
        needed = METRICS[name].kind
        require(needed in (None, *kinds), f"the metric '{name}' is for a {needed}: remove it")
    for field in ("paired_with", "paired_tests", "source_only"):
        require(
            not getattr(suite, field) or "clusterer" not in kinds,
            f"'{field}' compares class labels, which clusterers do not have: remove it",
        )


def _check_scopes(suite: Suite) -> None:
    """Entries that run nowhere, and goals on problems that their entry does not run on."""
    known = [group.name for group in suite.sets]
    for entry in suite.entries:
        for name in entry.sets:
            require(
                name in known,
                f"the entry '{entry.id}' names the unknown set '{name}': choose from "
                f"{', '.join(known)}",
            )
        tasks = [task for task in suite.tasks if entry.runs_on(task)]
        reason = "no problem is named" if entry.is_named_only else "none has texts in one language"
        reason = "none has 'labeled_target'" if entry.trained_on == "target" else reason
        require(tasks, f"the entry '{entry.id}' runs on no problem: {reason}")
        for task in tasks if entry.seeds else ():
            require(
                {*entry.seeds} & {*(task.seeds or suite.seeds)},
                f"the entry '{entry.id}' has none of the seeds of '{task.name}'",
            )
    complete = {e.id for e in suite.entries if not e.is_named_only and not e.sets}
    compared = {name for goal in suite.goals for name in (goal.entry, *goal.rivals)}
    compared |= {suite.difficulty.entry} if suite.difficulty is not None else set()
    referenced = compared.union(suite.source_only, suite.paired_with, *suite.paired_tests)
    for name in sorted(referenced - {entry.id for entry in suite.entries}):
        raise ValueError(f"there is no entry '{name}'")
    for name in sorted(referenced - {e.id for e in suite.entries if e.competes}):
        raise ValueError(
            f"the entry '{name}' has 'grid' or 'trained_on': it can be in no goal, difficulty or "
            "comparison"
        )
    for name in sorted(compared - complete):
        raise ValueError(
            f"the entry '{name}' does not run on all problems: it can be in no goal or difficulty"
        )


def _check_goal(suite: Suite, goal: Goal) -> None:
    group = next((group for group in suite.sets if group.name == goal.set), None)
    if group is None:
        raise ValueError(f"a goal names the unknown set '{goal.set}'")
    require(
        goal.chosen(group.tasks),
        f"a goal names the task '{goal.task}' or the split '{goal.split}', which '{group.name}' "
        "does not have",
    )
    column = next(entry.paper for entry in suite.entries if entry.id == goal.entry)
    for part in goal.parts(group.tasks) if goal.above_paper else ():
        field = f"paper.'{goal.metric}' of the problem" if goal.on_single else "paper.total"
        place = part[0].name if goal.on_single else group.name
        require(
            group.paper_score(column, part, goal.metric, goal.on_single) is not None,
            f"a goal compares '{goal.entry}' on '{place}' with the paper, whose number is missing: "
            f"add it to {field}",
        )


def _check_figure(suite: Suite, figure: Figure) -> None:
    place = f"the figure '{figure.title}'"
    known = {entry.family_id for entry in suite.entries}
    for name in figure.entries:
        require(
            name in known,
            f"{place} has the unknown entry '{name}': choose from {', '.join(sorted(known))}",
        )
    shown = [entry for entry in suite.entries if entry.family_id in figure.entries]
    parameters = {entry.sweep.parameter for entry in shown if entry.sweep is not None}
    require(len(parameters) < 2, f"{place} has sweeps of {sorted(parameters)}: use one figure each")
    needed = {METRICS[name].measure for name in figure.metrics} - {None}
    needed = {MEASURE_OF_X[figure.x]} if figure.x in MEASURE_OF_X else needed
    for entry in shown:
        require(
            (entry.sweep is not None) == (figure.x == "sweep"),
            f"{place} needs entries {'with' if figure.x == 'sweep' else 'without'} a sweep, unlike "
            f"'{entry.family_id}'",
        )
        for name in figure.metrics:
            require(
                METRICS[name].kind in (None, COMPETITORS[entry.method].kind),
                f"{place} has the metric '{name}', which '{entry.family_id}' does not have",
            )
        require(
            needed <= {*entry.measures},
            f"{place} needs measures = {sorted(map(str, needed))} in the entry '{entry.family_id}'",
        )
    tasks = [task for task in suite.tasks if all(entry.runs_on(task) for entry in shown)]
    require(tasks, f"no problem has results of all entries of {place}")
    for task in tasks:
        require(
            figure.x != "training size" or task.sample_of(0) is not None,
            f"{place} needs 'sample_source' in the problem '{task.name}'",
        )
