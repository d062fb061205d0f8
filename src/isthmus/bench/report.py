"""Write the results of the suites as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from isthmus.bench.entries import Entry
from isthmus.bench.results import Record
from isthmus.bench.suite import Suite, TaskSet
from isthmus.bench.summary import (
    COLLAPSED,
    EntryResults,
    Summary,
    Verdict,
    collect,
    hard_tasks,
    judge,
    summarise,
)
from isthmus.bench.tasks import SPLITS

__all__ = ["render_report"]

_SHOWN_FAILURES = 5
_HEAD = """# Benchmarks

Written by `isthmus bench report`; do not edit by hand. Accuracies are in per cent, on target
documents whose labels no method saw. Defaults may have been chosen on development problems; claims
rest on evidence problems only. Only results of the current revision and parameters of a method are
shown."""


def render_report(found: Sequence[tuple[Suite, Mapping[str, Record]]]) -> str:
    """Return the page.

    Parameters
    ----------
    found : sequence of (Suite, records)
        Suites with their records by key, as read from the result files.

    Returns
    -------
    str
        Markdown.
    """
    parts = [_HEAD, *(_suite(suite, records) for suite, records in found)]
    return "\n\n".join(parts) + "\n"


def _suite(suite: Suite, records: Mapping[str, Record]) -> str:
    results = collect(suite, records)
    hard = hard_tasks(suite, results)
    parts = [f"## {suite.title}", f"{suite.citation}.", *([suite.notes] if suite.notes else [])]
    parts += [_settings(suite, results)]
    if all(len(group.tasks) == 1 for group in suite.sets):
        parts += [_single_problems(suite, results)]
    else:
        parts += [_set(suite, group, results, hard) for group in suite.sets]
    parts += [text for text in (_goals(suite, results), _gaps(suite, results)) if text]
    return "\n\n".join(parts)


def _settings(suite: Suite, results: Mapping[str, EntryResults]) -> str:
    seen: Counter[str] = Counter()
    for entry in suite.entries:
        seen.update(results[entry.id].versions)
    drawn = any(task.uses_chance for task in suite.tasks)
    chance = "methods and problems" if drawn else "methods"
    lines = [
        _repeat(suite),
        f"- {suite.dtype}, terms in at least {suite.text.min_df} documents, stop words: "
        f"{suite.text.stop_words or 'none'}, seeds {', '.join(map(str, suite.seeds))} "
        f"for {chance} with chance, every fit on one thread",
        *(f"- versions: {text} ({count} runs)" for text, count in seen.most_common()),
        *(_entry_line(entry) for entry in suite.entries),
    ]
    return "\n".join(lines)


def _repeat(suite: Suite) -> str:
    if suite.origin is None:
        return f"- repeat: `isthmus bench run {suite.name}`, then `isthmus bench report`"
    file = suite.origin
    return f"- repeat: `isthmus bench run {file}`, then `isthmus bench report {file}`"


def _entry_line(entry: Entry) -> str:
    preset = f", preset `{entry.preset}`" if entry.preset else ""
    params = ", ".join(f"{name}={value!r}" for name, value in entry.params.items())
    return f"- {entry.label}: method `{entry.method}`{preset}, weighting `{entry.weighting}`" + (
        f", {params}" if params else ""
    )


def _set(
    suite: Suite,
    group: TaskSet,
    results: Mapping[str, EntryResults],
    hard: Mapping[str, bool],
) -> str:
    parts = [f"### {group.name}"]
    if group.paper:
        parts.append(f"The paper's numbers are for all {len(group.tasks)} problems.")
    for split in reversed(SPLITS):
        tasks = [task for task in group.tasks if task.split == split]
        if tasks:
            rows = [
                _row(suite, entry, group, summarise(results[entry.id], tasks, hard))
                for entry in suite.entries
            ]
            rows += _paper_only(suite, group)
            parts += [f"{split.capitalize()}, {len(tasks)} problems:", _table(_titles(suite), rows)]
    return "\n\n".join(parts)


def _titles(suite: Suite) -> list[str]:
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
        "method", "paper", "mean", "worst problem", f"problems below {COLLAPSED:.0f} %",
        f"runs below {COLLAPSED:.0f} %", *split, "seconds a fit (median)", "problems", "seeds",
    ]  # fmt: skip


def _row(suite: Suite, entry: Entry, group: TaskSet, summary: Summary) -> list[str]:
    run = summary.problems > 0
    split: list[str] = []
    if suite.difficulty is not None:
        split = [
            _counted(summary.left, summary.n_left),
            _number(_paper(group, "L", entry.paper)),
            _counted(summary.right, summary.n_right),
            _number(_paper(group, "R", entry.paper)),
        ]
    return [
        entry.label + ("" if summary.complete else " (incomplete)"),
        _number(_paper(group, "total", entry.paper)),
        _number(summary.mean),
        _number(summary.worst),
        f"{summary.collapsed_problems}" if run else "-",
        f"{summary.collapsed_runs} of {summary.runs}" if run else "-",
        *split,
        f"{summary.seconds:.2f}" if summary.seconds is not None else "-",
        f"{summary.problems}",
        f"{summary.seeds}" if run else "-",
    ]


def _paper_only(suite: Suite, group: TaskSet) -> list[list[str]]:
    """Rows for the paper's methods that no entry runs."""
    have = {entry.paper for entry in suite.entries}
    width = len(_titles(suite))
    rows = []
    for column in group.paper.get("total", {}):
        if column in have:
            continue
        row = [f"{column} (paper only)", _number(_paper(group, "total", column))]
        row += ["-"] * (width - len(row))
        if suite.difficulty is not None:
            row[7] = _number(_paper(group, "L", column))
            row[9] = _number(_paper(group, "R", column))
        rows.append(row)
    return rows


