"""Read predictions and the truth about them from files."""

from __future__ import annotations

import os
from dataclasses import dataclass

from isthmus.evaluation.columns import CONFIDENCE, GIVEN, PREDICTED, SOURCE_ONLY
from isthmus.evaluation.matching import match_ids, match_rows
from isthmus.evaluation.naming import first_few
from isthmus.evaluation.report import ROUNDING
from isthmus.files.columns import LABEL_NAMES, TEXT_NAMES
from isthmus.files.table_reader import Column, TableFile, open_table

__all__ = ["JudgedPredictions", "read_predictions"]

ID_NAMES = ("id",)
# Before the usual names of labels, for these can mean nothing else.
TRUTH_NAMES = ("truth", "truelabel", "gold", "goldlabel", *LABEL_NAMES)


@dataclass(frozen=True)
class JudgedPredictions:
    """Predictions and the truth about them, as `evaluate_labels` takes them."""

    truth: list[str | None]
    predicted: list[str]
    source_only: list[str] | None
    confidence: list[float] | None
    matched: str = "in one file"
    """How the truth was found, in words."""
    n_given: int = 0
    """Documents left out because their label was learnt from."""


def read_predictions(
    predictions: str | os.PathLike[str],
    truth: str | os.PathLike[str] | None = None,
    *,
    label_col: str | None = None,
    predicted_col: str = PREDICTED,
    id_col: str | None = None,
    encoding: str | None = None,
    quotes: bool = True,
) -> JudgedPredictions:
    """Read a file of predictions and find the true label of each.

    Parameters
    ----------
    predictions : path
        A table with a column of predicted labels; columns ``confidence`` and ``source_only``
        are read if they are there. A row with "yes" under ``label_given`` was learnt from, not
        predicted, so its truth is not counted.
    truth : path, optional
        A table with a column of true labels; by default the predictions hold it.
    label_col : str, optional
        The column of the true labels; by default one of a usual name.
    predicted_col : str
        The column of the predicted labels.
    id_col : str, optional
        The column that names a document in both files. By default ``id`` if both have such a
        column, else the files are matched row by row.
    encoding, quotes
        How to read the file that holds the truth. Other predictions are taken for what Isthmus
        writes: UTF-8 with quotes, whatever the user's own file is.

    Returns
    -------
    JudgedPredictions
        One entry for every prediction.

    Raises
    ------
    ValueError
        If a file cannot be read or the two do not fit each other.
    """
    if truth is None:
        table = open_table(predictions, encoding=encoding, quotes=quotes)
        predicted_col = table.require(predicted_col, "predicted_col")
        label_col = _label_column(table, label_col, predicted_col)
        cells = table.read([*_prediction_columns(table, predicted_col), label_col])
        labels = cells[label_col]
        true, matched = list(labels.values), "in one file"
    else:
        if os.fspath(predictions) == os.fspath(truth) == "-":
            raise ValueError(
                "The predictions and the truth cannot both be '-', for standard input can be read "
                "only once: save one of them to a file."
            )
        table = open_table(predictions)
        predicted_col = table.require(predicted_col, "predicted_col")
        other = open_table(truth, encoding=encoding, quotes=quotes)
        label_col = _label_column(other, label_col, None)
        cells, labels, rows, matched = _match(table, other, predicted_col, label_col, id_col)
        true = [None if row is None else labels.values[row] for row in rows]
    kept = _not_given(true, cells.get(GIVEN))
    plain = (
        cells[SOURCE_ONLY].filled("a label, or leave the column out")
        if SOURCE_ONLY in cells
        else None
    )
    sure = _probabilities(cells[CONFIDENCE]) if CONFIDENCE in cells else None
    predicted = cells[predicted_col].filled("a predicted label")
    judged = JudgedPredictions(
        [true[row] for row in kept],
        [predicted[row] for row in kept],
        None if plain is None else [plain[row] for row in kept],
        None if sure is None else [sure[row] for row in kept],
        matched,
        len(true) - len(kept),
    )
    _check_classes(judged, labels)
    return judged


def _prediction_columns(table: TableFile, predicted_col: str) -> list[str]:
    extra = (CONFIDENCE, SOURCE_ONLY, GIVEN)
    return [predicted_col, *(column for column in extra if column in table.columns)]


