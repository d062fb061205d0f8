"""Tables of problems and entries, as papers print them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from isthmus.bench.documents.tasks import Task, split_parts
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.paper import PaperRow
from isthmus.bench.plan.suite import Suite, TaskSet
from isthmus.bench.report.blocks import Block, Cell, Heading, Table, table
from isthmus.bench.report.cells import captions, mark_best, memory, number, ranked, score
from isthmus.bench.report.summary import EntryResults, summarise

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


def problem_tables(
    suite: Suite, group: TaskSet, results: Mapping[str, EntryResults]
) -> list[Block]:
    """What is said of a set: for each metric its problems and their means."""

    def rows(metric: str) -> list[Row]:
        single = [Row(t.name, t.split, [t], group.paper_row([t], metric)) for t in group.tasks]
        means = [
            Row(f"mean of {name}", "", tasks, group.paper_row(tasks, metric))
            for name, tasks in split_parts(group.tasks).items()
        ]
        return single + means

    return [Heading(group.name), *_tables(suite, results, rows)]


def single_problems(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    """The tables of a suite whose sets hold one problem each: all sets in one."""

    def rows(metric: str) -> list[Row]:
        return [
            # The paper's numbers of a set are accuracies.
            Row(group.name, group.tasks[0].split, group.tasks,
                group.paper.get("total", {}) if metric == "accuracy" else {})
            for group in suite.sets
        ]  # fmt: skip

    return _tables(suite, results, rows)


def _tables(
    suite: Suite, results: Mapping[str, EntryResults], rows_of: Callable[[str], list[Row]]
) -> list[Block]:
    """A table for each metric, with its name above where there are several."""
    parts: list[Block] = []
    for metric, caption in captions(suite).items():
        rows = rows_of(metric)
        entries = suite.entries_on([task for row in rows for task in row.tasks])
        have = {entry.paper for entry in entries}
        # The fullest row has the columns in the paper's order.
        fullest_first = sorted((row.paper for row in rows), key=len, reverse=True)
        columns = dict.fromkeys(column for paper in fullest_first for column in paper)
        others = [column for column in columns if column not in have]
        titles = ["problem", "split", *(entry.label for entry in entries)]
        titles += [f"{column} (paper only)" for column in others]
        lines = [
            [
                Cell(row.name),
                Cell(row.split),
                *_cells(entries, results, row, metric),
                *(Cell(METRICS[metric].show(row.paper.get(column))) for column in others),
            ]
            for row in rows
        ]
        n_summary = sum(not row.split for row in rows)
        if not parts:
            tasks = list(dict.fromkeys(task for row in rows for task in row.tasks))
            costs = _costs(entries, results, tasks, len(others))
            lines, n_summary = lines + costs, n_summary + len(costs)
        parts += [f"{caption[0].upper()}{caption[1:]}:"] if caption else []
        if len(entries) > max(len(rows), _NOT_WIDE):
            parts.append(_turned(titles, lines, n_summary))
        else:
            parts.append(table(titles, lines, n_summary))
    return parts


def _turned(titles: list[str], lines: list[list[Cell]], n_summary: int) -> Table:
    """A row an entry, for more entries than problems: a long table reads better than a wide one.

    What sums up comes first, where it is seen without scrolling.
    """
    first = len(lines) - n_summary
    lines = [*lines[first:], *lines[:first]]
    heads = [name.text + (f" ({split.text})" if split.text else "") for name, split, *_ in lines]
    rows = zip(map(Cell, titles[2:]), *(line[2:] for line in lines), strict=True)
    return table(["method", *heads], [list(row) for row in rows])


def _cells(
    entries: Sequence[Entry], results: Mapping[str, EntryResults], row: Row, metric: str
) -> list[Cell]:
    kind = METRICS[metric]
    summaries = [summarise(results[entry.id], row.tasks, {}, metric) for entry in entries]
    cells = []
    for entry, summary in zip(entries, summaries, strict=True):
        paper = row.paper.get(entry.paper or "")
        beside = f" (paper {kind.show(paper)})" if paper is not None else ""
        cells.append(Cell(score(summary, kind), beside=beside))
    pairs = zip(entries, summaries, strict=True)
    return mark_best(cells, [ranked(*pair) for pair in pairs], kind)


def _costs(
    entries: Sequence[Entry],
    results: Mapping[str, EntryResults],
    tasks: Sequence[Task],
    n_others: int,
) -> list[list[Cell]]:
    found = [summarise(results[entry.id], tasks, {}) for entry in entries]
    texts = [
        ["seconds a fit (median)", "", *(number(summary.seconds) for summary in found)],
        ["MiB a fit (median)", "", *(memory(summary.memory) for summary in found)],
    ]
    return [[Cell(text) for text in [*row, *["-"] * n_others]] for row in texts]
