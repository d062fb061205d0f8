"""The file of predictions: the columns of the input, then the prediction of every document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isthmus.evaluation.names import CONFIDENCE, GIVEN, PREDICTED, SOURCE_ONLY

if TYPE_CHECKING:
    from pathlib import Path

    from isthmus.cli.input_checks import InputChecks
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.output import ClassifyOutput
    from isthmus.cli.progress import Progress
    from isthmus.files import TableWriter
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.prediction import Prediction

__all__ = ["PredictionRows", "added_columns", "check_new", "write_predictions"]

_BLOCK_ROWS = 2_000
_DIGITS = 4
_NEARLY_HALF = 0.4999


def added_columns(
    copied: Sequence[str],
    path: Path,
    *,
    probabilities_of: Sequence[Any] = (),
    given: bool = False,
) -> list[str]:
    """Return the columns that the output adds; raise ValueError if the input has one of them.

    ``probabilities_of`` are the classes whose probabilities are written, and ``given`` is whether
    some labels were used to train.
    """
    added = [PREDICTED, CONFIDENCE, SOURCE_ONLY]
    if given:
        added.append(GIVEN)
    added += [_probability_column(label) for label in probabilities_of]
    check_new(added, copied, path)
    return added


def check_new(added: Sequence[str], copied: Sequence[str], path: Path) -> None:
    """Raise ValueError if the input has a column that the output adds."""
    for name in added:
        if name in copied:
            raise ValueError(
                f"'{path}' already has a column '{name}', which the output adds: rename it, or "
                "choose the columns to copy with --columns."
            )


@dataclass(frozen=True)
class PredictionRows:
    """Makes the rows of the file of predictions; can be pickled for another process."""

    copied: Sequence[str]
    """The columns of the input that are copied."""
    added: Sequence[str]
    classes: Sequence[Any]
    min_confidence: float | None = None
    """Predictions with a lower confidence are left empty."""

    @property
    def columns(self) -> list[str]:
        """All columns in order."""
        return [*self.copied, *self.added]

    def make(
        self,
        records: Iterable[Mapping[str, Any]],
        prediction: Prediction,
        labels: Sequence[Any] | None = None,
    ) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows in blocks: for every document the copied columns and its prediction.

        ``labels`` are those that were used to train, None for documents without one.
        """
        remaining = iter(records)
        # Millions of documents need less memory as arrays than as values of Python.
        for start in range(0, len(prediction), _BLOCK_ROWS):
            part = prediction.part(start, start + _BLOCK_ROWS)
            given = None if labels is None else labels[start : start + _BLOCK_ROWS]
            columns = _added_values(self.added, part, self.classes, given, self.min_confidence)
            names = tuple(columns)
            values_of_rows = zip(*columns.values(), strict=True)
            rows = []
            for record, values in zip(islice(remaining, len(part)), values_of_rows, strict=True):
                row = {name: record.get(name) for name in self.copied}
                row.update(zip(names, values))  # noqa: B905 -- one value per column
                rows.append(row)
            yield rows
        if next(remaining, None) is not None:
            raise AssertionError("there are more documents than predictions")


def _added_values(
    added: Sequence[str],
    prediction: Prediction,
    classes: Sequence[Any],
    labels: Sequence[Any] | None,
    min_confidence: float | None,
) -> dict[str, list[Any]]:
    """Return the values of all documents by added column."""
    values = {
        PREDICTED: prediction.labels_at(min_confidence).tolist(),
        CONFIDENCE: _rounded(prediction.confidence),
        SOURCE_ONLY: prediction.source_only.tolist(),
    }
    if GIVEN in added:
        labels = labels or [None] * len(prediction.labels)
        values[GIVEN] = ["no" if label is None else "yes" for label in labels]
    for code, name in enumerate(map(_probability_column, classes)):
        if name in added:
            values[name] = _rounded(prediction.probabilities[:, code])
    return values


def _rounded(values: NDArray[Any]) -> list[float]:
    """Round as Python does, which takes longer than everything else that is done with a row.

    NumPy rounds a number times a power of ten. Its result differs where that is close to a half.
    """
    scaled = values.astype(np.float64) * 10**_DIGITS
    nearest = np.rint(scaled)
    rounded: list[float] = (nearest / 10**_DIGITS).tolist()
    for row in np.flatnonzero(np.abs(scaled - nearest) > _NEARLY_HALF).tolist():
        rounded[row] = round(float(values[row]), _DIGITS)
    return rounded


def _probability_column(label: Any) -> str:
    return f"probability_{label}"


def write_predictions(
    model: Transfer,
    target: InputFile,
    checks: InputChecks,
    output: ClassifyOutput,
    progress: Progress,
) -> None:
    """Write the columns of the target and the labels of its documents."""
    from isthmus.cli.parallel_labels import encode_in_processes

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
