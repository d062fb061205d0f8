"""Suites in tables, for ``isthmus-bench list``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from isthmus_bench.plan.suite import Suite

__all__ = ["show_suite", "show_suites"]


def show_suites(suites: Sequence[Suite]) -> None:
    """One row per suite."""
    from rich.table import Table

    from isthmus_bench.run.planning import Choice, plan_runs

    table = Table()
    table.add_column("suite", no_wrap=True)
    for name in ("problems", "entries", "runs"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("title", overflow="fold")
    for suite in suites:
        counts = len(suite.tasks), len(suite.entries), len(plan_runs(suite, Choice()))
        table.add_row(suite.name, *(f"{count:,}" for count in counts), suite.title)
    console = _console()
    console.print(table)
    console.print("'isthmus-bench list SUITE' shows the sets and entries of a suite.")


def show_suite(suite: Suite) -> None:
    """The sets and the entries of a suite."""
    from rich.table import Table

    from isthmus_bench.peers.registry import missing_package

    console = _console()
    console.print(suite.title)
    console.print(f"{suite.citation}.\n")
    sets = Table("set", "corpora", "problems", "development", "named")
    for group in suite.sets:
        sets.add_row(
            group.name,
            ", ".join(dict.fromkeys(task.corpus for task in group.tasks)),
            str(len(group.tasks)),
            str(sum(task.split == "development" for task in group.tasks)),
            str(sum(task.named for task in group.tasks)),
        )
    console.print(sets)
    entries = Table()
    for name in ("entry", "method", "label", "weighting"):
        # Ids are copied by users, so they are never truncated.
        entries.add_column(name, overflow="fold")
    entries.add_column("problems", justify="right")
    for entry in suite.entries:
        missing = missing_package(entry.method)
        entries.add_row(
            entry.id,
            entry.method + (f" (needs {missing})" if missing else ""),
            entry.label,
            entry.weighting,
            str(sum(entry.runs_on(task) for task in suite.tasks)),
        )
    console.print(entries)


def _console() -> Console:
    """A console that shows brackets in the texts of a suite as they are."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)
