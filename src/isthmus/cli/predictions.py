"""The file of predictions: the columns of the input, then the prediction of every document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isthmus.evaluation.prediction_columns import CONFIDENCE, GIVEN, PREDICTED, SOURCE_ONLY

if TYPE_CHECKING:
    from pathlib import Path

    from isthmus.transfer.prediction import Prediction

__all__ = ["added_columns", "prediction_rows"]

_DIGITS = 4


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


def prediction_rows(
    records: Iterable[Mapping[str, Any]],
    copied: Sequence[str],
    added: Sequence[str],
    prediction: Prediction,
    classes: Sequence[Any],
    labels: Sequence[Any] | None = None,
    min_confidence: float | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield one row per document: the copied columns and its prediction.

    ``labels`` are the labels that were used to train, None for documents without one. Predictions
    with a lower confidence than ``min_confidence`` are left empty.
    """
    rows = zip(
        records,
        prediction.labels_at(min_confidence).tolist(),
        prediction.probabilities.tolist(),
        prediction.source_only.tolist(),
        labels or [None] * len(prediction.labels),
        strict=True,
    )
    written = set(added)
    for record, label, probabilities, source_only_label, given_label in rows:
        row = {name: record.get(name) for name in copied}
        row[PREDICTED] = label
        row[CONFIDENCE] = round(max(probabilities), _DIGITS)
        row[SOURCE_ONLY] = source_only_label
        if GIVEN in written:
            row[GIVEN] = "no" if given_label is None else "yes"
        for name, probability in zip(map(_probability_column, classes), probabilities, strict=True):
            if name in written:
                row[name] = round(probability, _DIGITS)
        yield row


def _probability_column(label: Any) -> str:
    return f"probability_{label}"
