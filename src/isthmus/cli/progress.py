"""Progress of long work: a live line on a terminal, lines of text in a log."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from isthmus.cli.command import raise_if_interrupted
from isthmus.files.printable import escape_control_characters

if TYPE_CHECKING:
    import rich.console

    from isthmus.numerics.progress import Progress as Iteration

__all__ = ["LiveProgress", "LogProgress", "Progress"]

# A log gets a line after this many seconds of work, and then after each of these pauses; the last
# one is repeated.
_LOG_PAUSES = (5.0, 10.0, 20.0, 30.0, 60.0)
# Shorter work has no estimate of the time that remains.
_ESTIMATE_SECONDS = 2.0
_EVERY_DOCUMENTS = 500


class Progress:
    """Records a text about the current work; this base class does not show it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._began = self._phase_began = time.monotonic()
        self._phase = text

    def begin(self, phase: str) -> None:
        """Start a new phase of the work."""
        self._phase, self._phase_began = phase, time.monotonic()
        self.update(phase)

    def update(self, text: str) -> None:
        """Change the text."""
        self.text = text

    def counter(self, text: str) -> Callable[[int, float | None], None]:
        """Return a function that shows how many documents are done and how much time remains.

        It takes the number of documents and the fraction of the work, None if that is unknown. The
        time is counted from its first call. It also notices an interrupt that a library has caught.
        """
        began = math.nan
        n_shown = 0

        def show(n_done: int, fraction: float | None) -> None:
            nonlocal began, n_shown
            raise_if_interrupted()
            if math.isnan(began):
                began = time.monotonic()
            if n_done - n_shown >= _EVERY_DOCUMENTS:
                n_shown = n_done
                remaining = _remaining(time.monotonic() - began, fraction)
                self.update(f"{text} {n_done:,}{remaining}")

        return show

    def show_iterations(self, max_iter: int | None) -> Callable[[Iteration], None]:
        """Return a callback of ``fit`` that shows every iteration of the method."""

        def show(iteration: Iteration) -> None:
            raise_if_interrupted()
            if math.isnan(iteration.objective):  # a member of the automatic method, with a phase
                return
            number = iteration.iteration
            limit = "" if max_iter is None else f" of at most {max_iter}"
            changed = f", {100 * iteration.changed:.1f} % of labels changed"
            if math.isnan(iteration.changed):  # a method without labels
                changed = ""
            remaining = ""
            if max_iter:
                elapsed = time.monotonic() - self._phase_began
                remaining = _remaining(elapsed, number / max_iter, "at most")
            self.update(
                f"{self._phase}: iteration {number}{limit}{remaining}, objective "
                f"{iteration.objective:.6g}{changed}"
            )

        return show

    def _elapsed(self) -> float:
        return time.monotonic() - self._began


class LiveProgress(Progress):
    """Shows the text on one line of a terminal, with a spinner and the elapsed time."""

    def __init__(self, text: str, console: rich.console.Console) -> None:
        from rich.progress import Progress as RichProgress
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        super().__init__(text)
        self._display = RichProgress(
            SpinnerColumn(),
            TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=7)),
            # In a narrow window the text is cut, not the time.
            TextColumn(
                "{task.description}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            console=console,
            transient=True,
        )
        self._task = self._display.add_task(escape_control_characters(text, keep=""))

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._display.stop()

    def update(self, text: str) -> None:
        """Change the text."""
        super().update(text)
        self._display.update(self._task, description=escape_control_characters(text, keep=""))


class LogProgress(Progress):
    """Prints the text from time to time, if the work takes longer than five seconds."""

    def __init__(self, text: str, print_line: Callable[[str], None]) -> None:
        super().__init__(text)
        self._print_line = print_line
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._log, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        self._thread.join()

    def _log(self) -> None:
        pauses = iter(_LOG_PAUSES)
        pause = next(pauses)
        # If the log is closed, the work goes on without it.
        with contextlib.suppress(OSError):
            while not self._ended.wait(pause):
                self._print_line(f"{self.text} ({_duration(self._elapsed())} elapsed)")
                pause = next(pauses, pause)


def _remaining(elapsed: float, fraction: float | None, bound: str = "about") -> str:
    """Return the time that remains if a fraction of the work is done, as part of a text."""
    if not fraction or elapsed < _ESTIMATE_SECONDS:
        return ""
    return f", {bound} {_duration(elapsed * (1 - fraction) / fraction)} left"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
