"""Tables with one row per entry: means over sets, over splits and over named problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isthmus_bench.documents.tasks import SPLITS, BenchmarkTask, split_parts
from isthmus_bench.fields import PaperRow
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.metrics import METRICS, Metric
from isthmus_bench.plan.suite import Suite, TaskSet
from isthmus_bench.report.blocks import Block, table
from isthmus_bench.report.summary import Results, Summary, summarize

__all__ = [
    "COSTS", "captions", "mark_best", "mean_tables", "megabytes", "named_table", "number",
    "rankable", "score_text", "set_tables",
]  # fmt: skip

COSTS = ("seconds per fit (median)", "MiB per fit (median)")


def captions(suite: Suite) -> dict[str, list[Block]]:
    """The line above the table of each metric; none where there is only the accuracy."""
    if suite.metrics == ("accuracy",):
        return {"accuracy": []}
    return {metric: [f"{metric[0].upper()}{metric[1:]}:"] for metric in suite.metrics}


def number(value: float | None) -> str:
    """A number with two decimals, "-" if there is none."""
    return "-" if value is None else f"{value:.2f}"


def megabytes(value: float | None) -> str:
    """Bytes in MiB, "-" where they were not measured."""
    return "-" if value is None else f"{value / 2**20:,.0f}"


def score_text(summary: Summary, metric: Metric) -> str:
    """The mean of some problems, or why there is none."""
    if summary.mean is None:
        return summary.failure or "-"
    return metric.show(summary.mean) + ("" if summary.complete else " (incomplete)")


def rankable(entry: Entry, summary: Summary) -> float | None:
    """The mean if it may be the best: it is complete, and the entry competes without an oracle."""
    may = summary.complete and entry.competes and not entry.known_class_prior
    return summary.mean if may else None


def mark_best(texts: Sequence[str], values: Sequence[float | None], metric: Metric) -> list[str]:
    """The texts with the best of two or more values in bold; values that print alike are equal."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return list(texts)
    best = metric.show(float(metric.best(known)))
    return [
        f"**{text}**" if value is not None and metric.show(float(value)) == best else text
        for text, value in zip(texts, values, strict=True)
    ]


def set_tables(
    suite: Suite, group: TaskSet, results: Results, hard: Mapping[str, bool]
) -> list[Block]:
    """A table for each split and metric of a set; ``hard`` is by :func:`hard_tasks`."""
    parts: list[Block] = [f"### {group.name}"]
    if group.paper:
        parts.append(f"The paper's numbers are for all {len(group.tasks)} problems.")
    for split in reversed(SPLITS):
        tasks = [task for task in group.tasks if task.split == split]
        for metric in suite.metrics if tasks else ():
            caption = "" if suite.metrics == ("accuracy",) else f", {metric}"
            parts.append(f"{split.capitalize()}, {len(tasks)} problems{caption}:")
            parts.append(_set_table(suite, group, tasks, results, hard, metric))
    return parts