def _label_column(table: TableFile, label_col: str | None, predicted_col: str | None) -> str:
    """Choose the column of the true labels; ``predicted_col`` is in the same table, if any."""
    if label_col is not None:
        if label_col == predicted_col:
            raise ValueError(
                f"Column '{label_col}' of {table.name} cannot be both the truth and the "
                "prediction: name another one with --label-col or --predicted-col."
            )
        return table.require(label_col, "label_col")
    taken = () if predicted_col is None else (predicted_col, CONFIDENCE, SOURCE_ONLY, GIVEN)
    found = table.find(TRUTH_NAMES, taken)
    if found is None:
        elsewhere = "" if predicted_col is None else ", or the file that does with --truth"
        raise ValueError(
            f"Cannot tell which column of {table.name} holds the true labels: name it with "
            f"--label-col{elsewhere}; it has {table.listed()}."
        )
    return found


def _match(
    table: TableFile, other: TableFile, predicted_col: str, label_col: str, id_col: str | None
) -> tuple[dict[str, Column], Column, list[int | None], str]:
    """Read both files; return the columns of the first, the true labels, their rows, and how."""
    ids: tuple[str, str] | None
    if id_col is not None:
        ids, texts = (table.require(id_col, "id_col"), other.require(id_col, "id_col")), None
    else:
        ids, texts = _shared(table, other, ID_NAMES), _shared(table, other, TEXT_NAMES)
    pairs = [pair for pair in (ids, texts) if pair is not None]
    cells = table.read([*_prediction_columns(table, predicted_col), *(pair[0] for pair in pairs)])
    others = other.read([label_col, *(pair[1] for pair in pairs)])
    labels = others[label_col]
    if ids is not None:
        one, two = cells[ids[0]], others[ids[1]]
        # The same ids in the same order leave no doubt about the rows, though they be repeated.
        repeated = None in one.values or len(set(one.values)) < len(one)
        if id_col is not None or not (repeated and list(one.values) == list(two.values)):
            return cells, labels, match_ids(one, two), f"by '{one.name}'"
    text_columns = None if texts is None else (cells[texts[0]], others[texts[1]])
    return cells, labels, match_rows(cells[predicted_col], labels, text_columns), "row by row"


def _shared(table: TableFile, other: TableFile, usual: tuple[str, ...]) -> tuple[str, str] | None:
    """The columns of both tables that go by the first usual name which both have."""
    for name in usual:
        one, two = table.find([name]), other.find([name])
        if one is not None and two is not None:
            return one, two
    return None


def _probabilities(column: Column) -> list[float]:
    numbers = []
    for row, value in enumerate(column.values):
        try:
            number = float(value or "")
        except ValueError:
            number = float("nan")
        if not -ROUNDING <= number <= 1 + ROUNDING:
            raise ValueError(
                f"{column.where(row)} holds '{value or ''}' in '{column.name}': write a "
                "probability from 0 to 1, or leave the column out."
            )
        numbers.append(number)
    return numbers


def _not_given(true: list[str | None], given: Column | None) -> list[int]:
    """The rows without those whose label was learnt from."""
    if given is None:
        return list(range(len(true)))
    others = [row for row, mark in enumerate(given.values) if mark != "yes"]
    n_true = sum(label is not None for label in true)
    if n_true and not any(true[row] for row in others):
        raise ValueError(
            f"All {n_true} documents with a true label were given to learn from ('{given.name}' is "
            f"yes in {given.file}), so none is left to judge by: label others, or classify without "
            "--target-label-col."
        )
    return others


def _check_classes(judged: JudgedPredictions, labels: Column) -> None:
    true = {label for label in judged.truth if label is not None}
    if not true:
        raise ValueError(
            f"No document has a true label in column '{labels.name}' of {labels.file}: name "
            "another column with --label-col, or another file with --truth."
        )
    # A class that one of the classifiers knows is spelt alike, though it may be predicted never.
    known = {*judged.predicted, *(judged.source_only or ())}
    if true.isdisjoint(known):
        raise ValueError(
            f"No class of the truth ({first_few(sorted(true))}, column '{labels.name}' of "
            f"{labels.file}) is among the predicted ones ({first_few(sorted(known))}): write the "
            "classes alike in both, or name another column with --label-col."
        )
