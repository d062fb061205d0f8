"""Tables of problems and entries, as papers print them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from isthmus_bench.documents.tasks import BenchmarkTask, split_parts
from isthmus_bench.fields import PaperRow
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.suite import Suite, TaskSet
from isthmus_bench.report.blocks import Block, table
from isthmus_bench.report.summary import Results, summarize
from isthmus_bench.report.tables import (
    COSTS,
    captions,
    mark_best,
    megabytes,
    number,
    rankable,
    score_text,
)  # fmt: skip

__all__ = ["problem_tables", "single_problems"]

# The largest number of entries in columns.
_WIDE = 8


@dataclass(frozen=True)
class Row:
    """One or more problems with the paper's numbers, by column."""

    name: str
    split: str
    tasks: Sequence[BenchmarkTask]
    paper: PaperRow = field(default_factory=dict)


def problem_tables(suite: Suite, group: TaskSet, results: Results) -> list[Block]:
    """For each metric the problems of a set and their means."""

    def rows(metric: str) -> list[Row]:
        single = [Row(t.name, t.split, [t], group.paper_row([t], metric)) for t in group.tasks]
        means = [
            Row(f"mean of {name}", "", tasks, group.paper_row(tasks, metric))
            for name, tasks in split_parts(group.tasks).items()
        ]
        return single + means

    return [f"### {group.name}", *_tables(suite, results, rows)]


def single_problems(suite: Suite, results: Results) -> list[Block]:
    """The tables of a suite whose sets have one problem each: all sets in one table."""

    def rows(metric: str) -> list[Row]:
        # The paper's numbers of a set are accuracies.
        papers = [g.paper.get("total", {}) if metric == "accuracy" else {} for g in suite.sets]
        return [
            Row(group.name, group.tasks[0].split, group.tasks, paper)
            for group, paper in zip(suite.sets, papers, strict=True)
        ]

    return _tables(suite, results, rows)


def _tables(suite: Suite, results: Results, rows_of: Callable[[str], list[Row]]) -> list[Block]:
    parts: list[Block] = []
    for metric, caption in captions(suite).items():
        rows = rows_of(metric)
        entries = suite.entries_on([task for row in rows for task in row.tasks], partly=True)
        # The fullest row has the columns in the paper's order.
        fullest_first = sorted((row.paper for row in rows), key=len, reverse=True)
        columns = dict.fromkeys(column for paper in fullest_first for column in paper)
        others = [column for column in columns if column not in {e.paper for e in entries}]
        titles = ["problem", "split", *(entry.label for entry in entries)]
        titles += [f"{column} (paper only)" for column in others]
        lines = [
            [
                row.name,
                row.split,
                *_cells(entries, results, row, metric),
                *(METRICS[metric].show(row.paper.get(column)) for column in others),
            ]
            for row in rows
        ]
        n_summary = sum(not row.split for row in rows)
        if not parts:
            tasks = list(dict.fromkeys(task for row in rows for task in row.tasks))
            costs = [summarize(results[entry.id], tasks) for entry in entries]
            texts = [[number(s.seconds) for s in costs], [megabytes(s.memory) for s in costs]]
            for title, row_texts in zip(COSTS, texts, strict=True):
                lines.append([title, "", *row_texts, *["-"] * len(others)])
            n_summary += 2
        parts += caption
        many = len(entries) > max(len(rows), _WIDE)
        parts.append(_transposed(titles, lines, n_summary) if many else table(titles, lines))
    return parts


def _transposed(titles: list[str], lines: list[list[str]], n_summary: int) -> str:
    """One row per entry, where there are more entries than problems; summaries come first."""
    first = len(lines) - n_summary
    lines = [*lines[first:], *lines[:first]]
    heads = [name + (f" ({split})" if split else "") for name, split, *_ in lines]
    rows = zip(titles[2:], *(line[2:] for line in lines), strict=True)
    return table(["method", *heads], rows)


def _cells(entries: Sequence[Entry], results: Results, row: Row, metric: str) -> list[str]:
    kind = METRICS[metric]
    # A mean over some of the problems would be beside the means of others over all.
    summaries = [
        summarize(results[e.id], row.tasks if all(map(e.runs_on, row.tasks)) else [], metric)
        for e in entries
    ]
    papers = [row.paper.get(entry.paper or "") for entry in entries]
    values = [rankable(*pair) for pair in zip(entries, summaries, strict=True)]
    texts = mark_best([score_text(summary, kind) for summary in summaries], values, kind)
    beside = ["" if paper is None else f" (paper {kind.show(paper)})" for paper in papers]
    return [text + note for text, note in zip(texts, beside, strict=True)]
