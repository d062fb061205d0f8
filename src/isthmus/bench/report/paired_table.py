"""The table that holds every entry of a suite against one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from isthmus.bench.documents.tasks import Task, split_parts
from isthmus.bench.plan.scope import runs_on
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block, Heading, table
from isthmus.bench.report.summary import EntryResults
from isthmus.evaluation.paired_tests import paired_test, signed_ranks

__all__ = ["paired_table"]

_LEAST_SHOWN = 0.0001
_MANY = 8


def paired_table(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    """What ``suite.paired_with`` is held against; nothing where there is no other entry."""
    others = [entry for entry in suite.entries if entry.id != suite.paired_with]
    if suite.paired_with is None or not others:
        return []
    label = next(entry.label for entry in suite.entries if entry.id == suite.paired_with)
    titles = [
        "method", "problems", "mean difference", "better / equal / worse", "p (Wilcoxon)",
        f"only it right / only {label}", "p (McNemar)",
    ]  # fmt: skip
    rows = [
        [entry.label, *_cells(name, tasks, results[entry.id], results[suite.paired_with])]
        for entry in others
        for name, tasks in _parts([t for t in suite.tasks if runs_on(entry, t)], len(others))
    ]
    return [Heading(f"Against {label}"), table(titles, rows), _explanation(suite, label)]


def _parts(tasks: Sequence[Task], n_entries: int) -> list[tuple[str, list[Task]]]:
    """Development, evidence and all problems; of many entries those that claims rest on."""
    parts = list(split_parts(tasks).items())
    few = [part for part in parts if part[0].startswith("evidence")]
    return few if few and n_entries > _MANY else parts


def _cells(
    name: str, tasks: Sequence[Task], results: EntryResults, base: EntryResults
) -> list[str]:
    """The row of an entry on the problems that both have wholly."""
    tasks_of_both = [t for t in tasks if results.is_complete(t.name) and base.is_complete(t.name)]
    if len(tasks_of_both) < len(tasks):
        name += f", {len(tasks_of_both)} of them run"
    if not tasks_of_both:
        return [name, *["-"] * 5]
    first, second = (
        [mean for t in tasks_of_both if (mean := found.mean(t.name)) is not None]
        for found in (results, base)
    )
    problems = signed_ranks(first, second)
    return [
        name,
        f"{problems.difference:+.2f}",
        f"{problems.better} / {problems.equal} / {problems.worse}",
        _p_value(problems.p_value),
        *_document_cells(tasks_of_both, results, base),
    ]


def _document_cells(
    tasks: Sequence[Task], results: EntryResults, base: EntryResults
) -> tuple[str, str]:
    if any(task.draws_scored for task in tasks):
        return "-", "-"
    one, other = ([_right(task, found) for task in tasks] for found in (results, base))
    known = [part for part in (*one, *other) if part is not None]
    # Results from before the single documents were recorded have scores alone.
    if len(known) < 2 * len(tasks):
        return "-", "-"
    first, second = np.concatenate(known[: len(tasks)]), np.concatenate(known[len(tasks) :])
    found = paired_test(np.ones(len(first), bool), first, second)
    return f"{found.first_only:,} / {found.second_only:,}", _p_value(found.p_value)


def _right(task: Task, results: EntryResults) -> np.ndarray | None:
    """Which scored documents of a problem were right, each once; None if it is not known."""
    by_seed = results.right.get(task.name, {})
    if task.folds is not None:
        # The folds have different documents, which make up the whole.
        known = len(by_seed) == results.planned[task.name]
        return np.concatenate(list(by_seed.values())) if known else None
    return next(iter(by_seed.values()), None)


def _p_value(value: float) -> str:
    return f"< {_LEAST_SHOWN}" if value < _LEAST_SHOWN else f"{value:.4f}"


def _explanation(suite: Suite, label: str) -> str:
    text = (
        "Differences are in points of accuracy. The p of Wilcoxon's signed-rank test says how "
        "often the differences of so many problems would lie so far to one side if neither the "
        f"method nor {label} were the better one; that of McNemar's exact test how often the "
        "documents that only one of the two got right would be divided so unevenly, which takes "
        "the documents of all problems as independent although problems share sources and targets."
    )
    if any(task.draws_scored for task in suite.tasks):
        text += " Where the seed draws the documents to score, there is Wilcoxon's test alone."
    elif any(task.folds is None for task in suite.tasks):
        text += (
            " Of a method with several seeds its documents are those of the first: a majority of "
            "seeds would be another method than the one in the table."
        )
    return text
