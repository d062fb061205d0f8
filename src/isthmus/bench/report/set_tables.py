"""Tables with a row an entry and the mean over the problems of a set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isthmus.bench.documents.tasks import SPLITS, Task
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.metrics import METRICS, Metric
from isthmus.bench.plan.paper import PaperRow
from isthmus.bench.plan.suite import Suite, TaskSet
from isthmus.bench.report.blocks import Block, Cell, Heading, Table, table
from isthmus.bench.report.cells import captions, mark_best, memory, number, ranked, score
from isthmus.bench.report.summary import EntryResults, Summary, summarise

__all__ = ["set_tables"]

Paper = Mapping[str, PaperRow]


def set_tables(
    suite: Suite,
    group: TaskSet,
    results: Mapping[str, EntryResults],
    hard: Mapping[str, bool],
) -> list[Block]:
    """What is said of a set: a table for each split and metric.

    ``hard`` says which tasks are below the difficulty threshold.
    """
    parts: list[Block] = [Heading(group.name)]
    if group.paper:
        parts.append(f"The paper's numbers are for all {len(group.tasks)} problems.")
    for split in reversed(SPLITS):
        tasks = [task for task in group.tasks if task.split == split]
        for metric, caption in captions(suite).items() if tasks else ():
            # The paper's numbers of a set are accuracies.
            paper = group.paper if metric == "accuracy" else {}
            title = f"{split.capitalize()}, {len(tasks)} problems"
            title += f", {caption}:" if caption else ":"
            parts += [title, _table(suite, tasks, results, hard, paper, METRICS[metric], metric)]
    return parts


def _table(
    suite: Suite,
    tasks: Sequence[Task],
    results: Mapping[str, EntryResults],
    hard: Mapping[str, bool],
    paper: Paper,
    kind: Metric,
    metric: str,
) -> Table:
    entries = suite.entries_on(tasks)
    summaries = [summarise(results[entry.id], tasks, hard, metric) for entry in entries]
    rows = [
        _row(suite, entry, paper, summary, kind)
        for entry, summary in zip(entries, summaries, strict=True)
    ]
    titles = _titles(suite, kind)
    # The mean, and beside the paper's own numbers those of its two kinds of problems.
    values: dict[int, list[float | None]] = {
        2: [ranked(entry, summary) for entry, summary in zip(entries, summaries, strict=True)]
    }
    if suite.difficulty is not None:
        known = [value is not None for value in values[2]]
        values[6] = [s.left if k else None for s, k in zip(summaries, known, strict=True)]
        values[8] = [s.right if k else None for s, k in zip(summaries, known, strict=True)]
    for column, of_entries in values.items():
        marked = mark_best([row[column] for row in rows], of_entries, kind)
        for row, cell in zip(rows, marked, strict=True):
            row[column] = cell
    return _without_silent_paper(titles, [*rows, *_paper_only(suite, paper)])


def _without_silent_paper(titles: list[str], rows: list[list[Cell]]) -> Table:
    """The table without columns for a paper's numbers that hold none."""
    kept = [
        place
        for place, title in enumerate(titles)
        if not title.startswith("paper") or any(row[place].text != "-" for row in rows)
    ]
    return table([titles[i] for i in kept], [[row[i] for i in kept] for row in rows])


def _titles(suite: Suite, metric: Metric) -> list[str]:
    split: list[str] = []
    if suite.difficulty is not None:
        entry, threshold = suite.difficulty
        label = next(e.label for e in suite.entries if e.id == entry)
        split = [
            f"L: {label} < {threshold:g} (problems)",
            "paper L",
            f"R: {label} ≥ {threshold:g} (problems)",
            "paper R",
        ]
    return [
        "method", "paper", "mean", "worst problem", f"problems {metric.beyond_half}",
        f"runs {metric.beyond_half}", *split, "seconds a fit (median)", "MiB a fit (median)",
        "problems", "seeds",
    ]  # fmt: skip


def _row(suite: Suite, entry: Entry, paper: Paper, summary: Summary, metric: Metric) -> list[Cell]:
    run = summary.problems > 0
    counted = run and metric.half is not None
    split: list[str] = []
    if suite.difficulty is not None:
        split = [
            _counted(summary.left, summary.n_left, metric),
            number(_paper(paper, "L", entry.paper)),
            _counted(summary.right, summary.n_right, metric),
            number(_paper(paper, "R", entry.paper)),
        ]
    cells = [
        entry.label + ("" if summary.complete else " (incomplete)"),
        number(_paper(paper, "total", entry.paper)),
        metric.show(summary.mean) if summary.mean is not None else score(summary, metric),
        metric.show(summary.worst),
        f"{summary.collapsed_problems}" if counted else "-",
        f"{summary.collapsed_runs} of {summary.runs}" if counted else "-",
        *split,
        number(summary.seconds),
        memory(summary.memory),
        f"{summary.problems}",
        f"{summary.seeds}" if run else "-",
    ]
    return [Cell(text) for text in cells]


def _paper_only(suite: Suite, paper: Paper) -> list[list[Cell]]:
    """Rows for the paper's methods that no entry runs."""
    have = {entry.paper for entry in suite.entries}
    width = len(_titles(suite, METRICS["accuracy"]))
    rows = []
    for column in paper.get("total", {}):
        if column in have:
            continue
        row = [f"{column} (paper only)", number(_paper(paper, "total", column))]
        row += ["-"] * (width - len(row))
        if suite.difficulty is not None:
            row[7] = number(_paper(paper, "L", column))
            row[9] = number(_paper(paper, "R", column))
        rows.append([Cell(text) for text in row])
    return rows


def _paper(paper: Paper, row: str, column: str | None) -> float | None:
    return paper.get(row, {}).get(column or "")


def _counted(value: float | None, count: int, metric: Metric) -> str:
    return "-" if value is None else f"{metric.show(value)} ({count})"
