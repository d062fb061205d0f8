"""Read a file of predictions with their true labels, from the same or another file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from isthmus.evaluation.label_scores import ROUNDING
from isthmus.evaluation.names import CONFIDENCE, GIVEN, PREDICTED, SOURCE_ONLY, quote_first
from isthmus.files.columns import LABEL_NAMES, TEXT_NAMES
from isthmus.files.printable import spreadsheet_safe_cell, without_protection
from isthmus.files.table_reader import Column, TableFile, open_table

__all__ = ["PredictionsWithTruth", "read_predictions"]

ID_NAMES = ("id",)
# Unambiguous names come before the usual names of label columns.
TRUTH_NAMES = ("truth", "truelabel", "gold", "goldlabel", *LABEL_NAMES)


@dataclass(frozen=True)
class PredictionsWithTruth:
    """Predictions with their true labels, the arguments of `evaluate_labels`."""

    truth: list[str | None]
    predicted: list[str | None]
    """None for documents without a predicted label."""
    source_only: list[str] | None
    confidence: list[float] | None
    matched: str = "in one file"
    """How predictions and true labels were matched, for messages."""
    n_given: int = 0
    """Number of documents excluded because their label was used for training."""


def read_predictions(
    predictions: str | os.PathLike[str],
    truth: str | os.PathLike[str] | None = None,
    *,
    label_col: str | None = None,
    predicted_col: str = PREDICTED,
    id_col: str | None = None,
    encoding: str | None = None,
    quotes: bool = True,
) -> PredictionsWithTruth:
    """Read a file of predictions with the true label of each.

    Parameters
    ----------
    predictions : path
        A table with a column of predicted labels, empty where the classifier abstained; the columns
        ``confidence`` and ``source_only`` are read if they exist. Rows with "yes" in
        ``label_given`` were used for training and are excluded. Cells that were protected from
        spreadsheets are read as they were before.
    truth : path, optional
        A table with a column of true labels; by default the file of predictions.
    label_col : str, optional
        The column of the true labels; by default a column with a usual name.
    predicted_col : str
        The column of the predicted labels.
    id_col : str, optional
        The column of document ids in both files. By default ``id`` if both have such a column, or
        else the only other column that has the same unique values in both; without such a column,
        the files are matched row by row.
    encoding, quotes
        How to read the file with the true labels. A separate file of predictions is expected as
        Isthmus writes it: UTF-8 with quotes.

    Returns
    -------
    PredictionsWithTruth
        One entry per prediction.

    Raises
    ------
    ValueError
        If a file cannot be read, or the files cannot be matched.
    """
    if truth is None:
        with open_table(predictions, encoding=encoding, quotes=quotes) as table:
            predicted_col = table.require(predicted_col, "predicted_col")
            label_col = _label_column(table, label_col, predicted_col)
            cells = table.read([*_prediction_columns(table, predicted_col), label_col])
        if _may_be_protected(cells):
            cells = _without_protection(cells)
        labels = cells[label_col]
        true, matched = list(labels.values), "in one file"
    else:
        if os.fspath(predictions) == os.fspath(truth) == "-":
            raise ValueError(
                "The predictions and the true labels cannot both be '-', because standard input "
                "can be read only once: save one of them to a file."
            )
        with open_table(predictions) as table:
            predicted_col = table.require(predicted_col, "predicted_col")
            with open_table(truth, encoding=encoding, quotes=quotes) as truth_table:
                label_col = _label_column(truth_table, label_col, None)
                cells, labels, rows, matched = _match(
                    table, truth_table, predicted_col, label_col, id_col
                )
        true = [None if row is None else labels.values[row] for row in rows]
    kept = _not_given(true, cells.get(GIVEN))
    source_only = (
        cells[SOURCE_ONLY].filled("a label, or remove the column") if SOURCE_ONLY in cells else None
    )
    confidence = _probabilities(cells[CONFIDENCE]) if CONFIDENCE in cells else None
    predicted = cells[predicted_col].values
    result = PredictionsWithTruth(
        [true[row] for row in kept],
        [predicted[row] for row in kept],
        None if source_only is None else [source_only[row] for row in kept],
        None if confidence is None else [confidence[row] for row in kept],
        matched,
        len(true) - len(kept),
    )
    _check_classes(result, labels)
    return result


def _may_be_protected(cells: Mapping[str, Column]) -> bool:
    """Return whether a file may have been protected: no cell is one that needs protection."""
    return all(
        value is None or spreadsheet_safe_cell(value) == value
        for column in cells.values()
        for value in column.values
    )


def _without_protection(cells: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns without apostrophes before formulas; control characters are escaped.

    The true labels are read like the predictions, so that both have the same form.
    """
    return {
        name: replace(
            column,
            values=[
                None if value is None else without_protection(spreadsheet_safe_cell(value))
                for value in column.values
            ],
        )
        for name, column in cells.items()
    }


