"""Find the true label of every prediction in another file."""

from __future__ import annotations

from collections import Counter

from isthmus.evaluation.naming import first_few
from isthmus.files.table_reader import Column

__all__ = ["match_ids", "match_rows"]


def match_ids(predicted: Column, true: Column) -> list[int | None]:
    """Tell for every prediction where its document stands in the truth.

    A prediction may have no truth, for often only a sample is labelled by hand. A true label
    without a prediction is refused: leaving it out could hide a mistake.

    Parameters
    ----------
    predicted, true : Column
        The ids of the predictions and those of the truth.

    Returns
    -------
    list of int or None
        A row of the truth for every prediction, None where there is none.

    Raises
    ------
    ValueError
        If ids are missing or occur more than once.
    """
    predicted_ids, true_ids = _checked_ids(predicted), _checked_ids(true)
    known = set(predicted_ids)
    unpredicted = [name for name in true_ids if name not in known]
    if unpredicted:
        raise ValueError(
            f"{len(unpredicted)} of the {len(true)} ids of {true.file} are not in column "
            f"'{predicted.name}' of {predicted.file}: {first_few(unpredicted)}; predict these "
            "documents too, take them out of the truth, or name another column with --id-col."
        )
    row_of = {name: row for row, name in enumerate(true_ids)}
    return [row_of.get(name) for name in predicted_ids]


def match_rows(
    predicted: Column, true: Column, texts: tuple[Column, Column] | None
) -> list[int | None]:
    """Match the first prediction with the first document of the truth, and so on.

    Parameters
    ----------
    predicted, true : Column
        The labels in both files.
    texts : pair of Column or None
        The documents, if both files hold them; they must be the same.

    Returns
    -------
    list of int
        A row of the truth for every prediction.

    Raises
    ------
    ValueError
        If the files differ in their number of rows or in their texts.
    """
    if len(predicted) != len(true):
        raise ValueError(
            f"{predicted.file} has {len(predicted)} documents and {true.file} has {len(true)}, so "
            "they cannot be matched row by row: name a column of ids that both have with --id-col."
        )
    if texts is not None:
        for row, (one, other) in enumerate(zip(texts[0].values, texts[1].values, strict=True)):
            # Line ends may change when a file is written again.
            if (one or "").split() != (other or "").split():
                raise ValueError(
                    f"{texts[0].where(row)} and {texts[1].places[row]} of {true.file} differ in "
                    "their texts, so the files cannot be matched row by row: put both into the "
                    "same order, or name a column of ids that both have with --id-col."
                )
    return list(range(len(predicted)))


def _checked_ids(column: Column) -> list[str]:
    ids = column.filled("an id; or name another column with --id-col")
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise ValueError(
            f"Column '{column.name}' of {column.file} holds ids more than once, "
            f"{first_few(repeated)}: give every document its own, or name another column with "
            "--id-col."
        )
    return ids
