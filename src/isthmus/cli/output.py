"""What a command prints and writes, with the options for it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from isthmus._warnings import VerdictWarning
from isthmus.cli.command import comma_separated, flag, option, with_option_names
from isthmus.cli.progress import LiveProgress, LogProgress, Progress
from isthmus.files.printable import escape_control_characters

if TYPE_CHECKING:
    import rich.console

    from isthmus.files import TableWriter

__all__ = [
    "ClassifyOutput",
    "Console",
    "ConsoleOptions",
    "Force",
    "JsonOutput",
    "OutputOptions",
    "PredictOutput",
    "ReportOptions",
    "TableOptions",
    "confirm_overwrite",
    "count",
    "is_standard_stream",
    "report_abstentions",
    "rounded",
]

#: Standard input or output instead of a file.
_STANDARD_STREAM = "-"

JsonOutput = Annotated[
    bool, typer.Option("--json", metavar="", help="Print the summary as one JSON object.")
]
Force = Annotated[
    bool, typer.Option("--force", "-f", metavar="", help="Overwrite files that already exist.")
]
_OUTPUT = (
    *("FILE", "File for the predictions: .csv, .tsv, .jsonl or .parquet; '-' is standard output."),
    *("--output", "-o"),
)


@dataclass(frozen=True)
class ConsoleOptions:
    """What is printed."""

    PANEL: ClassVar[str] = "Output"

    quiet: bool = flag("Print nothing but errors.", "--quiet", "-q")
    as_json: JsonOutput = False
    timings: bool = flag("Print how long every stage took; --json always does.")

    def open(self, output: Path) -> Console:
        """Return the console of a command that writes its results to ``output``."""
        return Console(
            self.quiet,
            self.as_json,
            summary_to_stderr=is_standard_stream(output),
            with_timings=self.timings,
        )


@dataclass(frozen=True)
class TableOptions:
    """The file of results and its columns."""

    PANEL: ClassVar[str] = "Output"

    output: Path = option(*_OUTPUT, default=Path("predictions.csv"))
    force: Force = False
    columns: str | None = option(
        "NAMES", "Input columns to copy, separated by commas, or 'none'. Default: all."
    )
    spreadsheet_safe: bool = flag(
        "Put ' before cells that a spreadsheet would evaluate: those that start with =, +, - or @ "
        "and are not numbers (-5 stays). Also escape control characters. For .csv and .tsv."
    )

    def files(self) -> list[Path]:
        """Return the files to write."""
        return [self.output]

    def check(self) -> None:
        """Raise ValueError if an option is wrong or a file cannot be written."""
        from isthmus.files import check_writable

        if is_standard_stream(self.output) and sys.__stdout__ is None:
            raise ValueError("Standard output is closed: name a file with --output.")
        self._check_path()
        for path in self.files()[1:]:
            check_writable(path)

    def _check_path(self) -> None:
        from isthmus.files import check_table_path

        check_table_path(self.output, spreadsheet_safe=self.spreadsheet_safe)

    @property
    def requested_columns(self) -> list[str] | Literal["all"]:
        """The input columns to copy, as the user named them."""
        if self.columns is None:
            return "all"
        if self.columns.strip().lower() == "none":
            return []
        return list(comma_separated(self.columns))

    def copied_columns(self, columns: Sequence[str], path: Path) -> list[str]:
        """Return the columns of the input that are copied to the output."""
        names = self.requested_columns
        if names == "all":
            return list(columns)
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"--columns names '{name}' twice: name it once.")
            if name not in columns:
                raise ValueError(
                    f"There is no column '{name}' in '{path}' to copy: it has {', '.join(columns)}."
                )
        return names

    def open_writer(self, columns: Sequence[str]) -> AbstractContextManager[TableWriter]:
        """Open the file for writing."""
        from isthmus.files import open_table_writer

        return open_table_writer(self.output, columns, spreadsheet_safe=self.spreadsheet_safe)


@dataclass(frozen=True)
class ReportOptions(TableOptions):
    """The file of results and the report."""

    report: Path | None = option(
        "FILE",
        "Also write a report: one HTML page with the verdict, the words behind the labels, and the "
        "documents to look at. It contains words and some of your texts.",
    )
    report_texts: int | None = option(
        "NUMBER",
        "Largest number of texts in the report; 0 leaves all texts out. Single words are shown "
        "nevertheless. Default: 1500.",
        min=0,
    )

    @property
    def max_texts(self) -> int:
        """The largest number of texts in the report."""
        from isthmus.transfer.model import DEFAULT_MAX_TEXTS

        return DEFAULT_MAX_TEXTS if self.report_texts is None else self.report_texts

    def files(self) -> list[Path]:
        """Return the files to write."""
        return [*super().files(), *([] if self.report is None else [self.report])]

    def check(self) -> None:
        """Raise ValueError if an option is wrong or a file cannot be written."""
        super().check()
        if self.report is not None:
            from isthmus.transfer.reporting import check_report_path

            check_report_path(self.report)
        elif self.report_texts is not None:
            raise ValueError("--report-texts needs a report: name its file with --report.")


@dataclass(frozen=True)
class OutputOptions(TableOptions):
    """The file of predictions and its columns."""

    probabilities: bool = flag(
        "Add one column of probabilities per class (only those of auto are calibrated)."
    )
    min_confidence: float | None = option(
        "NUMBER",
        "Leave the label of documents with a lower confidence than this empty, as in 0.8.",
        min=0.0,
        max=1.0,
    )

    def check(self) -> None:
        """Raise ValueError if an option is wrong or a file cannot be written."""
        from isthmus.domains.labels import check_min_confidence

        check_min_confidence(self.min_confidence)  # the option accepts 'nan'
        super().check()


@dataclass(frozen=True)
class ClassifyOutput(OutputOptions, ReportOptions):
    """The output of ``isthmus classify``."""

    save_model: Path | None = option(
        "FILE",
        "Also save the model, for 'isthmus predict' and 'isthmus explain'. It contains the words "
        "of your documents.",
    )
    parts: bool = flag(
        "Write a folder of Parquet files, one per piece of the input, in place of one file; "
        "--output names the folder."
    )
    strict: bool = flag('Write nothing and exit with code 1 if the verdict is "do not use".')

    def files(self) -> list[Path]:
        """Return the files to write."""
        return [*super().files(), *([] if self.save_model is None else [self.save_model])]

    def _check_path(self) -> None:
        if not self.parts:
            super()._check_path()
            return
        from isthmus.cli.output_parts import check_folder

        if self.spreadsheet_safe:
            raise ValueError(
                "--spreadsheet-safe applies to CSV and TSV, and --parts writes Parquet: leave one "
                "of them out."
            )
        check_folder(self.output, force=self.force)


@dataclass(frozen=True)
class PredictOutput(OutputOptions):
    """The output of ``isthmus predict``."""

    output: Path = option(*_OUTPUT, default=Path(_STANDARD_STREAM))


def is_standard_stream(path: Path) -> bool:
    """Return whether a path is ``-``, standard input or output."""
    return os.fspath(path) == _STANDARD_STREAM


def confirm_overwrite(paths: Sequence[Path], force: bool) -> None:
    """Ask before existing files are overwritten; without a terminal, raise ValueError."""
    from isthmus.files import is_existing_file

    existing = [f"'{path}'" for path in paths if is_existing_file(path)]
    if force or not existing:
        return
    names, exist = ", ".join(existing), "exists" if len(existing) == 1 else "exist"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ValueError(
            f"{names} already {exist}: add --force to overwrite, or name another file."
        )
    try:
        confirmed = typer.confirm(f"{names} already {exist}. Overwrite?", err=True)
    except typer.Abort:
        raise KeyboardInterrupt from None
    if not confirmed:
        raise ValueError("Nothing was written: name another file.")


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
        """Show what is being done while the block runs."""
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
