"""The file of predictions: the columns of the input, then what is said of every document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from isthmus.evaluation.columns import CONFIDENCE, GIVEN, PREDICTED, SOURCE_ONLY

if TYPE_CHECKING:
    from pathlib import Path

    from isthmus.files import Row
    from isthmus.transfer.prediction import Prediction

__all__ = ["added_columns", "prediction_rows"]

_DIGITS = 4


def added_columns(
    classes: Sequence[Any],
    copied: Sequence[str],
    path: Path,
    *,
    probabilities: bool,
    given: bool = False,
) -> list[str]:
    """The columns that are added; an input column of the same name is an error."""
    added = [PREDICTED, CONFIDENCE, SOURCE_ONLY]
    if given:
        added.append(GIVEN)
    if probabilities:
        added += [_share_of(label) for label in classes]
    for name in added:
        if name in copied:
            raise ValueError(
                f"'{path}' has a column '{name}' already, which the output adds: rename it, or "
                "choose the columns to copy with --columns."
            )
    return added


def prediction_rows(
    rows: Iterable[Row],
    copied: Sequence[str],
    added: Sequence[str],
    answer: Prediction,
    classes: Sequence[Any],
) -> Iterator[dict[str, Any]]:
    """One record a document: what is copied of its row, and what is said of it."""
    said = zip(
        rows,
        answer.labels.tolist(),
        answer.probabilities.tolist(),
        answer.source_only.tolist(),
        strict=True,
    )
    wanted = set(added)
    for row, label, shares, plain in said:
        record = {name: row.values.get(name) for name in copied}
        record |= {PREDICTED: label, CONFIDENCE: round(max(shares), _DIGITS), SOURCE_ONLY: plain}
        if GIVEN in wanted:
            record[GIVEN] = "no" if row.label is None else "yes"
        for name, share in zip(map(_share_of, classes), shares, strict=True):
            if name in wanted:
                record[name] = round(share, _DIGITS)
        yield record


def _share_of(label: Any) -> str:
    return f"probability_{label}"
