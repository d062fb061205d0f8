"""The file of predictions: the columns of the input, then the prediction of every document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isthmus.evaluation.names import CONFIDENCE, GIVEN, PREDICTED, SOURCE_ONLY

if TYPE_CHECKING:
    from pathlib import Path

    from isthmus.transfer.prediction import Prediction

__all__ = ["PredictionRows", "added_columns"]

_BLOCK_ROWS = 10_000
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
    for name in added:
        if name in copied:
            raise ValueError(
                f"'{path}' already has a column '{name}', which the output adds: rename it, or "
                "choose the columns to copy with --columns."
            )
    return added


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
    ) -> Iterator[dict[str, Any]]:
        """Yield one row per document: the copied columns and its prediction.

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
            for record, values in zip(islice(remaining, len(part)), values_of_rows, strict=True):
                row = {name: record.get(name) for name in self.copied}
                row.update(zip(names, values))  # noqa: B905 -- one value per column
                yield row
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
