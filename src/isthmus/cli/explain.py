"""``isthmus explain``: the words behind the classes of a model or the label of a document."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from isthmus.cli.command import command, option
from isthmus.cli.input_options import EncodingOptions, TextColumn
from isthmus.cli.output import Console, JsonOutput
from isthmus.files.printable import escape_control_characters

if TYPE_CHECKING:
    from rich.table import Table

    from isthmus.inspection.explanation import Explanation
    from isthmus.transfer.model import Transfer

__all__ = ["explain", "word_table"]

# Smaller weights are printed as 0.
_SMALLEST = 0.005
# Characters of the document that are printed.
_CHARACTERS_SHOWN = 2_000


@dataclass(frozen=True)
class _DocumentOptions:
    """The document to explain, if there is one."""

    PANEL: ClassVar[str] = "One document"

    text: str | None = option("TEXT", "Document whose label is explained.")
    input: Path | None = option(
        "FILE",
        "File with the document, or a folder or a quoted pattern of several; '-' is standard "
        "input.",
        "--input",
        "-i",
    )
    row: int | None = option(
        "NUMBER", "Its row in the file or files, counted from 1 without the headers.", min=1
    )
    domain: str | None = option("NAME", "Domain of the document. Default: the target.")

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
        n_rows = 0
        with encoding.open(self.input, text_col=text_col, with_labels=False) as file:
            for row in file.rows():
                if row.number == self.row:
                    return row.text
                n_rows = row.number
        raise ValueError(
            f"There is no row {self.row} in '{self.input}', which has {n_rows:,} rows without "
            "the header: rows are counted from 1."
        )


@command
def explain(
    *,
    model: Path = option("FILE", "Model saved by 'isthmus classify --save-model'.", default=...),
    document: _DocumentOptions,
    encoding: EncodingOptions,
    text_col: TextColumn = None,
    words: int = option(
        "NUMBER",
        "Number of words of every class; with a document, for and against every class.",
        "--words",
        "-n",
        default=10,
        min=1,
    ),
    as_json: JsonOutput = False,
) -> None:
    """Show the words behind the classes of a model, or behind the label of one document.

    Without a document: the top words of every class and word cluster, by domain. Words that are
    frequent in a domain and specific to the class come first. Methods with word clusters associate
    these with classes; the percentage is the strength of that association.

    With a document: the words that speak for and against every class. The weight of a word is how
    much the score of the class falls if the word is removed.

    Example: isthmus explain --model kitchen.isthmus --text "The kettle is sturdy"
    """
    document.check()
    console = Console(as_json=as_json)
    if document.is_given:
        text = document.read(encoding, text_col)
        _explain_document(model, text, document.domain, words, console)
    else:
        _explain_model(model, words, console)


def _explain_document(
    model: Path, text: str, domain: str | None, n_words: int, console: Console
) -> None:
    """Load a model, and print the words for and against every class of a text."""
    from isthmus.transfer.saving import load

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
        table.add_row(_cell(label), f"{probability:.2f}", *map(_weight_cell, top))
    return table


def _weight_cell(words: list[tuple[str, float]]) -> Any:
    """Return a cell with one word and its weight per line."""
    from rich.text import Text

    lines = [_cell(f"{word} {weight:+.2f}") for word, weight in words]
    return Text("\n").join(lines or [Text("-")])


def _cell(value: object) -> Any:
    """Return a cell of a table, with control characters escaped."""
    from rich.text import Text

    return Text(escape_control_characters(value, keep=""))


def _explain_model(model: Path, words: int, console: Console) -> None:
    from isthmus.cli.summary import coverage_record
    from isthmus.transfer.saving import load

    with console.progress("Loading the model"):
        loaded = load(model)
        class_words = loaded.top_words(words)
        cluster_words = loaded.top_cluster_words(words) if loaded.has_word_clusters else {}
        associations = loaded.cluster_associations().round(4).tolist() if cluster_words else []
    console.print_table(word_table("Classes", "class", class_words))
    coverage = getattr(loaded.vectorizer_, "coverage_", None)
    if coverage is not None:
        console.print(f"Words of the target: {coverage}.")
    if cluster_words:
        titled = {
            _cluster_title(i, associations[i], loaded): words_of_cluster
            for i, words_of_cluster in cluster_words.items()
        }
        console.print_table(word_table("Word clusters", "cluster", titled))
    labels = [str(label) for label in loaded.classes_.tolist()]
    console.print_json(
        {
            "method": type(loaded.estimator_).__name__,
            "domains": loaded.domains_,
            **({} if coverage is None else {"coverage": coverage_record(coverage)}),
            "classes": {str(label): by_domain for label, by_domain in class_words.items()},
            "clusters": [
                {
                    "number": i,
                    "words": by_domain,
                    "class_associations": dict(zip(labels, associations[i], strict=True)),
                }
                for i, by_domain in cluster_words.items()
            ],
        }
    )


def word_table(title: str, first: str, words: dict[Any, dict[str, list[str]]]) -> Table:
    """Return a table with one row per class or cluster and one column per domain."""
    from rich.table import Table

    domains = list(next(iter(words.values())))
    table = Table(first, title=title)
    for name in domains:
        # By default rich cuts cells of wide characters.
        table.add_column(_cell(f"words in {name}"), overflow="fold")
    for label, by_domain in words.items():
        table.add_row(_cell(label), *(_cell(", ".join(by_domain[name]) or "-") for name in domains))
    return table


def _cluster_title(number: int, associations: list[float], model: Transfer) -> str:
    best = max(range(len(associations)), key=associations.__getitem__)
    return f"{number} ({100 * associations[best]:.0f} % {model.classes_.tolist()[best]})"
