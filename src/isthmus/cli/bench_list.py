"""Suites in tables, for ``isthmus bench list``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from isthmus.bench.plan.suite import Suite

__all__ = ["show_suite", "show_suites"]


def show_suites(suites: Sequence[Suite]) -> None:
    """A row a suite."""
    from rich.table import Table

    from isthmus.bench.run.planning import Choice, plan_runs

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
    console.print("'isthmus bench list SUITE' tells what a suite runs.")


def show_suite(suite: Suite) -> None:
    """The sets and the entries of a suite."""
    from rich.table import Table

    from isthmus.bench.plan.contestants import missing_package
    from isthmus.bench.plan.scope import runs_on

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
        # Ids are there to be copied: none may be cut.
        entries.add_column(name, overflow="fold")
    entries.add_column("problems", justify="right")
    for entry in suite.entries:
        lacking = missing_package(entry.method)
        entries.add_row(
            entry.id,
            entry.method + (f" (needs {lacking})" if lacking else ""),
            entry.label,
            entry.weighting,
            str(sum(runs_on(entry, task) for task in suite.tasks)),
        )
    console.print(entries)


def _console() -> Console:
    """What a suite says is shown as it stands: brackets in it are no markup of rich."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)
