"""What a command says while it works, on standard error, and what it answers at the end."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from isthmus.cli.interrupts import raise_if_interrupted
from isthmus.evaluation.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

    from isthmus.numerics.progress import Progress

__all__ = ["Talk"]

T = TypeVar("T")


class Talk:
    """Standard output holds the answer, as text or as JSON; everything else goes to standard error.

    Parameters
    ----------
    quiet : bool
        Whether to print nothing at all.
    as_json : bool
        Whether the answer is one JSON object.
    answer_on_error_stream : bool
        Whether standard output is taken by something else, such as predictions.
    """

    def __init__(
        self, quiet: bool = False, as_json: bool = False, answer_on_error_stream: bool = False
    ) -> None:
        from rich.console import Console

        self._live = not quiet and not as_json
        self._quiet = quiet
        self._as_json = as_json
        self._error = Console(stderr=True, quiet=quiet, highlight=False)
        stdout = Console(quiet=quiet or as_json, highlight=False)
        for console in (self._error, stdout):
            # Rich would leave with exit code 1 where a reader has only seen enough.
            setattr(console, "on_broken_pipe", _tell_broken_pipe)  # noqa: B010
        self.console: Console = self._error if answer_on_error_stream else stdout
        self._answer_stream = sys.stderr if answer_on_error_stream else sys.stdout

    def say(self, text: str) -> None:
        """One line of the answer for people."""
        if self._live:
            _print_line(self.console, text)

    def say_aside(self, text: str) -> None:
        """A line about the work, not part of the answer."""
        if self._live:
            _print_line(self._error, text)

    def show(self, thing: Any) -> None:
        """A table of the answer for people."""
        if self._live:
            self.console.print(thing)

    def answer(self, summary: dict[str, Any]) -> None:
        """The answer for programs."""
        if self._as_json and not self._quiet:
            stream = self._answer_stream
            plain = not (stream.encoding or "").lower().startswith("utf")
            print(json.dumps(summary, ensure_ascii=plain, indent=2), file=stream)

    @contextlib.contextmanager
    def notes(self) -> Iterator[None]:
        """Turn warnings into one line each."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            # The number of classes was looked at before, in words that say more.
            if "could represent a regression problem" not in message:
                self.note(message)

    def note(self, text: str) -> None:
        """A line that the user should not miss."""
        _print_line(self._error, f"Note: {text}")

    @contextlib.contextmanager
    def working(self, text: str) -> Iterator[Callable[[str], None]]:
        """A line with the time that runs; call the function given to change the text."""
        # A log file has no use for a line that is written over and over.
        if not self._live or not self._error.is_terminal:
            yield lambda new: None
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        columns = (
            SpinnerColumn(),
            TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=7)),
            # The text gives way where the window is narrow, not the time.
            TextColumn(
                "{task.description}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
        )
        with Progress(*columns, console=self._error, transient=True) as progress:
            line = progress.add_task(visible(text))
            yield lambda new: progress.update(line, description=visible(new))

    def counted(
        self, items: Iterable[T], text: str, update: Callable[[str], None], every: int = 500
    ) -> Iterator[T]:
        """Pass items on and show how many there were."""
        for number, item in enumerate(items, 1):
            raise_if_interrupted()
            if number % every == 0:
                update(f"{text} {number:,}")
            yield item

    def follow(self, name: str, update: Callable[[str], None]) -> Callable[[Progress], None]:
        """A callback that shows every iteration of a method."""

        def show(progress: Progress) -> None:
            raise_if_interrupted()
            changed = f", {100 * progress.changed:.1f} % of labels changed"
            if math.isnan(progress.changed):  # a method without labels
                changed = ""
            update(f"{name} step {progress.iteration}: objective {progress.objective:.6g}{changed}")

        return show


def _tell_broken_pipe() -> None:
    raise BrokenPipeError


def _print_line(console: Console, text: str) -> None:
    """Wrap at words where people read, and not at all where programs do."""
    console.print(visible(text), markup=False, soft_wrap=not console.is_terminal)
