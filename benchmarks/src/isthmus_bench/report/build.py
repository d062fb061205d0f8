"""Build a report from the results of suites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.blocks import Block, Report, Section, bullets, details
from isthmus_bench.report.figures import difficulty_charts, figure_blocks
from isthmus_bench.report.goals import goal_lines
from isthmus_bench.report.method_cost import cost_section
from isthmus_bench.report.overview import overview
from isthmus_bench.report.paired import paired_tables
from isthmus_bench.report.problem_tables import problem_tables, single_problems
from isthmus_bench.report.set_columns import column_tables
from isthmus_bench.report.settings import settings_lines
from isthmus_bench.report.source_only import source_only_tables
from isthmus_bench.report.summary import Results, collect, hard_tasks, summarize
from isthmus_bench.report.tables import mean_tables, named_table, set_tables
from isthmus_bench.report.trust import trust_tables
from isthmus_bench.run.method_costs import Costs
from isthmus_bench.run.results import Record

__all__ = ["build_report"]

_SHOWN_FAILURES = 5
_INTRO = """Written by `isthmus-bench report`; do not edit by hand. Accuracies are in per cent,
errors and NMI are fractions, on target documents whose labels no method saw. Only results of the
current revision and parameters of a method are shown.

A **problem** has labeled documents of one or more source domains and unlabeled documents of a
target domain. Choices such as defaults were made on **development** problems; claims rest on
**evidence** problems only. Methods that do not run on all problems of a large suite run on its
**named** problems. A **peer** is a method of another library. An **oracle** gets information that
users do not have, and is never marked as the best. The best result is bold. Seconds are CPU seconds
on one thread, memory is what a fit needs in addition to its input; both are medians over the
results that have them."""


def build_report(
    suites: Sequence[tuple[Suite, Mapping[str, Record]]], costs: Costs | None = None
) -> Report:
    """The report on suites and their records by key.

    The ranks, the costs by number of documents if there are any, then one section per suite.
    """
    collected = [(suite, collect(suite, records)) for suite, records in suites]
    ranks = overview(collected)
    first = [] if ranks is None else [ranks]
    first += [] if costs is None else [cost_section(costs)]
    sections = [_section(suite, results) for suite, results in collected]
    return Report("Benchmarks", _INTRO, (*first, *sections))


def _section(suite: Suite, results: Results) -> Section:
    # Peers without results would fill the tables with dashes.
    absent = [e for e in suite.entries if e.is_peer and results[e.id].is_empty]
    suite = replace(suite, entries=tuple(e for e in suite.entries if e not in absent))
    blocks: list[Block] = [f"{suite.citation}.", *([suite.notes] if suite.notes else [])]
    blocks.append(details("How it was run", settings_lines(suite, results)))
    blocks += _tables(suite, results)
    blocks += figure_blocks(suite, results)
    blocks += named_table(suite, results)
    blocks += difficulty_charts(suite, results)
    blocks += source_only_tables(suite, results)
    blocks += trust_tables(suite, results)
    blocks += paired_tables(suite, results)
    blocks += goal_lines(suite, results)
    blocks += _gaps(suite, results)
    if absent:
        names = ", ".join(entry.label for entry in absent)
        blocks.append(f"Peers that were not run (they need the extra `peers`): {names}.")
    return Section(suite.name, suite.title, tuple(blocks))


def _tables(suite: Suite, results: Results) -> list[Block]:
    # The values of sweeps are in figures.
    suite = replace(suite, entries=tuple(e for e in suite.entries if e.sweep is None))
    if not suite.entries or suite.layout == "figures":
        return []
    if suite.layout == "problems":
        parts = [problem_tables(suite, group, results) for group in suite.sets]
    elif suite.layout == "columns":
        parts = [column_tables(suite, results)]
    elif suite.layout == "means":
        parts = [mean_tables(suite, group, results) for group in suite.sets]
    elif all(len(group.tasks) == 1 for group in suite.sets):
        parts = [single_problems(suite, results)]
    else:
        hard = hard_tasks(suite, results)
        parts = [set_tables(suite, group, results, hard) for group in suite.sets]
    return [block for part in parts for block in part]


def _gaps(suite: Suite, results: Results) -> list[Block]:
    """Runs that are missing, failed or exceeded their time limit."""
    lines = []
    failures = []
    for entry in suite.entries:
        summary = summarize(results[entry.id], suite.tasks)
        if not summary.complete:
            lines.append(f"{entry.label}: {summary.runs} of {summary.planned} runs done")
        for failure in results[entry.id].failures:
            seed = "" if failure.seed is None else f", seed {failure.seed}"
            failures.append(f"{entry.label} on {failure.task}{seed}: {failure.message}")
    lines += [f"failed: {text}" for text in failures[:_SHOWN_FAILURES]]
    if len(failures) > _SHOWN_FAILURES:
        lines.append(f"and {len(failures) - _SHOWN_FAILURES} more failed runs")
    return [bullets(lines, "Not complete:")] if lines else []
