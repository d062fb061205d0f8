"""``isthmus predict``: labels for new documents from a saved model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.errors import command
from isthmus.cli.options import (
    STANDARD_STREAM,
    Columns,
    Encoding,
    JsonOutput,
    NoQuotes,
    Probabilities,
    Quiet,
    TextColumn,
    copied_columns,
)

if TYPE_CHECKING:
    from isthmus.files import Row

__all__ = ["predict"]

# Documents go through the model so many at a time, fewer if they are long.
_BATCH_DOCUMENTS = 1000
_BATCH_CHARACTERS = 20_000_000


@command
def predict(
    model: Annotated[
        Path, typer.Option(metavar="FILE", help="Model that 'isthmus classify --save-model' wrote.")
    ],
    input: Annotated[
        Path,
        typer.Option(
            "--input", "-i", metavar="FILE", help="Documents to label; '-' is standard input."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where the labels go; '-' is standard output."
        ),
    ] = Path(STANDARD_STREAM),
    text_col: TextColumn = None,
    domain: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Domain the documents come from; the model's target by default."
        ),
    ] = None,
    columns: Columns = None,
    probabilities: Probabilities = False,
    encoding: Encoding = None,
    no_quotes: NoQuotes = False,
    quiet: Quiet = False,
    as_json: JsonOutput = False,
) -> None:
    """Label new documents with a saved model.

    Documents are read, labelled and written in batches, so the file may be larger than the
    memory. The columns of the output are those of 'isthmus classify'; a label may differ from
    the one it gave, for it saw all documents of the target together.

    Example: isthmus predict --model kitchen.isthmus --input new.csv --output labels.csv
    """
    from collections import Counter

    from isthmus.cli.inputs import check_different
    from isthmus.cli.opened import count
    from isthmus.cli.predictions import added_columns, prediction_rows
    from isthmus.cli.talk import Talk
    from isthmus.files import check_table_path, open_documents, open_table_writer
    from isthmus.transfer.saving import load

    streaming = str(output) == STANDARD_STREAM
    if not streaming:
        check_table_path(output)
        inputs = [] if str(input) == STANDARD_STREAM else [input]
        check_different({"model": [model], "input": inputs, "output": [output]})
    talk = Talk(quiet, as_json, answer_on_error_stream=streaming)
    with talk.working("Loading the model") as update:
        loaded = load(model)
        loaded.check_domain(domain)
        file = open_documents(
            input, text_col=text_col, with_labels=False, encoding=encoding, quotes=not no_quotes
        )
        copied = copied_columns(columns, file.columns, input)
        classes = loaded.classes_.tolist()
        added = added_columns(classes, copied, input, probabilities=probabilities)
        found: Counter[str] = Counter()
        without_words = 0
        with open_table_writer(output, [*copied, *added]) as writer:
            for batch in _batches(talk.counted(file.rows(), "Labelling document", update)):
                answer = loaded.label([row.text for row in batch], domain)
                found.update(str(label) for label in answer.labels.tolist())
                without_words += int(answer.without_words.sum())
                for record in prediction_rows(batch, copied, added, answer, classes):
                    writer.write(record)
    if without_words:
        talk.note(
            f"{count(without_words, 'document')} with no word that the model knows: labels there "
            "mean nothing."
        )
    talk.say(
        f"{count(sum(found.values()), 'document')} labelled: "
        + ", ".join(f"{name} {found[str(name)]:,}" for name in classes)
        + "."
    )
    if not streaming:
        talk.say(f"Predictions are in {output}.")
    talk.answer(
        {
            "documents": sum(found.values()),
            "labels": {str(name): found[str(name)] for name in classes},
            "without_known_words": without_words,
            "output": str(output),
        }
    )


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.text)
        if len(batch) >= _BATCH_DOCUMENTS or size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