def _prediction_columns(table: TableFile, predicted_col: str) -> list[str]:
    extra = (CONFIDENCE, SOURCE_ONLY, GIVEN)
    return [predicted_col, *(column for column in extra if column in table.columns)]


def _label_column(table: TableFile, label_col: str | None, predicted_col: str | None) -> str:
    """Return the column of the true labels; ``predicted_col`` if it is in the same table."""
    if label_col is not None:
        if label_col == predicted_col:
            raise ValueError(
                f"Column '{label_col}' of {table.name} cannot contain both the true and the "
                "predicted labels: name another column with --label-col or --predicted-col."
            )
        return table.require(label_col, "label_col")
    other_columns = () if predicted_col is None else (predicted_col, CONFIDENCE, SOURCE_ONLY, GIVEN)
    label_col = table.find(TRUTH_NAMES, other_columns)
    if label_col is None:
        other_file = "" if predicted_col is None else ", or name another file with --truth"
        raise ValueError(
            f"No column of {table.name} has a usual name of true labels: name the column with "
            f"--label-col{other_file}; the file has {table.listed()}."
        )
    return label_col


def _match(
    table: TableFile,
    truth_table: TableFile,
    predicted_col: str,
    label_col: str,
    id_col: str | None,
) -> tuple[dict[str, Column], Column, list[int | None], str]:
    """Return the columns of the predictions, the true labels, their rows, and how they match."""
    ids: tuple[str, str] | None
    if id_col is not None:
        ids = table.require(id_col, "id_col"), truth_table.require(id_col, "id_col")
        texts = None
    else:
        ids = _shared_column(table, truth_table, ID_NAMES)
        texts = _shared_column(table, truth_table, TEXT_NAMES)
    pairs = [pair for pair in (ids, texts) if pair is not None]
    own_columns = [*_prediction_columns(table, predicted_col), *(pair[0] for pair in pairs)]
    shared = [] if ids is not None else _other_shared_columns(table, truth_table, own_columns)
    shared = [name for name in shared if name != label_col]
    cells = table.read(own_columns, shared)
    truth_cells = truth_table.read([label_col, *(pair[1] for pair in pairs)], shared)
    if _may_be_protected(cells):
        cells, truth_cells = _without_protection(cells), _without_protection(truth_cells)
    labels = truth_cells[label_col]
    if ids is not None:
        own_ids, true_ids = cells[ids[0]], truth_cells[ids[1]]
        # Identical columns can be matched row by row, even if ids are missing or repeated.
        not_unique = None in own_ids.values or len(set(own_ids.values)) < len(own_ids)
        identical = list(own_ids.values) == list(true_ids.values)
        if id_col is not None or not (not_unique and identical):
            return cells, labels, _match_ids(own_ids, true_ids), f"by '{own_ids.name}'"
    others = [
        (cells[name], truth_cells[name]) for name in shared if name in cells and name in truth_cells
    ]
    identifying = [pair for pair in others if _same_unique_values(*pair)]
    if len(identifying) == 1:
        own_ids, true_ids = identifying[0]
        return cells, labels, _match_ids(own_ids, true_ids), f"by '{own_ids.name}'"
    text_columns = None if texts is None else (cells[texts[0]], truth_cells[texts[1]])
    rows = _match_rows(cells[predicted_col], labels, text_columns)
    if text_columns is None:
        _check_row_order(others)
    return cells, labels, rows, "row by row"


def _other_shared_columns(
    table: TableFile, truth_table: TableFile, own_columns: Sequence[str]
) -> list[str]:
    """Return the columns of both tables that may contain ids under an unusual name."""
    contents = {table.find([name]) for name in (*TEXT_NAMES, *TRUTH_NAMES, PREDICTED, CONFIDENCE)}
    return [
        name
        for name in table.columns
        if name in truth_table.columns and name not in own_columns and name not in contents
    ]


def _shared_column(
    table: TableFile, truth_table: TableFile, names: tuple[str, ...]
) -> tuple[str, str] | None:
    """Return the columns of both tables for the first name that both have."""
    for name in names:
        first, second = table.find([name]), truth_table.find([name])
        if first is not None and second is not None:
            return first, second
    return None


