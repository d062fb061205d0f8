"""Put the results of the suites together to a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block, Bullets, Details, Report, Section
from isthmus.bench.report.difficulty import difficulty_charts
from isthmus.bench.report.figures import figure_blocks
from isthmus.bench.report.goal_lines import goal_lines
from isthmus.bench.report.markdown import render_markdown
from isthmus.bench.report.mean_tables import mean_tables
from isthmus.bench.report.named_table import named_table
from isthmus.bench.report.overview import overview
from isthmus.bench.report.paired_table import paired_table
from isthmus.bench.report.problem_tables import problem_tables, single_problems
from isthmus.bench.report.set_tables import set_tables
from isthmus.bench.report.settings_lines import settings_lines
from isthmus.bench.report.summary import EntryResults, collect, hard_tasks, summarise
from isthmus.bench.run.results import Record

__all__ = ["build_report", "render_report"]

_SHOWN_FAILURES = 5
_INTRO = """Written by `isthmus bench report`; do not edit by hand. Accuracies are in per cent,
errors and NMI as shares, on target documents whose labels no method saw. Only results of the
current revision and parameters of a method are shown.

A **problem** has labelled documents of one or more domains, the sources, and others of a target to
be labelled. On **development** problems choices were made, such as defaults; claims rest on
**evidence** problems only. A few problems of a large suite are **named**, for methods that do not
run on all. A **peer** is a method of another library. An **oracle** was told something that no user
would know, and never counts as the best. The best of what was run is bold. Seconds are those of the
processor on one thread, memory is what a fit takes beside its input; both are medians, of results
that have them."""


def build_report(found: Sequence[tuple[Suite, Mapping[str, Record]]]) -> Report:
    """Return the report as data.

    Parameters
    ----------
    found : sequence of (Suite, records)
        Suites with their records by key, as read from the result files.

    Returns
    -------
    Report
        The ranks over all suites, then a section for each.
    """
    collected = [(suite, collect(suite, records)) for suite, records in found]
    ranks = overview(collected)
    sections = [_section(suite, results) for suite, results in collected]
    return Report("Benchmarks", _INTRO, (*([] if ranks is None else [ranks]), *sections))


def render_report(found: Sequence[tuple[Suite, Mapping[str, Record]]]) -> str:
    """Return the report as Markdown; parameters are those of :func:`build_report`."""
    return render_markdown(build_report(found))


def _section(suite: Suite, results: Mapping[str, EntryResults]) -> Section:
    # Peers that are not installed would fill the tables with dashes.
    absent = [e for e in suite.entries if e.is_peer and results[e.id].is_empty]
    suite = replace(suite, entries=tuple(e for e in suite.entries if e not in absent))
    blocks: list[Block] = [f"{suite.citation}.", *([suite.notes] if suite.notes else [])]
    blocks.append(Details("How it was run", Bullets(settings_lines(suite, results))))
    blocks += _tables(suite, results)
    blocks += figure_blocks(suite, results)
    blocks += named_table(suite, results)
    blocks += difficulty_charts(suite, results)
    blocks += paired_table(suite, results)
    blocks += goal_lines(suite, results)
    blocks += _gaps(suite, results)
    if absent:
        names = ", ".join(entry.label for entry in absent)
        blocks.append(f"Peers that were not run (they need the extra `peers`): {names}.")
    return Section(suite.name, suite.title, tuple(blocks))


def _tables(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    # What figures show value by value need not stand in tables, too.
    suite = replace(suite, entries=tuple(e for e in suite.entries if e.sweep is None))
    if not suite.entries or suite.layout == "figures":
        return []
    if suite.layout == "problems":
        parts = [problem_tables(suite, group, results) for group in suite.sets]
    elif suite.layout == "means":
        parts = [mean_tables(suite, group, results) for group in suite.sets]
    elif all(len(group.tasks) == 1 for group in suite.sets):
        parts = [single_problems(suite, results)]
    else:
        hard = hard_tasks(suite, results)
        parts = [set_tables(suite, group, results, hard) for group in suite.sets]
    return [block for part in parts for block in part]


def _gaps(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    """What is not there: runs that were not made, and those that failed or took too long."""
    lines = []
    failures = []
    for entry in suite.entries:
        summary = summarise(results[entry.id], suite.tasks, {})
        if not summary.complete:
            lines.append(f"{entry.label}: {summary.runs} of {summary.planned} runs done")
        for failure in results[entry.id].failures:
            seed = "" if failure.seed is None else f", seed {failure.seed}"
            failures.append(f"{entry.label} on {failure.task}{seed}: {failure.message}")
    lines += [f"failed: {text}" for text in failures[:_SHOWN_FAILURES]]
    if len(failures) > _SHOWN_FAILURES:
        lines.append(f"and {len(failures) - _SHOWN_FAILURES} more failed runs")
    return [Bullets(tuple(lines), intro="Not complete:")] if lines else []
