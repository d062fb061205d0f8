"""Choose the columns of the texts and of the labels."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from isthmus.files.errors import DocumentFileError

__all__ = [
    "LABEL_NAMES",
    "TEXT_NAMES",
    "ColumnChoice",
    "ColumnRequest",
    "check_unique_columns",
    "choose_columns",
    "column_by_name",
    "listed",
    "no_such_column",
    "option_name",
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
class ColumnRequest:
    """The columns that the caller needs.

    Attributes
    ----------
    text_col, label_col : str or None
        The columns that the caller named.
    preferred_text_col : str or None
        The column of the texts if none was named and the file has this one.
    need_label : bool
        Whether a file without a column of labels is an error. Only then is the second one of two
        columns used for the labels: in a file without labels it would be a number or a date.
    with_labels : bool
        Whether to look for a column of labels that was not named.
    option_prefix : str
        Prefix of the options that messages name: ``"target_"`` for target_text_col.
    """

    text_col: str | None = None
    label_col: str | None = None
    preferred_text_col: str | None = None
    need_label: bool = False
    with_labels: bool = True
    option_prefix: str = ""

    def option(self, role: str) -> str:
        """Return the option that names the column of a role, as a parameter and as a flag."""
        return option_name(f"{self.option_prefix}{role}_col")


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of the texts and labels, and whether they were guessed."""

    text_col: str
    label_col: str | None
    text_guessed: bool
    label_guessed: bool


def choose_columns(
    columns: tuple[str, ...],
    request: ColumnRequest,
    *,
    sample: Callable[[], Sample],
    name: str,
) -> ColumnChoice:
    """Choose the columns by the names given, by usual names, or by their content.

    Parameters
    ----------
    columns : tuple of str
        The columns of the file.
    request : ColumnRequest
        The columns that the caller named, and which ones are needed.
    sample : callable
        Returns the first rows; called only if the names do not decide.
    name : str
        The file name used in messages.

    Raises
    ------
    DocumentFileError
        If a column does not exist, or if the column of the texts or labels cannot be guessed.
    """
    named_text = _existing(request.text_col, request.option("text"), columns, name)
    named_label = _existing(request.label_col, request.option("label"), columns, name)
    if named_text is not None and named_text == named_label:
        raise DocumentFileError(
            f"Column '{named_text}' of {name} cannot be both the text and the label: name two "
            f"columns of {listed(columns)}."
        )
    text, label = named_text, named_label
    if text is None and request.preferred_text_col in columns:
        text = request.preferred_text_col
    text = text or column_by_name(columns, TEXT_NAMES, label)
    looks_like_labels = label or column_by_name(columns, LABEL_NAMES, text)
    text = text or _by_content(columns, sample, looks_like_labels, name, request.option("text"))
    if request.with_labels:
        label = looks_like_labels
    if label is None and request.need_label:
        label = _other_of_two(columns, text)
        if label is None:
            raise DocumentFileError(
                f"Cannot guess which column of {name} contains the labels: name it with "
                f"{request.option('label')}, it has {listed(columns)}{_headless(columns)}."
            )
    return ColumnChoice(text, label, named_text is None, named_label is None and label is not None)


def option_name(parameter: str) -> str:
    """Return a parameter with its flag on the command line: "text_col (--text-col)"."""
    return f"{parameter} (--{parameter.replace('_', '-')})"


def _existing(column: str | None, option: str, columns: tuple[str, ...], name: str) -> str | None:
    # Names in a header are read without the blanks around them.
    if column is None or column in columns:
        return column
    if column.strip() in columns:
        return column.strip()
    raise no_such_column(column, option, columns, name)


def check_unique_columns(columns: Sequence[str], name: str) -> None:
    """Raise DocumentFileError if two columns of a file have the same name."""
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
    """Return the column with the first of the usual names, except the column ``taken``."""
    by_simple_name: dict[str, str] = {}
    for column in columns:
        if column != taken:
            by_simple_name.setdefault(_simple_name(column), column)
    return next((by_simple_name[name] for name in usual if name in by_simple_name), None)


def _by_content(
    columns: tuple[str, ...],
    sample: Callable[[], Sample],
    label: str | None,
    name: str,
    option: str,
) -> str:
    remark = _headless(columns)
    if not remark:
        rows = sample()
        # A class in place of a column's name is repeated in the rows below.
        if any(row.get(column) == column for row in rows for column in columns):
            remark = NO_HEADER
    if not remark:
        lengths = {c: _mean_letters([row.get(c) for row in rows]) for c in columns if c != label}
        best = max(lengths, key=lambda c: lengths[c], default=None)
        if best is not None and lengths[best] >= MIN_MEAN_LETTERS:
            return best
    raise DocumentFileError(
        f"Cannot guess which column of {name} contains the texts: name it with {option}, it has "
        f"{listed(columns)}{remark}."
    )


def _mean_letters(values: list[Any]) -> float:
    """Return the mean number of letters, or 0 if the values are clearly not texts."""
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    if not texts or 2 * len(texts) < len(values):
        return 0.0
    # Addresses and keys are long too, but a single word; a long class name is repeated.
    with_words = sum(not text.isascii() or " " in text.strip() for text in texts)
    if 2 * with_words < len(texts) or 2 * len(set(texts)) < len(texts):
        return 0.0
    return sum(sum(map(str.isalpha, text)) for text in texts) / len(texts)


def _other_of_two(columns: tuple[str, ...], text: str) -> str | None:
    others = [column for column in columns if column != text]
    if (
        len(others) == 1
        and _simple_name(others[0]) not in NUMBERING_NAMES
        and not _headless(columns)
    ):
        return others[0]
    return None


def no_such_column(
    column: str, option: str, columns: tuple[str, ...], name: str
) -> DocumentFileError:
    """Return the error about a column that a file does not have, with those that it has."""
    by_simple_name = {_simple_name(known): known for known in columns}
    close = difflib.get_close_matches(_simple_name(column), by_simple_name, n=1)
    hint = f"did you mean '{by_simple_name[close[0]]}'? It" if close else "it"
    return DocumentFileError(
        f"There is no column '{column}' in {name}: {hint} has {listed(columns)}"
        f"{_headless(columns)}. Choose with {option}."
    )


def _headless(columns: tuple[str, ...]) -> str:
    """Return a remark if the header looks like a document, else an empty text."""
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
    """Return the columns as messages list them."""
    shown = [f"'{c}'" if len(c) <= LONGEST_NAME else f"'{c[:LONGEST_NAME]}...'" for c in columns]
    if len(shown) > 20:
        shown = [*shown[:20], f"and {len(shown) - 20} more"]
    word = "column" if len(columns) == 1 else "columns"
    return f"the {word} {', '.join(shown)}"


def _simple_name(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