def _match_ids(predicted: Column, true: Column) -> list[int | None]:
    """Return the row of the true label of every prediction.

    A prediction may have no true label, because often only a sample is labeled by hand. A true
    label without a prediction is an error, because ignoring it could hide a mistake.
    """
    predicted_ids, true_ids = _checked_ids(predicted), _checked_ids(true)
    known_ids = set(predicted_ids)
    unpredicted = [name for name in true_ids if name not in known_ids]
    if unpredicted:
        raise ValueError(
            f"{len(unpredicted)} of the {len(true)} ids of {true.file} are not in column "
            f"'{predicted.name}' of {predicted.file}: {quote_first(unpredicted)}; predict these "
            "documents too, remove their true labels, or name another column with --id-col."
        )
    row_of = {name: row for row, name in enumerate(true_ids)}
    return [row_of.get(name) for name in predicted_ids]


def _match_rows(
    predicted: Column, true: Column, texts: tuple[Column, Column] | None
) -> list[int | None]:
    """Match the rows of two files in their order; texts that both have must be identical."""
    if len(predicted) != len(true):
        raise ValueError(
            f"{predicted.file} has {len(predicted)} documents and {true.file} has {len(true)}, so "
            "they cannot be matched row by row: name a column of ids that both have with --id-col."
        )
    if texts is not None:
        row = _first_difference(*texts)
        if row is not None:
            raise ValueError(
                f"{texts[0].where(row)} and {texts[1].places[row]} of {true.file} differ in their "
                "texts, so the files cannot be matched row by row: sort both in the same order, or "
                "name a column of ids that both have with --id-col."
            )
    return list(range(len(predicted)))


def _same_unique_values(first: Column, second: Column) -> bool:
    """Return whether two columns have the same values, each of them once, in any order."""
    return _is_unique(first) and _is_unique(second) and set(first.values) == set(second.values)


def _check_row_order(columns: Iterable[tuple[Column, Column]]) -> None:
    """Raise ValueError if unique values of a shared column differ in a row of both files."""
    for first, second in columns:
        if not (_is_unique(first) and _is_unique(second)):
            continue
        row = _first_difference(first, second)
        if row is not None:
            raise ValueError(
                f"{first.where(row)} and {second.places[row]} of {second.file} differ in column "
                f"'{first.name}', so the files cannot be matched row by row: name a column of ids "
                "that both have with --id-col."
            )


def _first_difference(first: Column, second: Column) -> int | None:
    for row, (one, other) in enumerate(zip(first.values, second.values, strict=True)):
        # Programs may change white space when they save a file.
        if (one or "").split() != (other or "").split():
            return row
    return None


def _is_unique(column: Column) -> bool:
    return None not in column.values and len(set(column.values)) == len(column)


def _checked_ids(column: Column) -> list[str]:
    ids = column.filled("an id; or name another column with --id-col")
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise ValueError(
            f"Column '{column.name}' of {column.file} has duplicate ids, {quote_first(repeated)}: "
            "give every document a unique id, or name another column with --id-col."
        )
    return ids


def _probabilities(column: Column) -> list[float]:
    numbers = []
    for row, value in enumerate(column.values):
        try:
            number = float(value or "")
        except ValueError:
            number = float("nan")
        if not -ROUNDING <= number <= 1 + ROUNDING:
            raise ValueError(
                f"{column.where(row)} has '{value or ''}' in '{column.name}': write a "
                "probability from 0 to 1, or remove the column."
            )
        numbers.append(number)
    return numbers


def _not_given(true: list[str | None], given: Column | None) -> list[int]:
    """Return the rows whose label was not used for training."""
    if given is None:
        return list(range(len(true)))
    rows = [row for row, mark in enumerate(given.values) if mark != "yes"]
    n_true = sum(label is not None for label in true)
    if n_true and not any(true[row] for row in rows):
        raise ValueError(
            f"All {n_true} documents with a true label were used for training ('{given.name}' is "
            f"yes in {given.file}), so none is left for the evaluation: label others, or classify "
            "without --target-label-col."
        )
    return rows


def _check_classes(predictions: PredictionsWithTruth, labels: Column) -> None:
    true = {label for label in predictions.truth if label is not None}
    if not true:
        raise ValueError(
            f"No document has a true label in column '{labels.name}' of {labels.file}: name "
            "another column with --label-col, or another file with --truth."
        )
    # source_only may contain classes that the transfer method never predicts.
    known = {*predictions.predicted, *(predictions.source_only or ())} - {None}
    if known and true.isdisjoint(known):
        raise ValueError(
            f"No true class ({quote_first(sorted(true))}, column '{labels.name}' of {labels.file}) "
            f"is among the predicted classes ({quote_first(sorted(known))}): use the same class "
            "names in both, or name another column with --label-col."
        )