def _set_table(
    suite: Suite,
    group: TaskSet,
    tasks: Sequence[BenchmarkTask],
    results: Results,
    hard: Mapping[str, bool],
    metric: str,
) -> str:
    kind = METRICS[metric]
    # The paper's numbers of a set are accuracies.
    paper = group.paper if metric == "accuracy" else {}
    entries = suite.entries_on(tasks)
    summaries = [summarize(results[entry.id], tasks, metric, hard) for entry in entries]
    ranked = [rankable(*pair) for pair in zip(entries, summaries, strict=True)]
    others = [c for c in paper.get("total", {}) if c not in {e.paper for e in suite.entries}]

    def from_paper(row: PaperRow) -> list[str]:
        return [kind.show(row.get(c or "")) for c in [*(e.paper for e in entries), *others]]

    labels = [
        e.label + ("" if s.complete else " (incomplete)")
        for e, s in zip(entries, summaries, strict=True)
    ]
    means = [kind.show(s.mean) if s.mean is not None else score_text(s, kind) for s in summaries]
    counted = [s.problems > 0 and kind.half is not None for s in summaries]
    collapsed = [
        str(s.collapsed_problems) if c else "-" for s, c in zip(summaries, counted, strict=True)
    ]
    runs = [
        f"{s.collapsed_runs} of {s.runs}" if c else "-"
        for s, c in zip(summaries, counted, strict=True)
    ]
    columns: dict[str, list[str]] = {
        "method": [*labels, *(f"{column} (paper only)" for column in others)],
        "paper": from_paper(paper.get("total", {})),
        "mean": mark_best(means, ranked, kind),
        "worst problem": [kind.show(s.worst) for s in summaries],
        f"problems {kind.beyond_half}": collapsed,
        f"runs {kind.beyond_half}": runs,
    }
    if suite.difficulty is not None:
        limit = (
            f"{suite.label(suite.difficulty.entry)} {{}} {suite.difficulty.threshold:g} (problems)"
        )
        for name, sign, pairs in (
            ("L", "<", [s.hard for s in summaries]),
            ("R", "≥", [s.easy for s in summaries]),
        ):
            texts = ["-" if m is None else f"{kind.show(m)} ({n})" for m, n in pairs]
            values = [m if r is not None else None for (m, _), r in zip(pairs, ranked, strict=True)]
            columns[f"{name}: {limit.format(sign)}"] = mark_best(texts, values, kind)
            columns[f"paper {name}"] = from_paper(paper.get(name, {}))  # type: ignore[call-overload]
    columns[COSTS[0]] = [number(s.seconds) for s in summaries]
    columns[COSTS[1]] = [megabytes(s.memory) for s in summaries]
    columns["problems"] = [str(s.problems) for s in summaries]
    columns["seeds"] = [str(s.seeds) if s.problems else "-" for s in summaries]
    shown = {
        title: [*cells, *["-"] * (len(columns["method"]) - len(cells))]
        for title, cells in columns.items()
        if not title.startswith("paper") or any(cell != "-" for cell in cells)
    }
    return table(shown, zip(*shown.values(), strict=True))


def mean_tables(suite: Suite, group: TaskSet, results: Results) -> list[Block]:
    """For each metric of a set the means of every entry over each split."""
    parts: list[Block] = [f"### {group.name}"]
    if group.paper or any(task.paper for task in group.tasks):
        parts.append(f"The paper's numbers are for all {len(group.tasks)} problems.")
    for metric, caption in captions(suite).items():
        paper = group.paper_row(group.tasks, metric)
        entries = suite.entries_on(group.tasks)
        parts += [*caption, _mean_table(entries, split_parts(group.tasks), results, metric, paper)]
    return parts


def named_table(suite: Suite, results: Results) -> list[Block]:
    """The means over the named problems of each set; nothing where no problem is named."""
    parts = {
        f"{group.name} ({len(tasks)})": tasks
        for group in suite.sets
        if (tasks := [task for task in group.tasks if task.named])
    }
    named = [task for tasks in parts.values() for task in tasks]
    if not named:
        return []
    if len(parts) > 1:
        parts[f"all ({len(named)})"] = named
    splits = " or ".join(sorted({task.split for task in named}))
    blocks: list[Block] = [f"### {len(named)} named problems"]
    blocks.append(f"Every method, on problems that are all {splits}.")
    for metric, caption in captions(suite).items():
        blocks += [*caption, _mean_table(suite.entries_on(named), parts, results, metric, {})]
    return blocks


def _mean_table(
    entries: Sequence[Entry],
    parts: Mapping[str, Sequence[BenchmarkTask]],
    results: Results,
    metric: str,
    paper: PaperRow,
) -> str:
    """One row per entry: means over parts of the problems, worst problem and costs.

    The last part has all problems.
    """
    kind = METRICS[metric]
    columns: dict[str, list[str]] = {"method": [entry.label for entry in entries]}
    if paper:
        columns["paper"] = [kind.show(paper.get(entry.paper or "")) for entry in entries]
    summaries: list[Summary] = []
    for name, tasks in parts.items():
        summaries = [summarize(results[entry.id], tasks, metric) for entry in entries]
        values = [rankable(*pair) for pair in zip(entries, summaries, strict=True)]
        columns[name] = mark_best([score_text(s, kind) for s in summaries], values, kind)
    columns["worst problem"] = [kind.show(s.worst) for s in summaries]
    columns[COSTS[0]] = [number(s.seconds) for s in summaries]
    columns[COSTS[1]] = [megabytes(s.memory) for s in summaries]
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    rows += [
        [f"{column} (paper only)", kind.show(value), *["-"] * (len(columns) - 2)]
        for column, value in paper.items()
        if column not in {entry.paper for entry in entries}
    ]
    return table(columns, rows)
