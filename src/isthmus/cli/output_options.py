"""Options of the output, and checks of output files before the work."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from isthmus.cli.parsing import comma_separated

if TYPE_CHECKING:
    from isthmus.cli.output import Console
    from isthmus.files import TableWriter

__all__ = [
    "STANDARD_STREAM",
    "ClassifyOutput",
    "ConsoleOptions",
    "Force",
    "JsonOutput",
    "OutputOptions",
    "PredictOutput",
    "confirm_overwrite",
    "is_standard_stream",
]

#: Standard input or output instead of a file.
STANDARD_STREAM = "-"

JsonOutput = Annotated[
    bool, typer.Option("--json", metavar="", help="Print the summary as one JSON object.")
]
Force = Annotated[
    bool, typer.Option("--force", "-f", metavar="", help="Overwrite files that already exist.")
]
_Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File for the predictions: .csv, .tsv, .jsonl or .parquet; '-' is standard output.",
    ),
]


@dataclass(frozen=True)
class ConsoleOptions:
    """What is printed."""

    PANEL: ClassVar[str] = "Output"

    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", metavar="", help="Print nothing but errors.")
    ] = False
    as_json: JsonOutput = False
    timings: Annotated[
        bool,
        typer.Option(
            "--timings", metavar="", help="Print how long every stage took; --json always does."
        ),
    ] = False

    def open(self, output: Path) -> Console:
        """Return the console of a command that writes its results to ``output``."""
        from isthmus.cli.output import Console

        return Console(
            self.quiet,
            self.as_json,
            summary_to_stderr=is_standard_stream(output),
            with_timings=self.timings,
        )


@dataclass(frozen=True)
class OutputOptions:
    """The file of predictions and its columns."""

    PANEL: ClassVar[str] = "Output"

    output: _Output = Path("predictions.csv")
    force: Force = False
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="Input columns to copy, separated by commas, or 'none'. Default: all.",
        ),
    ] = None
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            metavar="",
            help="Add one column of probabilities per class (only those of auto are calibrated).",
        ),
    ] = False
    min_confidence: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="NUMBER",
            help="Leave the label of documents with a lower confidence than this empty, as in 0.8.",
        ),
    ] = None
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe",
            metavar="",
            help="Put ' before cells that a spreadsheet would evaluate: those that start with =, "
            "+, - or @ and are not numbers (-5 stays). Also escape control characters. For .csv "
            "and .tsv.",
        ),
    ] = False

    def files(self) -> list[Path]:
        """Return the files to write."""
        return [self.output]

    def check(self) -> None:
        """Raise ValueError if an option is wrong or a file cannot be written."""
        from isthmus.estimators.base.classifier import check_min_confidence
        from isthmus.files import check_table_path

        check_min_confidence(self.min_confidence)  # the option accepts 'nan'

        if is_standard_stream(self.output) and sys.__stdout__ is None:
            raise ValueError("Standard output is closed: name a file with --output.")
        if not self.writes_parts:
            check_table_path(self.output, spreadsheet_safe=self.spreadsheet_safe)

    @property
    def writes_parts(self) -> bool:
        """Whether the output is a folder of files."""
        return False

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
        """Open the file of predictions for writing."""
        from isthmus.files import open_table_writer

        return open_table_writer(self.output, columns, spreadsheet_safe=self.spreadsheet_safe)


@dataclass(frozen=True)
class ClassifyOutput(OutputOptions):
    """The output of ``isthmus classify``."""

    save_model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also save the model, for 'isthmus predict' and 'isthmus explain'. It contains "
            "the words of your documents.",
        ),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a report: one HTML page with the verdict, the words behind the "
            "labels, and the documents to look at. It contains words and some of your texts.",
        ),
    ] = None
    report_texts: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="NUMBER",
            help="Largest number of texts in the report; 0 leaves all texts out. Single words "
            "are shown nevertheless. Default: 1500.",
        ),
    ] = None
    parts: Annotated[
        bool,
        typer.Option(
            "--parts",
            metavar="",
            help="Write a folder of Parquet files, one per piece of the input, in place of one "
            "file; --output names the folder.",
        ),
    ] = False
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            metavar="",
            help='Write nothing and exit with code 1 if the verdict is "do not use".',
        ),
    ] = False

    def files(self) -> list[Path]:
        """Return the files to write."""
        others = (self.save_model, self.report)
        return [self.output, *(path for path in others if path is not None)]

    def check(self) -> None:
        """Raise ValueError if a file cannot be written."""
        from isthmus.files import check_writable

        super().check()
        if self.parts:
            from isthmus.cli.output_parts import check_folder

            if self.spreadsheet_safe:
                raise ValueError(
                    "--spreadsheet-safe applies to CSV and TSV, and --parts writes Parquet: leave "
                    "one of them out."
                )
            check_folder(self.output, force=self.force)
        for path in (self.save_model, self.report):
            if path is not None:
                check_writable(path)
        if self.report is not None:
            from isthmus.transfer.report_facts import check_report_path

            check_report_path(self.report)
        elif self.report_texts is not None:
            raise ValueError("--report-texts needs a report: name its file with --report.")

    @property
    def writes_parts(self) -> bool:
        """Whether the output is a folder of files."""
        return self.parts


@dataclass(frozen=True)
class PredictOutput(OutputOptions):
    """The output of ``isthmus predict``."""

    output: _Output = Path(STANDARD_STREAM)


def is_standard_stream(path: Path) -> bool:
    """Return whether a path is ``-``, standard input or output."""
    return os.fspath(path) == STANDARD_STREAM


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
