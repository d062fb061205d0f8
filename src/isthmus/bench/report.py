"""Write the results of the suites as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from isthmus.bench.entries import Entry
from isthmus.bench.goal_lines import goal_lines
from isthmus.bench.mean_tables import mean_tables
from isthmus.bench.paired_table import paired_table
from isthmus.bench.problem_tables import problem_tables, single_problems
from isthmus.bench.protocol_lines import name_problems, protocol_lines
from isthmus.bench.results import Record
from isthmus.bench.set_tables import set_tables
from isthmus.bench.suite import Suite
from isthmus.bench.summary import EntryResults, collect, hard_tasks, summarise
from isthmus.bench.tasks import Task

__all__ = ["render_report"]

_SHOWN_FAILURES = 5
_HEAD = """# Benchmarks

Written by `isthmus bench report`; do not edit by hand. Accuracies are in per cent, errors and NMI
as shares, on target documents whose labels no method saw. Defaults may have been chosen on
development problems; claims rest on evidence problems only. Only results of the current revision
and parameters of a method are shown."""


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
    if suite.layout == "problems":
        parts += [problem_tables(suite, group, results) for group in suite.sets]
    elif suite.layout == "means":
        parts += [mean_tables(suite, group, results) for group in suite.sets]
    elif all(len(group.tasks) == 1 for group in suite.sets):
        parts += [single_problems(suite, results)]
    else:
        parts += [set_tables(suite, group, results, hard) for group in suite.sets]
    last = paired_table(suite, results), goal_lines(suite, results), _gaps(suite, results)
    parts += [text for text in last if text]
    return "\n\n".join(parts)


def _settings(suite: Suite, results: Mapping[str, EntryResults]) -> str:
    seen: Counter[str] = Counter()
    for entry in suite.entries:
        seen.update(results[entry.id].versions)
    drawn = any(task.uses_chance for task in suite.tasks)
    chance = "methods and problems" if drawn else "methods"
    stems = f", stems: {suite.text.stemmer}" if suite.text.stemmer else ""
    lines = [
        _repeat(suite),
        f"- {suite.dtype}, {_terms(suite)}, stop words: "
        f"{suite.text.stop_words or 'none'}{stems}, seeds {_seeds(suite)} "
        f"for {chance} with chance, every fit on one thread",
        *protocol_lines(suite),
        *(f"- versions: {text} ({count} runs)" for text, count in seen.most_common()),
        *(_entry_line(entry) for entry in suite.entries),
    ]
    return "\n".join(lines)


def _terms(suite: Suite) -> str:
    limits = []
    limited = suite.text.max_terms is None or suite.text.min_df != 1
    if limited and any(task.vocabulary is None for task in suite.tasks):
        limits.append(f"terms in at least {suite.text.min_df} documents")
    if suite.text.max_terms is not None:
        most = f"the {suite.text.max_terms:,} terms of a problem"
        limits.append(f"{most} that stand in the most documents")
    if any(task.vocabulary is not None for task in suite.tasks):
        least = 2 if suite.text.min_df is None else suite.text.min_df
        limits.append(f"terms in at least {least} and at most half of the documents of a language")
    return ", ".join(limits)


def _seeds(suite: Suite) -> str:
    """The seeds, with the problems that have them where these differ."""
    found: dict[tuple[int, ...], list[Task]] = {}
    for task in suite.tasks:
        found.setdefault(task.seeds or suite.seeds, []).append(task)
    if len(found) == 1:
        return ", ".join(map(str, next(iter(found))))
    return " and ".join(
        f"{', '.join(map(str, seeds))} ({name_problems(suite, tasks)})"
        for seeds, tasks in found.items()
    )


def _repeat(suite: Suite) -> str:
    if suite.origin is None:
        return f"- repeat: `isthmus bench run {suite.name}`, then `isthmus bench report`"
    file = suite.origin
    return f"- repeat: `isthmus bench run {file}`, then `isthmus bench report {file}`"


def _entry_line(entry: Entry) -> str:
    preset = f", preset `{entry.preset}`" if entry.preset else ""
    params = ", ".join(f"{name}={value!r}" for name, value in entry.params.items())
    told = ", given the true class shares of the documents to score" if entry.known_shares else ""
    return (
        f"- {entry.label}: method `{entry.method}`{preset}, weighting `{entry.weighting}`"
        + (f", {params}" if params else "")
        + told
    )


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
