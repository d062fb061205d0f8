"""Write the labels of the documents of ``isthmus classify``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isthmus.cli.input_checks import InputChecks
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.output_options import ClassifyOutput
    from isthmus.cli.predictions import PredictionRows
    from isthmus.cli.progress import Progress
    from isthmus.files import TableWriter
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.prediction import Prediction

__all__ = ["write_predictions"]


def write_predictions(
    model: Transfer,
    target: InputFile,
    checks: InputChecks,
    output: ClassifyOutput,
    progress: Progress,
) -> None:
    """Write the columns of the target and the labels of its documents."""
    from isthmus.cli.parallel_labels import encode_in_processes
    from isthmus.cli.predictions import PredictionRows

    (prediction,) = model.targets_.values()
    copied, added = checks.output_columns()
    maker = PredictionRows(copied, added, model.classes_.tolist(), output.min_confidence)
    if output.parts:
        _write_parts(model, target, prediction, maker, output, progress)
        return
    show = progress.counter("Writing document")
    with output.open_writer(maker.columns) as writer:
        if not target.was_read_in_shards or writer.encoder is None:
            _write_rows(target, prediction, maker, writer, show)
            return
        n_written = 0
        shards = target.labeled_shards(prediction)
        for rows, n_rows in encode_in_processes(shards, maker, writer.encoder):
            writer.write_encoded(rows, n_rows)
            n_written += n_rows
            show(n_written, n_written / len(prediction))


def _write_rows(
    target: InputFile,
    prediction: Prediction,
    maker: PredictionRows,
    writer: TableWriter,
    show: Callable[[int, float | None], None],
) -> None:
    """Write the rows of all documents in this process."""
    n_written = 0
    for rows in maker.make(target.records(), prediction, target.labels):
        for row in rows:
            writer.write(row)
        n_written += len(rows)
        show(n_written, n_written / len(prediction))


def _write_parts(
    model: Transfer,
    target: InputFile,
    prediction: Prediction,
    maker: PredictionRows,
    output: ClassifyOutput,
    progress: Progress,
) -> None:
    """Write one file per shard of the target, or a single file if it was read as a whole."""
    from isthmus.cli.output_parts import FIRST_PART, whole_folder, write_parts
    from isthmus.files import open_table_writer
    from isthmus.transfer.engine import cluster_client

    show = progress.counter("Writing document")
    with whole_folder(output.output, force=output.force) as folder:
        if not target.was_read_in_shards:
            with open_table_writer(folder / FIRST_PART, maker.columns) as writer:
                _write_rows(target, prediction, maker, writer, show)
            return
        n_written = 0
        shards = target.labeled_shards(prediction)
        # An interrupt ends the processes before the folder is removed.
        with closing(write_parts(shards, maker, folder, cluster_client(model.engine))) as sizes:
            for n_rows in sizes:
                n_written += n_rows
                show(n_written, n_written / len(prediction))
