"""What ``isthmus bench run`` shows while it works."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from isthmus.bench.run.campaign import Stage
    from isthmus.bench.run.results import Record

__all__ = ["BenchProgress"]


class BenchProgress:
    """A bar over the runs of all suites, with the time that is left and the latest accuracy.

    A log has no bar, so it gets a line a suite.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        from isthmus.bench.run.remaining import RemainingTime

        self.failed: list[Record] = []
        known = (record for stage in stages for record in stage.results.read().values())
        self._remaining = RemainingTime([run for s in stages for run in s.pending], known)
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        # Ids of entries and names of corpora may hold brackets, which are no markup of rich.
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.fields[last]}", markup=False),
            console=self._console,
        )
        done = sum(stage.done for stage in stages)
        total = done + sum(len(stage.pending) for stage in stages)
        self._bar = self._progress.add_task("", total=total, completed=done, left="", last="")

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

    def begin(self, stage: Stage) -> None:
        """A suite begins."""
        self._progress.update(self._bar, description=stage.suite.name)
        if stage.pending and not self._console.is_terminal:
            self._console.print(f"{stage.suite.name}: {len(stage.pending)} runs to do")

    def prepare(self, text: str) -> None:
        """Something is made ready for the runs."""
        self._progress.update(self._bar, last=text)

    def show(self, record: Record) -> None:
        """A run has ended."""
        if record["error"] is not None:
            self.failed.append(record)
            last = f"{record['entry']} failed"
        else:
            last = f"{record['entry']} {100 * record['accuracy']:.1f} %"
        self._remaining.advance(record)
        left = self._remaining.seconds
        self._progress.update(
            self._bar, advance=1, last=last, left="" if left is None else f"{_clock(left)} left"
        )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
