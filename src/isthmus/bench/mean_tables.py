"""Tables with a row an entry and a column for the mean over each split of a set."""

from __future__ import annotations

from collections.abc import Mapping

from isthmus.bench.entries import Entry
from isthmus.bench.markdown import captions, number, table
from isthmus.bench.metrics import METRICS
from isthmus.bench.paper import PaperRow
from isthmus.bench.suite import Suite, TaskSet
from isthmus.bench.summary import EntryResults, summarise
from isthmus.bench.tasks import split_parts

__all__ = ["mean_tables"]


def mean_tables(suite: Suite, group: TaskSet, results: Mapping[str, EntryResults]) -> str:
    """The section of a set: for each metric the means of every entry, for many entries."""
    parts = [f"### {group.name}"]
    if group.paper or group.problem_papers:
        parts.append(f"The paper's numbers are for all {len(group.tasks)} problems.")
    for metric, caption in captions(suite).items():
        paper = group.paper_row(group.tasks, metric)
        splits = split_parts(group.tasks)
        titles = ["method", *splits, "worst problem", "seconds a fit (median)"]
        rows = [_row(entry, results[entry.id], group, metric) for entry in suite.entries]
        if paper:
            titles.insert(1, "paper")
            rows += _with_paper(suite, rows, paper, metric)
        parts += [f"{caption[0].upper()}{caption[1:]}:"] if caption else []
        parts.append(table(titles, rows))
    return "\n\n".join(parts)


def _row(entry: Entry, results: EntryResults, group: TaskSet, metric: str) -> list[str]:
    show = METRICS[metric].show
    whole = summarise(results, group.tasks, {}, metric)
    means = [summarise(results, tasks, {}, metric) for tasks in split_parts(group.tasks).values()]
    return [
        entry.label,
        *(
            show(part.mean) + ("" if part.mean is None or part.complete else " (incomplete)")
            for part in means
        ),
        show(whole.worst),
        number(whole.seconds),
    ]


def _with_paper(
    suite: Suite, rows: list[list[str]], paper: PaperRow, metric: str
) -> list[list[str]]:
    """Put the paper's number into every row; return rows for its methods that no entry runs."""
    show = METRICS[metric].show
    width = len(rows[0])
    for entry, row in zip(suite.entries, rows, strict=True):
        row.insert(1, show(paper.get(entry.paper or "")))
    have = {entry.paper for entry in suite.entries}
    return [
        [f"{column} (paper only)", show(value), *["-"] * (width - 1)]
        for column, value in paper.items()
        if column not in have
    ]
