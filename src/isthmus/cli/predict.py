"""``isthmus predict``: label new documents with a saved model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from isthmus._stages import record_stages, stage, timed
from isthmus.cli.command import command, option
from isthmus.cli.input_options import EncodingOptions, TextColumn, check_different
from isthmus.cli.method_options import EngineOption
from isthmus.cli.output import (
    ConsoleOptions,
    PredictOutput,
    confirm_overwrite,
    is_standard_stream,
)

if TYPE_CHECKING:
    from isthmus.cli.parallel_labels import LabeledShard, ModelUse
    from isthmus.cli.progress import Progress
    from isthmus.files import DocumentFile, TableWriter
    from isthmus.transfer.model import Transfer

__all__ = ["predict"]


@command
def predict(
    *,
    model: Path = option("FILE", "Model saved by 'isthmus classify --save-model'.", default=...),
    input: Path = option(
        "FILE",
        "Documents to label: a file, a folder or a quoted pattern ('data/*.csv') of several; '-' "
        "is standard input.",
        *("--input", "-i"),
        default=...,
    ),
    encoding: EncodingOptions,
    output: PredictOutput,
    console_options: ConsoleOptions,
    text_col: TextColumn = None,
    domain: str | None = option("NAME", "Domain of the documents. Default: the target."),
    engine: EngineOption = None,
) -> None:
    """Label new documents with a saved model.

    Documents are read, labeled and written in batches, so the file may be larger than the memory.
    Large files are read and labeled by several processes. The output has the columns of
    'isthmus classify'. Labels may differ from those of 'classify', which labels all documents of
    the target together. A model whose verdict was "do not use" gives a note.

    Example: isthmus predict --model kitchen.isthmus --input new.csv --output labels.csv
    """
    from isthmus.cli.output import count, report_abstentions, rounded
    from isthmus.cli.parallel_labels import ModelUse
    from isthmus.cli.predictions import PredictionRows, added_columns
    from isthmus.cli.summary import warn_of_verdicts
    from isthmus.transfer.engine import engine_scope
    from isthmus.transfer.saving import load

    output.check()
    if engine == "dask":
        raise ValueError(
            "--engine dask is for 'isthmus classify': predict labels large files in several "
            "processes of this machine, leave the option out."
        )
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
        file = stack.enter_context(encoding.open(input, text_col=text_col, with_labels=False))
        classes = loaded.classes_.tolist()
        copied = output.copied_columns(file.columns, input)
        added = added_columns(
            copied, input, probabilities_of=classes if output.probabilities else ()
        )
        maker = PredictionRows(copied, added, classes, output.min_confidence)
        use = ModelUse(model, domain, engine_name, maker)
        writer = stack.enter_context(output.open_writer(maker.columns))
        for shard in _labeled(file, loaded, use, writer, progress):
            label_counts.update(shard.label_counts)
            n_documents += shard.n_documents
            n_without_words += shard.n_without_words
    n_labeled = sum(label_counts.values())
    if n_without_words:
        console.warn(
            f"{count(n_without_words, 'document has', 'documents have')} no word that the model "
            "knows: such labels are meaningless."
        )
    counts = ", ".join(f"{name}: {label_counts[str(name)]:,}" for name in classes)
    console.print(f"{count(n_labeled, 'document')} labeled: {counts}.")
    report_abstentions(n_documents - n_labeled, n_documents, output.min_confidence, console)
    if not is_standard_stream(output.output):
        console.print(f"Predictions are in {output.output}.")
    console.print_timings(times.seconds, engine_name)
    console.print_json(
        {
            "documents": n_documents,
            "labels": {str(name): label_counts[str(name)] for name in classes},
            "without_label": n_documents - n_labeled,
            "without_known_words": n_without_words,
            "verdict": {name: verdict.to_dict() for name, verdict in verdicts.items()},
            "output": str(output.output),
            "engine": engine_name,
            "timings": rounded(times.seconds),
        }
    )


def _labeled(
    file: DocumentFile, model: Transfer, use: ModelUse, writer: TableWriter, progress: Progress
) -> Iterator[LabeledShard]:
    """Label all documents and write them; yields what the summary says of some at a time."""
    from isthmus.cli.parallel_labels import label_in_processes, shards_for_processes

    shards = shards_for_processes(file, writer) if use.engine == "cpu" else None
    if shards is None or writer.encoder is None:
        yield from _labeled_here(file, model, use, writer, progress)
        return
    progress.begin("Labeling in several processes")
    show = progress.counter("Labeling document")
    n_documents = n_bytes = 0
    for shard in timed(label_in_processes(shards, use, writer.encoder), "labeling"):
        with stage("writing the predictions"):
            writer.write_encoded(shard.rows, shard.n_documents)
        n_documents += shard.n_documents
        n_bytes += shard.n_bytes
        show(n_documents, n_bytes / file.n_bytes)
        yield shard


def _labeled_here(
    file: DocumentFile, model: Transfer, use: ModelUse, writer: TableWriter, progress: Progress
) -> Iterator[LabeledShard]:
    """Label all documents in this process, and write them."""
    from isthmus.cli.parallel_labels import batches, summary_of

    show = progress.counter("Labeling document")
    n_documents = 0
    for batch in timed(batches(file.blocks()), "reading the texts"):
        with stage("labeling"):
            prediction = model.label(batch.texts, use.domain)
        with stage("writing the predictions"):
            for row in chain.from_iterable(use.rows.make(batch.records(), prediction)):
                writer.write(row)
        n_documents += len(prediction)
        show(n_documents, file.fraction_read())
        yield summary_of(prediction, use.rows.min_confidence)
