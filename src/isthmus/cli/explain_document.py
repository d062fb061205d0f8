"""The explanation of one document, for ``isthmus explain``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from isthmus.cli.file_options import EncodingOptions
from isthmus.files.printable import escape_control_characters

if TYPE_CHECKING:
    from rich.table import Table

    from isthmus.inspection.explanation import Explanation

__all__ = ["DocumentOptions", "cell", "explain_document"]

# Characters of the document that are printed.
_SMALLEST = 0.005
_CHARACTERS_SHOWN = 2_000


@dataclass(frozen=True)
class DocumentOptions:
    """The document to explain, if there is one."""

    PANEL: ClassVar[str] = "One document"

    text: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Document whose label is explained.")
    ] = None
    input: Annotated[
        Path | None,
        typer.Option(
            "--input",
            "-i",
            metavar="FILE",
            help="File with the document, or a folder or a quoted pattern of several; '-' is "
            "standard input.",
        ),
    ] = None
    row: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Its row in the file or files, counted from 1 without the headers.",
        ),
    ] = None
    domain: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Domain of the document. Default: the target."),
    ] = None

    @property
    def is_given(self) -> bool:
        """Whether there is a document to explain."""
        return self.text is not None or self.input is not None

    def check(self) -> None:
        """Raise ValueError if options contradict each other."""
        if self.text is not None and self.input is not None:
            raise ValueError("--text and --input exclude each other: give one of them.")
        if self.input is None and self.row is not None:
            raise ValueError("--row needs a file: name it with --input.")
        if self.input is not None and self.row is None:
            raise ValueError(
                "--input needs --row, the number of the document in the file, counted from 1."
            )
        if self.domain is not None and not self.is_given:
            raise ValueError(
                "--domain needs a document: give it with --text, or --input and --row."
            )

    def read(self, encoding: EncodingOptions, text_col: str | None) -> str:
        """Return the text of the document."""
        if self.input is None:
            # Bytes of the command line that are not UTF-8 could not be printed.
            return os.fsencode(self.text or "").decode("utf-8", "replace")
        from isthmus.files import open_documents

        n_rows = 0
        with open_documents(
            self.input,
            text_col=text_col,
            with_labels=False,
            encoding=encoding.encoding,
            quotes=not encoding.no_quotes,
        ) as file:
            for row in file.rows():
                if row.number == self.row:
                    return row.text
                n_rows = row.number
        raise ValueError(
            f"There is no row {self.row} in '{self.input}', which has {n_rows:,} rows without "
            "the header: rows are counted from 1."
        )


def explain_document(
    model: Path, text: str, domain: str | None, n_words: int, as_json: bool
) -> None:
    """Load a model, and print the words for and against every class of a text."""
    from isthmus.cli.output import Console
    from isthmus.transfer.saving import load

    console = Console(as_json=as_json)
    with console.progress("Loading the model"):
        loaded = load(model)
        explanation = loaded.explain(text, domain)
    probability = explanation.probabilities[explanation.label]
    console.print(
        f"Label: {explanation.label} (probability {probability:.2f}; by the source alone: "
        f"{explanation.source_only})."
    )
    if explanation.words:
        console.print_table(_marked_text(explanation))
        console.print_table(_weight_table(explanation, n_words))
    if explanation.note:
        console.print(explanation.note)
    console.print_json({"method": type(loaded.estimator_).__name__, **explanation.to_dict()})


def _marked_text(explanation: Explanation) -> Any:
    """Return the beginning of the text, with colors for words that speak for or against."""
    from rich.text import Text

    text, label = explanation.text, explanation.classes.index(explanation.label)
    marked, end_of_last = Text(), 0
    for start, end, word in explanation.spans:
        if end > _CHARACTERS_SHOWN:
            break
        weight = explanation.words[word].weights[label]
        marked.append(escape_control_characters(text[end_of_last:start]))
        # Weights that are printed as 0 have no color.
        color = "" if abs(weight) < _SMALLEST else "green" if weight > 0 else "red"
        marked.append(escape_control_characters(text[start:end]), color)
        end_of_last = end
    marked.append(escape_control_characters(text[end_of_last:_CHARACTERS_SHOWN]))
    return marked.append("…" if len(text) > _CHARACTERS_SHOWN else "")


def _weight_table(explanation: Explanation, n_words: int) -> Table:
    from rich.table import Table

    table = Table("class", "probability")
    for title in ("words for it", "words against it"):
        table.add_column(title, overflow="fold")
    for label, probability in explanation.probabilities.items():
        top = explanation.top_words(label, n_words)
        table.add_row(cell(label), f"{probability:.2f}", *map(_weight_cell, top))
    return table


def _weight_cell(words: list[tuple[str, float]]) -> Any:
    """Return a cell with one word and its weight per line."""
    from rich.text import Text

    lines = [cell(f"{word} {weight:+.2f}") for word, weight in words]
    return Text("\n").join(lines or [Text("-")])


def cell(value: object) -> Any:
    """Return a cell of a table, with control characters escaped."""
    from rich.text import Text

    return Text(escape_control_characters(value, keep=""))
