"""Tables with a row an entry and a column for the mean over each split of a set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isthmus.bench.documents.tasks import Task, split_parts
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.paper import PaperRow
from isthmus.bench.plan.suite import Suite, TaskSet
from isthmus.bench.report.blocks import Block, Cell, Heading, table
from isthmus.bench.report.cells import captions, mark_best, memory, number, ranked, score
from isthmus.bench.report.summary import EntryResults, summarise

__all__ = ["COSTS", "mean_rows", "mean_tables"]

COSTS = ("seconds a fit (median)", "MiB a fit (median)")


def mean_tables(suite: Suite, group: TaskSet, results: Mapping[str, EntryResults]) -> list[Block]:
    """What is said of a set: for each metric the means of every entry, for many entries."""
    parts: list[Block] = [Heading(group.name)]
    if group.paper or group.problem_papers:
        parts.append(f"The paper's numbers are for all {len(group.tasks)} problems.")
    for metric, caption in captions(suite).items():
        paper = group.paper_row(group.tasks, metric)
        parts += [f"{caption[0].upper()}{caption[1:]}:"] if caption else []
        splits = split_parts(group.tasks)
        entries = suite.entries_on(group.tasks)
        titles = ["method", *splits, "worst problem", *COSTS]
        rows = mean_rows(entries, splits, results, metric)
        if paper:
            titles.insert(1, "paper")
            rows = _with_paper(entries, rows, paper, metric)
        parts.append(table(titles, rows))
    return parts


def mean_rows(
    entries: Sequence[Entry],
    parts: Mapping[str, Sequence[Task]],
    results: Mapping[str, EntryResults],
    metric: str,
) -> list[list[Cell]]:
    """A row an entry: its means over parts of the problems, its worst problem and its costs.

    The last part has all problems.
    """
    kind = METRICS[metric]
    columns = []
    for tasks in parts.values():
        means = [summarise(results[entry.id], tasks, {}, metric) for entry in entries]
        cells = [Cell(score(mean, kind)) for mean in means]
        pairs = zip(entries, means, strict=True)
        columns.append(mark_best(cells, [ranked(*pair) for pair in pairs], kind))
    *_, every = parts.values()
    whole = [summarise(results[entry.id], every, {}, metric) for entry in entries]
    columns.append([Cell(kind.show(mean.worst)) for mean in whole])
    columns.append([Cell(number(mean.seconds)) for mean in whole])
    columns.append([Cell(memory(mean.memory)) for mean in whole])
    labels = [Cell(entry.label) for entry in entries]
    return [list(row) for row in zip(labels, *columns, strict=True)]


def _with_paper(
    entries: Sequence[Entry], rows: list[list[Cell]], paper: PaperRow, metric: str
) -> list[list[Cell]]:
    """The rows with the paper's numbers, and rows for its methods that no entry runs."""
    show = METRICS[metric].show
    width = len(rows[0])
    filled = [
        [label, Cell(show(paper.get(entry.paper or ""))), *cells]
        for entry, (label, *cells) in zip(entries, rows, strict=True)
    ]
    have = {entry.paper for entry in entries}
    return filled + [
        [Cell(f"{column} (paper only)"), Cell(show(value)), *[Cell("-")] * (width - 1)]
        for column, value in paper.items()
        if column not in have
    ]
