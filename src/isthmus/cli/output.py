"""What a command prints: its summary, information about the work, warnings and progress."""

from __future__ import annotations

import contextlib
import json
import sys
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from isthmus._warnings import VerdictWarning
from isthmus.cli.parsing import with_option_names
from isthmus.cli.progress import LiveProgress, LogProgress, Progress
from isthmus.files.printable import escape_control_characters

if TYPE_CHECKING:
    import rich.console

__all__ = ["Console", "count", "report_abstentions", "rounded"]


class Console:
    """Prints the summary to standard output, as text or JSON, and the rest to standard error.

    Control characters and line breaks in file names, labels and words are escaped.

    Parameters
    ----------
    quiet : bool
        Whether to print nothing at all.
    as_json : bool
        Whether the summary is one JSON object.
    summary_to_stderr : bool
        Whether standard output is used for something else, such as predictions.
    with_timings : bool
        Whether to print how long every stage took.
    """

    def __init__(
        self,
        quiet: bool = False,
        as_json: bool = False,
        summary_to_stderr: bool = False,
        with_timings: bool = False,
    ) -> None:
        from rich.console import Console as RichConsole

        self._is_text = not quiet and not as_json
        self._quiet = quiet
        self._as_json = as_json
        self._with_timings = with_timings
        self._stderr = RichConsole(stderr=True, quiet=quiet, highlight=False)
        stdout = RichConsole(quiet=quiet or as_json, highlight=False)
        for console in (self._stderr, stdout):
            # By default rich exits with code 1 if the reader of a pipe has read enough.
            setattr(console, "on_broken_pipe", _raise_broken_pipe)  # noqa: B010
        self.rich: rich.console.Console = self._stderr if summary_to_stderr else stdout
        self._summary_stream = sys.stderr if summary_to_stderr else sys.stdout

    def print(self, text: str, indent: str = "", style: str = "") -> None:
        """Print a line of the summary, in the color ``style`` if it goes to a terminal."""
        if self._is_text:
            _print_line(self.rich, text, indent, style)

    def info(self, text: str, style: str = "") -> None:
        """Print a line about the work."""
        if self._is_text:
            _print_line(self._stderr, text, style=style)

    def warn(self, text: str) -> None:
        """Print a warning."""
        _print_line(self._stderr, f"Note: {text}")

    def print_table(self, table: Any) -> None:
        """Print a table of the summary."""
        if self._is_text:
            self.rich.print(table)

    def print_json(self, summary: Any) -> None:
        """Print the summary as JSON, if the user chose that."""
        if self._as_json and not self._quiet:
            stream = self._summary_stream
            ascii_only = not (stream.encoding or "").lower().startswith("utf")
            print(json.dumps(summary, ensure_ascii=ascii_only, indent=2), file=stream)

    def print_timings(self, seconds: Mapping[str, float], engine: str) -> None:
        """Print how long every stage took, and the engine, if the user chose that."""
        if not self._with_timings or not self._is_text:
            return
        from rich.table import Table

        total = sum(seconds.values())
        table = Table("stage", title=f"Seconds per stage (engine: {engine})", title_justify="left")
        for column in ("seconds", "%"):
            table.add_column(column, justify="right")
        for name, value in seconds.items():
            table.add_row(name, f"{value:.2f}", f"{100 * value / total:.0f}")
        table.add_row("all", f"{total:.2f}", "100")
        self.rich.print(table)

    @contextlib.contextmanager
    def show_warnings(self) -> Iterator[None]:
        """Print every warning of Python once, as one line, when it is raised."""
        shown: set[str] = set()

        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            if isinstance(message, VerdictWarning):  # the verdict itself is printed
                return
            text = with_option_names(str(message))
            # The command itself warns about too many classes, with a better message.
            if text not in shown and "could represent a regression problem" not in text:
                shown.add(text)
                self.warn(text)

        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show
            yield

    @contextlib.contextmanager
    def progress(self, text: str) -> Iterator[Progress]:
        """Show what is being done for as long as the block runs."""
        if not self._is_text:
            yield Progress(text)
        elif self._stderr.is_terminal:
            with LiveProgress(text, self._stderr) as live:
                yield live
        else:
            with LogProgress(text, self.info) as log:
                yield log


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number of things in words: "1 document", "2,000 documents"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return the seconds per stage, rounded for a summary."""
    return {name: round(value, 3) for name, value in seconds.items()}


def report_abstentions(
    n_without_label: int, n_documents: int, min_confidence: float | None, console: Console
) -> None:
    """Print how many documents got no label because their confidence is too low."""
    if min_confidence is not None:
        console.print(
            f"{count(n_without_label, 'document')} of {n_documents:,} got no label: their "
            f"confidence is below {min_confidence:g}."
        )


def _raise_broken_pipe() -> None:
    raise BrokenPipeError


def _print_line(
    console: rich.console.Console, text: str, indent: str = "", style: str = ""
) -> None:
    """Print a line; wrap it between words on a terminal, or anywhere if it is indented."""
    line = escape_control_characters(text, keep="")
    if indent:
        line = textwrap.fill(
            line,
            console.width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    console.print(
        line, style=style or None, markup=False, emoji=False, soft_wrap=not console.is_terminal
    )
