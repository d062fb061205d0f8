"""What ``isthmus-bench run`` shows while it works."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from isthmus_bench.run.multi_suite import SuiteRuns
    from isthmus_bench.run.results import Record

__all__ = ["BenchProgress"]


class BenchProgress:
    """A progress bar over the runs of all suites with the remaining time and the last accuracy.

    Without a terminal, there is one line per suite.
    """

    def __init__(self, planned: Sequence[SuiteRuns]) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self.failed: list[Record] = []
        # Ids of entries and names of corpora may contain brackets, which are not markup.
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[last]}", markup=False),
            console=self._console,
            speed_estimate_period=600,
        )
        done = sum(runs.done for runs in planned)
        total = done + sum(len(runs.pending) for runs in planned)
        self._bar = self._progress.add_task("", total=total, completed=done, last="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def begin(self, runs: SuiteRuns) -> None:
        """Show that a suite begins."""
        self._progress.update(self._bar, description=runs.suite.name)
        if runs.pending and not self._console.is_terminal:
            self._console.print(f"{runs.suite.name}: {len(runs.pending)} runs to do")

    def prepare(self, text: str) -> None:
        """Show what is prepared before the runs."""
        self._progress.update(self._bar, last=text)

    def show(self, record: Record) -> None:
        """Show that a run has ended."""
        if record["error"] is not None:
            self.failed.append(record)
            last = f"{record['entry']} failed"
        else:
            last = f"{record['entry']} {100 * record['accuracy']:.1f} %"
        self._progress.update(self._bar, advance=1, last=last)