def _single_problems(suite: Suite, results: Mapping[str, EntryResults]) -> str:
    """One table for a suite whose sets hold one problem each, as papers print them."""
    others = [
        column
        for column in dict.fromkeys(c for g in suite.sets for c in g.paper.get("total", {}))
        if column not in {entry.paper for entry in suite.entries}
    ]
    titles = ["problem", "split", *(e.label for e in suite.entries)]
    titles += [f"{column} (paper only)" for column in others]
    rows = []
    for group in suite.sets:
        cells = []
        for entry in suite.entries:
            summary = summarise(results[entry.id], group.tasks, {})
            paper = _paper(group, "total", entry.paper)
            cells.append(
                _number(summary.mean)
                + ("" if summary.complete else " (incomplete)")
                + (f" (paper {paper:.2f})" if paper is not None else "")
            )
        cells += [_number(_paper(group, "total", column)) for column in others]
        rows.append([group.name, group.tasks[0].split, *cells])
    seconds = []
    for entry in suite.entries:
        summary = summarise(results[entry.id], suite.tasks, {})
        seconds.append("-" if summary.seconds is None else f"{summary.seconds:.2f}")
    rows.append(["seconds a fit (median)", "", *seconds, *("-" for _ in others)])
    return _table(titles, rows)


def _goals(suite: Suite, results: Mapping[str, EntryResults]) -> str:
    if not suite.goals:
        return ""
    labels = {entry.id: entry.label for entry in suite.entries}
    lines = []
    for verdict in (judge(suite, goal, results) for goal in suite.goals):
        goal = verdict.goal
        place = f"{goal.set_name}, {goal.split or 'all'} problems"
        lines.append(
            f"- {labels[goal.entry]} on {place}: {_wanted(verdict)}: "
            f"**{verdict.state}** ({verdict.detail})"
        )
    return "Goals:\n\n" + "\n".join(lines)


def _wanted(verdict: Verdict) -> str:
    goal = verdict.goal
    wanted = [f"mean ≥ {goal.mean:g}"] if goal.mean is not None else []
    if goal.above_paper:
        wanted.append("above the paper")
    if goal.collapsed is not None:
        wanted.append(f"at most {100 * goal.collapsed:g} % below {COLLAPSED:.0f} %")
    return ", ".join(wanted)


def _gaps(suite: Suite, results: Mapping[str, EntryResults]) -> str:
    lines = []
    for entry in suite.entries:
        summary = summarise(results[entry.id], suite.tasks, {})
        if not summary.complete:
            lines.append(f"- {entry.label}: {summary.runs} of {summary.planned} runs done")
    failures = [text for entry in suite.entries for text in results[entry.id].failures]
    lines += [f"- failed: {text}" for text in failures[:_SHOWN_FAILURES]]
    if len(failures) > _SHOWN_FAILURES:
        lines.append(f"- and {len(failures) - _SHOWN_FAILURES} more failed runs")
    return "Not complete:\n\n" + "\n".join(lines) if lines else ""


def _paper(group: TaskSet, row: str, column: str | None) -> float | None:
    return group.paper.get(row, {}).get(column or "")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _counted(value: float | None, count: int) -> str:
    return "-" if value is None else f"{value:.2f} ({count})"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
