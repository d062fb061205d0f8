"""Match predictions with the true labels of another file, by id or by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from isthmus.evaluation.quote_names import quote_first
from isthmus.files.table_reader import Column

__all__ = ["check_row_order", "match_ids", "match_rows", "same_unique_values"]


def match_ids(predicted: Column, true: Column) -> list[int | None]:
    """Return the row of the true label of every prediction.

    A prediction may have no true label, because often only a sample is labeled by hand. A true
    label without a prediction is an error, because ignoring it could hide a mistake.

    Parameters
    ----------
    predicted, true : Column
        The ids of the predictions and of the true labels.

    Returns
    -------
    list of int or None
        A row of the true labels for every prediction; None if there is none.

    Raises
    ------
    ValueError
        If ids are missing or occur more than once.
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


def match_rows(
    predicted: Column, true: Column, texts: tuple[Column, Column] | None
) -> list[int | None]:
    """Match predictions and true labels row by row.

    Parameters
    ----------
    predicted, true : Column
        The labels in both files.
    texts : pair of Column or None
        The texts, if both files have them; they must be identical.

    Returns
    -------
    list of int
        A row of the true labels for every prediction.

    Raises
    ------
    ValueError
        If the files differ in the number of rows or in the texts.
    """
    if len(predicted) != len(true):
        raise ValueError(
            f"{predicted.file} has {len(predicted)} documents and {true.file} has {len(true)}, so "
            "they cannot be matched row by row: name a column of ids that both have with --id-col."
        )
    if texts is not None:
        for row, (first, second) in enumerate(zip(texts[0].values, texts[1].values, strict=True)):
            # Programs may change white space when they save a file.
            if (first or "").split() != (second or "").split():
                raise ValueError(
                    f"{texts[0].where(row)} and {texts[1].places[row]} of {true.file} differ in "
                    "their texts, so the files cannot be matched row by row: sort both in the "
                    "same order, or name a column of ids that both have with --id-col."
                )
    return list(range(len(predicted)))


def same_unique_values(first: Column, second: Column) -> bool:
    """Return whether two columns have the same values, each of them once, in any order."""
    return _is_unique(first) and _is_unique(second) and set(first.values) == set(second.values)


def check_row_order(columns: Iterable[tuple[Column, Column]]) -> None:
    """Raise ValueError if unique values of a shared column differ in a row of both files."""
    for first, second in columns:
        if not (_is_unique(first) and _is_unique(second)):
            continue
        for row, (one, other) in enumerate(zip(first.values, second.values, strict=True)):
            # Programs may change white space when they save a file.
            if (one or "").split() != (other or "").split():
                raise ValueError(
                    f"{first.where(row)} and {second.places[row]} of {second.file} differ in "
                    f"column '{first.name}', so the files cannot be matched row by row: name a "
                    "column of ids that both have with --id-col."
                )


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
