"""Choose the column of the texts and that of the labels."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from isthmus.files.errors import DocumentFileError

__all__ = [
    "LABEL_NAMES",
    "TEXT_NAMES",
    "Choice",
    "check_different",
    "choose_columns",
    "column_by_name",
    "listed",
    "not_there",
]

# Compared in lower case, by letters and digits alone. The first in the list wins.
TEXT_NAMES = (
    *("text", "texts", "document", "documents", "doc", "fulltext", "rawtext", "cleantext"),
    *("body", "content", "contents", "review", "reviewtext", "reviewbody", "reviews"),
    *("message", "comment", "commenttext", "post", "tweet", "tweettext", "description"),
    *("sentence", "abstract", "article", "paragraph", "passage", "utterance", "question"),
    *("summary", "headline", "title"),
)
LABEL_NAMES = (
    *("label", "labels", "class", "classlabel", "category", "categories", "sentiment"),
    *("polarity", "topic", "intent", "genre", "tag", "target", "y", "rating", "stars"),
    *("team", "queue", "department"),
)
NUMBERING_NAMES = {
    "id",
    "ids",
    "index",
    "idx",
    "docid",
    "documentid",
    "uid",
    "uuid",
    "key",
    "column1",
}

MIN_MEAN_LETTERS = 20
LONGEST_NAME = 60
MOST_WORDS_IN_A_NAME = 8
NO_HEADER = (
    "; the first line looks like a document: write a header line such as text,label above it"
)

Sample = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Choice:
    """The columns chosen, and whether they had to be guessed."""

    text_col: str
    label_col: str | None
    text_guessed: bool
    label_guessed: bool


def choose_columns(
    columns: tuple[str, ...],
    *,
    text_col: str | None,
    label_col: str | None,
    need_label: bool,
    with_labels: bool,
    sample: Callable[[], Sample],
    name: str,
) -> Choice:
    """Choose the columns by the names given, by usual names, or by what they hold.

    Parameters
    ----------
    columns : tuple of str
        The columns there are.
    text_col, label_col : str, optional
        The columns the caller wants.
    need_label : bool
        Whether it is an error if there is no column of labels. Only then the other one of two
        columns is taken for it: in a file without labels it would be a number or a date.
    with_labels : bool
        Whether to look for a column of labels that was not named.
    sample : callable
        Returns the first rows; called only where names do not help.
    name : str
        The file as messages call it.

    Returns
    -------
    Choice
        The columns, and which of them were guessed.

    Raises
    ------
    DocumentFileError
        If a column is not there or cannot be told from its name.
    """
    text_col = _existing(text_col, "text_col", columns, name)
    label_col = _existing(label_col, "label_col", columns, name)
    if text_col is not None and text_col == label_col:
        raise DocumentFileError(
            f"Column '{text_col}' of {name} cannot be both the text and the label: name two "
            f"columns of {listed(columns)}."
        )
    text, label = text_col, label_col
    text = text or column_by_name(columns, TEXT_NAMES, label)
    looks_like_labels = label or column_by_name(columns, LABEL_NAMES, text)
    text = text or _by_content(columns, sample, looks_like_labels, name)
    if with_labels:
        label = looks_like_labels
    if label is None and need_label:
        label = _other_of_two(columns, text)
        if label is None:
            raise DocumentFileError(
                f"Cannot tell which column of {name} holds the labels: name it with label_col "
                f"(--label-col), it has {listed(columns)}{_headless(columns)}."
            )
    return Choice(text, label, text_col is None, label_col is None and label is not None)


def _existing(wanted: str | None, option: str, columns: tuple[str, ...], name: str) -> str | None:
    # Names in a header are read without blanks around them.
    if wanted is None or wanted in columns:
        return wanted
    if wanted.strip() in columns:
        return wanted.strip()
    raise not_there(wanted, option, columns, name)


def check_different(columns: Sequence[str], name: str) -> None:
    """Raise DocumentFileError if two columns of a file have one name."""
    first: dict[str, int] = {}
    for place, column in enumerate(columns, 1):
        if column in first:
            raise DocumentFileError(
                f"Columns {first[column]} and {place} of {name} are both called '{column}': "
                "rename one of them."
            )
        first[column] = place


def column_by_name(
    columns: tuple[str, ...], usual: tuple[str, ...], taken: str | None
) -> str | None:
    """The column that goes by the first of the usual names, other than the one taken."""
    plain: dict[str, str] = {}
    for column in columns:
        if column != taken:
            plain.setdefault(_plain(column), column)
    return next((plain[name] for name in usual if name in plain), None)


def _by_content(
    columns: tuple[str, ...], sample: Callable[[], Sample], label: str | None, name: str
) -> str:
    remark = _headless(columns)
    if not remark:
        rows = sample()
        # A class in the place of a column's name comes again below it.
        if any(row.get(column) == column for row in rows for column in columns):
            remark = NO_HEADER
    if not remark:
        lengths = {c: _mean_letters([row.get(c) for row in rows]) for c in columns if c != label}
        best = max(lengths, key=lambda c: lengths[c], default=None)
        if best is not None and lengths[best] >= MIN_MEAN_LETTERS:
            return best
    raise DocumentFileError(
        f"Cannot tell which column of {name} holds the texts: name it with text_col "
        f"(--text-col), it has {listed(columns)}{remark}."
    )


def _mean_letters(values: list[Any]) -> float:
    """Return the mean number of letters, or 0 where the values are clearly no texts."""
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    if not texts or 2 * len(texts) < len(values):
        return 0.0
    # Addresses and keys are long too, but one word; a long name of a class comes again and again.
    wordy = sum(not text.isascii() or " " in text.strip() for text in texts)
    if 2 * wordy < len(texts) or 2 * len(set(texts)) < len(texts):
        return 0.0
    return sum(sum(map(str.isalpha, text)) for text in texts) / len(texts)


def _other_of_two(columns: tuple[str, ...], text: str) -> str | None:
    others = [column for column in columns if column != text]
    if len(others) == 1 and _plain(others[0]) not in NUMBERING_NAMES and not _headless(columns):
        return others[0]
    return None


def not_there(wanted: str, option: str, columns: tuple[str, ...], name: str) -> DocumentFileError:
    """The error about a column that a file does not have, with those that it has."""
    plain = {_plain(column): column for column in columns}
    close = difflib.get_close_matches(_plain(wanted), plain, n=1)
    hint = f"did you mean '{plain[close[0]]}'? It" if close else "it"
    flag = f"--{option.replace('_', '-')}"
    return DocumentFileError(
        f"There is no column '{wanted}' in {name} ({option}, {flag}): {hint} has "
        f"{listed(columns)}{_headless(columns)}."
    )


def _headless(columns: tuple[str, ...]) -> str:
    """Return a remark if the names look like a first document, else an empty text."""
    for column in columns:
        if column.startswith("{"):
            return "; its first line looks like JSON: end the file's name in .jsonl"
        if (
            len(column) > LONGEST_NAME
            or "\n" in column
            or len(column.split()) > MOST_WORDS_IN_A_NAME
        ):
            return NO_HEADER
    return ""


def listed(columns: tuple[str, ...]) -> str:
    """The columns in words, for messages."""
    shown = [f"'{c}'" if len(c) <= LONGEST_NAME else f"'{c[:LONGEST_NAME]}...'" for c in columns]
    if len(shown) > 20:
        shown = [*shown[:20], f"and {len(shown) - 20} more"]
    word = "column" if len(columns) == 1 else "columns"
    return f"the {word} {', '.join(shown)}"


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
