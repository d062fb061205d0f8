"""``isthmus explain``: the words behind the classes of a model or the label of a document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli.errors import command
from isthmus.cli.explain_document import DocumentOptions, cell, explain_document
from isthmus.cli.file_options import EncodingOptions, TextColumn
from isthmus.cli.output_options import JsonOutput

if TYPE_CHECKING:
    from rich.table import Table

    from isthmus.transfer.model import Transfer

__all__ = ["explain", "word_table"]


@command
def explain(
    model: Annotated[
        Path, typer.Option(metavar="FILE", help="Model saved by 'isthmus classify --save-model'.")
    ],
    document: DocumentOptions,
    encoding: EncodingOptions,
    text_col: TextColumn = None,
    words: Annotated[
        int,
        typer.Option(
            "--words",
            "-n",
            min=1,
            metavar="NUMBER",
            help="Number of words of every class; with a document, for and against every class.",
        ),
    ] = 10,
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
    if document.is_given:
        text = document.read(encoding, text_col)
        explain_document(model, text, document.domain, words, as_json)
    else:
        _explain_model(model, words, as_json)


def _explain_model(model: Path, words: int, as_json: bool) -> None:
    from isthmus.cli.output import Console
    from isthmus.cli.summary import coverage_record
    from isthmus.transfer.saving import load

    console = Console(as_json=as_json)
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
        table.add_column(cell(f"words in {name}"), overflow="fold")
    for label, by_domain in words.items():
        table.add_row(cell(label), *(cell(", ".join(by_domain[name]) or "-") for name in domains))
    return table


def _cluster_title(number: int, associations: list[float], model: Transfer) -> str:
    best = max(range(len(associations)), key=associations.__getitem__)
    return f"{number} ({100 * associations[best]:.0f} % {model.classes_.tolist()[best]})"
