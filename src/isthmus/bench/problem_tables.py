"""Tables of problems and entries, as papers print them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from isthmus.bench.entries import Entry
from isthmus.bench.markdown import captions, number, table
from isthmus.bench.metrics import METRICS
from isthmus.bench.paper import PaperRow
from isthmus.bench.suite import Suite, TaskSet
from isthmus.bench.summary import EntryResults, summarise
from isthmus.bench.tasks import Task, split_parts

__all__ = ["problem_tables", "single_problems"]

# Columns of entries that fit a page.
_NOT_WIDE = 8


@dataclass(frozen=True)
class Row:
    """One or more problems with the paper's numbers, by column."""

    name: str
    split: str
    tasks: Sequence[Task]
    paper: PaperRow = field(default_factory=dict)


def problem_tables(suite: Suite, group: TaskSet, results: Mapping[str, EntryResults]) -> str:
    """The section of a set: for each metric its problems and their means."""

    def rows(metric: str) -> list[Row]:
        single = [Row(t.name, t.split, [t], group.paper_row([t], metric)) for t in group.tasks]
        means = [
            Row(f"mean of {name}", "", tasks, group.paper_row(tasks, metric))
            for name, tasks in split_parts(group.tasks).items()
        ]
        return single + means

    return "\n\n".join([f"### {group.name}", *_tables(suite, results, rows)])


def single_problems(suite: Suite, results: Mapping[str, EntryResults]) -> str:
    """The tables of a suite whose sets hold one problem each: all sets in one."""

    def rows(metric: str) -> list[Row]:
        return [
            # The paper's numbers of a set are accuracies.
            Row(group.name, group.tasks[0].split, group.tasks,
                group.paper.get("total", {}) if metric == "accuracy" else {})
            for group in suite.sets
        ]  # fmt: skip

    return "\n\n".join(_tables(suite, results, rows))


def _tables(
    suite: Suite, results: Mapping[str, EntryResults], rows_of: Callable[[str], list[Row]]
) -> list[str]:
    """A table for each metric, with its name above where there are several."""
    parts: list[str] = []
    for metric, caption in captions(suite).items():
        rows = rows_of(metric)
        have = {entry.paper for entry in suite.entries}
        # The fullest row has the columns in the paper's order.
        fullest_first = sorted((row.paper for row in rows), key=len, reverse=True)
        columns = dict.fromkeys(column for paper in fullest_first for column in paper)
        others = [column for column in columns if column not in have]
        titles = ["problem", "split", *(entry.label for entry in suite.entries)]
        titles += [f"{column} (paper only)" for column in others]
        lines = [
            [
                row.name,
                row.split,
                *(_cell(results[entry.id], entry, row, metric) for entry in suite.entries),
                *(METRICS[metric].show(row.paper.get(column)) for column in others),
            ]
            for row in rows
        ]
        if not parts:
            tasks = list(dict.fromkeys(task for row in rows for task in row.tasks))
            seconds = (_seconds(results[entry.id], tasks) for entry in suite.entries)
            lines.append(["seconds a fit (median)", "", *seconds, *("-" for _ in others)])
        parts += [f"{caption[0].upper()}{caption[1:]}:"] if caption else []
        wide = len(suite.entries) > max(len(rows), _NOT_WIDE)
        parts.append(table(*(_turned(titles, lines) if wide else (titles, lines))))
    return parts


def _turned(titles: list[str], lines: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """A row an entry, for more entries than problems: a long table reads better than a wide one."""
    _, *turned = [list(column) for column in zip(titles, *lines, strict=True)]
    return ["method", *(line[0] for line in lines)], turned


def _cell(results: EntryResults, entry: Entry, row: Row, metric: str) -> str:
    summary = summarise(results, row.tasks, {}, metric)
    partly = summary.mean is not None and not summary.complete
    paper = row.paper.get(entry.paper or "")
    show = METRICS[metric].show
    return (
        show(summary.mean)
        + (" (incomplete)" if partly else "")
        + (f" (paper {show(paper)})" if paper is not None else "")
    )


def _seconds(results: EntryResults, tasks: Sequence[Task]) -> str:
    return number(summarise(results, tasks, {}).seconds)
