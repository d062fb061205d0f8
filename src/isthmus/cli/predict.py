"""``isthmus predict``: label new documents with a saved model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus._stages import record_stages, stage, timed
from isthmus.cli.errors import command
from isthmus.cli.file_options import EncodingOptions, TextColumn, check_different
from isthmus.cli.method_options import EngineOption
from isthmus.cli.output_options import (
    ConsoleOptions,
    PredictOutput,
    confirm_overwrite,
    is_standard_stream,
)

if TYPE_CHECKING:
    from isthmus.files import Row

__all__ = ["predict"]

# Documents are labelled in batches of this size, or smaller ones if documents are long.
_BATCH_DOCUMENTS = 1000
_BATCH_CHARACTERS = 20_000_000


@command
def predict(
    model: Annotated[
        Path, typer.Option(metavar="FILE", help="Model saved by 'isthmus classify --save-model'.")
    ],
    input: Annotated[
        Path,
        typer.Option(
            "--input",
            "-i",
            metavar="FILE",
            help="Documents to label: a file, a folder or a quoted pattern ('data/*.csv') of "
            "several; '-' is standard input.",
        ),
    ],
    encoding: EncodingOptions,
    output: PredictOutput,
    console_options: ConsoleOptions,
    text_col: TextColumn = None,
    domain: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Domain of the documents. Default: the target."),
    ] = None,
    engine: EngineOption = None,
) -> None:
    """Label new documents with a saved model.

    Documents are read, labelled and written in batches, so the file may be larger than the memory.
    The output has the columns of 'isthmus classify'. Labels may differ from those of 'classify',
    which labels all documents of the target together. A model whose verdict was "do not use" gives
    a note.

    Example: isthmus predict --model kitchen.isthmus --input new.csv --output labels.csv
    """
    from isthmus.cli.output import count, report_abstentions, rounded
    from isthmus.cli.predictions import added_columns, prediction_rows
    from isthmus.cli.verdict_report import warn_of_verdicts
    from isthmus.files import open_documents
    from isthmus.transfer.engine_scope import engine_scope
    from isthmus.transfer.saving import load

    output.check()
    inputs = [] if is_standard_stream(input) else [input]
    check_different({"model": [model], "input": inputs, "output": [output.output]})
    confirm_overwrite(output.files(), output.force)
    console = console_options.open(output.output)
    label_counts: Counter[str] = Counter()
    n_documents = n_without_words = 0
    with (
        record_stages("other") as times,
        console.progress("Loading the model") as progress,
        ExitStack() as stack,
    ):
        with stage("loading the model"):
            loaded = load(model)
        loaded.check_domain(domain)
        # Batches are small, so "auto" is decided once. Each batch has a new scope, because an
        # engine keeps the documents that it has copied.
        with engine_scope(loaded.estimator_, engine) as engine_name:
            loaded.set_params(engine=engine_name)
        verdicts = {
            name: verdict
            for name, verdict in loaded.verdicts_.items()
            if domain is None or name == domain
        }
        warn_of_verdicts(verdicts, console)
        file = stack.enter_context(
            open_documents(
                input,
                text_col=text_col,
                with_labels=False,
                encoding=encoding.encoding,
                quotes=not encoding.no_quotes,
            )
        )
        classes = loaded.classes_.tolist()
        copied = output.copied_columns(file.columns, input)
        added = added_columns(
            copied, input, probabilities_of=classes if output.probabilities else ()
        )
        rows = progress.track(file.rows(), "Labelling document", file.fraction_read)
        writer = stack.enter_context(output.open_writer([*copied, *added]))
        for batch in timed(_batches(rows), "reading the texts"):
            with stage("labelling"):
                prediction = loaded.label([row.text for row in batch], domain)
            labels = prediction.labels_at(output.min_confidence).tolist()
            label_counts.update(str(label) for label in labels if label is not None)
            n_documents += len(batch)
            n_without_words += int(prediction.without_words.sum())
            records = (row.values for row in batch)
            with stage("writing the predictions"):
                for record in prediction_rows(
                    *(records, copied, added, prediction, classes),
                    min_confidence=output.min_confidence,
                ):
                    writer.write(record)
    n_labelled = sum(label_counts.values())
    if n_without_words:
        console.warn(
            f"{count(n_without_words, 'document')} contain no word that the model knows: their "
            "labels are meaningless."
        )
    counts = ", ".join(f"{name}: {label_counts[str(name)]:,}" for name in classes)
    console.print(f"{count(n_labelled, 'document')} labelled: {counts}.")
    report_abstentions(n_documents - n_labelled, n_documents, output.min_confidence, console)
    if not is_standard_stream(output.output):
        console.print(f"Predictions are in {output.output}.")
    console.print_timings(times.seconds, engine_name)
    console.print_json(
        {
            "documents": n_documents,
            "labels": {str(name): label_counts[str(name)] for name in classes},
            "without_label": n_documents - n_labelled,
            "without_known_words": n_without_words,
            "verdict": {name: verdict.to_dict() for name, verdict in verdicts.items()},
            "output": str(output.output),
            "engine": engine_name,
            "timings": rounded(times.seconds),
        }
    )


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    n_characters = 0
    for row in rows:
        batch.append(row)
        n_characters += len(row.text)
        if len(batch) >= _BATCH_DOCUMENTS or n_characters >= _BATCH_CHARACTERS:
            yield batch
            batch, n_characters = [], 0
    if batch:
        yield batch
