"""Write the labels of the documents of ``isthmus classify``."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from isthmus.cli.command import raise_if_interrupted

if TYPE_CHECKING:
    from isthmus.cli.input_checks import InputChecks
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.output import ClassifyOutput
    from isthmus.cli.predictions import PredictionRows
    from isthmus.cli.progress import Progress
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
    with output.open_writer(maker.columns) as writer:
        if target.was_read_in_shards and writer.encoder is not None:
            shards = target.labeled_shards(prediction)
            n_written = 0
            for rows, n_rows in encode_in_processes(shards, maker, writer.encoder):
                raise_if_interrupted()
                writer.write_encoded(rows, n_rows)
                n_written += n_rows
                progress.show_fraction(
                    f"Writing document {n_written:,}", n_written / len(prediction)
                )
            return
        made = maker.make(target.records(), prediction, target.labels)
        for row in progress.track(made, "Writing document", total=len(prediction)):
            writer.write(row)


def _write_parts(
    model: Transfer,
    target: InputFile,
    prediction: Prediction,
    maker: PredictionRows,
    output: ClassifyOutput,
    progress: Progress,
) -> None:
    """Write one file per piece of the target, or a single file if it was read as a whole."""
    from isthmus.cli.output_parts import FIRST_PART, whole_folder, write_parts
    from isthmus.files import open_table_writer
    from isthmus.transfer.engine_scope import cluster_client

    with whole_folder(output.output, force=output.force) as folder:
        if target.was_read_in_shards:
            n_written = 0
            shards = target.labeled_shards(prediction)
            client = cluster_client(model.engine)
            # An interrupt ends the processes before the folder is removed.
            with closing(write_parts(shards, maker, folder, client)) as sizes:
                for n_rows in sizes:
                    raise_if_interrupted()
                    n_written += n_rows
                    progress.show_fraction(
                        f"Writing document {n_written:,}", n_written / len(prediction)
                    )
            return
        made = maker.make(target.records(), prediction, target.labels)
        with open_table_writer(folder / FIRST_PART, maker.columns) as writer:
            for row in progress.track(made, "Writing document", total=len(prediction)):
                writer.write(row)
